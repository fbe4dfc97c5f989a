//! The table from a file's names to a rule. A file of the same kind goes through it unchanged.

use optirs_gpu::{AdagradParams, AdamParams, AdamWParams, FtrlParams, LambParams, MadgradParams, PadamParams};
use optirs_gpu::{GpuAdagrad, GpuAdam, GpuAdamW, GpuFtrl, GpuLamb, GpuMadgrad, GpuPadam, GpuRmsprop, GpuSgd};
use optirs_gpu::{RmspropParams, SgdParams};

use super::run::{Case, Runner};
use super::trajectory::Hyper;
use crate::rules::{adan, amsgrad, nadam, novograd, prodigy, radam, rprop, schedule_free_adamw};

/// What the table says of a file: a runner; `None` where an option of the file has no rule; an error where the file
/// lacks what the rule needs.
pub type Mapped = Result<Option<Runner>, String>;

/// One row: a library, its name of an optimizer, and the rule with its hyper-parameters.
pub type Row = (&'static str, &'static str, fn(&Hyper) -> Mapped);

/// A runner, if the options that the rule does not have are off.
macro_rules! rule {
    ($hyper:ident, $optimizer:ty, $params:expr $(, where $($key:literal = $value:expr),+)? $(, ignore $keys:expr)?) => {{
        $( $hyper.ignore($keys)?; )?
        $( $( if !$hyper.is($key, $value)? { return Ok(None); } )+ )?
        let maximize = $hyper.bool("maximize").unwrap_or(false);
        Ok(Some(Case::<$optimizer>::new($params, maximize)))
    }};
}

/// All rows.
pub const TABLE: &[Row] = &[
    ("torch", "sgd", |h| {
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
    ("torch", "adam", |h| {
        if h.bool("amsgrad")? {
            return rule!(h, amsgrad::GpuAmsGrad, amsgrad::AmsGradParams {
                learning_rate: h.f32("lr")?,
                beta1: h.item("betas", 0)?,
                beta2: h.item("betas", 1)?,
                epsilon: h.f32("eps")?,
                weight_decay: h.f32("weight_decay")?,
                amsgrad: true,
            }, where "decoupled_weight_decay" = false);
        }
        rule!(h, GpuAdam, AdamParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "decoupled_weight_decay" = false)
    }),
    ("torch", "adamw", |h| {
        rule!(h, GpuAdamW, AdamWParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "amsgrad" = false, "decoupled_weight_decay" = true)
    }),
    ("torch", "rmsprop", |h| {
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
    ("torch", "adagrad", |h| {
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
    ("optax", "lamb", |h| {
        rule!(h, GpuLamb, LambParams {
            learning_rate: h.f32("learning_rate")?,
            beta1: h.f32("b1")?,
            beta2: h.f32("b2")?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "eps_root" = 0.0)
    }),
    ("pytorch_optimizer", "madgrad", |h| {
        rule!(h, GpuMadgrad, MadgradParams {
            learning_rate: h.f32("lr")?,
            momentum: h.f32("momentum")?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "weight_decouple" = false)
    }),
    ("pytorch_optimizer", "ftrl", |h| {
        rule!(
            h,
            GpuFtrl,
            FtrlParams {
                learning_rate: h.f32("lr")?,
                lr_power: h.f32("lr_power")?,
                beta: h.f32("beta")?,
                lambda1: h.f32("lambda_1")?,
                lambda2: h.f32("lambda_2")?,
            }
        )
    }),
    ("pytorch_optimizer", "padam", |h| {
        rule!(h, GpuPadam, PadamParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            partial: h.f32("partial")?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "weight_decouple" = false, "fixed_decay" = false)
    }),
    // The test rules: their files prove the compiler beyond the standard rules.
    ("torch", "nadam", |h| {
        rule!(
            h,
            nadam::GpuNAdam,
            nadam::NAdamParams {
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
    ("torch", "radam", |h| {
        rule!(h, radam::GpuRAdam, radam::RAdamParams {
            learning_rate: h.f32("lr")?,
            beta1: h.item("betas", 0)?,
            beta2: h.item("betas", 1)?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "decoupled_weight_decay" = false)
    }),
    ("torch", "rprop", |h| {
        rule!(
            h,
            rprop::GpuRprop,
            rprop::RpropParams {
                learning_rate: h.f32("lr")?,
                eta_minus: h.item("etas", 0)?,
                eta_plus: h.item("etas", 1)?,
                step_min: h.item("step_sizes", 0)?,
                step_max: h.item("step_sizes", 1)?,
            }
        )
    }),
    ("optax", "novograd", |h| {
        rule!(h, novograd::GpuNovoGrad, novograd::NovoGradParams {
            learning_rate: h.f32("learning_rate")?,
            beta1: h.f32("b1")?,
            beta2: h.f32("b2")?,
            epsilon: h.f32("eps")?,
            weight_decay: h.f32("weight_decay")?,
        }, where "eps_root" = 0.0)
    }),
    ("pytorch_optimizer", "adan", |h| {
        rule!(
            h,
            adan::GpuAdan,
            adan::AdanParams {
                learning_rate: h.f32("lr")?,
                beta1: h.item("betas", 0)?,
                beta2: h.item("betas", 1)?,
                beta3: h.item("betas", 2)?,
                epsilon: h.f32("eps")?,
                weight_decay: h.f32("weight_decay")?,
                max_grad_norm: h.f32("max_grad_norm")?,
                proximal: !h.bool("weight_decouple")?,
            }
        )
    }),
    ("pytorch_optimizer", "prodigy", |h| {
        rule!(h, prodigy::GpuProdigy, prodigy::ProdigyParams {
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
        }, where "weight_decouple" = true, "fixed_decay" = false, ignore &["d", "d_max", "step"])
    }),
    ("pytorch_optimizer", "schedulefreeadamw", |h| {
        rule!(h, schedule_free_adamw::GpuScheduleFreeAdamW, schedule_free_adamw::ScheduleFreeAdamWParams {
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
];

/// Files that hold a known bug of their library: the file's stem, why, and by how much our rule must differ.
pub const KNOWN_DIFFERENCES: &[(&str, &str, f64)] = &[];
