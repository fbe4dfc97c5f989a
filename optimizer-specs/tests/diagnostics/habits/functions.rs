#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }
    pub struct State {
        m: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = np.power(grad, 2); // a power
        let b = grad.log2(); // another logarithm
        let c = expm1(grad); // another exponential
        let d = grad.reciprocal(); // a function under another name
        let e = grad.neg(); // an operator as a method
        let f = grad.add(1.0); // the same
        let g = grad.sub(1.0); // the same
        let h = grad.div(2.0); // the same
        let i = hypot(grad, state.m); // the length of a vector
        let j = grad.copysign(state.m); // a sign
        let k = relu(grad); // an activation
        let l = sigmoid(grad); // another
        let m = minimum(grad, 1.0); // NumPy's name
        let n = maximum(grad, 1.0); // NumPy's other name
        let o = isfinite(grad); // a question
        let p = rms(grad); // a reduction that is not here
        let q = l1_norm(grad); // another
        let r = global_norm(grad); // another
        let s = amax(grad); // another
        let t = count_nonzero(grad); // another
        let u = median(grad); // another
        let v = grad.saturating_add(1.0); // whole numbers
        let w = atan2(grad, state.m); // trigonometry
        let x = softmax(grad); // an axis
        let y = dropout(grad); // noise
        let z = einsum(grad, state.m); // a product of matrices
        let aa = grad.signum(); // a sign that is 1 at 0
        let ab = hyper.learning_rate.is_none(); // a question to an option
        let ac = grad.square(); // a product
        *param -= hyper.learning_rate * grad;
        state.m = grad + step as f32;
    }
}
