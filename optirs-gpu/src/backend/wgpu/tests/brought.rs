//! What a step brings along in its own submission, and what is read of it.

use super::*;
use crate::backend::Write as Brought;
use crate::backend::wgpu::staging::SMALL_PIECE;

/// Elements of the tensor.
const LEN: u32 = 100;

/// [`PROGRAM`] over one tensor of zeros, whose gradients are one.
struct Update {
    backend: Arc<WgpuBackend>,
    param: Buffer,
    hyper: Buffer,
    scalars: Buffer,
    partials: Buffer,
    tensors: Buffer,
    range: Range,
}

impl Update {
    fn on(device: &Device) -> Update {
        let backend = backend(device);
        let (words, chunks) = table(LEN, 64, (0, 0), true);
        let table_buffer = upload(&backend, "table", &words);
        let param = upload(&backend, "param", &bits(&[0.0; LEN as usize]));
        let grad = upload(&backend, "grad", &bits(&[1.0; LEN as usize]));
        let arenas = vec![(Role::Param, whole(&param)), (Role::Gradient, whole(&grad))];
        let range = Range { table: whole(&table_buffer), chunks, arenas };
        Update {
            hyper: backend.allocate("hyper", 4).unwrap(),
            scalars: upload(&backend, "scalars", &[0; 8]),
            partials: backend.allocate("partials", chunks.into()).unwrap(),
            tensors: upload(&backend, "tensors", &table(LEN, 64, (0, 0), false).0),
            backend,
            param,
            range,
        }
    }

    fn run(&self, writes: &[Brought<'_>], read: Option<&Slice>) -> Result<Option<Reading>, GpuOptimError> {
        let launch = Launch {
            variant: &VARIANT,
            program: &PROGRAM,
            hyper: &whole(&self.hyper),
            scalars: &whole(&self.scalars),
            partials: Some(&whole(&self.partials)),
            ranges: core::slice::from_ref(&self.range),
            tensors: &whole(&self.tensors),
            tensor_count: 1,
        };
        self.backend.run(writes, &[launch], read)
    }

    /// One step at a rate that it brings along.
    fn at(&self, rate: f32, read: Option<&Slice>) -> Result<Option<Reading>, GpuOptimError> {
        self.run(&[Brought { buffer: &self.hyper, start: 0, words: &[rate.to_bits()] }], read)
    }

    fn params(&self) -> Vec<f32> {
        floats(&download(&self.backend, &self.param))
    }
}

#[test]
fn each_step_has_what_it_brought_whatever_was_written_before_and_is_in_flight() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let update = Update::on(&device);
    let mut expected = 0.0;
    for round in 1..=30_u8 {
        let rate = f32::from(round);
        update.backend.write(&update.hyper, 0, &[f32::NAN.to_bits()]).unwrap();
        // The gradient is set by the same submission, too, and by the later one of two writes.
        let grad = &update.range.arenas[1].1.buffer;
        let gradient = bits(&[2.0; LEN as usize]);
        let writes = [
            Brought { buffer: grad, start: 0, words: &bits(&[9.0; LEN as usize]) },
            Brought { buffer: &update.hyper, start: 0, words: &[rate.to_bits()] },
            Brought { buffer: grad, start: 0, words: &[] },
            Brought { buffer: grad, start: 0, words: &gradient },
        ];
        update.run(&writes, None).unwrap();
        expected -= 2.0 * rate;
    }
    assert_eq!(update.params(), [expected; LEN as usize]);
}

#[test]
fn more_than_a_piece_holds_is_brought_as_well() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let update = Update::on(&device);
    let piece = SMALL_PIECE / 4;
    for (round, words) in (1..).zip([piece - 3, piece - 2, piece - 1, piece, piece + 1, 20 * piece + 3]) {
        let large = update.backend.allocate("large", words as u64 + 7).unwrap();
        let written: Vec<u32> = (0..words as u32).map(|word| word.wrapping_mul(2_654_435_761)).collect();
        let writes = [
            Brought { buffer: &large, start: 5, words: &written },
            Brought { buffer: &update.hyper, start: 0, words: &[1.0f32.to_bits()] },
        ];
        update.run(&writes, None).unwrap();
        assert!(download(&update.backend, &large)[5..][..words] == written, "{words} words");
        assert_eq!(update.params(), [-(round as f32); LEN as usize]);
    }
}

