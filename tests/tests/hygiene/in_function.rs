//! Rules inside of functions, two of one name in one file.

use optirs_gpu::rule::Rule;
use optirs_gpu_macros::gpu_optimizer;

#[test]
fn the_first() {
    #[gpu_optimizer]
    mod rule {
        pub struct DescentParams {
            #[hyper(default = 0.5)]
            pub learning_rate: f32,
        }
        fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
            *param -= hyper.learning_rate * grad;
        }
    }
    assert_eq!(rule::Descent::STATES.len(), 0);
    let _: fn(rule::GpuDescent) = drop;
}

#[test]
fn the_second() {
    #[gpu_optimizer]
    mod rule {
        pub struct DescentParams {
            #[hyper(default = 0.25)]
            pub learning_rate: f32,
        }
        pub struct State {
            momentum: f32,
        }
        fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &DescentParams) {
            state.momentum = state.momentum + grad;
            *param -= hyper.learning_rate * state.momentum;
        }
    }
    assert_eq!(rule::Descent::STATES[0].name, "momentum");
    assert!(rule::DescentParams::new(f32::NAN).is_err());
}
