//! The rules that are run: one line each.

use optimizer_specs::checked::HyperValue;
use optirs_gpu::rule::{RowContext, RowError, Rule, RuleParams, Variant};
use optirs_gpu::{Device, GpuOptimError, programs, rules};

use super::training::{Running, Training};
use crate::rules::*;

/// Every rule of the repository as the macro expanded it, by module name.
pub fn table() -> Vec<Box<dyn AnyRule>> {
    macro_rules! rule {
        ($rule:path, $params:path { $($field:ident),* }) => {
            Box::new(Entry::<$rule> {
                fields: &[$(stringify!($field)),*],
                params: |values| {
                    let mut values = values.iter();
                    $(let $field = FromHyper::from_hyper(values.next());)*
                    assert!(values.next().is_none(), "a hyper-parameter of `{}` has no field here", stringify!($rule));
                    $params { $($field),* }
                },
            }) as Box<dyn AnyRule>
        };
    }
    vec![
        rule!(rules::Sgd, rules::SgdParams { learning_rate, momentum, dampening, weight_decay, nesterov }),
        rule!(rules::Adam, rules::AdamParams { learning_rate, beta1, beta2, epsilon, weight_decay }),
        rule!(rules::AdamW, rules::AdamWParams { learning_rate, beta1, beta2, epsilon, weight_decay }),
        rule!(rules::Rmsprop, rules::RmspropParams { learning_rate, alpha, epsilon, weight_decay, momentum, centered }),
        rule!(
            rules::Adagrad,
            rules::AdagradParams { learning_rate, lr_decay, epsilon, weight_decay, initial_accumulator }
        ),
        rule!(rules::Lamb, rules::LambParams { learning_rate, beta1, beta2, epsilon, weight_decay }),
        rule!(
            rules::AdaBelief,
            rules::AdaBeliefParams { learning_rate, beta1, beta2, epsilon, epsilon_root, weight_decay }
        ),
        rule!(rules::Adadelta, rules::AdadeltaParams { learning_rate, rho, epsilon, weight_decay }),
        rule!(rules::Adamax, rules::AdamaxParams { learning_rate, beta1, beta2, epsilon, weight_decay }),
        rule!(rules::AdamaxW, rules::AdamaxWParams { learning_rate, beta1, beta2, epsilon, weight_decay }),
        rule!(rules::Adan, rules::AdanParams { learning_rate, beta1, beta2, beta3, epsilon, weight_decay, proximal }),
        rule!(
            rules::AdEmaMix,
            rules::AdEmaMixParams { learning_rate, beta1, beta2, beta3, alpha, warmup_steps, epsilon, weight_decay }
        ),
        rule!(
            rules::Adopt,
            rules::AdoptParams { learning_rate, beta1, beta2, epsilon, weight_decay, decoupled_weight_decay, clip }
        ),
        rule!(
            rules::AmsGrad,
            rules::AmsGradParams { learning_rate, beta1, beta2, epsilon, weight_decay, decoupled_weight_decay }
        ),
        rule!(rules::Asgd, rules::AsgdParams { learning_rate, lambd, alpha, t0, weight_decay }),
        rule!(rules::CautiousAdamW, rules::CautiousAdamWParams { learning_rate, beta1, beta2, epsilon, weight_decay }),
        rule!(rules::DiffGrad, rules::DiffGradParams { learning_rate, beta1, beta2, epsilon, weight_decay }),
        rule!(rules::Ftrl, rules::FtrlParams { learning_rate, lr_power, beta, lambda1, lambda2 }),
        rule!(rules::Grams, rules::GramsParams { learning_rate, beta1, beta2, epsilon, weight_decay }),
        rule!(
            rules::LambApex,
            rules::LambApexParams {
                learning_rate,
                beta1,
                beta2,
                epsilon,
                weight_decay,
                max_grad_norm,
                grad_averaging,
                use_nvlamb
            }
        ),
        rule!(
            rules::LambBounded,
            rules::LambBoundedParams { learning_rate, beta1, beta2, epsilon, weight_decay, max_weight_norm }
        ),
        rule!(rules::LaProp, rules::LaPropParams { learning_rate, beta1, beta2, epsilon, weight_decay }),
        rule!(
            rules::Lars,
            rules::LarsParams { learning_rate, momentum, trust_coefficient, epsilon, weight_decay, nesterov }
        ),
        rule!(rules::Lion, rules::LionParams { learning_rate, beta1, beta2, weight_decay }),
        rule!(rules::Madgrad, rules::MadgradParams { learning_rate, momentum, epsilon, weight_decay }),
        rule!(
            rules::NAdam,
            rules::NAdamParams {
                learning_rate,
                beta1,
                beta2,
                epsilon,
                weight_decay,
                momentum_decay,
                decoupled_weight_decay
            }
        ),
        rule!(rules::NovoGrad, rules::NovoGradParams { learning_rate, beta1, beta2, epsilon, weight_decay }),
        rule!(rules::Padam, rules::PadamParams { learning_rate, beta1, beta2, partial, epsilon, weight_decay }),
        rule!(
            rules::Prodigy,
            rules::ProdigyParams {
                learning_rate,
                beta1,
                beta2,
                beta3,
                epsilon,
                weight_decay,
                d0,
                d_coef,
                growth_rate,
                safeguard_warmup,
                bias_correction
            }
        ),
        rule!(
            rules::QhAdam,
            rules::QhAdamParams {
                learning_rate,
                beta1,
                beta2,
                nu1,
                nu2,
                epsilon,
                weight_decay,
                decoupled_weight_decay
            }
        ),
        rule!(
            rules::RAdam,
            rules::RAdamParams { learning_rate, beta1, beta2, epsilon, weight_decay, decoupled_weight_decay }
        ),
        rule!(rules::Rprop, rules::RpropParams { learning_rate, eta_minus, eta_plus, step_min, step_max }),
        rule!(
            rules::ScheduleFreeAdamW,
            rules::ScheduleFreeAdamWParams {
                learning_rate,
                beta1,
                beta2,
                epsilon,
                weight_decay,
                warmup_steps,
                r,
                weight_lr_power
            }
        ),
        rule!(rules::SignSgd, rules::SignSgdParams { learning_rate, weight_decay }),
        rule!(rules::Signum, rules::SignumParams { learning_rate, beta, weight_decay }),
        rule!(rules::Sophia, rules::SophiaParams { learning_rate, beta1, beta2, rho, epsilon, weight_decay }),
        rule!(rules::StableAdamW, rules::StableAdamWParams { learning_rate, beta1, beta2, epsilon, weight_decay }),
        rule!(rules::Tiger, rules::TigerParams { learning_rate, beta, weight_decay }),
        rule!(
            rules::Yogi,
            rules::YogiParams { learning_rate, beta1, beta2, epsilon, initial_accumulator, weight_decay }
        ),
        rule!(programs::Guard, programs::GuardParams { grad_scale, scope, max_norm }),
        rule!(programs::Accumulate, programs::AccumulateParams {}),
        rule!(programs::Average, programs::AverageParams { decay }),
        rule!(programs::Distance, programs::DistanceParams {}),
        rule!(programs::Guard, programs::GuardParams { grad_scale, scope, max_norm }),
        rule!(
            adafactor_1d::Adafactor,
            adafactor_1d::AdafactorParams { learning_rate, beta2_decay, eps1, eps2, clip, weight_decay }
        ),
        rule!(corners::Corners, corners::CornersParams { kernel, exponent, target }),
        rule!(functions::Functions, functions::FunctionsParams { learning_rate, power }),
        rule!(lion_trust::LionTrust, lion_trust::LionTrustParams { learning_rate, beta1, beta2, weight_decay }),
        rule!(options::Options, options::OptionsParams { learning_rate, gain, limit, period, centre }),
        rule!(reductions::Reductions, reductions::ReductionsParams { learning_rate, threshold }),
        rule!(sam_sgd::SamSgd, sam_sgd::SamSgdParams { learning_rate, rho }),
        rule!(
            stable_spam::StableSpam,
            stable_spam::StableSpamParams {
                learning_rate,
                beta1,
                beta2,
                gamma1,
                gamma2,
                theta,
                epsilon,
                weight_decay,
                reset
            }
        ),
    ]
}

