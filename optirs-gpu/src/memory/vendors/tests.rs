//! Pools against plain vectors that every command changes at once, and each error with its values.

use proptest::prelude::*;

use super::*;

const KINDS: [MemoryKind; 3] = [MemoryKind::Device, MemoryKind::Host, MemoryKind::Shared];

fn pool(profile: VendorProfile) -> MemoryPool {
    MemoryPool::new(profile, 1 << 14).unwrap()
}

/// What a program does with one of three streams and two of four buffers.
#[derive(Debug, Clone, Copy)]
struct Call {
    stream: usize,
    buffers: [usize; 2],
    ends: [u64; 2],
    value: u8,
    what: What,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Write,
    Fill,
    Copy,
    Read,
    Synchronize,
    FreeAndAllocate,
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    use What::*;
    let what = prop::sample::select(vec![Write, Fill, Copy, Copy, Read, Synchronize, FreeAndAllocate]);
    let call = (0..3usize, [0..4usize, 0..4usize], [0..=LEN, 0..=LEN], any::<u8>(), what);
    let call = call.prop_map(|(stream, buffers, ends, value, what)| Call { stream, buffers, ends, value, what });
    prop::collection::vec(call, 1..60)
}

const LEN: u64 = 50;

proptest! {
    /// Each command waits for whoever used its buffers last, so that the program means what it would on one stream.
    #[test]
    fn a_program_without_races_does_what_its_text_says(calls in calls(), vendor in 0..4usize) {
        let mut pool = pool(VendorProfile::ALL[vendor]);
        let streams = [(); 3].map(|()| pool.create_stream());
        let mut buffers = [0, 1, 2, 3].map(|place| pool.allocate(LEN, KINDS[place % 3]).unwrap());
        let mut model = vec![[0u8; LEN as usize]; 4];
        let mut last_user = [0; 4];
        for Call { stream, buffers: [from, to], ends: [a, b], value, what } in calls {
            let (start, end) = (a.min(b), a.max(b));
            for used in [from, to] {
                let event = pool.record(streams[last_user[used]]).unwrap();
                pool.wait(streams[stream], event).unwrap();
                last_user[used] = stream;
            }
            let Ok(target) = buffers[to].slice(start..end) else {
                prop_assert_eq!(start, end);
                continue;
            };
            let range = start as usize..end as usize;
            match what {
                What::Write => {
                    let bytes: Vec<u8> = range.clone().map(|place| value.wrapping_add(place as u8)).collect();
                    pool.write(streams[stream], target, &bytes).unwrap();
                    model[to][range].copy_from_slice(&bytes);
                }
                What::Fill => {
                    pool.fill(streams[stream], target, value).unwrap();
                    model[to][range].fill(value);
                }
                What::Copy => {
                    let source = buffers[from].slice(LEN - end..LEN - start).unwrap();
                    let copied = pool.copy(streams[stream], source, target);
                    let source = (LEN - end) as usize..(LEN - start) as usize;
                    let overlap = from == to && source.start < range.end && range.start < source.end;
                    prop_assert_eq!(copied.is_err(), overlap);
                    if !overlap {
                        let bytes = model[from][source].to_vec();
                        model[to][range].copy_from_slice(&bytes);
                    }
                }
                What::Read => {
                    let mut out = vec![0; range.len()];
                    pool.read(streams[stream], target, &mut out).unwrap();
                    prop_assert_eq!(&out[..], &model[to][range]);
                }
                What::Synchronize => pool.synchronize(streams[stream]).unwrap(),
                What::FreeAndAllocate => {
                    pool.synchronize_all();
                    pool.free(buffers[to]).unwrap();
                    buffers[to] = pool.allocate(LEN, buffers[to].kind()).unwrap();
                }
            }
        }
        pool.synchronize_all();
        for (buffer, expected) in buffers.into_iter().zip(&model) {
            match buffer.kind() {
                MemoryKind::Device => prop_assert!(pool.bytes(buffer).is_err()),
                MemoryKind::Host | MemoryKind::Shared => prop_assert_eq!(pool.bytes(buffer).unwrap(), expected),
            }
            prop_assert!(buffer.offset().is_multiple_of(pool.profile().alignment));
            pool.free(buffer).unwrap();
        }
        let statistics = pool.statistics();
        prop_assert_eq!((statistics.used, statistics.allocations), (0, statistics.frees));
        prop_assert_eq!(pool.largest_free(), pool.capacity());
    }
}

