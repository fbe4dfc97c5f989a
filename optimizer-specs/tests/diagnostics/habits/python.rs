#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9)]
        pub beta1: f32,
        #[hyper(default = Mode::Plain)]
        pub mode: Mode,
        #[hyper(default = false)]
        pub nesterov: bool,
    }
    pub enum Mode {
        Plain,
        Fancy,
    }
    pub struct State {
        m: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = grad ** 2; // a power
        let b = 0.5 * grad ** 2.0; // a power of the last factor
        let c = hyper.beta1 ** step; // a power of a whole number
        let d = grad ** hyper.beta1; // a real power
        let e = grad ^ 2; // another language's power
        let f = pow(grad, 2); // a function of `math`
        let g = math.sqrt(grad); // a module
        let h = np.abs(grad); // NumPy
        let i = np.clip(grad, -1.0, 1.0); // NumPy under another name
        let j = max(grad, 0.0); // a function that is a reduction here
        let k = abs(grad); // a function that is a method here
        let l = sqrt(state.m); // the same
        let n = lr * grad; // a short name
        let o = hyper.lr * grad; // a short field
        let p = self.beta1 * grad; // a field of the object
        let q = self.m; // a state of the object
        let r = hyper.mode == "plain"; // text for a choice
        let s = hyper.mode == Mode.Plain; // a dot for an enum's variant
        let t = if hyper.nesterov == True { 1.0 } else { 2.0 }; // a capital letter
        let u = math.pi * grad; // a field of a module
        let v = sum(grad, axis = 0); // an argument by name
        let w = 2 * grad; // a whole number
        let x = if grad > 0 { 1.0 } else { 2.0 }; // a whole number in a comparison
        let y = if grad { 1.0 } else { 2.0 }; // a number as a truth value
        let z = grad[0]; // an index
        let aa = grad.shape; // an attribute
        let ab = None; // nothing
        let ac = len(grad); // the length of an array
        let ad = round(grad); // a function of Python
        let ae = print(grad); // output
        let af = [grad, state.m]; // a list
        let ag = any(grad > 0.0); // a reduction of truth values
        let ah = float(step); // a conversion
        let ai = grad & state.m; // a bitwise operator
        let aj = inf; // infinity
        let ak = if step & 1 == 1 { 1.0 } else { 2.0 }; // the last bit
        let al = (step + 3) & 0xff; // the last bits
        let am = step & 6; // other bits
        *param -= grad + step as f32;
        state.m = grad;
    }
}