/// The rule of the table with this module name.
pub fn entry(name: &str) -> Box<dyn AnyRule> {
    let found = table().into_iter().find(|rule| rule.name() == name);
    found.unwrap_or_else(|| panic!("`{name}` has no line in the table of rules"))
}

/// What the runtime is told when it makes a row, but for the hyper-parameters.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct RowInputs {
    pub step: u64,
    pub run: u64,
    pub shape: Vec<usize>,
    pub all_len: u64,
    pub scalars: Vec<f32>,
    pub grad_scale: f64,
    pub clip_value: f64,
}

/// A rule of the table, whatever its types.
pub trait AnyRule {
    /// The module's name.
    fn name(&self) -> &'static str;
    /// The fields of its parameter struct, in order.
    fn fields(&self) -> &'static [&'static str];
    /// Its kernels under every combination of options.
    fn variants(&self) -> &'static [Variant];
    /// The variant that these hyper-parameters choose; `None` where the rule refuses them.
    fn variant(&self, values: &[HyperValue]) -> Option<usize>;
    /// An optimizer with its tensors, named by their place.
    fn open(
        &self,
        device: &Device,
        values: &[HyperValue],
        shapes: &[Vec<usize>],
        params: &[Vec<f32>],
    ) -> Result<Box<dyn Training>, GpuOptimError>;
    /// The generated row of a program, and the new host states.
    fn row(
        &self,
        values: &[HyperValue],
        program: usize,
        inputs: &RowInputs,
        host_states: &[f64],
    ) -> Result<(Vec<u32>, Vec<f64>), RowError>;
}

