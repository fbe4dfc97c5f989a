//! The rules that are measured, each in the variant of its default hyper-parameters. What a rule moves and keeps comes from
//! what the compiler generated for it.

use optirs_gpu::ndarray::ArrayD;
use optirs_gpu::rule::{Role, Rule};
use optirs_gpu::{Device, GpuOptimError, Optimizer, ParamSet, rules, wgpu};

/// An optimizer of any rule.
pub trait Stepping: Send {
    /// [`Optimizer::step`]
    fn step(&mut self, params: &mut ParamSet) -> Result<(), GpuOptimError>;

    /// [`Optimizer::record_step`]
    fn record_step(&mut self, params: &mut ParamSet, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuOptimError>;

    /// Gives the rule what it asks for beside gradients: 1 for each `#[scalar]`, and the squares of the gradients, by the
    /// order of tensors, for each `#[input]`. Entries that take an input run once, so that the states they make are not zeros.
    fn supply(&mut self, params: &mut ParamSet, gradients: &[ArrayD<f32>]) -> Result<(), GpuOptimError>;
}

impl<R: Rule> Stepping for Optimizer<R> {
    fn step(&mut self, params: &mut ParamSet) -> Result<(), GpuOptimError> {
        Optimizer::step(self, params)
    }

    fn record_step(&mut self, params: &mut ParamSet, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuOptimError> {
        Optimizer::record_step(self, params, encoder)
    }

    fn supply(&mut self, params: &mut ParamSet, gradients: &[ArrayD<f32>]) -> Result<(), GpuOptimError> {
        for scalar in R::SCALARS {
            self.set_scalar(scalar, 1.0)?;
        }
        let names: Vec<String> = params.names().map(str::to_owned).collect();
        for input in R::INPUTS {
            for (name, gradient) in names.iter().zip(gradients) {
                self.write_input(params, input, name, &(gradient * gradient))?;
            }
        }
        let programs = R::variant(self.params()).map_or(&[][..], |variant| R::VARIANTS[variant].programs);
        let takes_input = |role| matches!(role, Role::Input(_));
        for entry in programs.iter().skip(1) {
            if entry.kernels.iter().flat_map(|kernel| kernel.bindings).any(|binding| takes_input(binding.role)) {
                self.run_entry(entry.name, params)?;
            }
        }
        Ok(())
    }
}

/// Makes an optimizer.
pub type Build = Box<dyn Fn(&Device) -> Result<Box<dyn Stepping>, GpuOptimError> + Send + Sync>;

/// A rule in the variant of its default hyper-parameters.
pub struct Subject {
    /// Its module name, `adamw`; `sgd_momentum` for the same rule with other options.
    pub name: &'static str,
    /// Bytes that an update has to move for each parameter: one load and one store for each that its passes need.
    pub bytes_per_element: usize,
    /// States and inputs, of 4 bytes each, that lie on the device for each parameter.
    pub kept_per_element: usize,
    /// Whether an update sums over a tensor, or over all.
    pub reduces: bool,
    /// Whether it needs scalars or inputs: [`Stepping::supply`] must come before a step.
    pub asks_for_more: bool,
    /// An optimizer of this rule.
    pub build: Build,
}

impl Subject {
    fn of<R: Rule>(params: R::Params) -> Option<Subject> {
        let variant = &R::VARIANTS[R::variant(&params)?];
        let update = variant.programs.first()?;
        Some(Subject {
            name: R::NAME,
            bytes_per_element: update.bytes_per_element,
            kept_per_element: variant.element_states.len() + R::INPUTS.len(),
            reduces: update.partial_words > 0,
            asks_for_more: !R::INPUTS.is_empty() || !R::SCALARS.is_empty(),
            build: Box::new(move |device| Ok(Box::new(Optimizer::<R>::on(device, params)?))),
        })
    }
}

macro_rules! default {
    ($rule:ident) => {
        Subject::of::<rules::$rule>(Default::default())
    };
}

/// SGD as it is mostly used: a variant of its own, which keeps a state.
fn sgd_momentum() -> Option<Subject> {
    let params = rules::SgdParams { momentum: 0.9, ..Default::default() };
    Some(Subject { name: "sgd_momentum", ..Subject::of::<rules::Sgd>(params)? })
}

/// Every standard rule, those of the classic surface first.
pub fn all() -> Vec<Subject> {
    let all = [
        default!(Sgd),
        sgd_momentum(),
        default!(Adam),
        default!(AdamW),
        default!(Rmsprop),
        default!(Adagrad),
        default!(Lamb),
        default!(AdaBelief),
        default!(Adadelta),
        default!(Adamax),
        default!(AdamaxW),
        default!(Adan),
        default!(AdEmaMix),
        default!(Adopt),
        default!(AmsGrad),
        default!(Asgd),
        default!(CautiousAdamW),
        default!(DiffGrad),
        default!(Ftrl),
        default!(Grams),
        default!(LambApex),
        default!(LambBounded),
        default!(LaProp),
        default!(Lars),
        default!(Lion),
        default!(Madgrad),
        default!(NAdam),
        default!(NovoGrad),
        default!(Padam),
        // The estimate of the distance grows without end where the gradient is the same for ever, as here; not at this rate.
        Subject::of::<rules::Prodigy>(rules::ProdigyParams { learning_rate: 1e-3, ..Default::default() }),
        default!(QhAdam),
        default!(RAdam),
        default!(Rprop),
        default!(ScheduleFreeAdamW),
        default!(SignSgd),
        default!(Signum),
        default!(Sophia),
        default!(StableAdamW),
        default!(Tiger),
        default!(Yogi),
    ];
    all.into_iter().flatten().collect()
}

/// The rules of these names; all of them for no name.
///
/// # Errors
/// Names one that is not there, and those that are.
pub fn chosen(names: &[String]) -> Result<Vec<Subject>, String> {
    let mut all = all();
    if names.is_empty() {
        return Ok(all);
    }
    let known: Vec<&str> = all.iter().map(|subject| subject.name).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("there is no rule `{unknown}`; there are {}", known.join(", ")));
    }
    all.retain(|subject| names.iter().any(|name| name == subject.name));
    Ok(all)
}
