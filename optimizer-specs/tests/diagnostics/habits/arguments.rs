#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9)]
        pub momentum: f32,
    }
    pub struct RuleState { // a name of its own
        m: f32,
    }
    fn update(
        &mut self, // a method
        p: &mut f32, // the parameter under another name
        grads: f32, // the gradient in the plural
        s: &mut RuleState, // the state under another name
        params: &RuleParams, // the hyper-parameters under another name
        t: u32, // the step under another name
        lr: f32, // a hyper-parameter as an argument
        momentum: f32, // the same under its own name
        loss: f32, // a value of the step
        _: f32, // no name
        (a, b): (f32, f32), // a pattern
    ) {
        *p -= params.learning_rate * grads + s.m + lr + momentum + loss + a + b + t as f32;
        s.m = self.m + grads;
    }
    #[entry]
    fn whole(
        param: &mut [f32], // a slice
        grad: &Vec<f32>, // a vector
        state: &mut RuleState,
        hyper: &RuleParams,
        step: f32, // a real step
        run: i64, // another whole number
        #[input] hessian: &[f32], // a slice as an input
        #[scalar] norm: f64, // a wider scalar
    ) -> f32 { // a result
        *param - hyper.learning_rate * grad
    }
    #[entry]
    fn misspelt(
        param: &mut f32,
        #[inputs] hessian: f32, // a misspelt attribute
        mut grad: f32, // a `mut` argument
    ) {
        *param -= hessian * grad;
    }
}
