//! Devices that several use at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use optirs_gpu::{AdamParams, AdamWParams, Device, DeviceConfig, GpuAdam, GpuAdamW, ParamSet};
use optirs_gpu_tests::devices::gpu;

use crate::{after_one_step, ones};

fn assert_send_and_sync<T: Send + Sync>() {}

#[test]
fn everything_can_be_sent_and_shared() {
    assert_send_and_sync::<Device>();
    assert_send_and_sync::<ParamSet>();
    assert_send_and_sync::<GpuAdam>();
}

#[test]
fn two_optimizers_step_on_one_device() {
    let Some(device) = gpu(DeviceConfig::default()) else { return };
    let (mut left, mut right) = (ones(&device, 100).unwrap(), ones(&device, 100).unwrap());
    let mut adam = GpuAdam::on(&device, AdamParams::default()).unwrap();
    let mut adamw = GpuAdamW::on(&device, AdamWParams { weight_decay: 0.0, ..AdamWParams::default() }).unwrap();
    for _ in 0..3 {
        adam.step(&mut left).unwrap();
        adamw.step(&mut right).unwrap();
    }
    assert_eq!((adam.device(), adamw.device()), (Some(&device), Some(&device)));
    assert_eq!(left.read("w").unwrap(), right.read("w").unwrap());
}

#[test]
fn threads_step_on_one_device_at_once() {
    let Some(device) = gpu(DeviceConfig::default()) else { return };
    let alone = after_one_step(&device);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| [(); 5].map(|()| after_one_step(&device)))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), [alone; 5]);
        }
    });
}

#[test]
fn a_shared_device_is_opened_once_and_closed_with_its_last_user() {
    let config = || DeviceConfig { allow_software: true, steps_in_flight: 3, ..DeviceConfig::default() };
    if gpu(config()).is_none() {
        return;
    }
    let one = Device::shared(config()).unwrap();
    let two = Device::shared(config()).unwrap();
    assert_eq!(one, two);
    let other = Device::shared(DeviceConfig { steps_in_flight: 2, ..config() }).unwrap();
    assert_ne!(one, other);
    let buffer = ones(&one, 1000).unwrap();
    assert!(two.memory().buffers > 0);
    drop((buffer, one, two));
    assert_eq!(Device::shared(config()).unwrap().memory().allocations, 0);
}

#[test]
fn a_lost_device_is_not_shared_any_further() {
    let config = || DeviceConfig { allow_software: true, steps_in_flight: 5, ..DeviceConfig::default() };
    if gpu(config()).is_none() {
        return;
    }
    let lost = Device::shared(config()).unwrap();
    lost.wgpu().unwrap().0.destroy();
    let fresh = Device::shared(config()).unwrap();
    assert_ne!(lost, fresh);
    assert!((after_one_step(&fresh) - 0.999).abs() < 1e-6);
}

#[test]
fn steps_after_the_first_allocate_nothing() {
    let Some(device) = gpu(DeviceConfig::default()) else { return };
    let mut params = ones(&device, 10_000).unwrap();
    let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
    optimizer.step(&mut params).unwrap();
    let after_first = device.memory();
    for _ in 0..20 {
        optimizer.step(&mut params).unwrap();
    }
    assert_eq!(device.memory(), after_first);
    drop((optimizer, params));
    assert_eq!((device.memory().buffers, device.memory().bytes), (0, 0));
}

#[test]
fn a_device_handed_in_keeps_its_owners_callbacks_and_does_its_owners_work() {
    let Some(ours) = gpu(DeviceConfig::default()) else { return };
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN | wgpu::Backends::METAL));
    let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name == ours.name()).unwrap();
    let (raw, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default())).unwrap();
    // Never closed: NVIDIA's driver can deadlock where the thread of another test ends meanwhile.
    std::mem::forget((raw.clone(), queue.clone()));
    let (errors, losses) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (count_error, count_loss) = (Arc::clone(&errors), Arc::clone(&losses));
    raw.on_uncaptured_error(Arc::new(move |_| _ = count_error.fetch_add(1, Ordering::Relaxed)));
    raw.set_device_lost_callback(move |_, _| _ = count_loss.fetch_add(1, Ordering::Relaxed));

    let device = Device::from_wgpu(raw.clone(), queue.clone()).unwrap();
    assert_eq!(device.name(), ours.name());
    assert!((after_one_step(&device) - 0.999).abs() < 1e-6);
    drop(device);

    let tiny =
        wgpu::BufferDescriptor { label: None, size: 4, usage: wgpu::BufferUsages::COPY_DST, mapped_at_creation: false };
    queue.write_buffer(&raw.create_buffer(&tiny), 0, &[0; 4]);
    assert_eq!(errors.load(Ordering::Relaxed), 0);
    queue.write_buffer(&raw.create_buffer(&tiny), 0, &[0; 8]);
    assert_eq!(errors.load(Ordering::Relaxed), 1, "the owner's handler is still in place");
    raw.destroy();
    raw.poll(wgpu::PollType::Poll).unwrap();
    assert_eq!(losses.load(Ordering::Relaxed), 1, "the owner's callback is still in place");
}
