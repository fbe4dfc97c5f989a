//! Which adapter is taken, and what is said where none is.

use std::process::{Command, Output};

use optirs_gpu::{AdapterKind, Device, DeviceConfig, GpuOptimError};
use optirs_gpu_tests::devices::gpu;
use scirs2_core::gpu::GpuBackend;

/// Runs one test of this file again, in a process with these variables and without the usual ones.
fn again(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    for variable in ["OPTIRS_ADAPTER", "VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        command.env_remove(variable);
    }
    command.args([test, "--exact", "--nocapture"]);
    command.env("OPTIRS_TEST_AGAIN", "1").envs(variables.iter().copied()).output().unwrap()
}

fn is_again() -> bool {
    std::env::var_os("OPTIRS_TEST_AGAIN").is_some()
}

#[test]
fn the_list_ends_with_the_cpu_and_takes_at_most_one() {
    let adapters = Device::adapters().unwrap();
    let cpu = adapters.last().unwrap();
    assert_eq!((cpu.kind, cpu.interface), (AdapterKind::Cpu, "CPU"));
    assert_eq!(cpu.not_taken.as_deref(), Some("taken only by `Device::cpu()`"));
    assert!(adapters.iter().filter(|adapter| adapter.not_taken.is_none()).count() <= 1);
    assert!(adapters.iter().all(|adapter| adapter.interface != "OpenGL"));
}

#[test]
fn an_opened_adapter_is_the_one_in_the_list() {
    let Some(device) = gpu(DeviceConfig::default()) else { return };
    assert_eq!(device.backend(), GpuBackend::Wgpu);
    assert_eq!(device.name(), device.adapter().name);
    assert_eq!(device.is_software(), device.adapter().kind == AdapterKind::Software);
    assert_eq!(device.adapter().limits, Some(device.limits()));
    let adapters = Device::adapters().unwrap();
    let listed = adapters.iter().find(|adapter| adapter.name == device.name()).unwrap();
    assert_eq!((listed.kind, listed.limits), (device.adapter().kind, Some(device.limits())));
    if cfg!(target_os = "linux") {
        assert!(listed.memory.is_some_and(|bytes| bytes > 1 << 20), "{listed:?}");
    }
}

#[test]
fn a_name_that_no_adapter_has_is_an_error_that_lists_them() {
    let config = DeviceConfig { adapter: Some("no such adapter".to_owned()), ..DeviceConfig::default() };
    let error = Device::with_config(config).unwrap_err();
    assert!(matches!(error, GpuOptimError::NoAdapter(_)));
    let text = error.to_string();
    for adapter in Device::adapters().unwrap().iter().filter(|adapter| adapter.kind != AdapterKind::Cpu) {
        assert!(text.contains(&format!("{adapter}: its name does not contain `no such adapter`")), "{text}");
    }
    assert!(text.ends_with("run on the CPU with `Device::cpu()`"), "{text}");
}

#[test]
fn without_a_driver_the_error_says_what_was_looked_for_and_what_to_do() {
    if is_again() {
        println!("{}", Device::new().unwrap_err());
        assert_eq!(Device::adapters().unwrap().len(), 1);
        return;
    }
    if !cfg!(target_os = "linux") {
        return;
    }
    let output = again(
        "adapters::without_a_driver_the_error_says_what_was_looked_for_and_what_to_do",
        &[("VK_DRIVER_FILES", "/nonexistent/driver.json"), ("VK_ICD_FILENAMES", "/nonexistent/driver.json")],
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    for expected in [
        "no usable GPU adapter: none was found through Vulkan",
        "VK_DRIVER_FILES is `/nonexistent/driver.json`: Vulkan looks for drivers nowhere else",
        "apt-get install mesa-vulkan-drivers libvulkan1",
        "or run on the CPU with `Device::cpu()`",
    ] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn the_variable_names_an_adapter_in_any_case() {
    if is_again() {
        println!("taken: {}", Device::new().unwrap().name());
        return;
    }
    let Some(device) = gpu(DeviceConfig::default()) else { return };
    let upper = device.name().to_uppercase();
    let output = again("adapters::the_variable_names_an_adapter_in_any_case", &[("OPTIRS_ADAPTER", &upper)]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(&format!("taken: {}", device.name())), "{text}");
}

#[test]
fn software_is_not_taken_unasked() {
    if is_again() {
        match Device::new() {
            Ok(device) => assert!(!device.is_software()),
            Err(error) => assert!(matches!(error, GpuOptimError::NoAdapter(_))),
        }
        let adapters = Device::adapters().unwrap();
        let software = adapters.iter().filter(|adapter| adapter.kind == AdapterKind::Software);
        for adapter in software {
            assert_eq!(adapter.not_taken.as_deref(), Some("a software adapter is taken only when it is asked for"));
        }
        return;
    }
    let output = again("adapters::software_is_not_taken_unasked", &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn back_ends_that_do_not_exist_say_what_does() {
    for backend in [GpuBackend::Cuda, GpuBackend::Rocm, GpuBackend::OpenCL] {
        let config = DeviceConfig { backend: Some(backend), ..DeviceConfig::default() };
        let error = Device::with_config(config).unwrap_err();
        assert!(matches!(&error, GpuOptimError::UnsupportedOperation(text) if text.contains("use `Wgpu`")), "{error}");
    }
}

#[test]
fn the_cpu_is_a_device_that_says_so() {
    for device in [
        Device::cpu(),
        Device::with_config(DeviceConfig { backend: Some(GpuBackend::Cpu), ..DeviceConfig::default() }).unwrap(),
    ] {
        assert_eq!((device.backend(), device.name(), device.is_software()), (GpuBackend::Cpu, "CPU", false));
        assert_eq!(device.to_string(), "CPU");
        assert!(device.wgpu().is_none());
    }
}
