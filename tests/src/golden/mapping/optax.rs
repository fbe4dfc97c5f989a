//! optax.

use optirs_gpu::rules::{
    AdaBeliefParams, AdamaxWParams, AdanParams, GpuAdaBelief, GpuAdamaxW, GpuAdan, GpuLamb, GpuLars, GpuLion,
    GpuNovoGrad, GpuSignSgd, GpuSignum, GpuYogi, LambParams, LarsParams, LionParams, NovoGradParams, SignSgdParams,
    SignumParams, YogiParams,
};

use super::{Row, rule};

/// Rows of optax.
pub(super) const ROWS: &[Row] = &[
    ("lamb", |h| {
        rule!(h, GpuLamb, LambParams {
            learning_rate: h.f32("learning_rate")?,
            beta1: h.f32("b1")?,
            beta2: h.f32("b2")?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "eps_root" = 0.0)
    }),
    ("lion", |h| {
        rule!(
            h,
            GpuLion,
            LionParams {
                learning_rate: h.f32("learning_rate")?,
                beta1: h.f32("b1")?,
                beta2: h.f32("b2")?,
                weight_decay: h.f32("weight_decay")?,
            }
        )
    }),
    ("lars", |h| {
        rule!(h, GpuLars, LarsParams {
            learning_rate: h.f32("learning_rate")?,
            momentum: h.f32("momentum")?,
            trust_coefficient: h.f32("trust_coefficient")?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
            nesterov: h.bool("nesterov")?,
        }, where "weight_decay_mask" = true, "trust_ratio_mask" = true)
    }),
    ("adabelief", |h| {
        rule!(h, GpuAdaBelief, AdaBeliefParams {
            learning_rate: h.f32("learning_rate")?,
            beta1: h.f32("b1")?,
            beta2: h.f32("b2")?,
            epsilon: h.f32("eps")?,
            epsilon_root: h.f32("eps_root")?,
            weight_decay: 0.0,
        }, where "nesterov" = false)
    }),
    ("yogi", |h| {
        rule!(
            h,
            GpuYogi,
            YogiParams {
                learning_rate: h.f32("learning_rate")?,
                beta1: h.f32("b1")?,
                beta2: h.f32("b2")?,
                epsilon: h.f32("eps")?,
                initial_accumulator: 1e-6,
                weight_decay: 0.0,
            }
        )
    }),
    ("novograd", |h| {
        rule!(h, GpuNovoGrad, NovoGradParams {
            learning_rate: h.f32("learning_rate")?,
            beta1: h.f32("b1")?,
            beta2: h.f32("b2")?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "eps_root" = 0.0)
    }),
    ("adan", |h| {
        rule!(
            h,
            GpuAdan,
            AdanParams {
                learning_rate: h.f32("learning_rate")?,
                beta1: h.f32("b1")?,
                beta2: h.f32("b2")?,
                beta3: h.f32("b3")?,
                epsilon: h.f32("eps")?,
                weight_decay: h.f32("weight_decay")?,
                proximal: true,
            },
            ignore & ["eps_root"]
        )
    }),
    ("adamaxw", |h| {
        rule!(
            h,
            GpuAdamaxW,
            AdamaxWParams {
                learning_rate: h.f32("learning_rate")?,
                beta1: h.f32("b1")?,
                beta2: h.f32("b2")?,
                epsilon: h.f32("eps")?,
                weight_decay: h.f32("weight_decay")?,
            }
        )
    }),
    ("sign_sgd", |h| rule!(h, GpuSignSgd, SignSgdParams { learning_rate: h.f32("learning_rate")?, weight_decay: 0.0 })),
    ("signum", |h| {
        rule!(
            h,
            GpuSignum,
            SignumParams { learning_rate: h.f32("learning_rate")?, beta: h.f32("beta")?, weight_decay: 0.0 }
        )
    }),
];
