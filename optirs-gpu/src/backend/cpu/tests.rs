use super::split::{Span, disjoint};
use super::*;
use crate::backend::{Range, Slice};
use crate::rule::cpu::{ChunkArguments, CompiledPass, Pass, TensorArguments};
use crate::rule::records::{ChunkRecord, SCALARS_HEADER_WORDS, TensorRecord};
use crate::rule::{Binding, Kernel, KernelKind, Role, RowReads, Variant};

const UPDATE: Program = Program {
    name: "update",
    takes_grad: true,
    mode: None,
    wgsl: "",
    msl: "",
    row_words: 1,
    partial_words: 1,
    bytes_per_element: 12,
    operations: &[],
    reads: RowReads { step: false, shape: false, host_states: false, scalars: false },
    kernels: &[
        Kernel { name: "pass_0", kind: KernelKind::Pass(CompiledPass::of::<AddUp>()), bindings: SUMS },
        Kernel { name: "finish_0", kind: KernelKind::FinishTensor(finish), bindings: &[] },
        Kernel { name: "pass_1", kind: KernelKind::Pass(CompiledPass::of::<Subtract>()), bindings: GRADIENT },
    ],
};
const GRADIENT: &[Binding] = &[Binding { role: Role::Gradient, writes: false }];
const SUMS: &[Binding] =
    &[Binding { role: Role::Gradient, writes: false }, Binding { role: Role::Partials, writes: true }];
const VARIANT: Variant = Variant {
    options: &[],
    element_states: &[],
    host_states: &[],
    all_states: &[],
    tensor_states: &[],
    header_words: SCALARS_HEADER_WORDS,
    all_words: 0,
    tensor_words: 1,
    programs: &[],
};

struct AddUp;

impl Pass for AddUp {
    fn run(chunk: &mut ChunkArguments<'_>) {
        chunk.partials[0] = chunk.grad.iter().sum::<f32>().to_bits();
    }
}

fn finish(tensor: &mut TensorArguments<'_>) {
    let sum: f32 = tensor.partials.iter().map(|word| f32::from_bits(*word)).sum();
    tensor.tensor[0] = (sum * tensor.clip).to_bits();
}

struct Subtract;

impl Pass for Subtract {
    fn run(chunk: &mut ChunkArguments<'_>) {
        let sum = f32::from_bits(chunk.tensor[0]);
        chunk.param.iter_mut().for_each(|param| *param -= sum);
    }
}

/// Buffers of a launch over one tensor.
struct Step {
    backend: CpuBackend,
    hyper: Slice,
    scalars: Slice,
    partials: Slice,
    param: Slice,
    grad: Slice,
    table: Slice,
    chunks: u32,
}

fn slice(backend: &CpuBackend, words: &[u32]) -> Slice {
    let buffer = backend.allocate("test", words.len() as u64).unwrap();
    backend.write(&buffer, 0, words).unwrap();
    Slice { buffer, start: 0, words: words.len() as u64 }
}

fn reals(backend: &CpuBackend, values: &[f32]) -> Slice {
    slice(backend, bytemuck::cast_slice(values))
}

fn chunk(start: u32, len: u32, partial: u32) -> ChunkRecord {
    ChunkRecord { param_start: start, grad_start: start, len, partial, ..ChunkRecord::default() }
}

