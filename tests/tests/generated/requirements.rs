//! `#[require]`: conditions of every form, checked at construction or where a tensor's shape is known.

use optirs_gpu::gpu_optimizer;
use optirs_gpu::rule::{Rule, RuleParams};

#[gpu_optimizer]
#[require(low < high, "low must be below high")]
#[require(limit.unwrap_or(1.0) <= high && (!limit.is_some() || low > 0.0), "a limit fits and needs a low")]
#[require(kind != Kind::Strict || period % 2 == 0, "strict periods are even")]
#[require((period as f32 * low).min(3.0) != 3.0 || -high.abs() + 2.0 < 0.0, "arithmetic")]
#[require(period / every <= 4 && (period + every) * 2 < 1000, "whole numbers")]
#[require(if flag { high > 2.0 } else { true }, "flags need a high")]
#[require(ndim() == 2 && dim(0) <= dim(1), "a wide matrix")]
#[require(len() >= period, "at least a period of elements")]
pub mod bounded {
    pub enum Kind {
        Loose,
        Strict,
    }
    pub struct BoundedParams {
        #[hyper(default = 0.0)]
        pub low: f32,
        #[hyper(default = 1.0)]
        pub high: f32,
        #[hyper(default = None)]
        pub limit: Option<f32>,
        #[hyper(default = 3)]
        pub period: u32,
        #[hyper(default = 1, range = 1..)]
        pub every: u32,
        #[hyper(default = Kind::Loose)]
        pub kind: Kind,
        #[hyper(default = false)]
        pub flag: bool,
    }
    fn update(param: &mut f32, grad: f32, hyper: &BoundedParams, step: u32) {
        let scale = match hyper.kind {
            Kind::Loose => hyper.low,
            Kind::Strict => hyper.high,
        };
        let turn = if step % hyper.every == 0 && hyper.flag { hyper.period as f32 } else { 1.0 };
        *param -= scale * turn * grad.min(hyper.limit.unwrap_or(1.0));
    }
}

use bounded::{Bounded, BoundedParams, Kind};

/// The message of the requirement that fails.
fn refused(change: impl FnOnce(&mut BoundedParams)) -> Option<String> {
    let mut params = BoundedParams::default();
    change(&mut params);
    params.validate().err().map(|error| error.to_string())
}

#[test]
fn conditions_over_hyper_parameters() {
    let message = |text: &str| Some(text.to_owned());
    assert_eq!(refused(|_| ()), None);
    assert_eq!(refused(|params| params.low = 1.0), message("low must be below high"));
    assert_eq!(refused(|params| params.limit = Some(1.5)), message("a limit fits and needs a low"));
    assert_eq!(refused(|params| params.limit = Some(0.5)), message("a limit fits and needs a low"));
    assert_eq!(refused(|params| (params.limit, params.low) = (Some(0.5), 0.1)), None);
    assert_eq!(refused(|params| params.kind = Kind::Strict), message("strict periods are even"));
    assert_eq!(refused(|params| (params.kind, params.period) = (Kind::Strict, 4)), None);
    assert_eq!(refused(|params| (params.low, params.high) = (1.0, 1.5)), message("arithmetic"));
    assert_eq!(refused(|params| (params.low, params.high) = (1.0, 2.5)), None);
    assert_eq!(refused(|params| params.period = 5), message("whole numbers"));
    assert_eq!(refused(|params| (params.period, params.every) = (5, 2)), None);
    assert_eq!(refused(|params| (params.period, params.every) = (4, 1000)), message("whole numbers"));
    assert_eq!(refused(|params| params.flag = true), message("flags need a high"));
}

#[test]
fn a_bound_is_met_by_the_decimal_that_was_written() {
    // 0.1f32 lies above 0.1, and 0.7f32 below 0.7: neither may decide.
    assert_eq!(refused(|params| (params.low, params.high) = (0.1, 0.1)), Some("low must be below high".to_owned()));
    assert_eq!(refused(|params| (params.limit, params.high, params.low) = (Some(0.7), 0.7, 0.1)), None);
}

#[test]
fn conditions_over_the_shape() {
    let params = BoundedParams::default();
    let refused = |shape: &[usize]| Bounded::check_shape(&params, shape).err().map(|error| error.to_string());
    assert_eq!(refused(&[2, 3]), None);
    assert_eq!(refused(&[6]).as_deref(), Some("a wide matrix"));
    assert_eq!(refused(&[3, 2]).as_deref(), Some("a wide matrix"));
    assert_eq!(refused(&[1, 2]).as_deref(), Some("at least a period of elements"));
}
