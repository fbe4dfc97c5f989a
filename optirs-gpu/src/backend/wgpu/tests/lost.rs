//! Devices that are lost, devices that are late, and devices of others.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::busy::{keep_busy, settle, turn};
use super::*;

/// Much less than the time limit of a minute, and much more than a call takes: other tests keep the same GPU busy, and
/// open devices, for which drivers hold locks of their own.
const SOON: Duration = Duration::from_secs(5);

/// A device as its owner opens it, and the number of errors that reached the owner's handler.
fn owned() -> Option<(wgpu::Device, wgpu::Queue, Arc<AtomicUsize>)> {
    let (device, queue) = {
        let ours = device(DeviceConfig::default())?;
        let adapter = ours.adapter().name.clone();
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let all = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN | wgpu::Backends::METAL));
        let found = all.into_iter().find(|found| found.get_info().name == adapter).unwrap();
        pollster::block_on(found.request_device(&wgpu::DeviceDescriptor::default())).unwrap()
    };
    if kept::is_needed(&device.adapter_info()) {
        kept::abandon(&device, &queue);
    }
    let errors = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&errors);
    device.on_uncaptured_error(Arc::new(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    }));
    Some((device, queue, errors))
}

/// Every call fails with `DeviceLost`, and soon.
fn assert_lost(backend: &WgpuBackend, buffer: &Buffer) {
    let started = Instant::now();
    let results = [
        ("check", backend.check()),
        ("prepare", backend.prepare(&PROGRAM)),
        ("allocate", backend.allocate("late", 4).map(drop)),
        ("write", backend.write(buffer, 0, &[1])),
        ("read", backend.read(buffer, 0, &mut [0])),
        ("copy", backend.copy(buffer, 0, buffer, 2, 1)),
        ("run", step(backend, buffer)),
        ("wait", backend.wait()),
    ];
    for (call, result) in results {
        assert!(matches!(result, Err(GpuOptimError::DeviceLost(_))), "{call}: {result:?}");
    }
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}

/// A step over no tensors at all.
fn step(backend: &WgpuBackend, buffer: &Buffer) -> Result<(), GpuOptimError> {
    backend.run(
        &[],
        &[Launch {
            variant: &VARIANT,
            program: &PROGRAM,
            hyper: &whole(buffer),
            scalars: &whole(buffer),
            partials: None,
            ranges: &[],
            tensors: &whole(buffer),
            tensor_count: 0,
        }],
        None,
    )?;
    Ok(())
}

#[test]
fn a_destroyed_device_of_ours_fails_every_call() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let buffer = upload(&backend, "param", &[1, 2, 3, 4]);
    step(&backend, &buffer).unwrap();
    device.wgpu().unwrap().0.destroy();
    assert_lost(&backend, &buffer);
    assert!(matches!(device.wait(), Err(GpuOptimError::DeviceLost(_))));
}

#[test]
fn a_device_destroyed_with_work_in_flight_fails_every_call() {
    let _turn = turn();
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let buffer = upload(&backend, "param", &[1, 2, 3, 4]);
    keep_busy(&backend, 2_000).unwrap();
    device.wgpu().unwrap().0.destroy();
    assert_lost(&backend, &buffer);
}

#[test]
fn a_device_destroyed_while_other_threads_wait_for_it_fails_their_calls() {
    let _turn = turn();
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let buffer = upload(&backend, "param", &[1, 2, 3, 4]);
    settle(&backend);
    keep_busy(&backend, if device.is_software() { 6_000 } else { 40_000 }).unwrap();
    let waiting = AtomicUsize::new(0);
    let begin = || _ = waiting.fetch_add(1, Ordering::Relaxed);
    std::thread::scope(|scope| {
        let read = scope.spawn(|| {
            begin();
            let mut words = [0; 4];
            backend.read(&buffer, 0, &mut words).map(|()| words)
        });
        let wait = scope.spawn(|| {
            begin();
            backend.wait()
        });
        while waiting.load(Ordering::Relaxed) < 2 {
            std::thread::yield_now();
        }
        // Long enough for both to be waiting, and shorter than the queue is busy.
        std::thread::sleep(Duration::from_millis(30));
        device.wgpu().unwrap().0.destroy();
        // What was finished first is right; what was not says that the device is lost.
        match read.join().unwrap() {
            Ok(words) => assert_eq!(words, [1, 2, 3, 4]),
            Err(error) => assert!(matches!(error, GpuOptimError::DeviceLost(_)), "{error}"),
        }
        let waited = wait.join().unwrap();
        assert!(matches!(waited, Err(GpuOptimError::DeviceLost(_))), "{waited:?}");
    });
    assert_lost(&backend, &buffer);
}

