//! `transfer`: `step_gpu` on arrays of the host, beside the copying of the same bytes up and down without a step: through a
//! `ParamSet`, and past the library in two ways.

use std::time::Instant;

use clap::Args;
use optirs_gpu::ndarray::{Array1, Ix1};
use optirs_gpu::optimizers::GpuOptimizer;
use optirs_gpu::{AdamWParams, GpuAdamW, ParamSet, wgpu};
use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::Failure;
use crate::clock::{median, since};
use crate::data::normal;
use crate::row::gb_per_s;

/// What to measure.
#[derive(Args)]
pub struct Transfer {
    /// Elements of the array.
    #[arg(long, default_value_t = 1 << 24, value_parser = clap::value_parser!(u64).range(1..))]
    elements: u64,
    /// Runs that each figure is the median of.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

impl Transfer {
    /// Measures on the GPU that is taken unasked, or that `OPTIRS_ADAPTER` names.
    ///
    /// # Errors
    /// What the device says; where a copy is not what was copied.
    pub fn run(&self) -> Result<(), Failure> {
        let mut random = SmallRng::seed_from_u64(3);
        let mut array = |deviation| Array1::from(normal(&mut random, self.elements as usize, deviation));
        let (mut params, gradients) = (array(0.02), array(0.01));
        let mut optimizer = GpuAdamW::new(AdamWParams::default())?;
        GpuOptimizer::<f32, Ix1>::move_to_gpu(&mut optimizer)?;
        let device = optimizer.device().ok_or("the optimizer has no device")?.clone();
        println!("{device}, {}: AdamW over {} elements", device.adapter().driver, self.elements);
        let step = self.median(|| Ok(optimizer.step_gpu(&mut params, &gradients)?))?;

        let mut set = ParamSet::new(&device, [("array", params.view())])?;
        let mut read = params.clone();
        let through_set = self.median(|| {
            set.write("array", &params)?;
            set.write_grad("array", &gradients)?;
            Ok(set.read_into("array", &mut read)?)
        })?;
        if read != params {
            return Err("what a set has read is not what was written".into());
        }
        let (wgpu, queue) = device.wgpu().ok_or("the device is not wgpu's")?;
        let copies = Copies::new(wgpu, queue, [&params, &gradients].map(|array| array.as_slice().unwrap_or_default()));
        let mut back = vec![0.0; self.elements as usize];
        let written = self.median(|| copies.written(&mut back))?;
        let staged = self.median(|| copies.staged(&mut back))?;
        if params.as_slice() != Some(&back) {
            return Err("what came back is not what was copied".into());
        }
        let alone = through_set.min(written).min(staged);
        let bytes = 12 * self.elements;
        println!("{:<44}{:>10}{:>10}{:>10}", "", "ms", "GB/s", "of alone");
        for (what, milliseconds) in [
            ("step_gpu", step),
            ("up and down by a `ParamSet`, without a step", through_set),
            ("up by `Queue::write_buffer`, and down", written),
            ("up by a staging buffer that is kept, and down", staged),
        ] {
            let (reached, share) = (gb_per_s(bytes, milliseconds), alone / milliseconds);
            println!("{what:<46}{milliseconds:>8.3}{reached:>10.2}{share:>10.3}");
        }
        Ok(())
    }

    /// Milliseconds of some work, behind a warm-up.
    fn median(&self, mut work: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
        (0..3).try_for_each(|_| work())?;
        let mut timed = || {
            let start = Instant::now();
            work()?;
            Ok::<_, Failure>(since(start))
        };
        let figures = (0..self.runs).map(|_| timed()).collect::<Result<_, _>>()?;
        Ok(median(figures).ok_or("at least one run is needed")?)
    }
}

/// Two arrays up, the first of them down again.
struct Copies<'a> {
    device: &'a wgpu::Device,
    queue: &'a wgpu::Queue,
    arrays: [Vec<u8>; 2],
    there: [wgpu::Buffer; 2],
    upward: wgpu::Buffer,
    downward: wgpu::Buffer,
}

impl<'a> Copies<'a> {
    fn new(device: &'a wgpu::Device, queue: &'a wgpu::Queue, arrays: [&[f32]; 2]) -> Copies<'a> {
        let arrays = arrays.map(|array| array.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
        let size = arrays[0].len() as u64;
        let buffer = |label, size, usage| {
            let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
            device.create_buffer(&descriptor)
        };
        let there = ["parameters", "gradients"]
            .map(|label| buffer(label, size, wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC));
        Copies {
            device,
            queue,
            there,
            upward: buffer("upward", 2 * size, wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC),
            downward: buffer("downward", size, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            arrays,
        }
    }

    fn written(&self, back: &mut [f32]) -> Result<(), Failure> {
        for (buffer, bytes) in self.there.iter().zip(&self.arrays) {
            self.queue.write_buffer(buffer, 0, bytes);
        }
        self.down(self.device.create_command_encoder(&Default::default()), back)
    }

    fn staged(&self, back: &mut [f32]) -> Result<(), Failure> {
        self.map(&self.upward, wgpu::MapMode::Write)?;
        let size = self.arrays[0].len() as u64;
        let mut encoder = self.device.create_command_encoder(&Default::default());
        for (start, (buffer, bytes)) in [0, size].into_iter().zip(self.there.iter().zip(&self.arrays)) {
            self.upward.get_mapped_range_mut(start..start + size)?.copy_from_slice(bytes);
            encoder.copy_buffer_to_buffer(&self.upward, start, buffer, 0, size);
        }
        self.upward.unmap();
        self.down(encoder, back)
    }

    /// Reads the first buffer behind these commands.
    fn down(&self, mut encoder: wgpu::CommandEncoder, back: &mut [f32]) -> Result<(), Failure> {
        let [from, _] = &self.there;
        encoder.copy_buffer_to_buffer(from, 0, &self.downward, 0, self.downward.size());
        self.queue.submit([encoder.finish()]);
        self.map(&self.downward, wgpu::MapMode::Read)?;
        let view = self.downward.get_mapped_range(..)?;
        for (value, bytes) in back.iter_mut().zip(view.as_chunks::<4>().0) {
            *value = f32::from_le_bytes(*bytes);
        }
        drop(view);
        self.downward.unmap();
        Ok(())
    }

    fn map(&self, buffer: &wgpu::Buffer, mode: wgpu::MapMode) -> Result<(), Failure> {
        let (sender, receiver) = std::sync::mpsc::channel();
        buffer.map_async(mode, .., move |mapped| drop(sender.send(mapped)));
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(receiver.recv()??)
    }
}
