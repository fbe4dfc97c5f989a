//! Steps that go into a command encoder of the caller's.

use super::Optimizer;
use crate::rule::Rule;
use crate::{GpuOptimError, ParamSet};

impl<R: Rule> Optimizer<R> {
    /// Records an update into a command encoder instead of submitting it: between the commands of yours that make the
    /// gradients and those that use the parameters, in one submission. What an update takes, and which tensors take part,
    /// is as in [`Optimizer::step`].
    ///
    /// The step counts as taken when this returns. Submit the encoder, and in the order of recording, before anything
    /// else is asked of the optimizer, `step` included, or read from the set; several steps may be recorded into one
    /// encoder. Where it is dropped instead, states of the optimizer and its counters no longer agree:
    /// [`reset`](Optimizer::reset) begins anew.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), optirs_gpu::GpuOptimError> {
    /// # use optirs_gpu::{AdamParams, Device, GpuAdam, ParamSet, ndarray::arr1};
    /// let device = Device::new()?;
    /// let mut params = ParamSet::new(&device, [("w", arr1(&[1.0f32; 64]))])?;
    /// let mut optimizer = GpuAdam::on(&device, AdamParams::default())?;
    /// if let Some((wgpu, queue)) = device.wgpu() {
    ///     let mut encoder = wgpu.create_command_encoder(&Default::default());
    ///     // … kernels of yours that write to `params.grad_binding("w")?` …
    ///     params.set_grad_present("w")?;
    ///     optimizer.record_step(&mut params, &mut encoder)?;
    ///     queue.submit([encoder.finish()]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`GpuOptimError::UnsupportedOperation`] on a device that is not wgpu's, and where the device may skip the step:
    /// with clipping by a norm or a loss scaler. Else as [`Optimizer::step`]. Nothing has been recorded then.
    pub fn record_step(
        &mut self,
        params: &mut ParamSet,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), GpuOptimError> {
        let device = self.home(params)?;
        let Some((recording, recorder)) = device.recording() else {
            let what = format!("{device} takes no commands of others: `record_step` needs a device of wgpu");
            return Err(GpuOptimError::UnsupportedOperation(what));
        };
        self.step_on(Some(&recording), params)?;
        recorder.replay(encoder)
    }
}
