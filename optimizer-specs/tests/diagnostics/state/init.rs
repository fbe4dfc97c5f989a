#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        #[hyper(default = 1e-3)]
        pub learning_rate: f32,
        #[hyper(default = 1)]
        pub count: u32,
    }
    pub struct State {
        #[init]
        bare: f32,
        #[init(1)]
        whole: f32,
        #[init(learning_rte)]
        misspelt: f32,
        #[init(hyper.learning_rate)]
        with_hyper: f32,
        #[init(count)]
        not_real: f32,
        #[init(grad)]
        gradient: f32,
        #[tensor]
        #[init(param)]
        tensor: f32,
        #[init(param * 2.0)]
        computed: f32,
        #[init(1.0, 2.0)]
        two: f32,
    }
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}