#[test]
fn vendors_differ_in_alignment_and_names_alone() {
    let statistics = VendorProfile::ALL.map(|profile| {
        let mut pool = pool(profile);
        let stream = pool.create_stream();
        let [a, b] = [MemoryKind::Device, MemoryKind::Host].map(|kind| pool.allocate(200, kind).unwrap());
        assert_eq!((a.offset(), b.offset(), a.len(), b.len()), (0, 256, 200, 200));
        pool.fill(stream, a, 3).unwrap();
        pool.copy(stream, a, b).unwrap();
        pool.write(stream, b.slice(0..2).unwrap(), &[1, 2]).unwrap();
        let mut out = [0; 3];
        pool.read(stream, b.slice(0..3).unwrap(), &mut out).unwrap();
        assert_eq!(out, [1, 2, 3]);
        pool.bytes_mut(b).unwrap()[199] = 9;
        assert_eq!(pool.bytes(b.slice(198..200).unwrap()).unwrap(), [3, 9]);
        pool.free(a).unwrap();
        assert!(matches!(pool.allocate(1 << 15, MemoryKind::Device), Err(MemoryError::Exhausted { .. })));
        let (device, host) = (profile.device, profile.host);
        let private = pool.allocate(1, MemoryKind::Device).unwrap();
        let unreachable = MemoryError::NotHostAccessible { offset: 0, made_by: device, instead: host };
        assert_eq!(pool.bytes(private), Err(unreachable));
        pool.free(private).unwrap();
        pool.statistics()
    });
    let expected = |last| MemoryStatistics {
        used: 256,
        peak: 512,
        allocations: 3,
        frees: 2,
        failures: 1,
        bytes_written: 2,
        bytes_read: 3,
        bytes_copied: 200,
        bytes_filled: last,
    };
    assert_eq!(statistics, [expected(200); 4]);
}

#[test]
fn a_stream_runs_when_somebody_waits_for_it_and_not_before() {
    let mut pool = pool(VendorProfile::CUDA);
    let [first, second, third] = [(); 3].map(|()| pool.create_stream());
    let buffer = pool.allocate(8, MemoryKind::Host).unwrap();
    let other = pool.allocate(8, MemoryKind::Host).unwrap();
    pool.fill(first, buffer, 1).unwrap();
    let event = pool.record(first).unwrap();
    pool.fill(first, buffer, 2).unwrap();
    pool.wait(second, event).unwrap();
    pool.copy(second, buffer, other).unwrap();

    pool.synchronize(third).unwrap();
    assert_eq!(pool.free(buffer), Err(MemoryError::InUse { offset: 0, commands: 3 }));
    assert_eq!(pool.bytes_mut(other).map(|_| ()), Err(MemoryError::InUse { offset: 256, commands: 1 }));
    pool.synchronize(second).unwrap();
    assert_eq!(pool.bytes(other).unwrap(), [1; 8], "up to the event, and no further");
    assert_eq!(pool.bytes(buffer), Err(MemoryError::InUse { offset: 0, commands: 1 }));
    pool.synchronize_all();
    assert_eq!(pool.bytes(buffer).unwrap(), [2; 8]);
}

