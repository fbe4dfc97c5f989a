//! Staging memory: transfers of several pieces, many at once, late and lost ones.

use std::cell::Cell;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use super::busy::{busy_dispatches, settle, turn};
use super::*;
use crate::backend::wgpu::launch::encode;
use crate::backend::wgpu::staging::{PIECE, PIECES, submit_with};
use crate::backend::wgpu::transfer::SMALL;

/// Words of a piece.
const WORDS: u64 = PIECE as u64 / 4;

/// Words that differ from their neighbours, and from those of other seeds.
fn words(seed: u32, count: u64) -> Vec<u32> {
    (0..count as u32).map(|word| (word ^ (seed << 24)).wrapping_mul(2_654_435_761)).collect()
}

fn made(backend: &WgpuBackend) -> [usize; 2] {
    [backend.upward.made(), backend.downward.made()]
}

#[test]
fn transfers_of_lengths_around_a_piece_touch_what_they_are_for() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let small = SMALL as u64 / 4;
    let lengths = [small, small + 1, WORDS - 1, WORDS, WORDS + 1, 2 * WORDS - 1, 2 * WORDS + 3, 5 * WORDS + 7];
    for (seed, (length, start)) in (1..).zip(lengths.into_iter().zip([0, 1, 5, 3, 2, 7, 1, 9])) {
        let buffer = backend.allocate("target", start + length + 3).unwrap();
        let written = words(seed, length);
        backend.write(&buffer, start, &written).unwrap();
        let mut expected = vec![0; buffer.words as usize];
        expected[start as usize..][..length as usize].copy_from_slice(&written);
        assert!(download(&backend, &buffer) == expected, "{length} words from {start}");
        let mut part = vec![0; length as usize - 1];
        backend.read(&buffer, start + 1, &mut part).unwrap();
        assert!(part == written[1..], "{} words from {}", length - 1, start + 1);
    }
}

#[test]
fn writes_small_and_large_and_steps_are_done_in_the_order_of_the_calls() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let (length, inner) = (2 * WORDS + 100, WORDS - 7);
    let [param, grad] = [(); 2].map(|()| backend.allocate("tensor", length).unwrap());
    let part = |buffer: &Buffer| Slice { buffer: buffer.clone(), start: 0, words: 2048 };
    for round in 0..6_i16 {
        let value = f32::from(round);
        backend.write(&param, 0, &bits(&vec![value; length as usize])).unwrap();
        backend.write(&param, inner, &bits(&[-value; 14])).unwrap();
        backend.write(&grad, 0, &bits(&vec![2.0; length as usize])).unwrap();
        backend.write(&grad, 0, &bits(&[4.0; 8])).unwrap();
        assert_eq!(step(&backend, 1000, &part(&param), &part(&grad), (0, 0)).unwrap(), 1000);
        backend.write(&param, 4, &bits(&[0.5; 4])).unwrap();
        let mut expected = vec![value; length as usize];
        expected[..1000].fill(value - 1.0);
        expected[..8].fill(value - 2.0);
        expected[4..8].fill(0.5);
        expected[inner as usize..][..14].fill(-value);
        assert!(floats(&download(&backend, &param)) == expected, "round {round}");
    }
}

#[test]
fn a_large_write_over_one_that_waits_wins() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let buffer = backend.allocate("target", WORDS).unwrap();
    for seed in 1..20 {
        backend.write(&buffer, 3, &words(seed + 100, 50)).unwrap();
        backend.write(&buffer, 0, &words(seed, WORDS)).unwrap();
        assert!(download(&backend, &buffer) == words(seed, WORDS));
    }
}

#[test]
fn buffers_are_made_at_first_and_then_kept() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let written = words(1, 6 * WORDS + 1);
    let buffer = backend.allocate("target", written.len() as u64).unwrap();
    assert_eq!(made(&backend), [0, 0]);
    let mut read = vec![0; written.len()];
    let mut round = || {
        backend.write(&buffer, 0, &written).unwrap();
        backend.read(&buffer, 0, &mut read).unwrap();
        assert!(read == written);
    };
    (0..3).for_each(|_| round());
    // How many there are depends on how late the device is, but they are all that is held beside the rest.
    let beside = || {
        let report = device.wgpu().unwrap().0.generate_allocator_report();
        let ours = made(&backend);
        assert!(ours.iter().all(|count| (1..=PIECES).contains(count)), "{ours:?}");
        report.map(|report| report.total_allocated_bytes - (ours.iter().sum::<usize>() * PIECE) as u64)
    };
    let held = (beside(), device.memory());
    (0..10).for_each(|_| round());
    assert_eq!((beside(), device.memory()), held);
}

