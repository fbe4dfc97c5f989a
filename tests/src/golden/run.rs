//! Takes a rule through a trajectory, as one set of tensors and as single tensors, and measures the worst difference.

use optirs_gpu::ndarray::ArrayD;
use optirs_gpu::rule::Rule;
use optirs_gpu::{Device, GpuOptimError, GpuOptimizer, Optimizer, ParamSet};

use super::trajectory::Trajectory;

/// Worst |Δ| / max(1, |p|) over all steps, tensors and elements.
pub type Worst = Result<f64, GpuOptimError>;

/// Takes a trajectory through a rule on a device.
pub type Run = Box<dyn Fn(&Trajectory, &Device) -> Worst>;

/// A rule with its hyper-parameters, behind one type.
pub struct Runner {
    /// The rule's module.
    pub rule: &'static str,
    /// All tensors in one [`ParamSet`].
    pub together: Run,
    /// One classic optimizer per tensor; absent for rules that read all tensors at once.
    pub apart: Option<Run>,
}

/// Names an optimizer type in the table.
pub struct Case<O>(core::marker::PhantomData<O>);

impl<R: Rule> Case<Optimizer<R>> {
    /// A runner of the rule.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(params: R::Params, maximize: bool) -> Runner {
        let reads_all = R::variant(&params).is_some_and(|index| R::VARIANTS[index].all_words > 0);
        Runner {
            rule: R::NAME,
            together: Box::new(move |trajectory, device| together::<R>(params, maximize, trajectory, device)),
            apart: (!reads_all).then(|| -> Run {
                Box::new(move |trajectory, device| apart::<R>(params, maximize, trajectory, device))
            }),
        }
    }
}

fn together<R: Rule>(params: R::Params, maximize: bool, trajectory: &Trajectory, device: &Device) -> Worst {
    let names: Vec<String> = (0..trajectory.shapes.len()).map(|tensor| format!("tensor{tensor}")).collect();
    let arrays = |values: &[Vec<f64>]| -> Vec<ArrayD<f32>> {
        values.iter().enumerate().map(|(tensor, values)| trajectory.array(tensor, values)).collect()
    };
    let start = arrays(&trajectory.start);
    let mut set = ParamSet::new(device, names.iter().zip(&start).map(|(name, array)| (name.as_str(), array.view())))?;
    let mut optimizer = Optimizer::<R>::on(device, params)?;
    optimizer.set_maximize(maximize);
    let mut worst = 0.0;
    for (grads, expected) in trajectory.grads.iter().zip(&trajectory.params) {
        for (name, grad) in names.iter().zip(&arrays(grads)) {
            set.write_grad(name, grad)?;
        }
        optimizer.step(&mut set)?;
        for (name, expected) in names.iter().zip(expected) {
            worst = difference(worst, &set.read(name)?, expected);
        }
    }
    Ok(worst)
}

fn apart<R: Rule>(params: R::Params, maximize: bool, trajectory: &Trajectory, device: &Device) -> Worst {
    let mut worst = 0.0;
    for tensor in 0..trajectory.shapes.len() {
        let mut array = trajectory.array(tensor, &trajectory.start[tensor]);
        let mut optimizer = Optimizer::<R>::on(device, params)?;
        optimizer.set_maximize(maximize);
        for (grads, expected) in trajectory.grads.iter().zip(&trajectory.params) {
            optimizer.step_gpu(&mut array, &trajectory.array(tensor, &grads[tensor]))?;
            worst = difference(worst, &array, &expected[tensor]);
        }
    }
    Ok(worst)
}

fn difference(worst: f64, ours: &ArrayD<f32>, expected: &[f64]) -> f64 {
    ours.iter().zip(expected).fold(worst, |worst, (&ours, &expected)| {
        let delta = (f64::from(ours) - expected).abs() / expected.abs().max(1.0);
        // A NaN must count as the worst of all, not be passed over by `max`.
        if delta.is_nan() { f64::INFINITY } else { worst.max(delta) }
    })
}
