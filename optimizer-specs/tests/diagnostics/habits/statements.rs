#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = None)]
        pub limit: Option<f32>,
    }
    pub struct State {
        m: f32,
        v: f32,
    }
    fn halved(x: f32) -> f32 {
        x * 0.5; // a value thrown away
    }
    fn returned(x: f32) -> f32 {
        return x; // `return`
    }
    fn nothing(x: f32) -> f32 { // a body without a value
        let _ = x;
    }
    fn changed(x: f32) -> f32 {
        x += 1.0; // an argument that is not `mut`
        x
    }
    fn counted() -> f32 {
        step as f32 // an argument that is not passed
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = 1.0;
        a = 2.0; // a variable that is not `mut`
        let b; // a variable without a value
        b = 1.0;
        grad = grad * 2.0; // an argument
        hyper.learning_rate = 0.1; // a hyper-parameter
        param = 1.0; // the parameter without its star
        step += 1; // a counter
        let c = if grad > 0.0 { 1.0 }; // no `else`
        let d = if grad > 0.0 { 1.0 } else { 2 }; // two types
        if grad > 0.0 { grad } // a value that nothing takes
        for i in 0..3 {} // a loop
        while grad > 0.0 {} // another
        if grad > 1.0 { return; } // leaving early
        let Some(e) = hyper.limit else { return }; // leaving early, with a pattern
        let f = (state.m = grad); // an assignment for its value
        if state.m = grad {} // an assignment for a comparison
        grad == 1.0; // a comparison for an assignment
        (state.m, state.v) = (grad, grad); // two at once
        let g = hyper.learning_rate * grad
        *param -= g; // no `;` on the line before
        let h = halved(grad) + returned(grad) + nothing(grad) + changed(grad) + counted();
        unsafe { state.v = grad; } // a block of its own
        let _ = b + e + h;
        grad.sqrt(); // a value thrown away
        *param - hyper.learning_rate * grad // a result
    }
}
