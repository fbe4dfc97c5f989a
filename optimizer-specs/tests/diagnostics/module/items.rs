#[gpu_optimizer]
pub unsafe mod rule {
    use std::f32::consts::PI;
    pub struct RuleParams {}
    impl RuleParams {
        fn twice(x: f32) -> f32 {
            x + x
        }
    }
    type Real = f32;
    static LIMIT: f32 = 1.0;
    trait Rule {}
    mod inner {}
    println!("rule");
    extern crate core;
    extern "C" {}
    union Bits {
        real: f32,
        whole: u32,
    }
    trait Alias = Rule;
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}
