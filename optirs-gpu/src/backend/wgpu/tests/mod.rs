//! The back end on a real driver, with a program written by hand against the ABI of [`crate::rule::records`].

mod brought;
mod busy;
mod lost;
mod staging;
mod step;
mod threads;

use std::io::Write;
use std::sync::Arc;

use super::*;
use crate::backend::{Range, Slice};
use crate::device::{Device, DeviceConfig, DeviceLimits, LimitsChoice};
use crate::rule::cpu::{ChunkArguments, CompiledPass, Pass, TensorArguments};
use crate::rule::records::{ChunkRecord, SCALARS_HEADER_WORDS, TensorRecord};
use crate::rule::{Binding, Kernel, KernelKind, Role, RowReads, Variant};

const READ: bool = false;
const WRITE: bool = true;

const fn binds(role: Role, writes: bool) -> Binding {
    Binding { role, writes }
}

struct Unused;

impl Pass for Unused {
    fn run(_: &mut ChunkArguments<'_>) {}
}
fn unused_finish(_: &mut TensorArguments<'_>) {}

/// `param -= rate * grad`, and the tensor's number of elements, counted chunk by chunk, into its first scalar.
static PROGRAM: Program = Program {
    name: "update",
    takes_grad: true,
    mode: None,
    wgsl: include_str!("update.wgsl"),
    msl: "",
    row_words: 1,
    partial_words: 1,
    bytes_per_element: 12,
    operations: &[],
    reads: RowReads { step: false, shape: false, host_states: false, scalars: false },
    kernels: &[
        Kernel {
            name: "update_pass1",
            kind: KernelKind::Pass(CompiledPass::of::<Unused>()),
            bindings: &[
                binds(Role::Hyper, READ),
                binds(Role::Chunks, READ),
                binds(Role::Param, WRITE),
                binds(Role::Gradient, READ),
                binds(Role::Scalars, READ),
                binds(Role::Partials, WRITE),
            ],
        },
        Kernel {
            name: "update_finish1_tensor",
            kind: KernelKind::FinishTensor(unused_finish),
            bindings: &[binds(Role::Chunks, READ), binds(Role::Scalars, WRITE), binds(Role::Partials, READ)],
        },
    ],
};

static VARIANT: Variant = Variant {
    options: &[],
    element_states: &[],
    host_states: &[],
    all_states: &[],
    tensor_states: &[],
    header_words: SCALARS_HEADER_WORDS,
    all_words: 0,
    tensor_words: 1,
    programs: &[PROGRAM],
};

/// A device, or none where the machine has no driver; then the test is skipped, unless one is required.
pub(crate) fn device(config: DeviceConfig) -> Option<Device> {
    match Device::with_config(DeviceConfig { allow_software: true, ..config }) {
        Ok(device) => Some(device),
        Err(error) if std::env::var("OPTIRS_REQUIRE_GPU").is_ok_and(|value| value == "1") => panic!("{error}"),
        Err(error) => {
            // Past the test harness, which keeps to itself what a passing test prints. Where nobody listens, so be it.
            let _ = writeln!(std::io::stdout(), "SKIP: {error}");
            None
        }
    }
}

fn backend(device: &Device) -> Arc<WgpuBackend> {
    Arc::clone(device.wgpu_backend().unwrap())
}

fn whole(buffer: &Buffer) -> Slice {
    Slice { buffer: buffer.clone(), start: 0, words: buffer.words }
}

fn upload(backend: &WgpuBackend, label: &str, words: &[u32]) -> Buffer {
    let buffer = backend.allocate(label, words.len() as u64).unwrap();
    backend.write(&buffer, 0, words).unwrap();
    buffer
}

fn download(backend: &WgpuBackend, buffer: &Buffer) -> Vec<u32> {
    let mut words = vec![0; buffer.words as usize];
    backend.read(buffer, 0, &mut words).unwrap();
    words
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|&word| f32::from_bits(word)).collect()
}

/// A table of one tensor, cut into chunks of `size` elements, parameters and gradients at these starts.
fn table(len: u32, size: u32, starts: (u32, u32), with_chunks: bool) -> (Vec<u32>, u32) {
    let count = len.div_ceil(size);
    let chunks = if with_chunks { count } else { 0 };
    let mut words = vec![chunks, 1, f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits(), 0, 0, 0, 0];
    words.extend(TensorRecord { len, partials: count, clip: 1, ..TensorRecord::default() }.to_words());
    for chunk in 0..chunks {
        let first = chunk * size;
        let record = ChunkRecord {
            param_start: starts.0 + first,
            grad_start: starts.1 + first,
            len: size.min(len - first),
            partial: chunk,
            ..ChunkRecord::default()
        };
        words.extend(record.to_words());
    }
    (words, chunks)
}

/// Runs [`PROGRAM`] at rate 0.5 over one tensor; what the finish counted.
fn step(
    backend: &WgpuBackend,
    len: u32,
    param: &Slice,
    grad: &Slice,
    starts: (u32, u32),
) -> Result<u32, GpuOptimError> {
    let (words, chunks) = table(len, 64, starts, true);
    let table_buffer = upload(backend, "table", &words);
    let tensors = upload(backend, "tensors", &table(len, 64, starts, false).0);
    let hyper = upload(backend, "hyper", &[0.5f32.to_bits()]);
    let scalars = upload(backend, "scalars", &[0; 8]);
    let partials = backend.allocate("partials", chunks.into())?;
    let arenas = vec![(Role::Param, param.clone()), (Role::Gradient, grad.clone())];
    let range = Range { table: whole(&table_buffer), chunks, arenas };
    backend.prepare(&PROGRAM)?;
    backend.run(
        &[],
        &[Launch {
            variant: &VARIANT,
            program: &PROGRAM,
            hyper: &whole(&hyper),
            scalars: &whole(&scalars),
            partials: Some(&whole(&partials)),
            ranges: &[range],
            tensors: &whole(&tensors),
            tensor_count: 1,
        }],
        None,
    )?;
    let mut counted = [0];
    backend.read(&scalars, 4, &mut counted)?;
    Ok(counted[0])
}