#[test]
fn a_device_destroyed_by_its_owner_fails_every_call_and_leaves_the_owner_in_peace() {
    let Some((raw, queue, errors)) = owned() else { return };
    let told = Arc::new(AtomicUsize::new(0));
    let telling = Arc::clone(&told);
    raw.set_device_lost_callback(move |_, _| {
        telling.fetch_add(1, Ordering::Relaxed);
    });
    let device = Device::from_wgpu(raw.clone(), queue).unwrap();
    let backend = backend(&device);
    let buffer = upload(&backend, "param", &[1, 2, 3, 4]);
    raw.destroy();
    assert_lost(&backend, &buffer);
    let _ = raw.poll(wgpu::PollType::Poll);
    assert_eq!(told.load(Ordering::Relaxed), 1, "the owner's callback is still in place");
    drop((buffer, backend, device));
    assert_eq!(errors.load(Ordering::Relaxed), 0);
}

#[test]
fn errors_of_ours_do_not_reach_the_owner_and_errors_of_the_owner_do() {
    let Some((raw, queue, errors)) = owned() else { return };
    let device = Device::from_wgpu(raw.clone(), queue.clone()).unwrap();
    static BROKEN: Program = Program { wgsl: "fn update_pass1(", ..PROGRAM };
    assert!(matches!(backend(&device).prepare(&BROKEN), Err(GpuOptimError::Device(_))));
    assert_eq!(errors.load(Ordering::Relaxed), 0);
    let small = raw.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4,
        usage: wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&small, 0, &[0; 8]);
    assert_eq!(errors.load(Ordering::Relaxed), 1);
    let refused = backend(&device).wrap(small, "the buffer").unwrap_err().to_string();
    assert_eq!(refused, "unsupported: the buffer must have the usage STORAGE; it has BufferUsages(COPY_DST)");
}

#[test]
fn waiting_for_a_busy_queue_ends_in_an_error_that_says_so() {
    let _turn = turn();
    let timeout = Duration::from_millis(20);
    let Some(device) = device(DeviceConfig { timeout, steps_in_flight: 1, ..DeviceConfig::default() }) else { return };
    let backend = backend(&device);
    let buffer = backend.allocate("param", 4).unwrap();
    settle(&backend);
    keep_busy(&backend, 10_000).unwrap();
    let started = Instant::now();
    for (what, result) in [
        ("all submitted work", backend.wait()),
        ("the steps in flight", step(&backend, &buffer)),
        ("the steps in flight", backend.read(&buffer, 0, &mut [0])),
    ] {
        let error = result.unwrap_err();
        assert_eq!(error.to_string(), format!("timed out after 0.02 s waiting for {what}"));
    }
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}

#[test]
fn a_read_that_is_given_up_does_not_spoil_the_next_one() {
    let _turn = turn();
    let timeout = Duration::from_millis(20);
    let Some(device) = device(DeviceConfig { timeout, ..DeviceConfig::default() }) else { return };
    let backend = backend(&device);
    let buffer = upload(&backend, "param", &[1, 2, 3, 4]);
    settle(&backend);
    keep_busy(&backend, if device.is_software() { 5_000 } else { 40_000 }).unwrap();
    let given_up = backend.read(&buffer, 0, &mut [0; 4]);
    assert!(matches!(given_up, Err(GpuOptimError::Timeout { .. })), "{given_up:?}");
    settle(&backend);
    let mut words = [0; 4];
    let deadline = Instant::now() + Duration::from_secs(100);
    while let Err(error) = backend.read(&buffer, 0, &mut words) {
        assert!(matches!(error, GpuOptimError::Timeout { .. }) && Instant::now() < deadline, "{error}");
    }
    assert_eq!(words, [1, 2, 3, 4]);
}
