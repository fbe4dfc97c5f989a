//! `shards`: one tensor that is larger than a buffer, measured as `roofline` does, and right at the ends of every piece that it
//! lies in.

use std::path::PathBuf;

use clap::Args;
use optirs_gpu::ndarray::Array1;
use optirs_gpu::{Device, ParamSet};

use crate::copy::Roof;
use crate::data::{Values, name};
use crate::gpu::Gpu;
use crate::measure::{Loaded, measure};
use crate::row;
use crate::rules::{Subject, chosen};
use crate::sets::Set;
use crate::{Failure, row::Row};

/// Elements at each end of a piece that are looked at.
const WINDOW: usize = 256;
/// Steps before they are.
const STEPS: usize = 3;
/// How far the GPU may be from the CPU: what its division and root may differ by is far less, what a step moves far more.
const TOLERANCE: f32 = 1e-6;

/// What to measure.
#[derive(Args)]
pub struct Shards {
    /// Rules by module name.
    #[arg(long, value_delimiter = ',', default_value = "adamw,lamb")]
    rules: Vec<String>,
    /// Elements.
    #[arg(long, default_value_t = 1_200_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    elements: u64,
    /// Bytes of the largest buffer, so that fewer elements lie in several; as many as the GPU allows without it.
    #[arg(long, value_parser = clap::value_parser!(u64).range(4096..))]
    buffer_bytes: Option<u64>,
    /// Part of the name of the GPU; the best one without it.
    #[arg(long, env = "OPTIRS_ADAPTER")]
    adapter: Option<String>,
    /// Runs that each figure is the median of.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=2000))]
    runs: u32,
    /// Where to write the rows.
    #[arg(long)]
    json: Option<PathBuf>,
}

impl Shards {
    /// Measures and checks.
    ///
    /// # Errors
    /// What the device says; where the tensor lies in one piece; where a value at an end of a piece is not the CPU's.
    pub fn run(&self) -> Result<(), Failure> {
        let subjects = chosen(&self.rules)?;
        let gpu = Gpu::open_within(self.adapter.clone(), self.buffer_bytes)?;
        println!("{}, {}", gpu.name, gpu.driver);
        let values = Values::new(&Set::One.shapes(self.elements as usize))?;
        let mut loaded = Loaded::new(&gpu.device, Set::One, &values)?;
        let pieces = loaded.params.param_bindings(&name(0))?.len();
        println!("{} parameters in {pieces} buffers", self.elements);
        if pieces < 2 {
            let limit = gpu.device.limits().buffer_bytes;
            return Err(format!("a buffer of {limit} bytes holds them all: ask for more --elements").into());
        }
        let mut roof = Roof::new(&gpu, self.runs);
        println!("{}", row::heading());
        let mut rows: Vec<Row> = Vec::new();
        for subject in &subjects {
            let row = measure(&mut roof, subject, &mut loaded, self.runs)?;
            println!("{}", row::line(&row));
            rows.push(row);
            if let Some(file) = &self.json {
                row::write(file, &rows)?;
            }
            // The steps of a rule that reduces depend on all elements, which the CPU does not have.
            if !subject.reduces {
                check_ends(&gpu, subject, &mut loaded)?;
                println!("{}: the first and the last {WINDOW} of each buffer are the CPU's", subject.name);
            }
        }
        Ok(())
    }
}

/// Fails unless a few steps have made of both ends of every piece what the CPU makes of the same values.
fn check_ends(gpu: &Gpu, subject: &Subject, loaded: &mut Loaded<'_>) -> Result<(), Failure> {
    loaded.restore()?;
    let mut optimizer = (subject.build)(&gpu.device)?;
    optimizer.supply(&mut loaded.params, &loaded.values.gradients)?;
    (0..STEPS).try_for_each(|_| optimizer.step(&mut loaded.params))?;
    let mut start = 0;
    for piece in loaded.params.param_bindings(&name(0))? {
        let length = (piece.size / 4) as usize;
        let window = WINDOW.min(length);
        for within in [0, length - window] {
            let bytes = gpu.read(&piece.buffer, piece.offset + 4 * within as u64, 4 * window as u64)?;
            let found = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
            let expected = on_cpu(subject, loaded.values, start + within, window)?;
            for (place, (found, expected)) in found.zip(expected).enumerate() {
                if (found - expected).abs() > TOLERANCE || found.is_nan() {
                    let element = start + within + place;
                    return Err(format!("element {element} is {found}, and {expected} by the CPU").into());
                }
            }
        }
        start += length;
    }
    Ok(())
}

/// What the CPU makes of some elements of the first tensor, on their own.
fn on_cpu(subject: &Subject, values: &Values, start: usize, length: usize) -> Result<Vec<f32>, Failure> {
    let part = |arrays: &[optirs_gpu::ndarray::ArrayD<f32>]| {
        let all = arrays.first().and_then(|array| array.as_slice());
        let part = all.and_then(|all| all.get(start..start + length)).ok_or("a piece lies outside of its tensor")?;
        Ok::<_, Failure>(Array1::from(part.to_vec()))
    };
    let device = Device::cpu();
    let gradients = part(&values.gradients)?;
    let mut params = ParamSet::new(&device, [(name(0), part(&values.parameters)?)])?;
    params.write_grad(&name(0), &gradients)?;
    let mut optimizer = (subject.build)(&device)?;
    optimizer.supply(&mut params, &[gradients.into_dyn()])?;
    (0..STEPS).try_for_each(|_| optimizer.step(&mut params))?;
    Ok(params.read(&name(0))?.into_iter().collect())
}
