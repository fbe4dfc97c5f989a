#!/usr/bin/env bash
# Runs the CPU back end, the tables, generated CPU kernels and the modules beside the optimizers under Miri, which finds
# undefined behaviour in our dependencies' unsafe code as we use it: rayon's threads over pieces of one buffer, bytemuck's
# casts, ndarray's views.
# Of our own, one unsafe block calls passes (rule/compiled.rs), which Miri runs as they are compiled for every processor.
# Two are in backend/wgpu: one asks Vulkan for the size of its memory, one gives shaders to wgpu with the word that their
# loops end. Miri cannot run those, nor anything else behind the features `wgpu` and `metal`: they call drivers, which are no
# Rust.
#
# Needs a nightly toolchain with Miri, and installs none; MIRI_TOOLCHAIN names another than `nightly`.
set -euo pipefail
cd "$(dirname "$0")/.."

toolchain="${MIRI_TOOLCHAIN:-nightly}"
if ! cargo "+$toolchain" miri --version >/dev/null 2>&1; then
    echo "There is no Miri in the toolchain $toolchain. Run, then start this script again:" >&2
    echo "    rustup toolchain install nightly --component miri,rust-src" >&2
    exit 1
fi

# Rayon's queues (crossbeam-epoch) make pointers of integers and reach from a field to the whole of a value, which rules out
# strict provenance and stacked borrows; tree borrows allow it. Rayon's threads outlive `main` with what they own. Results
# are compared bit by bit, where Miri would otherwise err by some ulp on purpose, as the standard library may.
flags="-Zmiri-tree-borrows -Zmiri-permissive-provenance -Zmiri-deterministic-floats -Zmiri-disable-isolation"
export PROPTEST_CASES="${PROPTEST_CASES:-4}"

echo "Miri: the module memory, which starts no thread; so what it leaks is an error"
MIRIFLAGS="$flags ${MIRIFLAGS:-}" cargo "+$toolchain" miri test -p optirs-gpu --no-default-features --lib -- \
    memory::allocation memory::management memory::vendors --skip memory::allocation::tests::fragmentation

export MIRIFLAGS="$flags -Zmiri-ignore-leaks ${MIRIFLAGS:-}"
echo "Miri: other unit tests of optirs-gpu without its GPU back ends, then the rules of the users' crates in tests/crates"
# Left out are the tests that repeat a training at every place where a call can fail, or over thousands of elements: what
# they do once, the others do too, and Miri runs some hundred times slower.
cargo "+$toolchain" miri test -p optirs-gpu --no-default-features --lib -- \
    --skip memory::allocation --skip memory::management --skip memory::vendors \
    --skip accumulation::tests --skip tables::tests::one_more_chunk --skip tables::tests::sizes_around \
    --skip optimizer::tests::guard::clipping_by_norms --skip optimizer::tests::guard::a_skipped_step \
    --skip optimizer::tests::failures --skip optimizer::tests::losses \
    --skip optimizer::tests::moves --skip optimizer::tests::shards \
    --skip kernel_fusion::tests::all_partitions --skip kernel_fusion::tests::hundreds_of_operations \
    --skip kernel_fusion::tests::a_rule_is_one_kernel_a_pass \
    --skip quantization::tests::stochastic_rounding --skip quantization::qat::tests::every_target \
    --skip quantization::rule::tests::stochastic_int4 --skip sparse_optimizer::adam::tests::of_ten_million \
    --skip optimizer::tests::steps_over_the_same_tensors --skip optimizer::tests::membership::a_step_is_one_dispatch
cargo "+$toolchain" miri test -p optirs-gpu-user-strict-2024 -p optirs-gpu-user-reexported -p optirs-gpu-user-no-prelude \
    --lib --bins
