#[gpu_optimizer]
#[requires(learning_rate > 0.0, "must be above 0")] // a misspelt attribute of the module
pub mod rule {
    use super::*; // an import
    type Real = f32; // a name for a type
    static HALF: f32 = 0.5; // a `static`
    impl RuleParams {} // methods
    pub struct RuleParams {
        #[hyper(default = 1e-3, range = 0..)] // a whole bound
        pub learning_rate: f32,
        #[Hyper(default = 0.9)] // a capital letter
        pub beta1: f32,
        #[hyper(0.999)] // a default without its key
        pub beta2: f32,
        #[hyper(default = 1)] // a whole default
        pub eps: f32,
        #[hyper(default = 0.5, min = 0.0, max = 1.0)] // a range as two keys
        pub decay: f32,
        #[hyper(default = 0.5, range = (0.0, 1.0))] // a range as a tuple
        pub alpha: f32,
        #[hyper(default = 0.5, range = "0..1")] // a range as text
        pub gamma: f32,
        #[hyper(default = 0.5, range = 0.0 - 1.0)] // a range as a difference
        pub delta: f32,
        #[hyper(default = 1.5, range = 0.0..1.0)] // a default outside
        pub dampening: f32,
        #[hyper(value = 0.5)] // another word for the default
        pub rho: f32,
        #[default(0.5)] // another attribute for the default
        pub kappa: f32,
        pub momentum: f32, // nothing
        #[hyper(default = "adam")]
        pub name: String, // text
        #[hyper(default = [0.9, 0.99])]
        pub betas: [f32; 2], // several values
        #[hyper(default = (0.9, 0.99))]
        pub both: (f32, f32), // several values
        #[hyper(default = 0.1)]
        pub weight_decay: f64, // a wider type
        #[hyper(default = 10)]
        pub warmup: i32, // another whole number
        #[hyper(default = 0.1)]
        pub clip: float, // a type of another language
        #[hyper(default = None)]
        pub limit: Option<f64>, // an option of a wider type
        #[hyper(default = 0.1)] // an option without `Some`
        pub every: Option<f32>,
        #[hyper(default = 1e-3)]
        hidden: f32, // not public
    }
    pub struct State {
        m: f32,
        #[Tensor] // a capital letter
        size: f32,
        #[per_tensor] // another word
        length: f32,
        #[global] // another word
        total: f32,
        #[init(grad)] // the first gradient
        first: f32,
        #[init(0)] // a whole number
        start: f32,
        #[init = 1.0] // no brackets
        other: f32,
        #[inti(1.0)] // a misspelt attribute
        ones: f32,
        buffer: Vec<f32>, // a vector
        tensor: Tensor, // a tensor
        count: u32, // a counter
        steps: usize, // a counter of another type
        flag: bool, // a truth value
        maybe: Option<f32>, // an option
        pair: (f32, f32), // several values
        wide: f64, // a wider type
        half: f16, // a narrower type
        #[host]
        product: f32, // the host's type
    }
    fn generic<T: Float>(x: T) -> T { // a type parameter
        x
    }
    #[inline] // an attribute of Rust
    fn helper(x: real) -> f32 { // a type of another language
        Real::from(x) + HALF
    }
    fn slices(x: &[f32]) -> f32 { // a slice
        x
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams) {
        *param -= generic(grad) + helper(grad) + slices(grad);
    }
}
