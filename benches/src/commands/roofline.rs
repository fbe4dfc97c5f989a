//! `roofline`: every rule over every set, beside the copy of as many bytes.

use std::path::PathBuf;

use clap::Args;

use crate::copy::Roof;
use crate::data::Values;
use crate::gpu::Gpu;
use crate::measure::{Loaded, measure};
use crate::rules::{Subject, chosen};
use crate::sets::{ONE, Set};
use crate::{Failure, chart, row};

/// What of the device's memory the large tensor and all that belongs to it may take.
const SHARE: f64 = 0.8;
/// Fewer elements than this are not made of the large tensor, however little memory there is.
const LEAST: usize = 1 << 20;

/// What to measure.
#[derive(Args)]
pub struct Roofline {
    /// Rules by module name; all without it.
    #[arg(long, value_delimiter = ',')]
    rules: Vec<String>,
    /// Sets of tensors.
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = [Set::One, Set::Gpt2, Set::Small, Set::Single])]
    sets: Vec<Set>,
    /// Elements of the large tensor; 2^28 without it, or as many as memory allows.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    elements: Option<u64>,
    /// Part of the name of the GPU; the best one without it.
    #[arg(long, env = "OPTIRS_ADAPTER")]
    adapter: Option<String>,
    /// Runs that each figure is the median of.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=2000))]
    runs: u32,
    /// Where to write the rows.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Where to draw them.
    #[arg(long)]
    svg: Option<PathBuf>,
}

impl Roofline {
    /// Measures, prints as it goes, and writes what was asked for.
    ///
    /// # Errors
    /// The first that there is; rows that were measured before it are written.
    pub fn run(&self) -> Result<(), Failure> {
        let subjects = chosen(&self.rules)?;
        let gpu = Gpu::open(self.adapter.clone())?;
        let clock = if gpu.has_timestamps { "device timestamps" } else { "no timestamps: GB/s by amortised wall time" };
        println!("{}, {} ({clock})", gpu.name, gpu.driver);
        let mut rows = Vec::new();
        let measured = self.measure(&gpu, &subjects, &mut rows);
        if let Some(file) = &self.json {
            row::write(file, &rows)?;
        }
        if let Some(file) = &self.svg {
            chart::draw(file, &rows)?;
        }
        measured
    }

    fn measure(&self, gpu: &Gpu, subjects: &[Subject], rows: &mut Vec<row::Row>) -> Result<(), Failure> {
        let mut roof = Roof::new(gpu, self.runs);
        println!("{}", row::heading());
        for set in &self.sets {
            let one = self.elements.map_or_else(|| large(gpu.memory, subjects), |elements| elements as usize);
            let values = Values::new(&set.shapes(one))?;
            let mut loaded = Loaded::new(&gpu.device, *set, &values)?;
            if *set == Set::One {
                println!("one tensor of {one} elements");
            }
            for subject in subjects {
                let row = measure(&mut roof, subject, &mut loaded, self.runs)?;
                println!("{}", row::line(&row));
                rows.push(row);
            }
        }
        Ok(())
    }
}

/// Elements of the large tensor: halved until parameter, gradient and what the rules keep fit into memory.
fn large(memory: Option<u64>, subjects: &[Subject]) -> usize {
    let kept = subjects.iter().map(|subject| subject.kept_per_element).max().unwrap_or(0);
    let bytes = |elements: usize| 4.0 * (2 + kept) as f64 * elements as f64;
    let mut elements = ONE;
    while memory.is_some_and(|memory| bytes(elements) > SHARE * memory as f64) && elements > LEAST {
        elements /= 2;
    }
    elements
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::all;

    #[test]
    fn the_large_tensor_leaves_room_for_what_the_rules_keep() {
        let rules = all();
        assert_eq!(large(Some(141 << 30), &rules), ONE);
        assert_eq!(large(None, &rules), ONE);
        // Four states, a parameter and a gradient of 2^27 elements are 3 GiB.
        assert_eq!(large(Some(4 << 30), &rules), ONE / 2);
        assert_eq!(large(Some(1 << 20), &rules), LEAST);
    }
}
