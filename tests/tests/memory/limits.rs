//! More than there is: refused before any of it is touched.

use std::time::{Duration, Instant};

use optirs_gpu::{AdamParams, Device, DeviceConfig, DeviceLimits, GpuAdam, GpuOptimError, LimitsChoice, ParamSet};
use optirs_gpu_tests::devices;
use scirs2_core::gpu::GpuBackend;
use scirs2_core::ndarray::{Array1, arr0};

use crate::turn;

/// The most memory that this process has had at any time, in KiB, where the system says so.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

#[test]
fn four_tebibytes_are_refused_at_once_and_not_touched() {
    let _turn = turn();
    let device = Device::cpu();
    let before = peak();
    let started = Instant::now();
    // A view of one number, as large as it likes.
    let one = arr0(1.0f32);
    let error = ParamSet::new(&device, [("huge", one.broadcast(1 << 40).unwrap())]).unwrap_err();
    assert!(matches!(error, GpuOptimError::OutOfMemory(_)), "{error}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let grown = peak().zip(before).map_or(0, |(after, before)| after - before);
    assert!(grown < 100 << 10, "{grown} KiB were touched");
    assert_eq!(device.memory().bytes, 0);
    // It is as usable as before.
    let mut params = ParamSet::new(&device, [("w", Array1::<f32>::ones(10))]).unwrap();
    params.write_grad("w", &Array1::ones(10)).unwrap();
    GpuAdam::on(&device, AdamParams::default()).unwrap().step(&mut params).unwrap();
}

#[test]
fn what_is_beyond_a_limit_is_of_one_kind_on_every_back_end() {
    let _turn = turn();
    // Tables lie in one buffer, and so many tensors need more than these allow.
    let limits = DeviceLimits { buffer_bytes: 65_536, binding_bytes: 65_536, alignment_bytes: 256, grid_width: 65_535 };
    let config = DeviceConfig { limits: LimitsChoice::AtMost(limits), ..DeviceConfig::default() };
    let cpu = Device::with_config(DeviceConfig { backend: Some(GpuBackend::Cpu), ..config.clone() }).unwrap();
    let mut texts = Vec::new();
    for device in core::iter::once(cpu).chain(devices::gpu(config)) {
        let mut params = ParamSet::new(&device, (0..2500).map(|k| (k.to_string(), Array1::<f32>::ones(1)))).unwrap();
        for k in 0..2500 {
            params.set_grad_present(&k.to_string()).unwrap();
        }
        let before = device.memory();
        let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
        let error = optimizer.step(&mut params).unwrap_err();
        assert!(matches!(error, GpuOptimError::LimitExceeded { .. }), "{error}");
        assert_eq!((device.memory().bytes, optimizer.step_count()), (before.bytes, 0));
        texts.push(error.to_string());
        params.clear_grads();
        params.set_grad_present("7").unwrap();
        optimizer.step(&mut params).unwrap();
        assert_eq!(optimizer.step_count(), 1);
    }
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
}
