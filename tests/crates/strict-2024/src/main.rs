//! A program with a private rule, of which it uses what a program uses: the parameters' fields, the optimizer, an entry.

#![forbid(unsafe_code)]
#![deny(warnings, clippy::all, clippy::nursery, clippy::pedantic)]

use optirs_gpu::ndarray::arr1;
use optirs_gpu::{Device, GpuOptimError, ParamSet, gpu_optimizer};

#[gpu_optimizer]
mod bounded {
    pub enum Bound {
        Sign,
        Clamp,
    }
    pub struct BoundedParams {
        #[hyper(default = 0.5, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = Bound::Sign)]
        pub bound: Bound,
    }
    pub struct State {
        last: f32,
        #[tensor]
        largest: f32,
    }
    fn bounded(x: f32, hyper: &BoundedParams) -> f32 {
        match hyper.bound {
            Bound::Sign => sign(x),
            Bound::Clamp => x.clamp(-1.0, 1.0),
        }
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &BoundedParams) {
        state.largest = state.largest.max(max_abs(grad));
        state.last = bounded(grad, hyper);
        *param -= hyper.learning_rate * state.last * state.largest;
    }
    #[entry]
    fn undo(param: &mut f32, state: &mut State, hyper: &BoundedParams) {
        *param += hyper.learning_rate * state.last * state.largest;
    }
}

/// The parameter after a step, and after the step is undone.
fn there_and_back() -> Result<[f32; 2], GpuOptimError> {
    let device = Device::cpu();
    let hyper = bounded::BoundedParams { bound: bounded::Bound::Clamp, ..Default::default() };
    let mut optimizer = bounded::GpuBounded::on(&device, hyper)?;
    let mut params = ParamSet::new(&device, [("w", arr1(&[1.0]))])?;
    params.write_grad("w", &arr1(&[4.0]))?;
    optimizer.step(&mut params)?;
    let there = params.read("w")?[[0]];
    optimizer.run_entry("undo", &mut params)?;
    Ok([there, params.read("w")?[[0]]])
}

fn main() -> Result<(), GpuOptimError> {
    let [there, back] = there_and_back()?;
    println!("1 -> {there} -> {back}");
    Ok(())
}

#[test]
fn the_program_runs() {
    assert!(matches!(there_and_back(), Ok([-1.0, 1.0])));
}
