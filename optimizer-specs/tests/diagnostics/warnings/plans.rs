#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        s00: f32,
        s01: f32,
        s02: f32,
        s03: f32,
        s04: f32,
        s05: f32,
        s06: f32,
        s07: f32,
        s08: f32,
        s09: f32,
        s10: f32,
        s11: f32,
        s12: f32,
        s13: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams) {
        let size = norm(grad);
        state.s00 = 0.5 * state.s00 + grad;
        *param -= hyper.learning_rate * state.s00;
        state.s01 = 0.5 * state.s01 + grad;
        *param -= hyper.learning_rate * state.s01;
        state.s02 = 0.5 * state.s02 + grad;
        *param -= hyper.learning_rate * state.s02;
        state.s03 = 0.5 * state.s03 + grad;
        *param -= hyper.learning_rate * state.s03;
        state.s04 = 0.5 * state.s04 + grad;
        *param -= hyper.learning_rate * state.s04;
        state.s05 = 0.5 * state.s05 + grad;
        *param -= hyper.learning_rate * state.s05;
        state.s06 = 0.5 * state.s06 + grad;
        *param -= hyper.learning_rate * state.s06;
        state.s07 = 0.5 * state.s07 + grad;
        *param -= hyper.learning_rate * state.s07;
        state.s08 = 0.5 * state.s08 + grad;
        *param -= hyper.learning_rate * state.s08;
        state.s09 = 0.5 * state.s09 + grad;
        *param -= hyper.learning_rate * state.s09;
        state.s10 = 0.5 * state.s10 + grad;
        *param -= hyper.learning_rate * state.s10;
        state.s11 = 0.5 * state.s11 + grad;
        *param -= hyper.learning_rate * state.s11;
        state.s12 = 0.5 * state.s12 + grad;
        *param -= hyper.learning_rate * state.s12;
        state.s13 = 0.5 * state.s13 + grad;
        *param -= hyper.learning_rate * state.s13;
        *param -= size;
    }
}

#[gpu_optimizer]
pub mod beyond_counting {
    pub struct ChainParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &ChainParams) {
        let mut size = norm(grad);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        size = sum(grad * size);
        *param -= hyper.learning_rate * size;
    }
}
