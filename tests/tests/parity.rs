//! What was generated from a rule computes what the interpreter does: the CPU code to the bit, WGSL inside its bound.

#[path = "parity/cpu.rs"]
mod cpu;
#[path = "parity/not_finite.rs"]
mod not_finite;
#[path = "parity/options.rs"]
mod options;
#[path = "parity/wgpu.rs"]
mod wgpu;

use optirs_gpu_tests::parity::TestRule;

/// Around the lanes of a chunk and around 4096, and tensors of several chunks.
const LENGTHS: [usize; 8] = [1, 63, 64, 65, 4095, 4096, 4097, 70_001];
/// For the options of rules that have many: what they add is elementwise.
const FEW_LENGTHS: [usize; 4] = [1, 65, 4097, 8200];
const MANY_VARIANTS: usize = 4;
const STEPS: usize = 3;

/// With which tensors a variant is run.
fn lengths(rule: &TestRule, variant: usize) -> &'static [usize] {
    let compiled = &rule.file.compiled;
    let all = variant == compiled.default_variant || compiled.variants.len() <= MANY_VARIANTS;
    if all { &LENGTHS } else { &FEW_LENGTHS }
}

/// The bits of a value; all NaN are one.
fn bits(value: f32) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }
}
