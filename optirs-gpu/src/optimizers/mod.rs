//! The classic surface: an optimizer that owns its device and steps one array at a time.
//!
//! [`GpuOptimizer::step_gpu`] uploads parameters and gradients, steps, and reads the parameters back. Where parameters
//! stay on the device between steps, use [`ParamSet`] and [`Optimizer::step`]: the types are the same.

mod rules;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

pub use scirs2_core::gpu::GpuBackend;
use scirs2_core::ndarray::{Array, Dimension};
use scirs2_core::numeric::Float;

use crate::rule::Rule;
pub use crate::rules::{
    AdagradParams, AdamParams, AdamWParams, GpuAdagrad, GpuAdam, GpuAdamW, GpuLamb, GpuRmsprop, GpuSgd, LambParams,
    RmspropParams, SgdParams,
};
use crate::{Device, DeviceConfig, GpuOptimError, Optimizer, ParamSet};

/// Back ends that are GPUs. [`GpuBackend::Cpu`] can be chosen, too.
pub const SUPPORTED_BACKENDS: [GpuBackend; 2] = [GpuBackend::Wgpu, GpuBackend::Metal];

/// Which back end a classic optimizer uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GpuOptimizerConfig {
    /// None: the default GPU back end of this build, never the CPU.
    pub backend: Option<GpuBackend>,
}

impl GpuOptimizerConfig {
    /// Exactly this back end, or an error.
    pub fn with_backend(backend: GpuBackend) -> Self {
        Self { backend: Some(backend) }
    }

    fn device_config(self) -> DeviceConfig {
        DeviceConfig { backend: self.backend, ..DeviceConfig::default() }
    }
}

/// An optimizer of one array of parameters that lives on the host.
pub trait GpuOptimizer<A: Float, D: Dimension> {
    /// Whether there is a GPU for this optimizer.
    fn is_gpu_available(&self) -> bool;

    /// Moves the optimizer, with its states, to its device.
    ///
    /// # Errors
    /// What opening the device says.
    fn move_to_gpu(&mut self) -> Result<(), GpuOptimError>;

    /// Moves the optimizer, with its states, to the host's memory. It steps again after
    /// [`GpuOptimizer::move_to_gpu`].
    ///
    /// # Errors
    /// What reading the states says.
    fn move_to_cpu(&mut self) -> Result<(), GpuOptimError>;

    /// Renamed.
    ///
    /// # Errors
    /// As [`GpuOptimizer::move_to_gpu`].
    #[deprecated(since = "0.3.2", note = "renamed to `move_to_gpu`")]
    fn to_gpu(&mut self) -> Result<(), GpuOptimError> {
        self.move_to_gpu()
    }

    /// Renamed.
    ///
    /// # Errors
    /// As [`GpuOptimizer::move_to_cpu`].
    #[deprecated(since = "0.3.2", note = "renamed to `move_to_cpu`")]
    fn to_cpu(&mut self) -> Result<(), GpuOptimError> {
        self.move_to_cpu()
    }

    /// Updates the parameters in place, whatever the arrays' memory layouts. Empty arrays are left alone.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] before [`GpuOptimizer::move_to_gpu`], or for parameters of another shape than
    /// the first step's; [`GpuOptimError::DimensionMismatch`] where the two arrays differ in shape; what the device says.
    /// Nothing is changed then, unless the device fails only after the step, while the parameters are read back: the
    /// step has been taken then, and the optimizer's `step_count` says so; the array is unchanged, but for one of more than
    /// 4 MiB, the front of which may have been overwritten.
    fn step_gpu(&mut self, params: &mut Array<A, D>, gradients: &Array<A, D>) -> Result<(), GpuOptimError>;
}

/// What the classic surface adds to an optimizer.
#[derive(Debug, Default)]
pub(crate) struct Classic {
    config: GpuOptimizerConfig,
    /// The device of that configuration, once it has been asked for.
    device: OnceLock<Device>,
    /// The array that is stepped, on the device.
    set: Option<ParamSet>,
}

impl Classic {
    fn device(&self) -> Result<Device, GpuOptimError> {
        if let Some(device) = self.device.get() {
            return Ok(device.clone());
        }
        let device = Device::shared(self.config.device_config())?;
        Ok(self.device.get_or_init(|| device).clone())
    }

    /// The next array may be another one.
    pub(crate) fn forget(&mut self) {
        self.set = None;
    }
}

/// The name of the one tensor.
const ARRAY: &str = "parameters";

impl<R: Rule> Optimizer<R> {
    /// An optimizer on the default GPU back end. It opens its device in [`Optimizer::move_to_gpu`].
    ///
    /// # Errors
    /// As [`Optimizer::with_config`].
    pub fn new(params: impl Into<R::Params>) -> Result<Self, GpuOptimError> {
        Self::with_config(params, GpuOptimizerConfig::default())
    }

