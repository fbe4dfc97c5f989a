//! Where tensors lie in wgpu buffers, for kernels of the caller that read parameters and write gradients in place.

use std::sync::Arc;

use super::{Kind, ParamSet};
use crate::GpuOptimError;
use crate::backend::wgpu::WgpuBackend;
use crate::tables::arenas::Part;

/// A tensor, or a piece of one, in a wgpu buffer. Its elements are f32 in logical order.
#[derive(Clone, Debug)]
pub struct TensorBinding {
    /// The buffer: usable as storage and for copies.
    pub buffer: wgpu::Buffer,
    /// Where it starts, in bytes: a multiple of 256 in memory of ours.
    pub offset: u64,
    /// Its bytes.
    pub size: u64,
}

impl TensorBinding {
    /// As an entry of a bind group.
    pub fn as_binding(&self) -> wgpu::BindingResource<'_> {
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &self.buffer,
            offset: self.offset,
            size: wgpu::BufferSize::new(self.size),
        })
    }
}

impl ParamSet {
    /// Where a parameter lies. The buffer stays the same until tensors are added.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]; [`GpuOptimError::UnsupportedOperation`] where the set is not on a wgpu device,
    /// the tensor is empty, or it is larger than a buffer and has more than one binding
    /// ([`ParamSet::param_bindings`]).
    pub fn param_binding(&self, name: &str) -> Result<TensorBinding, GpuOptimError> {
        only(name, "param_bindings", self.bindings(name, Kind::Param)?)
    }

    /// Where the pieces of a parameter lie, in order.
    ///
    /// # Errors
    /// As [`ParamSet::param_binding`], but for the number of pieces: an empty tensor has none.
    pub fn param_bindings(&self, name: &str) -> Result<Vec<TensorBinding>, GpuOptimError> {
        self.bindings(name, Kind::Param)
    }

    /// Where a gradient goes: who asks is taken to write it before the next step, so the tensor counts as having one.
    /// After [`ParamSet::clear_grads`], say so with [`ParamSet::set_grad_present`].
    ///
    /// # Errors
    /// As [`ParamSet::param_binding`]; for several pieces there is [`ParamSet::grad_bindings`].
    pub fn grad_binding(&mut self, name: &str) -> Result<TensorBinding, GpuOptimError> {
        let binding = only(name, "grad_bindings", self.bindings(name, Kind::Gradient)?)?;
        self.set_grad_present(name)?;
        Ok(binding)
    }

    /// Where the pieces of a gradient go, in order; as [`ParamSet::grad_binding`].
    ///
    /// # Errors
    /// As [`ParamSet::param_bindings`].
    pub fn grad_bindings(&mut self, name: &str) -> Result<Vec<TensorBinding>, GpuOptimError> {
        let bindings = self.bindings(name, Kind::Gradient)?;
        self.set_grad_present(name)?;
        Ok(bindings)
    }

    fn bindings(&self, name: &str, kind: Kind) -> Result<Vec<TensorBinding>, GpuOptimError> {
        let tensor = self.tensor(name)?;
        let backend = self.wgpu()?;
        tensor.parts.iter().map(|part| self.binding(backend, part, kind)).collect()
    }

    /// Where a piece of a tensor lies.
    pub(super) fn binding(
        &self,
        backend: &WgpuBackend,
        part: &Part,
        kind: Kind,
    ) -> Result<TensorBinding, GpuOptimError> {
        let slice = self.arenas[part.arena].slice(kind);
        let offset = 4 * (slice.start + part.start_of(kind));
        Ok(TensorBinding { buffer: backend.unwrap(&slice.buffer)?, offset, size: 4 * part.len })
    }

    /// The back end, if it has wgpu buffers.
    pub(super) fn wgpu(&self) -> Result<&Arc<WgpuBackend>, GpuOptimError> {
        self.device.wgpu_backend().ok_or_else(|| {
            GpuOptimError::UnsupportedOperation(format!(
                "the parameters are on {}, which has no wgpu buffers: use `read` and `write_grad`",
                self.device.name()
            ))
        })
    }
}

fn only(name: &str, several: &str, bindings: Vec<TensorBinding>) -> Result<TensorBinding, GpuOptimError> {
    let count = bindings.len();
    match <[TensorBinding; 1]>::try_from(bindings) {
        Ok([binding]) => Ok(binding),
        Err(_) if count == 0 => {
            Err(GpuOptimError::UnsupportedOperation(format!("tensor `{name}` is empty: there is nothing to bind")))
        }
        Err(_) => Err(GpuOptimError::UnsupportedOperation(format!(
            "tensor `{name}` is larger than a buffer and lies in {count}: call `{several}`"
        ))),
    }
}
