#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3)]
        pub learning_rate: f32,
    }
    pub struct State {
        m: f32,
    }
    fn update(
        self,
        param: f32,
        grads: f32,
        mut grad: &f32,
        state: &State,
        hyper: RuleParams,
        step: u64,
        run: f32,
        #[input] hessian: u32,
        #[scalar] step2: f32,
        #[input]
        #[scalar]
        loss: f32,
        #[input] grad2: f32,
        _: f32,
        (a, b): (f32, f32),
    ) -> f32 {
        state.m = grad * hyper.learning_rate * hessian + step2 + loss + grad2;
        *param -= state.m * step as f32 * run as f32;
    }
    #[entry]
    fn other(param: &mut f32, #[scalar] hessian: f32, #[input] param2: f32, #[input] grad: f32) {
        *param -= hessian * param2;
    }
}

#[gpu_optimizer]
pub mod modifiers {
    pub struct ModifierParams {}
    pub const async unsafe extern "C" fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &OtherParams) {
        *param -= grad;
    }
}
