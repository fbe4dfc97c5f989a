//! `torch.optim`.

use optirs_gpu::rules::{
    AdadeltaParams, AdagradParams, AdamParams, AdamWParams, AdamaxParams, AmsGradParams, AsgdParams, GpuAdadelta,
    GpuAdagrad, GpuAdam, GpuAdamW, GpuAdamax, GpuAmsGrad, GpuAsgd, GpuNAdam, GpuRAdam, GpuRmsprop, GpuRprop, GpuSgd,
    NAdamParams, RAdamParams, RmspropParams, RpropParams, SgdParams,
};

use super::{Mapped, Row, rule};
use crate::golden::trajectory::Hyper;

/// Rows of `torch.optim`.
pub(super) const ROWS: &[Row] = &[
    ("sgd", |h| {
        rule!(
            h,
            GpuSgd,
            SgdParams {
                learning_rate: h.f32("lr")?,
                momentum: h.f32("momentum")?,
                dampening: h.f32("dampening")?,
                weight_decay: h.f32("weight_decay")?,
                nesterov: h.bool("nesterov")?,
            }
        )
    }),
    ("adam", |h| {
        if h.bool("amsgrad")? {
            return amsgrad(h);
        }
        rule!(h, GpuAdam, AdamParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "decoupled_weight_decay" = false)
    }),
    ("adamw", |h| {
        if h.bool("amsgrad")? {
            return amsgrad(h);
        }
        rule!(h, GpuAdamW, AdamWParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "decoupled_weight_decay" = true)
    }),
    ("rmsprop", |h| {
        rule!(
            h,
            GpuRmsprop,
            RmspropParams {
                learning_rate: h.f32("lr")?,
                alpha: h.f32("alpha")?,
                epsilon: h.f32("eps")?,
                weight_decay: h.f32("weight_decay")?,
                momentum: h.f32("momentum")?,
                centered: h.bool("centered")?,
            }
        )
    }),
    ("adagrad", |h| {
        rule!(
            h,
            GpuAdagrad,
            AdagradParams {
                learning_rate: h.f32("lr")?,
                lr_decay: h.f32("lr_decay")?,
                epsilon: h.f32("eps")?,
                weight_decay: h.f32("weight_decay")?,
                initial_accumulator: h.f32("initial_accumulator_value")?,
            }
        )
    }),
    ("adamax", |h| {
        rule!(
            h,
            GpuAdamax,
            AdamaxParams {
                learning_rate: h.f32("lr")?,
                beta1: h.item("betas", 0)?,
                beta2: h.item("betas", 1)?,
                epsilon: h.f32("eps")?,
                weight_decay: h.f32("weight_decay")?,
            }
        )
    }),
    ("adadelta", |h| {
        rule!(
            h,
            GpuAdadelta,
            AdadeltaParams {
                learning_rate: h.f32("lr")?,
                rho: h.f32("rho")?,
                epsilon: h.f32("eps")?,
                weight_decay: h.f32("weight_decay")?,
            }
        )
    }),
    ("asgd", |h| {
        rule!(
            h,
            GpuAsgd,
            AsgdParams {
                learning_rate: h.f32("lr")?,
                lambd: h.f32("lambd")?,
                alpha: h.f32("alpha")?,
                t0: h.f32("t0")?,
                weight_decay: h.f32("weight_decay")?,
            }
        )
    }),
    ("nadam", |h| {
        rule!(
            h,
            GpuNAdam,
            NAdamParams {
                learning_rate: h.f32("lr")?,
                beta1: h.item("betas", 0)?,
                beta2: h.item("betas", 1)?,
                epsilon: h.f32("eps")?,
                weight_decay: h.f32("weight_decay")?,
                momentum_decay: h.f32("momentum_decay")?,
                decoupled_weight_decay: h.bool("decoupled_weight_decay")?,
            }
        )
    }),
    ("radam", |h| {
        rule!(
            h,
            GpuRAdam,
            RAdamParams {
                learning_rate: h.f32("lr")?,
                beta1: h.item("betas", 0)?,
                beta2: h.item("betas", 1)?,
                epsilon: h.f32("eps")?,
                weight_decay: h.f32("weight_decay")?,
                decoupled_weight_decay: h.bool("decoupled_weight_decay")?,
            }
        )
    }),
    ("rprop", |h| {
        rule!(
            h,
            GpuRprop,
            RpropParams {
                learning_rate: h.f32("lr")?,
                eta_minus: h.item("etas", 0)?,
                eta_plus: h.item("etas", 1)?,
                step_min: h.item("step_sizes", 0)?,
                step_max: h.item("step_sizes", 1)?,
            }
        )
    }),
];

/// `Adam` and `AdamW` with `amsgrad = True`.
fn amsgrad(h: &Hyper) -> Mapped {
    rule!(
        h,
        GpuAmsGrad,
        AmsGradParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
            decoupled_weight_decay: h.bool("decoupled_weight_decay")?,
        }
    )
}
