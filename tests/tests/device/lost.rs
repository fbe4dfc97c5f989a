//! A device that is lost, and one that is late: an error at once, nothing counted, nothing that hangs or panics.

use std::time::{Duration, Instant};

use optirs_gpu::rule::Rule;
use optirs_gpu::{AdamParams, Device, DeviceConfig, GpuAdam, GpuLamb, GpuOptimError, LambParams, Optimizer, ParamSet};
use optirs_gpu_tests::devices::gpu;
use scirs2_core::ndarray::Array1;

use crate::ones;

/// Much less than the time limit of a minute, and much more than a call takes: other tests keep the same GPU busy, and
/// open devices, for which drivers hold locks of their own.
const SOON: Duration = Duration::from_secs(5);

/// Fails with `DeviceLost`, and soon.
fn assert_lost<T>(what: &str, call: impl FnOnce() -> Result<T, GpuOptimError>) {
    let started = Instant::now();
    let result = call();
    assert!(matches!(result, Err(GpuOptimError::DeviceLost(_))), "{what}: {:?}", result.err());
    assert!(started.elapsed() < SOON, "{what} took {:?}", started.elapsed());
}

/// Every call on the optimizer and its set fails, and counts nothing.
fn assert_all_lost<R: Rule>(optimizer: &mut Optimizer<R>, params: &mut ParamSet, device: &Device) {
    let steps = optimizer.step_count();
    assert_lost("step", || optimizer.step(params));
    assert_lost("the step after it", || optimizer.step(params));
    assert_eq!(optimizer.step_count(), steps);
    assert_eq!(optimizer.tensor_step_count("w").unwrap_or(0), steps);
    assert_lost("read", || params.read("w"));
    assert_lost("write", || params.write("w", &Array1::<f32>::ones(10_000)));
    assert_lost("a new set", || ones(device, 10));
    assert_lost("wait", || device.wait());
}

#[test]
fn a_device_lost_before_the_first_step() {
    let Some(device) = gpu(DeviceConfig::default()) else { return };
    let mut params = ones(&device, 10_000).unwrap();
    let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
    device.wgpu().unwrap().0.destroy();
    assert_all_lost(&mut optimizer, &mut params, &device);
    drop((optimizer, params, device));
}

#[test]
fn a_device_lost_between_steps_with_work_in_flight() {
    let Some(device) = gpu(DeviceConfig::default()) else { return };
    let mut params = ones(&device, 10_000).unwrap();
    let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
    for _ in 0..3 {
        optimizer.step(&mut params).unwrap();
    }
    device.wgpu().unwrap().0.destroy();
    assert_all_lost(&mut optimizer, &mut params, &device);
    assert_eq!(optimizer.step_count(), 3);
}

#[test]
fn a_device_that_its_owner_destroys() {
    let Some(opened) = gpu(DeviceConfig::default()) else { return };
    let (raw, queue) = opened.wgpu().map(|(device, queue)| (device.clone(), queue.clone())).unwrap();
    let device = Device::from_wgpu(raw.clone(), queue).unwrap();
    let mut params = ones(&device, 10_000).unwrap();
    let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
    optimizer.step(&mut params).unwrap();
    raw.destroy();
    assert_all_lost(&mut optimizer, &mut params, &device);
    assert_lost("handing it in again", || {
        let (raw, queue) = opened.wgpu().unwrap();
        Device::from_wgpu(raw.clone(), queue.clone())
    });
}

/// Keeps the queue busy for seconds on Mesa's software driver, which ends loops after 65,535 rounds, and on a GPU.
fn keep_busy(device: &Device) {
    const BUSY: &str = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn busy(@builtin(workgroup_id) group: vec3u) {
            var state = group.x;
            for (var i = 0u; i < 10000000u; i++) { state = state * 1664525u + 1013904223u; }
            if (state == 12345u) { out[0] = state; }
        }";
    let groups = if device.is_software() { 10_000 } else { 60_000 };
    let (device, queue) = device.wgpu().unwrap();
    let source = wgpu::ShaderSource::Wgsl(BUSY.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let out = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 16,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: out.as_entire_binding() }],
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(groups, 1, 1);
    drop(pass);
    queue.submit([encoder.finish()]);
}

/// Calls again while it times out: the machine may be busy with other things.
fn patiently<T>(mut call: impl FnMut() -> Result<T, GpuOptimError>) -> T {
    let deadline = Instant::now() + Duration::from_secs(100);
    loop {
        match call() {
            Ok(value) => return value,
            Err(GpuOptimError::Timeout { .. }) if Instant::now() < deadline => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn waits_for_a_busy_queue_end_and_say_so_and_the_next_ones_succeed() {
    let timeout = Duration::from_millis(50);
    let Some(device) = gpu(DeviceConfig { timeout, steps_in_flight: 1, ..DeviceConfig::default() }) else { return };
    let mut params = patiently(|| ones(&device, 1000));
    let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
    patiently(|| optimizer.step(&mut params));
    patiently(|| params.read("w"));
    keep_busy(&device);
    let started = Instant::now();
    let error = params.read("w").unwrap_err();
    assert!(error.to_string().starts_with("timed out after 0.05 s waiting for "), "{error}");
    assert!(matches!(device.wait(), Err(GpuOptimError::Timeout { .. })));
    assert!(matches!(optimizer.step(&mut params), Err(GpuOptimError::Timeout { .. })));
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    assert_eq!(optimizer.step_count(), 1);
    patiently(|| device.wait());
    patiently(|| optimizer.step(&mut params));
    assert_eq!(optimizer.step_count(), 2);
    assert!((patiently(|| params.read("w"))[[0]] - 0.998).abs() < 1e-6);
}
