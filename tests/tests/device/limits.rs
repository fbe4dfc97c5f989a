//! Limits: taken from the adapter, lowered on demand, and kept.

use optirs_gpu::rule::Rule;
use optirs_gpu::{
    AdamParams, Device, DeviceConfig, DeviceLimits, GpuAdam, GpuLamb, GpuOptimError, LambParams, LimitsChoice,
    Optimizer, ParamSet,
};
use optirs_gpu_tests::devices::gpu;
use scirs2_core::gpu::GpuBackend;
use scirs2_core::ndarray::{Array1, ArrayD};

const SMALL: DeviceLimits =
    DeviceLimits { buffer_bytes: 64 << 10, binding_bytes: 64 << 10, alignment_bytes: 256, grid_width: 7 };

fn small() -> DeviceConfig {
    DeviceConfig { limits: LimitsChoice::AtMost(SMALL), ..DeviceConfig::default() }
}

#[test]
fn the_webgpu_defaults_can_be_asked_for() {
    let config = DeviceConfig { limits: LimitsChoice::WebGpu, ..DeviceConfig::default() };
    let Some(device) = gpu(config) else { return };
    assert_eq!(device.limits(), DeviceLimits::WEBGPU);
}

#[test]
fn limits_are_lowered_on_every_device() {
    let cpu = Device::with_config(DeviceConfig { backend: Some(GpuBackend::Cpu), ..small() }).unwrap();
    assert_eq!(cpu.limits(), SMALL);
    let Some(device) = gpu(small()) else { return };
    assert_eq!(device.limits(), SMALL);
}

/// More elements than a small buffer holds, from -1 to 1, and a gradient that differs from them.
fn values() -> (Array1<f32>, Array1<f32>) {
    const LEN: usize = 20_000;
    let at = |index: usize| index as f32 / LEN as f32 * 2.0 - 1.0;
    (Array1::from_shape_fn(LEN, at), Array1::from_shape_fn(LEN, |index| at(LEN - index) * 0.5 + 0.1))
}

fn two_steps<R: Rule>(mut optimizer: Optimizer<R>) -> ArrayD<f32> {
    let device = optimizer.device().cloned().unwrap();
    let (w, grad) = values();
    let mut params = ParamSet::new(&device, [("w", w.view())]).unwrap();
    params.write_grad("w", &grad).unwrap();
    optimizer.step(&mut params).unwrap();
    optimizer.step(&mut params).unwrap();
    params.read("w").unwrap()
}

#[test]
fn a_tensor_larger_than_a_buffer_is_split_and_comes_out_the_same_to_the_bit() {
    let (Some(whole), Some(split)) = (gpu(DeviceConfig::default()), gpu(small())) else { return };
    let adam = |device: &Device| two_steps(GpuAdam::on(device, AdamParams::default()).unwrap());
    assert!(adam(&whole) == adam(&split));
    let lamb = |device: &Device| two_steps(GpuLamb::on(device, LambParams::default()).unwrap());
    assert!(lamb(&whole) == lamb(&split));
}

#[test]
fn a_binding_of_a_tensor_that_is_split_names_the_call_to_make() {
    let Some(device) = gpu(small()) else { return };
    let (w, _) = values();
    let mut params = ParamSet::new(&device, [("w", w.view())]).unwrap();
    let error = params.grad_binding("w").map(drop).unwrap_err();
    assert!(error.to_string().contains("grad_bindings"), "{error}");
    assert!(params.grad_bindings("w").unwrap().len() > 1);
    assert!(!matches!(error, GpuOptimError::Device(_)));
}
