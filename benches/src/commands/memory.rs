//! `memory`: what an optimizer holds on its device beside parameters and gradients, and what a step allocates.

use clap::Args;
use optirs_gpu::rule::records::{ELEMENT_CHUNK, REDUCTION_CHUNK};
use optirs_gpu::{Device, DeviceConfig};

use crate::Failure;
use crate::allocations::during;
use crate::data::Values;
use crate::measure::Loaded;
use crate::rules::{Subject, chosen};
use crate::sets::{ONE, Set};

/// Steps that are counted; the first ones fill what is kept.
const STEPS: u64 = 10;

/// What to measure.
#[derive(Args)]
pub struct Memory {
    /// Rules by module name; all without it.
    #[arg(long, value_delimiter = ',')]
    rules: Vec<String>,
    /// Sets of tensors.
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = [Set::Gpt2, Set::Small, Set::Single])]
    sets: Vec<Set>,
    /// Elements of the large tensor.
    #[arg(long, default_value_t = ONE as u64, value_parser = clap::value_parser!(u64).range(1..))]
    elements: u64,
    /// Part of the name of the GPU; the best one without it.
    #[arg(long, env = "OPTIRS_ADAPTER")]
    adapter: Option<String>,
    /// The CPU back end: what the host is asked for there is the library's alone.
    #[arg(long)]
    cpu: bool,
}

impl Memory {
    /// Prints a line for each rule and set.
    ///
    /// # Errors
    /// What the device says; where a rule holds more than it may, after all lines.
    pub fn run(&self) -> Result<(), Failure> {
        let config = DeviceConfig { adapter: self.adapter.clone(), ..DeviceConfig::default() };
        let device = if self.cpu { Device::cpu() } else { Device::with_config(config)? };
        println!("{device}");
        println!(
            "{:<8}{:<22}{:>15}{:>15}{:>9}{:>16}{:>16}",
            "set", "rule", "held bytes", "may hold", "of it", "device allocs", "host allocs"
        );
        let mut over = Vec::new();
        for set in &self.sets {
            let shapes = set.shapes(self.elements as usize);
            let values = Values::new(&shapes)?;
            let mut loaded = Loaded::new(&device, *set, &values)?;
            for subject in chosen(&self.rules)? {
                let counted = Counted::take(&device, &subject, &mut loaded)?;
                let may = may_hold(&subject, &shapes);
                println!(
                    "{:<8}{:<22}{:>15}{may:>15}{:>9.4}{:>16.1}{:>16.1}",
                    set.name(),
                    subject.name,
                    counted.held,
                    counted.held as f64 / may as f64,
                    counted.on_device as f64 / STEPS as f64,
                    counted.on_host as f64 / STEPS as f64,
                );
                if counted.held > may || counted.on_device > 0 {
                    over.push(format!("`{}` over {}", subject.name, set.name()));
                }
            }
        }
        println!(
            "allocations are those of one step behind the first few; on the host, wgpu's and the driver's among them"
        );
        if over.is_empty() { Ok(()) } else { Err(format!("more than may be: {}", over.join(", ")).into()) }
    }
}

/// What an optimizer took.
struct Counted {
    /// Bytes on the device.
    held: u64,
    /// Buffers that the counted steps made.
    on_device: u64,
    /// Pieces of the host's memory that they asked for.
    on_host: u64,
}

impl Counted {
    fn take(device: &Device, subject: &Subject, loaded: &mut Loaded<'_>) -> Result<Counted, Failure> {
        let before = device.memory();
        let mut optimizer = (subject.build)(device)?;
        optimizer.supply(&mut loaded.params, &loaded.values.gradients)?;
        let mut steps = |count: u64| {
            for _ in 0..count {
                optimizer.step(&mut loaded.params)?;
                device.wait()?;
            }
            Ok::<_, Failure>(())
        };
        steps(1)?;
        let after = device.memory();
        steps(STEPS)?;
        let (done, on_host) = during(|| steps(STEPS));
        done?;
        Ok(Counted {
            held: after.bytes - before.bytes,
            on_device: device.memory().allocations - after.allocations,
            on_host,
        })
    }
}

/// The most bytes that a rule may hold for tensors of these shapes: its states and inputs and a hundredth of them, 256 for each
/// tensor and state (where each starts on a multiple of 256, and for its records), 64 for each chunk.
fn may_hold(subject: &Subject, shapes: &[Vec<usize>]) -> u64 {
    let chunk = if subject.reduces { REDUCTION_CHUNK } else { ELEMENT_CHUNK };
    let lengths = || shapes.iter().map(|shape| shape.iter().product::<usize>());
    let elements: usize = lengths().sum();
    let chunks: usize = lengths().map(|length| length.div_ceil(chunk)).sum();
    let kept = 4 * subject.kept_per_element * elements;
    (kept + kept / 100 + 256 * shapes.len() * (subject.kept_per_element + 1) + 64 * chunks) as u64
}