#[test]
fn streams_may_wait_for_one_another_any_number_of_times() {
    let mut pool = pool(VendorProfile::METAL);
    let streams = [(); 2].map(|()| pool.create_stream());
    let buffer = pool.allocate(1, MemoryKind::Shared).unwrap();
    let turns = if cfg!(miri) { 100 } else { 100_000 };
    for turn in 0..turns {
        pool.fill(streams[turn % 2], buffer, turn as u8).unwrap();
        let event = pool.record(streams[turn % 2]).unwrap();
        pool.wait(streams[(turn + 1) % 2], event).unwrap();
    }
    pool.synchronize(streams[turns % 2]).unwrap();
    assert_eq!(pool.bytes(buffer).unwrap(), [(turns - 1) as u8]);
    assert_eq!(pool.statistics().bytes_filled, turns as u64);
}

#[test]
fn what_makes_no_sense_is_refused_with_its_value() {
    let mut pool = pool(VendorProfile::ROCM);
    let mut other = self::pool(VendorProfile::ROCM);
    let (stream, foreign) = (pool.create_stream(), other.create_stream());
    let buffer = pool.allocate(10, MemoryKind::Shared).unwrap();
    let strange = other.allocate(10, MemoryKind::Shared).unwrap();
    let invalid = |what, value, needed| Err(MemoryError::Invalid { what, value, needed });

    for (start, end) in [(0, 0), (3, 2), (0, 11), (10, u64::MAX)] {
        let slice = buffer.slice(start..end).map(|_| ());
        assert_eq!(slice, invalid("the end of a slice", end, "above its start and within the buffer"));
    }
    let lengths = ("the number of bytes of a transfer", "as many as its other end has");
    assert_eq!(pool.write(stream, buffer, &[0; 9]), invalid(lengths.0, 9, lengths.1));
    assert_eq!(pool.read(stream, buffer, &mut [0; 11]), invalid(lengths.0, 11, lengths.1));
    let [low, high] = [0..6, 4..10].map(|range| buffer.slice(range).unwrap());
    assert_eq!(pool.copy(stream, buffer.slice(0..5).unwrap(), high), invalid(lengths.0, 5, lengths.1));
    assert_eq!(pool.copy(stream, low, high), invalid("the overlap of a copy's source and target", 2, "0"));

    let of_other = MemoryError::Foreign { offset: 0 };
    assert_eq!(pool.fill(foreign, buffer, 0), Err(of_other));
    assert_eq!(pool.record(foreign), Err(of_other));
    assert_eq!(pool.synchronize(foreign), Err(of_other));
    assert_eq!(pool.wait(stream, other.record(foreign).unwrap()), Err(of_other));
    assert_eq!(pool.fill(stream, strange, 0), Err(of_other));
    assert_eq!(pool.free(strange), Err(of_other));
    pool.free(buffer).unwrap();
    assert_eq!(pool.free(buffer), Err(MemoryError::FreedTwice { offset: 0 }));
    assert_eq!(pool.bytes(buffer), Err(MemoryError::FreedTwice { offset: 0 }));
    assert_eq!(pool.statistics().bytes_filled, 0);

    let error = MemoryPool::new(VendorProfile::CUDA, 255).unwrap_err();
    assert_eq!(error.to_string(), "the capacity is 255, but must be at least the granularity");
    let error = MemoryPool::new(VendorProfile::CUDA, u64::MAX).unwrap_err();
    assert_eq!(error, MemoryError::HostExhausted { bytes: u64::MAX - 255 });
    assert!(matches!(crate::GpuOptimError::from(error), crate::GpuOptimError::OutOfMemory(_)));
}

#[test]
fn what_another_stream_has_left_to_do_is_not_read_too_early() {
    let mut pool = pool(VendorProfile::CUDA);
    let [first, second] = [(); 2].map(|()| pool.create_stream());
    let buffer = pool.allocate(8, MemoryKind::Device).unwrap();
    pool.fill(first, buffer, 1).unwrap();
    let mut out = [9; 8];
    assert_eq!(pool.read(second, buffer, &mut out), Err(MemoryError::InUse { offset: 0, commands: 1 }));
    assert_eq!((out, pool.statistics().bytes_read), ([9; 8], 0));
    let event = pool.record(first).unwrap();
    pool.wait(second, event).unwrap();
    pool.read(second, buffer, &mut out).unwrap();
    assert_eq!(out, [1; 8]);
}
