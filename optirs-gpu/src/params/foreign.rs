//! Parameters and gradients in wgpu buffers of others, bound in place.
//!
//! Tensors whose parameters lie in one buffer and whose gradients lie in one buffer share an arena, hence a dispatch;
//! the two may be the same buffer. What would let two tensors write one place is refused.

use std::sync::Arc;

use super::{Arena, Holder, Kind, ParamSet, Standing, Tensor, TensorBinding};
use crate::GpuOptimError;
use crate::backend::wgpu::WgpuBackend;
use crate::backend::{Buffer, Slice};
use crate::tables::arenas::Part;

/// Bytes of the vectors that kernels load and store.
const VECTOR: u64 = 16;

impl ParamSet {
    /// Appends a tensor that lies in buffers of the caller, from the same wgpu device. Steps update it in place and
    /// read its gradient where it is; it counts as having one, see [`ParamSet::set_grad_missing`]. A buffer of another
    /// device is refused; of one from another `wgpu::Instance` that is not certain: to wgpu it may be one of this instance.
    ///
    /// Each binding holds the elements in logical order, starts on a multiple of 16 bytes, and is followed by its buffer
    /// up to the next multiple of 16. Reading and writing through this set needs `COPY_SRC` and `COPY_DST`.
    ///
    /// # Errors
    /// [`GpuOptimError::DuplicateTensor`]; [`GpuOptimError::BindingSize`] where a binding's size is not the shape's;
    /// [`GpuOptimError::UnsupportedOperation`] for a start or an end that kernels cannot load, and for a buffer without the
    /// usage `STORAGE`; [`GpuOptimError::InvalidState`] where the parameter overlaps its gradient or another tensor, and for
    /// a buffer of another device or one that is destroyed; [`GpuOptimError::LimitExceeded`] for a tensor larger than the
    /// device binds. The set is unchanged then.
    pub fn add_bound(
        &mut self,
        name: impl Into<String>,
        shape: &[usize],
        param: &TensorBinding,
        grad: &TensorBinding,
    ) -> Result<(), GpuOptimError> {
        let name = name.into();
        if self.slots.contains_key(&name) {
            return Err(GpuOptimError::DuplicateTensor(name));
        }
        let backend = Arc::clone(self.wgpu()?);
        check(&name, "parameters", shape, param)?;
        check(&name, "gradients", shape, grad)?;
        let len = param.size / 4;
        let mut parts = Vec::new();
        if len > 0 {
            self.check_overlaps(&backend, &name, param, grad)?;
            let arena = self.arena_of(&backend, &name, param, grad)?;
            let start = |kind: Kind, binding: &TensorBinding| binding.offset / 4 - self.arenas[arena].slice(kind).start;
            let (start, grad_start) = (start(Kind::Param, param), start(Kind::Gradient, grad));
            parts.push(Part { arena, start, grad_start, offset: 0, len });
        }
        self.version += 1;
        let (shape, has_grad, standing, holder) = (shape.to_vec(), true, Standing::Trained, Holder::default());
        self.admit(Tensor { name, shape, len, parts, has_grad, standing, holder });
        Ok(())
    }

    /// The arena over these two buffers: one there is, or a new one.
    fn arena_of(
        &mut self,
        backend: &WgpuBackend,
        name: &str,
        param: &TensorBinding,
        grad: &TensorBinding,
    ) -> Result<usize, GpuOptimError> {
        for (place, arena) in self.arenas.iter().enumerate().filter(|(_, arena)| arena.foreign) {
            let holds = |slice: &Slice, binding: &TensorBinding| {
                let ends = (slice.start + slice.words) * 4;
                Ok::<_, GpuOptimError>(
                    backend.unwrap(&slice.buffer)? == binding.buffer
                        && slice.start * 4 <= binding.offset
                        && binding.end() <= ends,
                )
            };
            if holds(&arena.param, param)? && holds(&arena.grad, grad)? {
                return Ok(place);
            }
        }
        let limits = self.device.limits();
        let window = |buffer: Buffer, binding: &TensorBinding| {
            let whole = binding.buffer.size() / VECTOR * VECTOR;
            let (start, end) = match whole <= limits.binding_bytes {
                true => (0, whole),
                false => (binding.offset - binding.offset % limits.alignment_bytes, binding.end()),
            };
            if end - start > limits.binding_bytes {
                let (needed, limit) = (end - start, limits.binding_bytes);
                return Err(GpuOptimError::LimitExceeded {
                    what: "a binding".to_owned(),
                    needed,
                    limit,
                    unit: "bytes",
                });
            }
            Ok(Slice { buffer, start: start / 4, words: (end - start) / 4 })
        };
        let wrap = |binding: &TensorBinding, half: &str| {
            backend.wrap(binding.buffer.clone(), &format!("tensor `{name}`: the buffer of its {half}"))
        };
        let held = wrap(param, "parameters")?;
        let grad_held = if grad.buffer == param.buffer { held.clone() } else { wrap(grad, "gradients")? };
        let arena = Arena { param: window(held, param)?, grad: window(grad_held, grad)?, foreign: true };
        self.arenas.push(arena);
        Ok(self.layout.adopt())
    }

    /// A place that a step writes belongs to one tensor alone.
    fn check_overlaps(
        &self,
        backend: &WgpuBackend,
        name: &str,
        param: &TensorBinding,
        grad: &TensorBinding,
    ) -> Result<(), GpuOptimError> {
        if param.overlaps(grad) {
            return Err(GpuOptimError::InvalidState(format!("tensor `{name}`: its parameters and gradients overlap")));
        }
        for tensor in self.tensors.iter().filter(|tensor| tensor.standing != Standing::Removed) {
            for part in &tensor.parts {
                let other = self.binding(backend, part, Kind::Param)?;
                let other_grad = self.binding(backend, part, Kind::Gradient)?;
                if param.overlaps(&other) || param.overlaps(&other_grad) || grad.overlaps(&other) {
                    return Err(GpuOptimError::InvalidState(format!(
                        "tensors `{name}` and `{}` overlap: a step would write one place twice",
                        tensor.name
                    )));
                }
            }
        }
        Ok(())
    }
}

impl TensorBinding {
    /// Where its last vector ends.
    fn end(&self) -> u64 {
        (self.offset + self.size).next_multiple_of(VECTOR)
    }

    fn overlaps(&self, other: &TensorBinding) -> bool {
        self.buffer == other.buffer && self.offset < other.offset + other.size && other.offset < self.offset + self.size
    }
}

/// Refuses a binding of another size than the shape's, or of words that kernels cannot load.
fn check(name: &str, half: &'static str, shape: &[usize], binding: &TensorBinding) -> Result<(), GpuOptimError> {
    let needed = shape.iter().fold(4_u64, |bytes, dimension| bytes.saturating_mul(*dimension as u64));
    if needed != binding.size {
        let (tensor, shape, actual) = (name.to_owned(), shape.to_vec(), binding.size);
        return Err(GpuOptimError::BindingSize { tensor, half, shape, needed, actual });
    }
    let size = binding.buffer.size();
    let ends = binding.offset.checked_add(binding.size).and_then(|end| end.checked_next_multiple_of(VECTOR));
    if !binding.offset.is_multiple_of(VECTOR) || ends.is_none_or(|end| end > size) {
        return Err(GpuOptimError::UnsupportedOperation(format!(
            "tensor `{name}`: its {half}, {} bytes at {} of a buffer of {size}: kernels load 16 bytes at a time, so it must start on \
             a multiple of 16 and the buffer must reach to the next one behind it",
            binding.size, binding.offset
        )));
    }
    Ok(())
}
