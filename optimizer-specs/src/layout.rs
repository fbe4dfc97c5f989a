//! The kernel ABI in numbers, as the compiler prints it: what stands where in the table and scalars buffers, and what
//! each kernel binds. The runtime packs its buffers by the same numbers (`optirs_gpu::rule::records`).

use crate::ir::{Cell, Kernel, KernelKind, LoadSource};

/// Threads of a workgroup.
pub const WORKGROUP_SIZE: usize = 256;
/// Lanes of a workgroup: each thread holds four. Element i of a chunk is summed by lane `i % LANES`.
pub const LANES: usize = 4 * WORKGROUP_SIZE;
/// Elements of a chunk in programs with reductions. It decides the bits of sums.
pub const REDUCTION_CHUNK: usize = 8192;
/// Elements of a chunk in programs without reductions.
pub const ELEMENT_CHUNK: usize = 1024;
/// Words of a table's header: `{chunks, tensors, bits of +inf, bits of -inf, 0, 0, 0, 0}`.
pub const HEADER_WORDS: usize = 8;
/// Words of a tensor record: `{row, cell_stride, slot, len, first_partial, partials, clip, 0}`.
pub const TENSOR_WORDS: usize = 8;
/// Words of a chunk record: `{param_start, grad_start, state_start, input_start, len, tensor, partial, 0}`.
pub const CHUNK_WORDS: usize = 8;
/// Words of the scalars header: `{found_inf, clip of tensors without one of their own, norm of all gradients, 0}`.
pub const SCALARS_HEADER_WORDS: usize = 4;

/// What can be bound, in order of the binding index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Rows: `array<Row>`.
    Hyper,
    /// Header, tensor records, chunk records: `array<vec4<u32>>`.
    Chunks,
    /// Parameters: `array<vec4<f32>>`.
    Param,
    /// Gradients: `array<vec4<f32>>`.
    Gradient,
    /// Element states: `array<vec4<f32>>`.
    State,
    /// Scalars: `array<u32>`.
    Scalars,
    /// Partial results: `array<u32>`.
    Partials,
    /// The n-th extra input: `array<vec4<f32>>`.
    Input(u32),
}

impl Role {
    /// The binding index.
    pub fn index(self) -> u32 {
        match self {
            Role::Hyper => 0,
            Role::Chunks => 1,
            Role::Param => 2,
            Role::Gradient => 3,
            Role::State => 4,
            Role::Scalars => 5,
            Role::Partials => 6,
            Role::Input(n) => 7 + n,
        }
    }
}

/// A binding of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// What is bound.
    pub role: Role,
    /// Whether the kernel writes it.
    pub writes: bool,
}

/// What a kernel binds, ascending by role. WGSL binds by [`Role::index`]; Metal by place in this list.
pub fn bindings(kernel: &Kernel) -> Vec<Binding> {
    let mut bindings = Vec::new();
    let mut bind = |role, writes| bindings.push(Binding { role, writes });
    let in_pass = kernel.kind == KernelKind::Pass;
    if kernel.kind != KernelKind::FinishAll || !kernel.accumulators.is_empty() {
        bind(Role::Chunks, false);
    }
    if !kernel.fields.is_empty() {
        bind(Role::Hyper, false);
    }
    bind(Role::Scalars, !in_pass);
    let has_partials = in_pass || kernel.kind == KernelKind::FinishTensor;
    if has_partials && !kernel.accumulators.is_empty() {
        bind(Role::Partials, in_pass);
    }
    for load in &kernel.loads {
        bind(role(load.source), false);
    }
    for &(cell, _) in &kernel.stores {
        bind(role(LoadSource::Cell(cell)), true);
    }
    bindings.sort_by_key(|binding| (binding.role, !binding.writes));
    bindings.dedup_by_key(|binding| binding.role);
    bindings
}

fn role(source: LoadSource) -> Role {
    match source {
        LoadSource::Gradient => Role::Gradient,
        LoadSource::Input(index) => Role::Input(index),
        LoadSource::Cell(Cell::Param) => Role::Param,
        LoadSource::Cell(_) => Role::State,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Load, NodeId};

    #[test]
    fn a_buffer_that_is_read_and_written_is_bound_once() {
        let kernel = Kernel {
            name: "update_pass1".to_owned(),
            kind: KernelKind::Pass,
            pass: 0,
            fields: vec![0],
            reads: vec![],
            uniform: vec![],
            loads: vec![
                Load { source: LoadSource::Gradient, node: NodeId(0) },
                Load { source: LoadSource::Cell(Cell::ElementState(0)), node: NodeId(1) },
                Load { source: LoadSource::Cell(Cell::ElementState(1)), node: NodeId(2) },
            ],
            body: vec![],
            stores: vec![(Cell::Param, NodeId(0)), (Cell::ElementState(1), NodeId(1))],
            accumulators: vec![],
            writes: vec![],
        };
        let bound: Vec<_> = bindings(&kernel).iter().map(|binding| (binding.role, binding.writes)).collect();
        assert_eq!(
            bound,
            [
                (Role::Hyper, false),
                (Role::Chunks, false),
                (Role::Param, true),
                (Role::Gradient, false),
                (Role::State, true),
                (Role::Scalars, false),
            ]
        );
    }
}
