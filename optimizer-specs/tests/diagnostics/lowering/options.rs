#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = true)]
        pub a: bool,
        #[hyper(default = true)]
        pub b: bool,
        #[hyper(default = true)]
        pub c: bool,
        #[hyper(default = true)]
        pub d: bool,
        #[hyper(default = true)]
        pub e: bool,
        #[hyper(default = true)]
        pub f: bool,
    }
    fn update(param: &mut f32, grad: f32, hyper: &RuleParams) {
        *param -= if hyper.a && hyper.b && hyper.c && hyper.d && hyper.e && hyper.f { grad } else { hyper.learning_rate };
    }
}
