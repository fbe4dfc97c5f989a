#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9)]
        pub beta1: f32,
    }
    pub struct State {
        m: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams) {
        let a = torch.sqrt(grad); // a function of the library
        let b = torch::norm(grad); // the same as a path
        let c = grad.norm(); // a method that is a function here
        let d = grad.mean(); // the same
        let e = sum(grad, 0); // an axis
        let f = norm(grad, 2); // the order of a norm
        let g = variance(grad); // a reduction that is not here
        let h = grad.std(); // another
        let i = torch.dot(grad, state.m); // a product
        let j = grad.pow(2); // a power
        let k = grad.mul(2.0); // arithmetic as a method
        state.m.mul_(hyper.beta1).add_(grad); // in place
        param.sub_(hyper.learning_rate * grad); // in place, on the parameter
        let l = param.abs(); // the parameter without its star
        let m = param * 2.0; // the same in arithmetic
        let n = param.grad; // the gradient as a field
        let o = grad.item(); // a number out of a tensor
        let p = grad.detach(); // out of the graph
        let q = state.m.clone(); // a copy
        let r = torch.zeros_like(grad); // a tensor of zeros
        let s = torch.where_(grad > 0.0, grad, state.m); // a choice
        let t = grad.clamp_min(0.0); // half of a clamp
        let u = grad.rsqrt(); // a root
        let v = grad.sign(); // a method that is a function here
        let w = grad.matmul(state.m); // a product of matrices
        let x = grad.numel(); // a count
        let y = randn(); // noise
        let z = hyper.learning_rate(); // a method for a field
        let aa = state.m(); // the same for a state
        let ab = all.sum(grad); // a dot for `all::`
        let ac = all::grad; // `all::` without a reduction
        let ad = grad.lerp(state.m, 0.5); // a method that is a function here
        let ae = addcdiv(grad, state.m, 1.0); // a fused operation
        let af = grad.backward(); // a step of training
        let ag = state.step; // a counter of the state
        let ah = hyper.m; // a state as a hyper-parameter
        state.beta1 = 0.5; // a hyper-parameter as a state
        let ai = grad.foo(); // no method at all
        let aj = foo(grad); // no function at all
    }
}
