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
    for checked in beside_polls(&device, 1, 1, || (0..200_000).try_for_each(|_| backend.check())) {
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