fn step(found_inf: u32, chunks: &[ChunkRecord]) -> Step {
    let backend = CpuBackend::new();
    let tensor = TensorRecord { partials: chunks.len() as u32, clip: 1, ..TensorRecord::default() };
    let mut table = vec![chunks.len() as u32, 1, 0, 0, 0, 0, 0, 0];
    table.extend(tensor.to_words());
    table.extend(chunks.iter().flat_map(ChunkRecord::to_words));
    Step {
        hyper: slice(&backend, &[0]),
        scalars: slice(&backend, &[found_inf, 0.5f32.to_bits(), 0, 0, 0]),
        partials: slice(&backend, &[0, 0]),
        param: reals(&backend, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        grad: reals(&backend, &[1.0, 1.0, 2.0, 0.0, 4.0, 0.0]),
        table: slice(&backend, &table),
        chunks: chunks.len() as u32,
        backend,
    }
}

impl Step {
    fn run(&self) -> Result<Vec<f32>, GpuOptimError> {
        static PROGRAM: Program = UPDATE;
        static BUILT: Variant = VARIANT;
        let arenas = vec![(Role::Param, self.param.clone()), (Role::Gradient, self.grad.clone())];
        self.backend.run(
            &[],
            &[Launch {
                variant: &BUILT,
                program: &PROGRAM,
                hyper: &self.hyper,
                scalars: &self.scalars,
                partials: Some(&self.partials),
                ranges: &[Range { table: self.table.clone(), chunks: self.chunks, arenas }],
                tensors: &self.table,
                tensor_count: 1,
            }],
            None,
        )?;
        Ok(self.params())
    }

    fn params(&self) -> Vec<f32> {
        let mut words = vec![0; 6];
        self.backend.read(&self.param.buffer, 0, &mut words).unwrap();
        words.into_iter().map(f32::from_bits).collect()
    }
}

#[test]
fn passes_and_finishes_run_in_order_on_the_chunks_alone() {
    // On the calling thread, and shared among all.
    for alone in [ALONE, 0] {
        let mut step = step(0, &[chunk(0, 2, 0), chunk(4, 1, 1)]);
        step.backend.passes.alone = alone;
        assert_eq!(step.run().unwrap(), [-2.0, -1.0, 3.0, 4.0, 2.0, 6.0]);
    }
}

#[test]
fn an_overflow_that_was_found_stops_every_kernel() {
    let step = step(1, &[chunk(0, 2, 0), chunk(4, 1, 1)]);
    assert_eq!(step.run().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn gradients_have_a_start_of_their_own() {
    let step = step(0, &[ChunkRecord { grad_start: 4, ..chunk(0, 2, 0) }]);
    assert_eq!(step.run().unwrap(), [-1.0, 0.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn chunks_of_a_tensor_that_follow_one_another_are_joined_up_to_a_length() {
    let half = 1 << 13;
    let at =
        |start, len, tensor| ChunkRecord { state_start: 3 * start, input_start: start, tensor, ..chunk(start, len, 0) };
    let follows = |start, len| ChunkRecord { state_start: 3 * half + start - half, ..at(start, len, 1) };
    let [first, second, third] = [at(half, half, 1), follows(2 * half, half), follows(3 * half, 5)];
    let backend = CpuBackend::new();
    let read = |chunks: &[ChunkRecord], longest| {
        let mut table = vec![chunks.len() as u32, 2, 0, 0, 0, 0, 0, 0];
        table.extend([TensorRecord::default(); 2].iter().flat_map(TensorRecord::to_words));
        table.extend(chunks.iter().flat_map(ChunkRecord::to_words));
        view::Records::read(&slice(&backend, &table), longest).unwrap().chunks
    };
    let chunks = [at(0, half, 0), first, second, third];
    assert_eq!(read(&chunks, 2 * half), [chunks[0], ChunkRecord { len: 2 * half, ..first }, third]);
    assert_eq!(read(&chunks, 0), chunks);
    // What does not follow in one of the arenas is apart.
    for apart in [
        ChunkRecord { param_start: 9, ..second },
        ChunkRecord { grad_start: 9, ..second },
        ChunkRecord { state_start: 9, ..second },
        ChunkRecord { input_start: 9, ..second },
    ] {
        assert_eq!(read(&[first, apart], 2 * half), [first, apart]);
    }
}

#[test]
fn tables_that_do_not_fit_are_errors() {
    for (chunks, message) in [
        ([chunk(0, 3, 0), chunk(2, 2, 1)], "2 words at 2, which overlap others"),
        ([chunk(0, 2, 0), chunk(4, 3, 1)], "lie outside of 6 words"),
        ([chunk(0, 2, 0), chunk(4, 1, 2)], "1 words at 2, which overlap others or lie outside of 2 words"),
        ([chunk(0, 2, 0), ChunkRecord { tensor: 1, ..chunk(4, 1, 1) }], "malformed"),
    ] {
        let step = step(0, &chunks);
        let error = step.run().unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert_eq!(step.params(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }
}

#[test]
fn a_buffer_bound_twice_is_an_error_and_no_deadlock() {
    let mut step = step(0, &[chunk(0, 2, 0)]);
    step.grad = step.param.clone();
    assert!(step.run().unwrap_err().to_string().contains("is bound twice"));
}

#[test]
fn reads_writes_and_copies_stay_inside() {
    let backend = CpuBackend::new();
    let (a, b) = (slice(&backend, &[1, 2, 3]).buffer, slice(&backend, &[0; 4]).buffer);
    backend.copy(&a, 1, &b, 2, 2).unwrap();
    let mut words = [9; 4];
    backend.read(&b, 0, &mut words).unwrap();
    assert_eq!(words, [0, 0, 2, 3]);
    assert!(backend.copy(&a, 2, &b, 0, 2).is_err());
    assert!(backend.copy(&a, 0, &a, 1, 1).is_err());
    assert!(backend.read(&b, 1, &mut words).is_err());
    assert!(backend.write(&a, u64::MAX, &[1]).is_err());
    assert!(matches!(backend.allocate("huge", 1 << 40), Err(GpuOptimError::LimitExceeded { .. })));
}

#[test]
fn buffers_together_have_no_more_than_the_memory_there_is() {
    let backend = CpuBackend::with_memory(CpuBackend::new().limits(), 100);
    let first = backend.allocate("first", 15).unwrap();
    let error = backend.allocate("second", 11).unwrap_err().to_string();
    let expected = "out of memory: buffer `second` of 44 bytes: 60 of the host's 100 bytes are promised to others; free \
                    memory, or step fewer parameters at once";
    assert_eq!(error, expected);
    assert_eq!(backend.memory().bytes, 60);
    drop(first);
    backend.allocate("second", 11).unwrap();
    assert_eq!(backend.memory(), DeviceMemory { allocations: 2, buffers: 0, bytes: 0 });
}

#[test]
fn buffers_begin_where_the_widest_loads_are_whole() {
    let backend = CpuBackend::new();
    let buffers: Vec<_> = (1..40).map(|words| backend.allocate("test", words).unwrap()).collect();
    for buffer in &buffers {
        let memory = buffer.cpu().unwrap().read();
        let words = &memory[indices(buffer, 0, buffer.words).unwrap()];
        assert_eq!((words.as_ptr().addr() % 64, words.len() as u64), (0, buffer.words));
    }
}

#[test]
fn allocations_are_counted() {
    let backend = CpuBackend::new();
    let first = slice(&backend, &[0; 5]);
    drop(slice(&backend, &[0; 3]));
    assert_eq!(backend.memory(), DeviceMemory { allocations: 2, buffers: 1, bytes: 20 });
    drop(first);
}

#[test]
fn pieces_come_back_at_their_places() {
    let mut whole = [0, 1, 2, 3, 4, 5];
    let span = |start, len, place| Span { start, len, place };
    let pieces = disjoint(&mut whole, [span(4, 2, 0), span(0, 1, 2), span(1, 2, 3)].into_iter(), 4).unwrap();
    assert_eq!(pieces, [&[4, 5][..], &[], &[0], &[1, 2]]);
}
