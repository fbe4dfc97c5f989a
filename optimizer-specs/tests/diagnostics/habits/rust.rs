#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.9)]
        pub beta1: f32,
        #[hyper(default = None)]
        pub limit: Option<f32>,
        #[hyper(default = false)]
        pub nesterov: bool,
    }
    pub struct State {
        m: f32,
    }
    fn half(x: f32) -> f32 {
        0.5 * x
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let a = grad * 1f64; // a suffix
        let b = 2u64 as f32; // a suffix of a whole number
        let c = f32::sqrt(grad); // a method as a function
        let d = f32::max(grad, 0.0); // the same of two
        let e = f32::from(step); // a conversion
        let f = grad as f64; // a wider type
        let g = hyper.beta1.powi(step as i32); // the type of `powi`
        let h = step as usize; // another whole number
        let i: f64 = 1.0; // a wider variable
        let j: Vec<f32> = vec![1.0]; // a vector
        let k = &mut state.m; // a reference
        let l = hyper.limit.unwrap(); // an option taken for granted
        let m = hyper.limit.map(|x| 2.0 * x); // a closure
        let n = match hyper.limit { Some(x) => x, None => 0.0 }; // a match on an option
        let o = match hyper.nesterov { true => 1.0, false => 0.0 }; // a match on a bool
        let p = match step { 1 => 1.0, _ => 0.0 }; // a match on a number
        let q = if let Some(x) = hyper.learning_rate { x } else { 1.0 }; // an option that is none
        let r = if hyper.limit { 1.0 } else { 2.0 }; // an option as a condition
        let s = hyper.limit * 2.0; // an option as a number
        let t = Some(grad); // an option of a value
        let u = std::f32::consts::PI; // a constant
        let v = f32::consts::PI; // the same by a shorter path
        let w = hyper.beta1.pow(step); // a power of whole numbers
        let x = hyper.beta1.powf(step); // a power of reals
        let y = grad.powi(2.0); // the other way round
        let z = 1.0 / step; // a whole divisor
        let aa = hyper.nesterov as f32; // a truth value as a number
        let ab = f32::NAN; // not a number
        let ac = grad.is_nan(); // a question about it
        let ad = (grad, 1.0).0; // a tuple's field
        let ae = grad.iter().sum(); // an iterator
        let af = State { m: 1.0 }; // a struct
        let ag = Self::half(grad); // a path to a helper
        let ah = grad.half(); // a helper as a method
        let ai = state.m.sqrt; // a method without brackets
        let aj = *grad; // a value as a reference
        let ak = grad.max::<f32>(1.0); // type arguments
        let al = grad.partial_cmp(1.0); // a comparison
        let am = grad?; // a question mark
        let an = !grad; // a number negated
        let ao = grad.powi(0.5); // a root as a whole power
        let ap = half; // a function as a value
        let aq = a(grad); // a value as a function
        println!("{}", grad); // output
        assert!(grad > 0.0); // a check
        const HALF: f32 = 0.5; // an item within
        let _ = HALF;
        *param -= grad;
    }
}
