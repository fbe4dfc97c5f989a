/// Every reduction of the language, over a tensor and over all: nobody's optimizer, a test of the planner.
#[gpu_optimizer]
pub mod reductions {
    pub struct ReductionsParams {
        #[hyper(default = 1e-2, range = 0.0.., shared)]
        pub learning_rate: f32,
        #[hyper(default = 0.5, range = 0.0..1.0)]
        pub threshold: f32,
    }
    pub struct State {
        #[tensor]
        largest: f32,
        #[all]
        #[init(1.0)]
        scale: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &ReductionsParams, step: u32, run: u32) {
        let spread = max(grad) - min(grad);
        let centre = mean(grad);
        let above = count(grad.abs() > hyper.threshold);
        let share = above as f32 / len() as f32;
        state.largest = state.largest.max(max_abs(grad));
        let centred = (grad - centre) / (spread + 1.0);
        let total = all::norm(centred);
        let whole = all::mean(grad * grad) + all::sum(*param) / all::len() as f32;
        let many = all::count(*param > 0.0) as f32;
        let range = all::max(*param) - all::min(*param) + all::max_abs(grad);
        state.scale = 0.9 * state.scale + hyper.learning_rate * (total + whole.abs() + range) / (run as f32 + many);
        let busy = if above > 3 { 1.5 } else { 0.5 };
        *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1.0));
        *param += if step > 2 { norm(grad) * 1e-3 } else { 0.0 };
    }
}
