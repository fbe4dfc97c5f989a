//! The compiler and the runtime agree on the ABI, each from its own list of numbers.

use optimizer_specs::layout;
use optirs_gpu::rule::{Role, records};

#[test]
fn sizes_agree() {
    let compiler = [
        layout::WORKGROUP_SIZE,
        layout::LANES,
        layout::REDUCTION_CHUNK,
        layout::ELEMENT_CHUNK,
        layout::HEADER_WORDS,
        layout::TENSOR_WORDS,
        layout::CHUNK_WORDS,
        layout::SCALARS_HEADER_WORDS,
    ];
    let runtime = [
        records::WORKGROUP_SIZE,
        records::LANES,
        records::REDUCTION_CHUNK,
        records::ELEMENT_CHUNK,
        records::HEADER_WORDS,
        records::TENSOR_WORDS,
        records::CHUNK_WORDS,
        records::SCALARS_HEADER_WORDS,
    ];
    assert_eq!(compiler, runtime);
    assert_eq!(compiler, [256, 1024, 8192, 1024, 8, 8, 8, 4]);
}

#[test]
fn binding_indices_agree() {
    let pairs = [
        (layout::Role::Hyper, Role::Hyper),
        (layout::Role::Chunks, Role::Chunks),
        (layout::Role::Param, Role::Param),
        (layout::Role::Gradient, Role::Gradient),
        (layout::Role::State, Role::State),
        (layout::Role::Scalars, Role::Scalars),
        (layout::Role::Partials, Role::Partials),
        (layout::Role::Input(0), Role::Input(0)),
        (layout::Role::Input(1), Role::Input(1)),
    ];
    for (place, (compiler, runtime)) in pairs.iter().enumerate() {
        assert_eq!((compiler.index(), runtime.index()), (place as u32, place as u32), "{compiler:?} {runtime:?}");
    }
}

/// Shaders take records apart by component; each must hold there what the runtime writes.
#[test]
fn records_lie_as_shaders_read_them() {
    let tensor =
        records::TensorRecord { row: 1, cell_stride: 2, slot: 3, len: 4, first_partial: 5, partials: 6, clip: 7 };
    assert_eq!(tensor.to_words(), [1, 2, 3, 4, 5, 6, 7, 0]);
    let chunk = records::ChunkRecord {
        param_start: 1,
        grad_start: 2,
        state_start: 3,
        input_start: 4,
        len: 5,
        tensor: 6,
        partial: 7,
    };
    assert_eq!(chunk.to_words(), [1, 2, 3, 4, 5, 6, 7, 0]);
}
