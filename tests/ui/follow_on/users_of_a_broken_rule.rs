use optirs_gpu_macros::gpu_optimizer;

/// Only the rule is wrong: what uses it must not be reported.
#[gpu_optimizer]
pub mod descent {
    pub enum Kind {
        Plain,
        Signed,
    }
    pub struct DescentParams {
        #[hyper(default = 0.1)]
        pub learning_rate: f32,
        #[hyper(default = Kind::Plain)]
        pub kind: Kind,
    }
    fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
        *param -= hyper.learning_rate * unknown;
    }
}

use descent::{DescentParams, GpuDescent, Kind};

fn params() -> DescentParams {
    DescentParams { learning_rate: 0.5, kind: Kind::Signed }
}

fn main() {
    let _ = DescentParams::new(0.1, Kind::Plain);
    let _ = (params(), DescentParams::default() == params());
    let _: Option<GpuDescent> = None;
    let _ = <descent::Descent as optirs_gpu::rule::Rule>::NAME;
}
