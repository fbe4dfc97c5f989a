//! Measures one rule over one set: on the device, on the wall, and what it costs the host.

use std::time::{Duration, Instant};

use optirs_gpu::ParamSet;

use crate::Failure;
use crate::clock::{Clock, median, on_device, since};
use crate::copy::Roof;
use crate::data::{Values, name};
use crate::gpu::Gpu;
use crate::row::{Row, gb_per_s, today};
use crate::rules::Subject;
use crate::sets::Set;

/// Steps before anything counts: at least so many, and for so long, but no more than a few dozen.
const WARM_UP: (u32, Duration, u32) = (3, Duration::from_millis(100), 50);
/// Steps behind one wait.
const BATCH: u32 = 10;

/// A set on the device.
pub struct Loaded<'a> {
    /// Which one.
    pub set: Set,
    /// What its tensors began with.
    pub values: &'a Values,
    /// As the device has it.
    pub params: ParamSet,
}

impl<'a> Loaded<'a> {
    /// Brings values to the device, gradients too.
    ///
    /// # Errors
    /// As [`ParamSet::new`].
    pub fn new(gpu: &Gpu, set: Set, values: &'a Values) -> Result<Loaded<'a>, Failure> {
        let named = values.parameters.iter().enumerate().map(|(place, array)| (name(place), array.view()));
        let mut params = ParamSet::new(&gpu.device, named)?;
        for (place, gradient) in values.gradients.iter().enumerate() {
            params.write_grad(&name(place), gradient)?;
        }
        Ok(Loaded { set, values, params })
    }

    /// Puts the parameters back to what they were before another rule stepped them.
    fn restore(&mut self) -> Result<(), Failure> {
        for (place, values) in self.values.parameters.iter().enumerate() {
            self.params.write(&name(place), values)?;
        }
        Ok(())
    }

    /// Fails unless the first and the last tensor have moved at both ends, to numbers.
    fn check_moved(&self, gpu: &Gpu, rule: &str) -> Result<(), Failure> {
        for place in [0, self.values.parameters.len() - 1] {
            let pieces = self.params.param_bindings(&name(place))?;
            let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { continue };
            let ends = [(first, first.offset), (last, last.offset + last.size - 4)];
            let before = &self.values.parameters[place];
            for ((piece, start), before) in ends.into_iter().zip([before.first(), before.last()]) {
                let bytes = gpu.read(&piece.buffer, start, 4)?;
                let after = bytes.as_chunks::<4>().0.first().map(|bytes| f32::from_le_bytes(*bytes));
                if after == before.copied() || !after.is_some_and(f32::is_finite) {
                    let set = self.set.name();
                    return Err(format!("`{rule}` over {set} has made {after:?} of {before:?}").into());
                }
            }
        }
        Ok(())
    }
}

/// Measures a rule over a set; each figure is the median of `runs`.
///
/// # Errors
/// What the device says, and where a step has not done what it is timed for.
pub fn measure(
    gpu: &Gpu,
    roof: &mut Roof<'_>,
    subject: &Subject,
    loaded: &mut Loaded<'_>,
    runs: u32,
) -> Result<Row, Failure> {
    loaded.restore()?;
    let mut optimizer = (subject.build)(&gpu.device)?;
    optimizer.supply(&mut loaded.params, &loaded.values.gradients)?;
    let params = &mut loaded.params;

    let (least, long, most) = WARM_UP;
    let start = Instant::now();
    for step in 0..most {
        if step >= least && start.elapsed() >= long {
            break;
        }
        optimizer.step(params)?;
        gpu.device.wait()?;
    }

    let (mut host, mut wall, mut amortised) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        let start = Instant::now();
        optimizer.step(params)?;
        host.push(1e3 * since(start));
        gpu.device.wait()?;
        wall.push(since(start));
    }
    for _ in 0..runs {
        let start = Instant::now();
        for _ in 0..BATCH {
            optimizer.step(params)?;
        }
        gpu.device.wait()?;
        amortised.push(since(start) / f64::from(BATCH));
    }
    let on_device = on_device(gpu, runs, |encoder| Ok(optimizer.record_step(params, encoder)?))?;
    loaded.check_moved(gpu, subject.name)?;

    let elements: u64 = loaded.values.parameters.iter().map(|array| array.len() as u64).sum();
    let bytes = elements * subject.bytes_per_element as u64;
    let none = "at least one run is needed";
    let (ms_wall, ms_amortised) = (median(wall).ok_or(none)?, median(amortised).ok_or(none)?);
    let ms_device = on_device.and_then(median);
    let (clock, milliseconds) = match ms_device {
        Some(milliseconds) => (Clock::Device, milliseconds),
        None => (Clock::Wall, ms_amortised),
    };
    let (reached, copy) = (gb_per_s(bytes, milliseconds), roof.gb_per_s(bytes)?);
    Ok(Row {
        device: gpu.name.clone(),
        driver: gpu.driver.clone(),
        date: today(),
        implementation: "optirs-gpu".to_owned(),
        set: loaded.set.name().to_owned(),
        rule: subject.name.to_owned(),
        tensors: loaded.values.parameters.len() as u64,
        elements,
        threads: None,
        runs,
        ms_device,
        ms_wall,
        ms_amortised,
        host_us: median(host).ok_or(none)?,
        bytes,
        clock,
        gb_per_s: reached,
        copy_gb_per_s: copy,
        of_copy: reached / copy,
        ms_predicted: bytes as f64 / copy / 1e6,
    })
}
