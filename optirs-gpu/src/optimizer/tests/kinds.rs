//! A rule that has one of everything, compiled: states of every kind and first value, reductions with both finishes, an
//! input, a scalar, and entries with modes. It runs on GPUs, too.

use crate::gpu_optimizer;

/// One of everything.
#[gpu_optimizer]
pub mod kinds {
    pub struct KindsParams {
        #[hyper(default = 0.25, range = 0.0..)]
        pub rate: f32,
        #[hyper(default = 7.0, range = 0.0.., shared)]
        pub start: f32,
    }
    pub struct State {
        m: f32,
        #[init(param)]
        first: f32,
        #[init(2.0)]
        count: f32,
        #[tensor]
        #[init(1.0)]
        total: f32,
        #[all]
        #[init(start)]
        sum: f32,
        #[host]
        age: f64,
    }
    fn update(
        param: &mut f32,
        grad: f32,
        state: &mut State,
        hyper: &KindsParams,
        step: u32,
        #[input] weight: f32,
        #[scalar] loss: f32,
    ) {
        state.age += step as f32;
        state.total += sum(grad);
        state.sum += all::sum(grad) / hyper.start;
        state.m = 0.5 * state.m + grad;
        state.count += 1.0;
        let pull = hyper.rate * (state.m / state.count + loss * weight) / (1.0 + state.age);
        *param -= pull + 0.01 * (state.total + state.sum) * (*param - state.first);
    }
    /// Back to where training began.
    #[entry(mode = eval)]
    fn eval(param: &mut f32, state: &mut State) {
        let was = *param;
        *param = state.first;
        state.first = was;
    }
    /// And forth.
    #[entry(mode = train)]
    fn train(param: &mut f32, state: &mut State) {
        let was = *param;
        *param = state.first;
        state.first = was;
    }
}

/// The states, by name.
pub const STATES: [&str; 6] = ["m", "first", "count", "total", "sum", "age"];
