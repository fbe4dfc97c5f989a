//! How long work takes, by the device's clock where it has one, else by the host's.

use std::time::Instant;

use optirs_gpu::wgpu;
use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::gpu::Gpu;

/// Which clock a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Timestamps around the work, on the device.
    Device,
    /// The host's time for many pieces of work and the wait for the last, divided by their number.
    Wall,
}

/// Milliseconds since then.
pub fn since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

/// The middle one of some figures; none of none.
pub fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let (low, high) = (figures.get(figures.len().checked_sub(1)? / 2)?, figures.get(figures.len() / 2)?);
    Some((low + high) / 2.0)
}

/// How many pieces of work go behind one wait, of which one alone takes so many milliseconds: as many as take 50, at least 10
/// and at most 100. Short ones need more of them, or the wait itself weighs.
pub fn batch(alone: &[f64]) -> u32 {
    let long = 50.0;
    (long / median(alone.to_vec()).unwrap_or(long)).clamp(10.0, 100.0) as u32
}

/// Milliseconds that the device takes for each of `runs` pieces of work, each in a submission of its own, one right behind
/// the other. None where it has no timestamps.
///
/// # Errors
/// What recording says; where the device's clock stands still or runs backwards.
pub fn on_device(
    gpu: &Gpu,
    runs: u32,
    mut record: impl FnMut(&mut wgpu::CommandEncoder) -> Result<(), Failure>,
) -> Result<Option<Vec<f64>>, Failure> {
    if !gpu.has_timestamps {
        return Ok(None);
    }
    let (count, bytes) = (2 * runs, 16 * u64::from(runs));
    let queries = gpu.wgpu.create_query_set(&wgpu::QuerySetDescriptor {
        label: Some("starts and ends"),
        ty: wgpu::QueryType::Timestamp,
        count,
    });
    let resolved = gpu.wgpu.create_buffer(&wgpu::BufferDescriptor {
        label: Some("starts and ends"),
        size: bytes,
        usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    for run in 0..runs {
        let mut encoder = gpu.wgpu.create_command_encoder(&Default::default());
        encoder.write_timestamp(&queries, 2 * run);
        record(&mut encoder)?;
        encoder.write_timestamp(&queries, 2 * run + 1);
        gpu.queue.submit([encoder.finish()]);
        // Mesa's software driver holds a submission up until the queue is idle: waiting first keeps that out of the next run.
        if gpu.device.is_software() {
            gpu.wait()?;
        }
    }
    let mut encoder = gpu.wgpu.create_command_encoder(&Default::default());
    encoder.resolve_query_set(&queries, 0..count, &resolved, 0);
    gpu.queue.submit([encoder.finish()]);
    let words = gpu.read(&resolved, 0, bytes)?;
    let (stamps, _) = words.as_chunks::<8>();
    let (pairs, _) = stamps.as_chunks::<2>();
    let period = f64::from(gpu.queue.get_timestamp_period());
    let milliseconds = |[start, end]: &[[u8; 8]; 2]| {
        let ticks = u64::from_le_bytes(*end).checked_sub(u64::from_le_bytes(*start)).filter(|ticks| *ticks > 0);
        ticks.map(|ticks| ticks as f64 * period / 1e6).ok_or("the device's clock did not advance during its work")
    };
    Ok(Some(pairs.iter().map(milliseconds).collect::<Result<_, _>>()?))
}
