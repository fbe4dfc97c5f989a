//! `startup`: the first step of an optimizer on a device that is open, when its kernels are compiled, and that of a second one of
//! the same rule, which finds them there.

use std::time::Instant;

use clap::Args;
use optirs_gpu::{Device, DeviceConfig};

use crate::Failure;
use crate::clock::since;
use crate::data::Values;
use crate::measure::Loaded;
use crate::rules::{Subject, chosen};
use crate::sets::{ONE, Set};

/// What to measure.
#[derive(Args)]
pub struct Startup {
    /// Rules by module name; all without it.
    #[arg(long, value_delimiter = ',')]
    rules: Vec<String>,
    /// Part of the name of the GPU; the best one without it.
    #[arg(long, env = "OPTIRS_ADAPTER")]
    adapter: Option<String>,
}

impl Startup {
    /// Prints a line for each rule.
    ///
    /// # Errors
    /// What the device says.
    pub fn run(&self) -> Result<(), Failure> {
        let subjects = chosen(&self.rules)?;
        let start = Instant::now();
        let device = Device::with_config(DeviceConfig { adapter: self.adapter.clone(), ..DeviceConfig::default() })?;
        println!("{device}, {}, opened in {:.1} ms", device.adapter().driver, since(start));
        println!(
            "milliseconds until the first step is done, from making the optimizer; a driver may have kept kernels on disk"
        );
        println!("{:<22}{:>12}{:>12}{:>12}", "rule", "first", "second", "next step");
        let values = Values::new(&Set::Single.shapes(ONE))?;
        let mut loaded = Loaded::new(&device, Set::Single, &values)?;
        for subject in &subjects {
            let [first, second] = [(); 2].map(|()| first_step(&device, subject, &mut loaded));
            let ((first, _), (second, next)) = (first?, second?);
            println!("{:<22}{first:>12.2}{second:>12.2}{next:>12.2}", subject.name);
        }
        Ok(())
    }
}

/// Milliseconds from making an optimizer until its first step is done, and of the step behind it.
fn first_step(device: &Device, subject: &Subject, loaded: &mut Loaded<'_>) -> Result<(f64, f64), Failure> {
    device.wait()?;
    let start = Instant::now();
    let mut optimizer = (subject.build)(device)?;
    if subject.asks_for_more {
        optimizer.supply(&mut loaded.params, &loaded.values.gradients)?;
    }
    optimizer.step(&mut loaded.params)?;
    device.wait()?;
    let first = since(start);
    let start = Instant::now();
    optimizer.step(&mut loaded.params)?;
    device.wait()?;
    Ok((first, since(start)))
}
