#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3)]
        pub learning_rate: f32,
    }
    pub struct State {
        double: f64,
        whole: u32,
        half: bf16,
        #[host]
        host: f32,
        #[tensor]
        tensor: f64,
        #[tensor]
        #[all]
        both: f32,
        #[all(x)]
        argument: f32,
        moments: (f32, f32),
    }
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}
