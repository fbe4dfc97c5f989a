//! pytorch_optimizer.

use optirs_gpu::rules::{
    AdEmaMixParams, AdaBeliefParams, AdanParams, AdoptParams, DiffGradParams, FtrlParams, GpuAdEmaMix, GpuAdaBelief,
    GpuAdan, GpuAdopt, GpuDiffGrad, GpuFtrl, GpuGrams, GpuLaProp, GpuLambBounded, GpuLion, GpuMadgrad, GpuPadam,
    GpuProdigy, GpuQhAdam, GpuScheduleFreeAdamW, GpuStableAdamW, GpuTiger, GramsParams, LaPropParams,
    LambBoundedParams, LionParams, MadgradParams, PadamParams, ProdigyParams, QhAdamParams, ScheduleFreeAdamWParams,
    StableAdamWParams, TigerParams,
};

use super::{Row, rule};

/// Rows of pytorch_optimizer.
pub(super) const ROWS: &[Row] = &[
    ("adabelief", |h| {
        rule!(h, GpuAdaBelief, AdaBeliefParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            epsilon_root: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "weight_decouple" = true, "fixed_decay" = false, "rectify" = false, "ams_bound" = false)
    }),
    ("adan", |h| {
        rule!(h, GpuAdan, AdanParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            beta3: h.item("betas", 2)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
            proximal: !h.bool("weight_decouple")?,
        }, where "max_grad_norm" = 0.0)
    }),
    ("ademamix", |h| {
        rule!(h, GpuAdEmaMix, AdEmaMixParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            beta3: h.item("betas", 2)?,
            alpha: h.f32("alpha")?,
            warmup_steps: 0,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "weight_decay" = 0.0,
           ignore &["weight_decouple", "fixed_decay"])
    }),
    ("adopt", |h| {
        rule!(h, GpuAdopt, AdoptParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
            decoupled_weight_decay: h.bool("weight_decouple")?,
            clip: true,
        }, where "fixed_decay" = false)
    }),
    ("diffgrad", |h| {
        rule!(h, GpuDiffGrad, DiffGradParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "weight_decouple" = true, "fixed_decay" = false, "rectify" = false, "ams_bound" = false)
    }),
    ("ftrl", |h| {
        rule!(
            h,
            GpuFtrl,
            FtrlParams {
                learning_rate: h.f32("lr")?,
                lr_power: Some(h.f32("lr_power")?).filter(|power| *power != -0.5),
                beta: h.f32("beta")?,
                lambda1: h.f32("lambda_1")?,
                lambda2: h.f32("lambda_2")?,
            }
        )
    }),
    ("grams", |h| {
        rule!(h, GpuGrams, GramsParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "weight_decouple" = true)
    }),
    ("lamb", |h| {
        rule!(h, GpuLambBounded, LambBoundedParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
            max_weight_norm: 10.0,
        }, where "weight_decouple" = true, "fixed_decay" = false, "rectify" = false, "grad_averaging" = true, "adam" = false,
           ignore &["max_grad_norm"])
    }),
    ("laprop", |h| {
        rule!(h, GpuLaProp, LaPropParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "centered" = false, "weight_decouple" = true, "fixed_decay" = false, "ams_bound" = false)
    }),
    ("lion", |h| {
        rule!(h, GpuLion, LionParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            weight_decay: h.f32("weight_decay")?,
        }, where "weight_decouple" = true, "fixed_decay" = false)
    }),
    ("madgrad", |h| {
        rule!(h, GpuMadgrad, MadgradParams {
            learning_rate: h.f32("lr")?,
            momentum: h.f32("momentum")?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "weight_decouple" = false)
    }),
    ("padam", |h| {
        rule!(h, GpuPadam, PadamParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            partial: Some(h.f32("partial")?).filter(|power| *power != 0.25),
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "weight_decouple" = false, "fixed_decay" = false)
    }),
    ("prodigy", |h| {
        rule!(h, GpuProdigy, ProdigyParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            beta3: None,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
            d0: h.f32("d0")?,
            d_coef: h.f32("d_coef")?,
            growth_rate: h.option("growth_rate")?,
            safeguard_warmup: h.bool("safeguard_warmup")?,
            bias_correction: h.bool("bias_correction")?,
        }, where "weight_decouple" = true, "fixed_decay" = false,
           ignore &["d", "d_max", "step"])
    }),
    ("qhadam", |h| {
        rule!(h, GpuQhAdam, QhAdamParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            nu1: h.item("nus", 0)?,
            nu2: h.item("nus", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
            decoupled_weight_decay: h.bool("weight_decouple")?,
        }, where "fixed_decay" = false)
    }),
    ("schedulefreeadamw", |h| {
        rule!(h, GpuScheduleFreeAdamW, ScheduleFreeAdamWParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
            warmup_steps: h.u32("warmup_steps")?,
            r: h.f32("r")?,
            weight_lr_power: h.f32("weight_lr_power")?,
        }, where "decoupling_c" = 0, "ams_bound" = false, "use_palm" = false,
           ignore &["train_mode", "weight_sum", "lr_max"])
    }),
    ("stableadamw", |h| {
        rule!(h, GpuStableAdamW, StableAdamWParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "weight_decouple" = true,
           ignore &["kahan_sum"])
    }),
    ("tiger", |h| {
        rule!(h, GpuTiger, TigerParams {
            learning_rate: h.f32("lr")?,
            beta: h.f32("beta")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "weight_decouple" = true, "fixed_decay" = false)
    }),
];
