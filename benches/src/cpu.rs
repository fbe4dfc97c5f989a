//! The CPU back end on so many threads, beside a copy by as many.

use std::collections::HashMap;
use std::time::Instant;

use optirs_gpu::{Device, ParamSet};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rayon::prelude::*;

use crate::Failure;
use crate::clock::{median, since};
use crate::data::normal;
use crate::machine::Machine;
use crate::row::gb_per_s;
use crate::rules::Stepping;

/// Elements that a thread copies at a time; the fastest of these is the roof, or a thread's whole share at once, which the
/// system's `memcpy` may write past the caches.
const PIECES: [usize; 3] = [1 << 12, 1 << 16, 1 << 20];
/// More is copied no faster: the caches hold a small part of it.
const MOST_ELEMENTS: u64 = 1 << 26;

/// The CPU. Whatever is measured on it runs in [`Cpu::install`].
pub struct Cpu {
    device: Device,
    pool: rayon::ThreadPool,
    name: String,
    runs: u32,
    measured: HashMap<usize, f64>,
}

impl Cpu {
    /// With so many threads; a copy is timed `runs` times.
    ///
    /// # Errors
    /// Where the system has no such threads.
    pub fn new(threads: usize, runs: u32) -> Result<Cpu, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Cpu { device: Device::cpu(), pool, name: processor(), runs, measured: HashMap::new() })
    }

    /// Runs something on these threads.
    pub fn install<T: Send>(&mut self, work: impl FnOnce(&mut dyn Machine) -> T + Send) -> T {
        let Cpu { device, pool, name, runs, measured } = self;
        let threads = pool.current_num_threads();
        pool.install(|| work(&mut Installed { device, name, threads, runs: *runs, measured }))
    }
}

/// The processor's name, where the system tells it.
fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| "CPU".to_owned(), |(_, name)| name.trim().to_owned())
}

/// As seen from one of its threads.
struct Installed<'a> {
    device: &'a Device,
    name: &'a str,
    threads: usize,
    runs: u32,
    measured: &'a mut HashMap<usize, f64>,
}

impl Installed<'_> {
    /// Milliseconds of a copy of so many elements, in the fastest of some ways.
    fn copy(&self, elements: usize) -> Result<f64, Failure> {
        let origin = normal(&mut SmallRng::seed_from_u64(2), elements, 1.0);
        let mut copied = vec![0.0f32; elements];
        let mut fastest = f64::INFINITY;
        for piece in PIECES.into_iter().chain([elements.div_ceil(self.threads)]) {
            let mut figures = Vec::new();
            // The first one warms up.
            for run in 0..=self.runs {
                let start = Instant::now();
                copied
                    .par_chunks_mut(piece)
                    .zip(origin.par_chunks(piece))
                    .for_each(|(to, from)| to.copy_from_slice(from));
                if run > 0 {
                    figures.push(since(start));
                }
            }
            fastest = median(figures).map_or(fastest, |figure| figure.min(fastest));
        }
        if copied != origin {
            return Err(format!("a copy of {elements} elements is wrong: its time means nothing").into());
        }
        Ok(fastest)
    }
}

impl Machine for Installed<'_> {
    fn device(&self) -> &Device {
        self.device
    }

    fn description(&self) -> (String, String, Option<u64>) {
        (self.name.to_owned(), String::new(), Some(self.threads as u64))
    }

    fn on_device(&self, _: u32, _: &mut dyn Stepping, _: &mut ParamSet) -> Result<Option<Vec<f64>>, Failure> {
        Ok(None)
    }

    fn ends(&self, params: &ParamSet, tensor: &str) -> Result<[f32; 2], Failure> {
        let values = params.read(tensor)?;
        let ends = values.first().copied().zip(values.last().copied());
        ends.map(|(first, last)| [first, last]).ok_or_else(|| format!("`{tensor}` is empty").into())
    }

    fn copy_gb_per_s(&mut self, bytes: u64) -> Result<f64, Failure> {
        let elements = (bytes / 8).clamp(1, MOST_ELEMENTS) as usize;
        if let Some(known) = self.measured.get(&elements) {
            return Ok(*known);
        }
        let reached = gb_per_s(8 * elements as u64, self.copy(elements)?);
        self.measured.insert(elements, reached);
        Ok(reached)
    }
}
