//! The roof: how fast the device copies. A rule that moves so many bytes stands beside a copy that reads half of them and
//! writes half of them, in vectors of 16 bytes as rules do, by the same clock.

use std::collections::HashMap;
use std::time::Instant;

use optirs_gpu::{Device, ParamSet, wgpu};
use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::Failure;
use crate::clock::{median, on_device, since};
use crate::data::normal;
use crate::gpu::Gpu;
use crate::machine::Machine;
use crate::row::gb_per_s;
use crate::rules::Stepping;

/// Vectors that a thread copies: the fastest of these shapes is the roof.
const SHAPES: [u32; 3] = [1, 2, 4];
/// More is copied no faster: the caches hold a small part of it.
const MOST_BYTES: u64 = 1 << 30;
/// Copies that are submitted before one wait, where the device has no timestamps.
const BATCH: u32 = 10;

/// A GPU beside its copies, each size of which is measured once.
pub struct Roof<'a> {
    gpu: &'a Gpu,
    runs: u32,
    pipelines: Vec<(u32, wgpu::ComputePipeline)>,
    measured: HashMap<u64, f64>,
}

impl<'a> Roof<'a> {
    /// Nothing measured yet.
    pub fn new(gpu: &'a Gpu, runs: u32) -> Roof<'a> {
        let module = gpu.wgpu.create_shader_module(wgpu::include_wgsl!("copy.wgsl"));
        let pipeline = |vectors: u32| {
            gpu.wgpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("copy"),
                layout: None,
                module: &module,
                entry_point: Some("copy"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &[("vectors", f64::from(vectors))],
                    ..Default::default()
                },
                cache: None,
            })
        };
        let pipelines = SHAPES.map(|vectors| (vectors, pipeline(vectors))).into();
        Roof { gpu, runs, pipelines, measured: HashMap::new() }
    }

    fn measure(&self, vectors: u64) -> Result<f64, Failure> {
        let Gpu { wgpu, queue, .. } = self.gpu;
        let bytes = 16 * vectors;
        let buffer = |label: &'static str| {
            wgpu.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let (origin, copied) = (buffer("origin"), buffer("copied"));
        let values = normal(&mut SmallRng::seed_from_u64(2), (4 * vectors).min(1 << 22) as usize, 1.0);
        let words: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        for start in (0..bytes).step_by(words.len()) {
            queue.write_buffer(&origin, start, &words[..words.len().min((bytes - start) as usize)]);
            queue.submit([]);
        }
        let mut fastest = f64::INFINITY;
        for (per_thread, pipeline) in &self.pipelines {
            let entry =
                |binding, buffer| wgpu::BindGroupEntry { binding, resource: wgpu::Buffer::as_entire_binding(buffer) };
            let group = wgpu.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("copy"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[entry(0, &origin), entry(1, &copied)],
            });
            let groups = vectors.div_ceil(256 * u64::from(*per_thread)).try_into()?;
            fastest = fastest.min(self.time(pipeline, &group, groups)?);
        }
        let ends = [0, bytes - 16];
        for start in ends {
            if self.gpu.read(&origin, start, 16)? != self.gpu.read(&copied, start, 16)? {
                return Err(format!("a copy of {bytes} bytes is wrong at {start}: its time means nothing").into());
            }
        }
        Ok(gb_per_s(2 * bytes, fastest))
    }

    /// Milliseconds of one copy.
    fn time(&self, pipeline: &wgpu::ComputePipeline, group: &wgpu::BindGroup, groups: u32) -> Result<f64, Failure> {
        let width = self.gpu.device.limits().grid_width;
        let rows = groups.div_ceil(width);
        let record = |encoder: &mut wgpu::CommandEncoder| {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(groups.div_ceil(rows), rows, 1);
        };
        let batch = || {
            let start = Instant::now();
            let mut encoder = self.gpu.wgpu.create_command_encoder(&Default::default());
            (0..BATCH).for_each(|_| record(&mut encoder));
            self.gpu.queue.submit([encoder.finish()]);
            self.gpu.wait()?;
            Ok::<_, Failure>(since(start) / f64::from(BATCH))
        };
        // The first one warms up.
        let first = batch()?;
        let on_device = on_device(self.gpu, self.runs, |encoder| {
            record(encoder);
            Ok(())
        })?;
        let figures = match on_device {
            Some(figures) => figures,
            None => (0..self.runs).map(|_| batch()).collect::<Result<_, _>>()?,
        };
        Ok(median(figures).unwrap_or(first))
    }
}

impl Machine for Roof<'_> {
    fn device(&self) -> &Device {
        &self.gpu.device
    }

    fn description(&self) -> (String, String, Option<u64>) {
        (self.gpu.name.clone(), self.gpu.driver.clone(), None)
    }

    fn on_device(
        &self,
        runs: u32,
        optimizer: &mut dyn Stepping,
        params: &mut ParamSet,
    ) -> Result<Option<Vec<f64>>, Failure> {
        on_device(self.gpu, runs, |encoder| Ok(optimizer.record_step(params, encoder)?))
    }

    fn ends(&self, params: &ParamSet, tensor: &str) -> Result<[f32; 2], Failure> {
        let pieces = params.param_bindings(tensor)?;
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
            return Err(format!("`{tensor}` is empty").into());
        };
        Ok([self.gpu.value(&first.buffer, first.offset)?, self.gpu.value(&last.buffer, last.offset + last.size - 4)?])
    }

    fn copy_gb_per_s(&mut self, bytes: u64) -> Result<f64, Failure> {
        let limits = self.gpu.device.limits();
        let most = MOST_BYTES.min(limits.binding_bytes).min(limits.buffer_bytes) / 16;
        let vectors = (bytes / 2).div_ceil(16).clamp(1, most);
        if let Some(known) = self.measured.get(&vectors) {
            return Ok(*known);
        }
        let measured = self.measure(vectors)?;
        self.measured.insert(vectors, measured);
        Ok(measured)
    }
}
