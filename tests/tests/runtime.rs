//! The runtime with the standard rules, on the CPU and on the GPU if there is one.

#[path = "runtime/accumulation.rs"]
mod accumulation;
#[path = "runtime/averaging.rs"]
mod averaging;
#[path = "runtime/belonging.rs"]
mod belonging;
#[path = "runtime/bindings.rs"]
mod bindings;
#[path = "runtime/checkpoints.rs"]
mod checkpoints;
#[path = "runtime/clipping.rs"]
mod clipping;
#[path = "runtime/large.rs"]
mod large;
#[path = "runtime/limits.rs"]
mod limits;
#[path = "runtime/loss_scaling.rs"]
mod loss_scaling;
#[path = "runtime/membership.rs"]
mod membership;
#[path = "runtime/multi_gpu.rs"]
mod multi_gpu;
#[path = "runtime/numbers.rs"]
mod numbers;
#[path = "runtime/participants.rs"]
mod participants;
#[path = "runtime/recording.rs"]
mod recording;
#[path = "runtime/schedules.rs"]
mod schedules;
#[path = "runtime/threads.rs"]
mod threads;

use optirs_gpu::ParamSet;
use scirs2_core::ndarray::Array1;

/// A tensor's values.
fn values(params: &ParamSet, name: &str) -> Vec<f32> {
    params.read(name).unwrap().into_raw_vec_and_offset().0
}

/// A tensor's bits.
fn bits(params: &ParamSet, name: &str) -> Vec<u32> {
    values(params, name).into_iter().map(f32::to_bits).collect()
}

/// Something without pattern, from -1 to 1.
fn noise(len: usize, seed: u32) -> Array1<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    Array1::from_shape_simple_fn(len, || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    })
}
