//! `cpu`: the CPU back end on one thread and on all, beside a copy by as many threads.

use std::path::PathBuf;

use clap::Args;

use crate::Failure;
use crate::cpu::Cpu;
use crate::data::Values;
use crate::measure::{Loaded, measure};
use crate::row;
use crate::rules::{Subject, chosen};
use crate::sets::Set;

/// What to measure.
#[derive(Args)]
pub struct OnCpu {
    /// Rules by module name.
    #[arg(long, value_delimiter = ',', default_value = "adamw,sgd_momentum,adagrad,rmsprop,lamb")]
    rules: Vec<String>,
    /// Sets of tensors.
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = [Set::One, Set::Small])]
    sets: Vec<Set>,
    /// Elements of the large tensor.
    #[arg(long, default_value_t = 1 << 24, value_parser = clap::value_parser!(u64).range(1..))]
    elements: u64,
    /// Numbers of threads; one and all without it.
    #[arg(long, value_delimiter = ',')]
    threads: Vec<usize>,
    /// Runs that each figure is the median of.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Where to write the rows.
    #[arg(long)]
    json: Option<PathBuf>,
}

impl OnCpu {
    /// Measures, prints as it goes, and writes what was asked for.
    ///
    /// # Errors
    /// The first that there is; rows that were measured before it are written.
    pub fn run(&self) -> Result<(), Failure> {
        let subjects = chosen(&self.rules)?;
        let all = std::thread::available_parallelism()?.get();
        let threads = if self.threads.is_empty() { vec![1, all] } else { self.threads.clone() };
        let mut rows = Vec::new();
        let measured = threads.iter().try_for_each(|threads| self.measure(*threads, &subjects, &mut rows));
        if let Some(file) = &self.json {
            row::write(file, &rows)?;
        }
        measured
    }

    fn measure(&self, threads: usize, subjects: &[Subject], rows: &mut Vec<row::Row>) -> Result<(), Failure> {
        let mut cpu = Cpu::new(threads, self.runs)?;
        cpu.install(|machine| {
            let (name, _, threads) = machine.description();
            println!("{name}, {} threads", threads.unwrap_or(1));
            println!("{}", row::heading());
            for set in &self.sets {
                let values = Values::new(&set.shapes(self.elements as usize))?;
                let mut loaded = Loaded::new(machine.device(), *set, &values)?;
                for subject in subjects {
                    let row = measure(machine, subject, &mut loaded, self.runs)?;
                    println!("{}", row::line(&row));
                    rows.push(row);
                }
            }
            Ok(())
        })
    }
}
