//! A device that several threads use at once.

use std::sync::atomic::AtomicBool;

use super::*;

/// Does something on `threads` threads while `pollers` more do nothing but poll the device.
fn beside_polls<T: Send>(device: &Device, pollers: usize, threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    let (device, done) = (device.wgpu().unwrap().0, AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..pollers {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    device.poll(wgpu::PollType::Poll).unwrap();
                }
            });
        }
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        let results: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        done.store(true, Ordering::Relaxed);
        results.into_iter().map(Result::unwrap).collect()
    })
}

#[test]
fn a_device_that_another_thread_polls_is_not_taken_for_lost() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    for checked in beside_polls(&device, 1, 1, || (0..50_000).try_for_each(|_| backend.check())) {
        checked.unwrap();
    }
}

#[test]
fn reads_that_other_threads_finish_arrive() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let buffer = upload(&backend, "param", &[1, 2, 3, 4]);
    beside_polls(&device, 4, 4, || {
        for _ in 0..500 {
            assert_eq!(download(&backend, &buffer), [1, 2, 3, 4]);
        }
    });
}

#[test]
fn waits_that_stay_awake_end_whatever_other_threads_poll_and_submit() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let (raw, queue) = device.wgpu().unwrap();
    let mut flight = Flight::new(raw, queue, &backend.health, 4, Duration::from_secs(60));
    flight.software = false;
    beside_polls(&device, 2, 4, || {
        for _ in 0..500 {
            flight.make_room().unwrap();
            let submission = backend.health.scoped(|| flight.submit(None)).unwrap();
            flight.watch(&submission);
            flight.wait_for(Some(submission), "a test").unwrap();
            flight.wait_for(None, "a test").unwrap();
        }
    });
}

#[test]
fn a_kept_device_is_opened_again_where_it_fits() {
    // Limits that no other test opens a device with.
    let most = DeviceLimits { buffer_bytes: 48 << 10, binding_bytes: 48 << 10, alignment_bytes: 256, grid_width: 77 };
    let Some(opened) = device(DeviceConfig { limits: LimitsChoice::AtMost(most), ..DeviceConfig::default() }) else {
        return;
    };
    let (raw, queue) = opened.wgpu().unwrap();
    let (adapter, limits) = (raw.adapter_info(), raw.limits());
    assert!(kept::take(&adapter, &limits).is_none(), "one that is in use is not given to others");
    kept::keep(raw, queue);
    let wider = wgpu::Limits { max_compute_workgroups_per_dimension: 78, ..limits.clone() };
    assert!(kept::take(&adapter, &wider).is_none());
    assert!(kept::take(&wgpu::AdapterInfo { device: !adapter.device, ..adapter.clone() }, &limits).is_none());
    assert_eq!(kept::take(&adapter, &limits), Some((raw.clone(), queue.clone())));
    assert!(kept::take(&adapter, &limits).is_none());
}

#[test]
fn only_the_driver_that_cannot_close_devices_has_them_kept() {
    let adapter = |backend, driver: &str| {
        let driver = driver.to_owned();
        wgpu::AdapterInfo { driver, ..wgpu::AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, backend) }
    };
    assert_eq!(kept::is_needed(&adapter(wgpu::Backend::Vulkan, "NVIDIA")), cfg!(target_os = "linux"));
    for driver in ["NVK", "llvmpipe", "radv", ""] {
        assert!(!kept::is_needed(&adapter(wgpu::Backend::Vulkan, driver)), "{driver}");
    }
    assert!(!kept::is_needed(&adapter(wgpu::Backend::Dx12, "NVIDIA")));
}

#[test]
fn threads_open_use_and_drop_devices_and_end() {
    let round = || {
        let backend = backend(&device(DeviceConfig::default())?);
        let buffer = upload(&backend, "param", &[1, 2, 3, 4]);
        Some(download(&backend, &buffer))
    };
    for _ in 0..5 {
        // Joining waits for the threads' own ends, too, and not only for their results.
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(round)).collect();
        for thread in threads {
            if let Some(read) = thread.join().unwrap() {
                assert_eq!(read, [1, 2, 3, 4]);
            }
        }
    }
}

#[test]
fn what_a_thread_has_written_is_done_when_its_wait_returns_whatever_others_submit() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let words = vec![1; 1 << 14];
    let buffers = [(); 3].map(|()| backend.allocate("param", words.len() as u64).unwrap());
    // Memory that writes are staged in is freed when they are done: what is left is what nobody has submitted.
    let held = || device.wgpu().unwrap().0.generate_allocator_report().map(|report| report.total_allocated_bytes);
    backend.write(&buffers[0], 0, &words).unwrap();
    backend.wait().unwrap();
    let before = held();
    for round in 0..40 {
        std::thread::scope(|scope| {
            for buffer in &buffers {
                scope.spawn(|| {
                    backend.write(buffer, 0, &words).unwrap();
                    backend.wait().unwrap();
                });
            }
        });
        assert_eq!(held(), before, "round {round}");
    }
}
