//! burn: the optimizer of a module that has nothing but the tensors of a set.

use burn::module::{Module, Param};
use burn::optim::{AdamWConfig, GradientsParams, LambConfig, ModuleOptimizer};
use burn::tensor::{Device, DeviceKind, Tensor, TensorData};
use optirs_gpu_benches::Failure;
use optirs_gpu_benches::data::Values;

use crate::{LEARNING_RATE, Peer, Rule};

/// What rows call it.
pub const NAME: &str = if cfg!(feature = "fusion") { "burn 0.22 wgpu, fusion" } else { "burn 0.22 wgpu" };

/// Parameters by their number of dimensions.
#[derive(Module, Debug)]
struct Tensors {
    vectors: Vec<Param<Tensor<1>>>,
    matrices: Vec<Param<Tensor<2>>>,
}

/// An optimizer and what it steps.
pub struct Burn {
    device: Device,
    optimizer: ModuleOptimizer,
    /// None while a step has it.
    tensors: Option<Tensors>,
    vector_gradients: Vec<Tensor<1>>,
    matrix_gradients: Vec<Tensor<2>>,
}

impl Burn {
    /// On Vulkan's best device.
    pub fn new(rule: Rule, values: &Values, is_software: bool) -> Result<Burn, Failure> {
        let device = Device::vulkan(if is_software { DeviceKind::Cpu } else { DeviceKind::DefaultDevice });
        // Parameters as training has them, gradients as a backward pass leaves them.
        let trained = device.clone().autodiff();
        let mut tensors = Tensors { vectors: Vec::new(), matrices: Vec::new() };
        let (mut vector_gradients, mut matrix_gradients) = (Vec::new(), Vec::new());
        for (parameter, gradient) in values.parameters.iter().zip(&values.gradients) {
            let dimensions = parameter.ndim();
            let [parameter, gradient] = [parameter, gradient]
                .map(|array| TensorData::new(array.iter().copied().collect::<Vec<f32>>(), array.shape().to_vec()));
            match dimensions {
                1 => {
                    tensors.vectors.push(Param::from_tensor(Tensor::from_data(parameter, &trained)));
                    vector_gradients.push(Tensor::from_data(gradient, &device));
                }
                2 => {
                    tensors.matrices.push(Param::from_tensor(Tensor::from_data(parameter, &trained)));
                    matrix_gradients.push(Tensor::from_data(gradient, &device));
                }
                _ => return Err(format!("no set has tensors of {dimensions} dimensions").into()),
            }
        }
        let optimizer = match rule {
            Rule::Adamw => AdamWConfig::new().init(),
            Rule::Lamb => LambConfig::new().init(),
        };
        Ok(Burn { device, optimizer, tensors: Some(tensors), vector_gradients, matrix_gradients })
    }
}

impl Peer for Burn {
    fn step(&mut self) -> Result<(), Failure> {
        let tensors = self.tensors.take().ok_or("a step before has failed")?;
        let mut gradients = GradientsParams::new();
        for (parameter, gradient) in tensors.vectors.iter().zip(&self.vector_gradients) {
            gradients.register(parameter.id, gradient.clone());
        }
        for (parameter, gradient) in tensors.matrices.iter().zip(&self.matrix_gradients) {
            gradients.register(parameter.id, gradient.clone());
        }
        self.tensors = Some(self.optimizer.step(LEARNING_RATE, tensors, gradients));
        Ok(())
    }

    fn wait(&self) -> Result<(), Failure> {
        self.device.sync().map_err(|error| format!("{error:?}").into())
    }

    fn ends(&self) -> Result<Vec<f32>, Failure> {
        let tensors = self.tensors.as_ref().ok_or("a step before has failed")?;
        let vectors = [tensors.vectors.first(), tensors.vectors.last()].into_iter().flatten().map(Param::val);
        let matrices = [tensors.matrices.first(), tensors.matrices.last()].into_iter().flatten();
        let matrices = matrices.map(|matrix| matrix.val().flatten::<1>(0, 1));
        let mut ends = Vec::new();
        for tensor in vectors.chain(matrices) {
            let length = tensor.dims()[0];
            for place in [0, length - 1] {
                let data = tensor.clone().slice(place..place + 1).into_data();
                ends.extend(data.try_to_vec::<f32>().map_err(|error| format!("{error:?}"))?);
            }
        }
        Ok(ends)
    }
}
