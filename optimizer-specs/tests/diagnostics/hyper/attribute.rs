#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        pub none: f32,
        #[hyper]
        pub bare: f32,
        #[hyper()]
        pub empty: f32,
        #[hyper(range = 0.0..1.0)]
        pub without_default: f32,
        #[hyper(defualt = 1.0)]
        pub misspelt: f32,
        #[hyper(default = 1.0, optional)]
        pub optional: f32,
        #[hyper(default = 1.0, color = 3)]
        pub unknown: f32,
        #[hyper(default = 1.0, default = 2.0)]
        pub twice: f32,
        #[hyper(default)]
        pub no_value: f32,
        #[hyper(default = 1.0, switch = true, shared = 1)]
        pub values: f32,
        #[hyper = 1.0]
        pub assigned: f32,
        #[hyper(default: 1.0)]
        pub colon: f32,
    }
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}
