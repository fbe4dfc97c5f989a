//! Measures one rule over one set: on the device, on the wall, and what it costs the host.

use std::time::{Duration, Instant};

use optirs_gpu::{Device, GpuOptimError, ParamSet};

use crate::Failure;
use crate::clock::{Clock, batch, median, since};
use crate::data::{Values, name};
use crate::machine::Machine;
use crate::row::{Row, gb_per_s, today};
use crate::rules::{Stepping, Subject};
use crate::sets::Set;

/// Steps before anything counts: at least so many, and for so long, but no more than a few dozen.
const WARM_UP: (u32, Duration, u32) = (3, Duration::from_millis(100), 50);

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
    pub fn new(device: &Device, set: Set, values: &'a Values) -> Result<Loaded<'a>, Failure> {
        let named = values.parameters.iter().enumerate().map(|(place, array)| (name(place), array.view()));
        let mut params = ParamSet::new(device, named)?;
        for (place, gradient) in values.gradients.iter().enumerate() {
            params.write_grad(&name(place), gradient)?;
        }
        Ok(Loaded { set, values, params })
    }

    /// Puts the parameters back to what they were before another rule stepped them.
    ///
    /// # Errors
    /// As [`ParamSet::write`].
    pub fn restore(&mut self) -> Result<(), Failure> {
        for (place, values) in self.values.parameters.iter().enumerate() {
            self.params.write(&name(place), values)?;
        }
        Ok(())
    }

    /// Fails unless the first and the last tensor have moved at both ends, to numbers.
    fn check_moved(&self, machine: &dyn Machine, rule: &str) -> Result<(), Failure> {
        for place in [0, self.values.parameters.len() - 1] {
            let before = &self.values.parameters[place];
            let after = machine.ends(&self.params, &name(place))?;
            for (after, before) in after.into_iter().zip([before.first(), before.last()]) {
                if !after.is_finite() || Some(&after) == before {
                    let set = self.set.name();
                    return Err(format!("`{rule}` over {set} has made {after} of {before:?}").into());
                }
            }
        }
        Ok(())
    }

    /// Elements of all tensors.
    fn elements(&self) -> u64 {
        self.values.parameters.iter().map(|array| array.len() as u64).sum()
    }
}

/// Milliseconds of each run.
struct Times {
    /// Of the call of a step.
    host: Vec<f64>,
    /// Until its end was known.
    wall: Vec<f64>,
    /// Of a step among many.
    amortised: Vec<f64>,
}

impl Times {
    fn take(
        device: &Device,
        runs: u32,
        optimizer: &mut dyn Stepping,
        params: &mut ParamSet,
    ) -> Result<Times, GpuOptimError> {
        let (least, long, most) = WARM_UP;
        let start = Instant::now();
        for step in 0..most {
            if step >= least && start.elapsed() >= long {
                break;
            }
            optimizer.step(params)?;
            device.wait()?;
        }
        let mut times = Times { host: Vec::new(), wall: Vec::new(), amortised: Vec::new() };
        for _ in 0..runs {
            let start = Instant::now();
            optimizer.step(params)?;
            times.host.push(since(start));
            device.wait()?;
            times.wall.push(since(start));
        }
        let batch = batch(&times.wall);
        for _ in 0..runs {
            let start = Instant::now();
            for _ in 0..batch {
                optimizer.step(params)?;
            }
            device.wait()?;
            times.amortised.push(since(start) / f64::from(batch));
        }
        Ok(times)
    }
}

/// Measures a rule over a set; each figure is the median of `runs`.
///
/// # Errors
/// What the device says, and where a step has not done what it is timed for.
pub fn measure(
    machine: &mut dyn Machine,
    subject: &Subject,
    loaded: &mut Loaded<'_>,
    runs: u32,
) -> Result<Row, Failure> {
    loaded.restore()?;
    let mut optimizer = (subject.build)(machine.device())?;
    optimizer.supply(&mut loaded.params, &loaded.values.gradients)?;
    let Times { host, wall, amortised } = Times::take(machine.device(), runs, optimizer.as_mut(), &mut loaded.params)?;
    let on_device = machine.on_device(runs, optimizer.as_mut(), &mut loaded.params)?;
    loaded.check_moved(machine, subject.name)?;

    let bytes = loaded.elements() * subject.bytes_per_element as u64;
    let none = "at least one run is needed";
    let (ms_wall, ms_amortised) = (median(wall).ok_or(none)?, median(amortised).ok_or(none)?);
    let ms_device = on_device.and_then(median);
    let (clock, milliseconds) = match ms_device {
        Some(milliseconds) => (Clock::Device, milliseconds),
        None => (Clock::Wall, ms_amortised),
    };
    let (reached, copy) = (gb_per_s(bytes, milliseconds), machine.copy_gb_per_s(bytes)?);
    let (device, driver, threads) = machine.description();
    Ok(Row {
        device,
        driver,
        date: today(),
        implementation: "optirs-gpu".to_owned(),
        set: loaded.set.name().to_owned(),
        rule: subject.name.to_owned(),
        tensors: loaded.values.parameters.len() as u64,
        elements: loaded.elements(),
        threads,
        runs,
        ms_device,
        ms_wall,
        ms_amortised,
        host_us: 1e3 * median(host).ok_or(none)?,
        bytes,
        clock,
        gb_per_s: reached,
        copy_gb_per_s: copy,
        of_copy: reached / copy,
        ms_predicted: bytes as f64 / copy / 1e6,
    })
}
