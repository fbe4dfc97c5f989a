//! A rule whose names and numbers come out of a declarative macro.

use optirs_gpu_macros::gpu_optimizer;

macro_rules! descent {
    ($module:ident, $params:ident, $rate:ident = $default:expr, $factor:literal) => {
        /// Descent.
        #[gpu_optimizer]
        pub mod $module {
            /// Hyper-parameters.
            pub struct $params {
                /// Step size.
                #[hyper(default = $default, range = 0.0..)]
                pub $rate: f32,
            }
            fn update(param: &mut f32, grad: f32, hyper: &$params) {
                *param -= $factor * hyper.$rate * grad;
            }
        }
    };
}

descent!(slow, SlowParams, rate = 1e-3, 0.5);
descent!(fast, FastParams, step_size = 1.0, 2.0);

#[test]
fn both_exist() {
    assert!((slow::SlowParams::default().rate - 1e-3).abs() < 1e-9);
    assert!(fast::FastParams::new(-1.0).is_err());
}