#[test]
fn steps_keep_what_they_go_up_through_and_make_no_more() {
    let Some(device) = device(DeviceConfig { steps_in_flight: 3, ..DeviceConfig::default() }) else { return };
    let update = Update::on(&device);
    (0..10).for_each(|_| _ = update.at(1.0, None).unwrap());
    update.backend.wait().unwrap();
    // How many there are depends on how late the device is, but they are all that is held beside the rest.
    let beside = || {
        let report = device.wgpu().unwrap().0.generate_allocator_report();
        let made = update.backend.brought.made();
        assert!((1..=3).contains(&made), "{made}");
        report.map(|report| report.total_allocated_bytes - (made * SMALL_PIECE) as u64)
    };
    let held = beside();
    (0..50).for_each(|_| _ = update.at(1.0, None).unwrap());
    update.backend.wait().unwrap();
    assert_eq!(beside(), held);
    assert_eq!(update.params(), [-60.0; LEN as usize]);
}

#[test]
fn what_is_read_of_steps_is_theirs_in_whatever_order_it_is_received() {
    let Some(device) = device(DeviceConfig { steps_in_flight: 3, ..DeviceConfig::default() }) else { return };
    let update = Update::on(&device);
    let part = Slice { buffer: update.param.clone(), start: 64, words: 3 };
    let readings: Vec<_> = (0..12).map(|_| update.at(1.0, Some(&part)).unwrap().unwrap()).collect();
    // Words are read beside them, too.
    assert_eq!(update.params(), [-12.0; LEN as usize]);
    for (step, reading) in readings.iter().enumerate().rev() {
        let received = update.backend.receive(reading).unwrap();
        assert_eq!(floats(&received), [-(step as f32 + 1.0); 3]);
    }
    drop(readings);
    let made = update.backend.answers.made();
    assert!(made <= 3, "{made} buffers are kept");
}

#[test]
fn what_is_read_and_never_received_gives_its_memory_back() {
    let Some(device) = device(DeviceConfig { steps_in_flight: 3, ..DeviceConfig::default() }) else { return };
    let update = Update::on(&device);
    for _ in 0..20 {
        drop(update.at(1.0, Some(&whole(&update.scalars))).unwrap());
        let made = update.backend.answers.made();
        assert!(made <= 3, "{made} buffers");
    }
    assert_eq!(update.params(), [-20.0; LEN as usize]);
}

#[test]
fn a_step_with_a_write_or_a_read_that_does_not_fit_is_refused_whole() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let update = Update::on(&device);
    update.at(1.0, None).unwrap();
    let hyper = Brought { buffer: &update.hyper, start: 0, words: &[2.0f32.to_bits()] };
    let beyond = Brought { buffer: &update.param, start: u64::from(LEN), words: &[1] };
    for writes in [[hyper, beyond], [beyond, hyper]] {
        let refused = update.run(&writes, None);
        assert!(matches!(refused, Err(GpuOptimError::InvalidState(_))), "{refused:?}");
    }
    let beyond = Slice { buffer: update.param.clone(), start: u64::from(LEN), words: 1 };
    let refused = update.at(2.0, Some(&beyond));
    assert!(matches!(refused, Err(GpuOptimError::InvalidState(_))), "{refused:?}");
    let large = update.backend.allocate("large", SMALL_PIECE as u64 / 4 + 1).unwrap();
    let error = update.at(2.0, Some(&whole(&large))).unwrap_err().to_string();
    assert_eq!(error, "what is read of a step needs 65540 bytes, but this device allows at most 65536");
    assert_eq!(update.params(), [-1.0; LEN as usize]);
    assert_eq!(download(&update.backend, &update.hyper)[0], 1.0f32.to_bits());
}