    /// An optimizer on a back end. It opens its device in [`Optimizer::move_to_gpu`].
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] or [`GpuOptimError::Requirement`] for hyper-parameters that the rule refuses;
    /// [`GpuOptimError::UnsupportedOperation`] for a back end that this build does not have.
    pub fn with_config(params: impl Into<R::Params>, config: GpuOptimizerConfig) -> Result<Self, GpuOptimError> {
        config.device_config().backend()?;
        let mut optimizer = Self::unplaced(params.into())?;
        optimizer.classic.config = config;
        Ok(optimizer)
    }

    /// The back end that steps run on.
    pub fn backend(&self) -> GpuBackend {
        let chosen = || self.classic.config.device_config().backend().unwrap_or(GpuBackend::Cpu);
        self.device().map_or_else(chosen, Device::backend)
    }

    /// Moves the optimizer, with its states, to its device. Optimizers of one configuration share a device. Where that was
    /// lost while the optimizer was on the host, or has been [reset](Optimizer::reset) since, a new one is opened.
    ///
    /// # Errors
    /// [`GpuOptimError::NoAdapter`] lists the adapters that were seen: no GPU is ever replaced by the CPU.
    /// [`GpuOptimError::DeviceLost`] where the states are on a device that is lost, or the device was chosen by
    /// [`Optimizer::on`]: then call [`Optimizer::reset`], or [`Optimizer::move_to`] for another device.
    pub fn move_to_gpu(&mut self) -> Result<(), GpuOptimError> {
        let device = match self.device().cloned() {
            None => self.classic.device()?,
            Some(device) => match device.raw().check() {
                Ok(()) => device,
                Err(GpuOptimError::DeviceLost(_)) if self.has_left(&device) => self.classic.device()?,
                Err(error) => return Err(error),
            },
        };
        self.settle(device);
        Ok(())
    }

    /// Whether nothing of the optimizer is on this device, which was opened for it; then it is given up.
    fn has_left(&mut self, device: &Device) -> bool {
        if !self.is_off_device() || self.classic.device.get() != Some(device) {
            return false;
        }
        self.classic = Classic { config: self.classic.config, ..Classic::default() };
        true
    }

    /// Moves the optimizer, with its states, to the host's memory. It steps again after [`Optimizer::move_to_gpu`],
    /// bit for bit as if it had stayed.
    ///
    /// # Errors
    /// What reading the states says; the optimizer stays on the device then.
    pub fn move_to_cpu(&mut self) -> Result<(), GpuOptimError> {
        self.park()?;
        self.classic.set = None;
        Ok(())
    }

    /// Renamed.
    ///
    /// # Errors
    /// As [`Optimizer::move_to_gpu`].
    #[deprecated(since = "0.3.2", note = "renamed to `move_to_gpu`")]
    pub fn to_gpu(&mut self) -> Result<(), GpuOptimError> {
        self.move_to_gpu()
    }

    /// Renamed.
    ///
    /// # Errors
    /// As [`Optimizer::move_to_cpu`].
    #[deprecated(since = "0.3.2", note = "renamed to `move_to_cpu`")]
    pub fn to_cpu(&mut self) -> Result<(), GpuOptimError> {
        self.move_to_cpu()
    }

    /// Whether there is a GPU for this optimizer: the one it is on, or the one that [`Optimizer::move_to_gpu`] would
    /// move it to, which is opened to find out. False for the CPU back end.
    pub fn is_gpu_available(&self) -> bool {
        let is_gpu = |device: &Device| device.backend() != GpuBackend::Cpu;
        self.device().map_or_else(|| self.classic.device().is_ok_and(|device| is_gpu(&device)), is_gpu)
    }

    fn step_array<D: Dimension>(
        &mut self,
        params: &mut Array<f32, D>,
        gradients: &Array<f32, D>,
    ) -> Result<(), GpuOptimError> {
        let device = match self.device() {
            Some(device) if self.is_resident() => device.clone(),
            _ => {
                return Err(GpuOptimError::InvalidState(
                    "the optimizer is on no device: call `move_to_gpu()` before `step_gpu`".to_owned(),
                ));
            }
        };
        if params.shape() != gradients.shape() {
            let (expected, actual) = (params.shape().to_vec(), gradients.shape().to_vec());
            return Err(GpuOptimError::DimensionMismatch { expected, actual });
        }
        if let Some(shape) = self.tracked_shape(ARRAY).filter(|shape| *shape != params.shape()) {
            return Err(GpuOptimError::InvalidState(format!(
                "the states belong to parameters of shape {shape:?}, not {:?}: use one optimizer per array, or call \
                 `reset()`",
                params.shape()
            )));
        }
        if params.is_empty() {
            return Ok(());
        }
        let mut set = match self.classic.set.take() {
            Some(set) => set,
            None => ParamSet::new(&device, [(ARRAY, params.view())])?,
        };
        let stepped = self.step_through(&mut set, params, gradients);
        if stepped.is_err() && self.step_count() == 0 {
            // No state belongs to this array yet: the next one may have another shape.
            self.reset();
        } else {
            self.classic.set = Some(set);
        }
        stepped
    }

    fn step_through<D: Dimension>(
        &mut self,
        set: &mut ParamSet,
        params: &mut Array<f32, D>,
        gradients: &Array<f32, D>,
    ) -> Result<(), GpuOptimError> {
        set.write(ARRAY, params)?;
        set.write_grad(ARRAY, gradients)?;
        self.step(set)?;
        set.read_into(ARRAY, params)
    }
}

impl<R: Rule, D: Dimension> GpuOptimizer<f32, D> for Optimizer<R> {
    fn is_gpu_available(&self) -> bool {
        Optimizer::is_gpu_available(self)
    }

    fn move_to_gpu(&mut self) -> Result<(), GpuOptimError> {
        Optimizer::move_to_gpu(self)
    }

    fn move_to_cpu(&mut self) -> Result<(), GpuOptimError> {
        Optimizer::move_to_cpu(self)
    }

    fn step_gpu(&mut self, params: &mut Array<f32, D>, gradients: &Array<f32, D>) -> Result<(), GpuOptimError> {
        self.step_array(params, gradients)
    }
}
