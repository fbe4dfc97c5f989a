//! What a user documents is documented, what is generated too; no lint finds anything in either.

use optirs_gpu_macros::gpu_optimizer;

/// Nine hyper-parameters: more than clippy likes as arguments of `new`.
#[gpu_optimizer]
#[allow(dead_code)]
pub mod many {
    /// Hyper-parameters.
    #[must_use]
    pub struct ManyParams {
        #[hyper(default = 0.1)]
        pub a: f32,
        #[hyper(default = 0.1)]
        pub b: f32,
        #[hyper(default = 0.1)]
        pub c: f32,
        #[hyper(default = 0.1)]
        pub d: f32,
        #[hyper(default = 0.1)]
        pub e: f32,
        #[hyper(default = 0.1)]
        pub f: f32,
        #[hyper(default = 0.1)]
        pub g: f32,
        #[hyper(default = 0.1)]
        pub h: f32,
        /// Gone one day.
        #[hyper(default = 0.1)]
        #[deprecated(note = "use `a`")]
        pub i: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &ManyParams) {
        let sum = hyper.a + hyper.b + hyper.c + hyper.d + hyper.e + hyper.f + hyper.g + hyper.h + hyper.i;
        *param -= sum * grad;
    }
}

#[test]
fn all_are_checked() {
    assert!(many::ManyParams::new(0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, f32::INFINITY).is_err());
}