#[test]
fn threads_that_transfer_at_once_share_the_buffers_and_all_end() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    std::thread::scope(|scope| {
        for seed in 1..=2 * PIECES as u32 {
            let backend = &backend;
            scope.spawn(move || {
                let mut expected = words(seed, 4 * WORDS + u64::from(seed));
                let buffer = backend.allocate("target", expected.len() as u64).unwrap();
                for round in 0..2 {
                    expected[0] = round;
                    backend.write(&buffer, 0, &expected).unwrap();
                    assert!(download(backend, &buffer) == expected, "thread {seed}, round {round}");
                }
            });
        }
    });
    let made = made(&backend);
    assert!(made.iter().all(|count| *count <= PIECES), "{made:?}");
}

#[test]
fn a_thread_of_a_pool_does_nothing_else_while_it_transfers() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let expected = words(1, WORDS);
    let buffer = backend.allocate("target", WORDS).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    thread_local!(static TRANSFERS: Cell<bool> = const { Cell::new(false) });
    pool.scope(|scope| {
        for _ in 0..1000 {
            scope.spawn(|_| {
                assert!(!TRANSFERS.replace(true), "a transfer within another one, whose buffers it may wait for");
                backend.write(&buffer, 0, &expected).unwrap();
                TRANSFERS.set(false);
            });
        }
    });
}

#[test]
fn a_device_destroyed_while_threads_transfer_fails_their_calls() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let under_way = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let transfers: Vec<_> = (1..=4)
            .map(|seed| {
                let (backend, under_way) = (&backend, &under_way);
                scope.spawn(move || {
                    let mut expected = words(seed, 3 * WORDS);
                    let buffer = backend.allocate("target", expected.len() as u64)?;
                    loop {
                        backend.write(&buffer, 0, &expected)?;
                        backend.read(&buffer, 0, &mut expected)?;
                        under_way.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        while under_way.load(Ordering::Relaxed) < 8 {
            std::thread::yield_now();
        }
        device.wgpu().unwrap().0.destroy();
        for transfer in transfers {
            let ended: Result<(), GpuOptimError> = transfer.join().unwrap();
            assert!(matches!(ended, Err(GpuOptimError::DeviceLost(_))), "{ended:?}");
        }
    });
}

#[test]
fn a_buffer_that_the_device_is_late_with_is_neither_used_nor_replaced() {
    let _turn = turn();
    let timeout = Duration::from_millis(20);
    let Some(device) = device(DeviceConfig { timeout, ..DeviceConfig::default() }) else { return };
    let backend = backend(&device);
    let dispatches = busy_dispatches(&backend, 10_000);
    let target = backend.allocate("target", WORDS).unwrap();
    let raw = backend.unwrap(&target).unwrap();
    let expected = words(1, WORDS);
    for ring in [&backend.upward, &backend.downward] {
        let upward = Arc::ptr_eq(ring, &backend.upward);
        settle(&backend);
        let mut late = ring.take(&backend.flight).unwrap();
        if upward {
            late.fill(0, bytemuck::cast_slice(&expected)).unwrap();
        }
        let staging = late.buffer().clone();
        let copy = || {
            let mut encoder = backend.device.create_command_encoder(&Default::default());
            encode(&dispatches, &mut encoder);
            let (from, to) = if upward { (&staging, &raw) } else { (&raw, &staging) };
            encoder.copy_buffer_to_buffer(from, 0, to, 0, PIECE as u64);
            backend.submit(Some(encoder.finish()))
        };
        submit_with(&backend.health, &mut [&mut late], copy).unwrap();
        if !upward {
            let given_up = late.drain(&backend.flight, &mut [0]);
            assert_eq!(given_up.unwrap_err().to_string(), "timed out after 0.02 s waiting for a read");
        }
        drop(late);
        let others: Vec<_> = (1..PIECES).map(|_| ring.try_take(&backend.flight).unwrap().unwrap()).collect();
        assert_eq!(ring.made(), PIECES);
        for _ in 0..2 {
            let error = ring.take(&backend.flight).unwrap_err();
            assert!(matches!(error, GpuOptimError::Timeout { .. }), "{error}");
            assert_eq!(ring.made(), PIECES);
        }
        settle(&backend);
        let last = ring.take(&backend.flight).unwrap();
        let error = ring.take(&backend.flight).unwrap_err().to_string();
        assert_eq!(error, "timed out after 0.02 s waiting for staging memory that other threads use");
        assert!(ring.try_take(&backend.flight).unwrap().is_none());
        drop((others, last));
        assert_eq!(ring.made(), PIECES);
        let mut read = vec![0; WORDS as usize];
        while let Err(error) = backend.read(&target, 0, &mut read) {
            assert!(matches!(error, GpuOptimError::Timeout { .. }), "{error}");
        }
        assert!(read == expected);
    }
}