struct Entry<R: Rule> {
    fields: &'static [&'static str],
    params: fn(&[HyperValue]) -> R::Params,
}

impl<R: Rule> AnyRule for Entry<R> {
    fn name(&self) -> &'static str {
        R::NAME
    }

    fn fields(&self) -> &'static [&'static str] {
        self.fields
    }

    fn variants(&self) -> &'static [Variant] {
        R::VARIANTS
    }

    fn variant(&self, values: &[HyperValue]) -> Option<usize> {
        let params = (self.params)(values);
        params.validate().ok()?;
        R::variant(&params)
    }

    fn open(
        &self,
        device: &Device,
        values: &[HyperValue],
        shapes: &[Vec<usize>],
        params: &[Vec<f32>],
    ) -> Result<Box<dyn Training>, GpuOptimError> {
        let running = Running::<R>::new(device, (self.params)(values), shapes, params)?;
        Ok(Box::new(running))
    }

    fn row(
        &self,
        values: &[HyperValue],
        program: usize,
        inputs: &RowInputs,
        host_states: &[f64],
    ) -> Result<(Vec<u32>, Vec<f64>), RowError> {
        let params = (self.params)(values);
        let variant = R::variant(&params).expect("options that the rule has");
        let context = RowContext {
            params: &params,
            step: inputs.step,
            run: inputs.run,
            shape: &inputs.shape,
            all_len: inputs.all_len,
            scalars: &inputs.scalars,
            grad_scale: inputs.grad_scale,
            clip_value: inputs.clip_value,
        };
        let mut words = vec![0; R::VARIANTS[variant].programs[program].row_words];
        let mut host_states = host_states.to_vec();
        R::row(variant, program, &context, &mut host_states, &mut words)?;
        Ok((words, host_states))
    }
}

/// A field of a parameter struct from a value of its hyper-parameter.
trait FromHyper {
    fn from_hyper(value: Option<&HyperValue>) -> Self;
}

macro_rules! from_hyper {
    ($($ty:ty: $($pattern:pat => $value:expr),+;)*) => {
        $(impl FromHyper for $ty {
            fn from_hyper(value: Option<&HyperValue>) -> Self {
                match value {
                    $(Some(&$pattern) => $value,)+
                    other => panic!("{other:?} in a field of type {}", stringify!($ty)),
                }
            }
        })*
    };
}

from_hyper! {
    f32: HyperValue::F32(value) => value as f32;
    u32: HyperValue::U32(value) => value;
    bool: HyperValue::Bool(value) => value;
    Option<f32>: HyperValue::NoneValue => None, HyperValue::SomeF32(value) => Some(value as f32);
    Option<u32>: HyperValue::NoneValue => None, HyperValue::SomeU32(value) => Some(value);
    options::Centre:
        HyperValue::Enum(0) => Self::Zero, HyperValue::Enum(1) => Self::Param, HyperValue::Enum(2) => Self::Mean;
    programs::Scope:
        HyperValue::Enum(0) => Self::Nothing, HyperValue::Enum(1) => Self::Tensor, HyperValue::Enum(2) => Self::All;
}
