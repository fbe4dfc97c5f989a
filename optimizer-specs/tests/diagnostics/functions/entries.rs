#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {}
    #[entry]
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
        ascend(grad);
        update(grad);
    }
    #[entry(mode = eval)]
    fn ascend(param: &mut f32, grad: f32) -> f32 {
        *param += grad;
    }
    #[entry(mode = test)]
    fn test(param: &mut f32) {
        *param = 0.0;
    }
    #[entry(kind = 3, mode)]
    fn kind(param: &mut f32) {
        *param = 0.0;
    }
    #[entry = "x"]
    fn assigned(param: &mut f32) {
        *param = 0.0;
    }
}

#[gpu_optimizer]
pub mod other {
    pub struct OtherParams {}
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
    #[entry(mode = train)]
    fn train(param: &mut f32) {
        *param = 0.0;
    }
}
