//! An optimizer of the runtime, driven as the interpreter's [`Model`](super::Model) is.

use optirs_gpu::rule::Rule;
use optirs_gpu::{Device, GpuOptimError, Optimizer, ParamSet};
use scirs2_core::ndarray::{ArrayD, IxDyn};

use super::model::StepInputs;

/// An optimizer with its tensors, whatever its rule.
pub trait Training {
    /// Runs `update`, or an entry.
    fn run(&mut self, entry: &str, inputs: &StepInputs) -> Result<(), GpuOptimError>;
    /// A cell's name and its values, for `param` and every state on the device, as [`Model::cells`](super::Model::cells)
    /// names them.
    fn cells(&self) -> Result<Vec<(String, Vec<f32>)>, GpuOptimError>;
}

pub(super) struct Running<R: Rule> {
    params: ParamSet,
    optimizer: Optimizer<R>,
    shapes: Vec<Vec<usize>>,
    variant: usize,
}

fn array(shape: &[usize], values: &[f32]) -> ArrayD<f32> {
    ArrayD::from_shape_vec(IxDyn(shape), values.to_vec()).expect("as many values as the shape has")
}

fn name(place: usize) -> String {
    format!("t{place}")
}

impl<R: Rule> Running<R> {
    pub fn new(
        device: &Device,
        hypers: R::Params,
        shapes: &[Vec<usize>],
        params: &[Vec<f32>],
    ) -> Result<Self, GpuOptimError> {
        let variant = R::variant(&hypers).expect("options that the rule has");
        let arrays = shapes.iter().zip(params).enumerate();
        let arrays = arrays.map(|(place, (shape, values))| (name(place), array(shape, values)));
        Ok(Self {
            params: ParamSet::new(device, arrays)?,
            optimizer: Optimizer::on(device, hypers)?,
            shapes: shapes.to_vec(),
            variant,
        })
    }
}

impl<R: Rule> Training for Running<R> {
    fn run(&mut self, entry: &str, inputs: &StepInputs) -> Result<(), GpuOptimError> {
        for (place, shape) in self.shapes.iter().enumerate() {
            self.params.write_grad(&name(place), &array(shape, &inputs.gradients[place]))?;
            for (input, values) in R::INPUTS.iter().zip(&inputs.inputs[place]) {
                self.optimizer.write_input(&self.params, input, &name(place), &array(shape, values))?;
            }
        }
        for (scalar, &value) in R::SCALARS.iter().zip(&inputs.scalars) {
            self.optimizer.set_scalar(scalar, value)?;
        }
        match entry {
            "update" => self.optimizer.step(&mut self.params),
            entry => self.optimizer.run_entry(entry, &mut self.params),
        }
    }

    fn cells(&self) -> Result<Vec<(String, Vec<f32>)>, GpuOptimError> {
        let variant = &R::VARIANTS[self.variant];
        let mut cells = Vec::new();
        let mut push = |cell: String, values: ArrayD<f32>| cells.push((cell, values.into_raw_vec_and_offset().0));
        for place in 0..self.shapes.len() {
            push(format!("param[{place}]"), self.params.read(&name(place))?);
            for &state in variant.element_states.iter().chain(variant.tensor_states) {
                let state = R::STATES[state].name;
                push(format!("{state}[{place}]"), self.optimizer.state(state, &name(place))?);
            }
        }
        for &state in variant.all_states {
            let state = R::STATES[state].name;
            push(state.to_owned(), self.optimizer.state(state, &name(0))?);
        }
        Ok(cells)
    }
}
