//! candle: AdamW of candle-nn on the CPU, whose element-wise operations run on one thread. On CUDA it is the same code, but
//! that takes NVIDIA's toolkit to build, and is not measured here.

use candle_core::backprop::GradStore;
use candle_core::{Device, Tensor, Var};
use candle_nn::optim::{AdamW, Optimizer, ParamsAdamW};
use optirs_gpu_benches::Failure;
use optirs_gpu_benches::data::Values;

use crate::{LEARNING_RATE, Peer, Rule};

/// What rows call it.
pub const NAME: &str = "candle-nn 0.11";

/// An optimizer and what it steps.
pub struct Candle {
    optimizer: AdamW,
    variables: Vec<Var>,
    gradients: GradStore,
}

impl Candle {
    /// On the CPU.
    pub fn new(rule: Rule, values: &Values) -> Result<Candle, Failure> {
        if rule != Rule::Adamw {
            return Err("candle-nn has AdamW and SGD".into());
        }
        let variable = |(array, shape)| Var::from_tensor(&tensor(array, shape)?);
        let parameters = values.parameters.iter().map(|array| (array.iter(), array.shape()));
        let variables = parameters.map(variable).collect::<Result<Vec<_>, _>>()?;
        // A store comes from a backward pass alone; this one's own gradient is overwritten.
        let first = variables.first().ok_or("there is no tensor")?;
        let mut gradients = first.sum_all()?.backward()?;
        for (variable, array) in variables.iter().zip(&values.gradients) {
            gradients.insert(variable, tensor(array.iter(), array.shape())?);
        }
        let optimizer = AdamW::new(variables.clone(), ParamsAdamW { lr: LEARNING_RATE, ..ParamsAdamW::default() })?;
        Ok(Candle { optimizer, variables, gradients })
    }
}

fn tensor<'a>(values: impl Iterator<Item = &'a f32>, shape: &[usize]) -> candle_core::Result<Tensor> {
    Tensor::from_iter(values.copied(), &Device::Cpu)?.reshape(shape)
}

impl Peer for Candle {
    fn step(&mut self) -> Result<(), Failure> {
        Ok(self.optimizer.step(&self.gradients)?)
    }

    fn wait(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn ends(&self) -> Result<Vec<f32>, Failure> {
        let mut ends = Vec::new();
        for variable in [self.variables.first(), self.variables.last()].into_iter().flatten() {
            let values = variable.flatten_all()?;
            for place in [0, values.elem_count() - 1] {
                ends.push(values.get(place)?.to_scalar::<f32>()?);
            }
        }
        Ok(ends)
    }
}
