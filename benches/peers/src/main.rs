//! The optimizers of other Rust libraries over the sets of the benchmarks, as rows that `compare` and `table` read: burn's
//! on the GPU, through wgpu and Vulkan, and candle's on the CPU, on one thread.
//!
//! The values, the warm-up, the medians and the copy that each row stands beside are those of the benchmarks. `bytes` is the
//! floor, not what a library moves: a load and a store of the parameter and of each state, a load of the gradient.

mod on_burn;
mod on_candle;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use optirs_gpu_benches::Failure;
use optirs_gpu_benches::clock::{Clock, batch, median, since};
use optirs_gpu_benches::copy::Roof;
use optirs_gpu_benches::cpu::Cpu;
use optirs_gpu_benches::data::Values;
use optirs_gpu_benches::gpu::Gpu;
use optirs_gpu_benches::machine::Machine;
use optirs_gpu_benches::row::{self, Row, gb_per_s, today};
use optirs_gpu_benches::sets::{ONE, Set};

/// Steps before anything counts.
const WARM_UP: u32 = 5;
/// Of Adam's relatives: four loads and three stores.
const BYTES_PER_ELEMENT: u64 = 28;
/// Of every peer.
const LEARNING_RATE: f64 = 1e-3;

/// An optimizer of another library, with its tensors and their gradients.
trait Peer {
    /// A step of all tensors.
    fn step(&mut self) -> Result<(), Failure>;
    /// Waits until all steps are done.
    fn wait(&self) -> Result<(), Failure>;
    /// Values at both ends of some of the tensors, in the same order each time.
    fn ends(&self) -> Result<Vec<f32>, Failure>;
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Library {
    /// On the GPU.
    Burn,
    /// On the CPU.
    Candle,
}

/// A rule that both or one of them have.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rule {
    /// AdamW.
    Adamw,
    /// LAMB; candle has none.
    Lamb,
}

/// Measures the optimizers of other Rust libraries.
#[derive(Parser)]
struct Asked {
    /// Whose.
    #[arg(long, value_enum, default_value = "burn")]
    library: Library,
    /// Rules.
    #[arg(long, value_delimiter = ',', value_enum, default_value = "adamw")]
    rules: Vec<Rule>,
    /// Sets of tensors.
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = [Set::One, Set::Gpt2, Set::Small, Set::Single])]
    sets: Vec<Set>,
    /// Elements of the large tensor: 2^28, for candle 2^24.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    elements: Option<u64>,
    /// Runs that each figure is the median of.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Where to write the rows.
    #[arg(long)]
    json: Option<PathBuf>,
}

impl Asked {
    fn run(&self) -> Result<(), Failure> {
        match self.library {
            Library::Burn => {
                let gpu = Gpu::open(None)?;
                self.measure(&mut Roof::new(&gpu, self.runs), ONE)
            }
            Library::Candle => Cpu::new(1, self.runs)?.install(|machine| self.measure(machine, 1 << 24)),
        }
    }

    /// Rows are written as they come: a library, or the driver beneath it, may end the process.
    fn measure(&self, machine: &mut dyn Machine, one: usize) -> Result<(), Failure> {
        let mut rows = Vec::new();
        println!("{}", row::heading());
        for set in &self.sets {
            let values = Values::new(&set.shapes(self.elements.map_or(one, |elements| elements as usize)))?;
            for rule in &self.rules {
                let row = self.row(machine, *set, *rule, &values)?;
                println!("{}  {}", row::line(&row), row.implementation);
                rows.push(row);
                if let Some(file) = &self.json {
                    row::write(file, &rows)?;
                }
            }
        }
        Ok(())
    }

    fn row(&self, machine: &mut dyn Machine, set: Set, rule: Rule, values: &Values) -> Result<Row, Failure> {
        let elements = values.parameters.iter().map(|array| array.len() as u64).sum::<u64>();
        let bytes = BYTES_PER_ELEMENT * elements;
        // Before there is anything of the library on the device.
        let copy_gb_per_s = machine.copy_gb_per_s(bytes)?;
        let is_software = machine.device().is_software();
        let (implementation, mut peer): (_, Box<dyn Peer>) = match self.library {
            Library::Burn => (on_burn::NAME, Box::new(on_burn::Burn::new(rule, values, is_software)?)),
            Library::Candle => (on_candle::NAME, Box::new(on_candle::Candle::new(rule, values)?)),
        };
        let [host, wall, amortised] = times(peer.as_mut(), rule, self.runs)?;
        let (device, driver, threads) = machine.description();
        let reached = gb_per_s(bytes, amortised);
        Ok(Row {
            device,
            driver,
            date: today(),
            implementation: implementation.to_owned(),
            set: set.name().to_owned(),
            rule: rule.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned()),
            tensors: values.parameters.len() as u64,
            elements,
            threads,
            runs: self.runs,
            ms_device: None,
            ms_wall: wall,
            ms_amortised: amortised,
            host_us: 1e3 * host,
            bytes,
            clock: Clock::Wall,
            gb_per_s: reached,
            copy_gb_per_s,
            of_copy: reached / copy_gb_per_s,
            ms_predicted: bytes as f64 / copy_gb_per_s / 1e6,
        })
    }
}

/// Milliseconds of the call of a step, until its end is known, and of a step among many: medians.
fn times(peer: &mut dyn Peer, rule: Rule, runs: u32) -> Result<[f64; 3], Failure> {
    let before = peer.ends()?;
    for _ in 0..WARM_UP {
        peer.step()?;
        peer.wait()?;
    }
    let [mut host, mut wall, mut amortised] = [(); 3].map(|()| Vec::new());
    for _ in 0..runs {
        let start = Instant::now();
        peer.step()?;
        host.push(since(start));
        peer.wait()?;
        wall.push(since(start));
    }
    let batch = batch(&wall);
    for _ in 0..runs {
        let start = Instant::now();
        for _ in 0..batch {
            peer.step()?;
        }
        peer.wait()?;
        amortised.push(since(start) / f64::from(batch));
    }
    let after = peer.ends()?;
    let steps = f64::from(WARM_UP) + f64::from(runs) * (1.0 + f64::from(batch));
    let moved = before.iter().zip(&after).all(|(before, after)| has_moved(rule, steps, *before, *after));
    if before.is_empty() || before.len() != after.len() || !moved {
        return Err(format!("{steps} steps have made {after:?} of {before:?}: they were not all taken").into());
    }
    let median = |figures| median(figures).ok_or("at least one run is needed");
    Ok([median(host)?, median(wall)?, median(amortised)?])
}

/// Whether a parameter is where so many steps bring it. Where the gradient stays the same, both moments of Adam are of the
/// gradient alone, and each step goes as far as the learning rate says; decay changes less than a fifth of it. How far LAMB
/// goes depends on norms, so that all that is asked is that it went.
fn has_moved(rule: Rule, steps: f64, before: f32, after: f32) -> bool {
    let way = f64::from(after - before).abs() / (steps * LEARNING_RATE);
    match rule {
        Rule::Adamw => (0.8..1.2).contains(&way),
        Rule::Lamb => after.is_finite() && way > 0.0,
    }
}

fn main() -> ExitCode {
    match Asked::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
