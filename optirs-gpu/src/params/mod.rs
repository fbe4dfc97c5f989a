//! Named parameter tensors on a device, with their gradients.
//!
//! All tensors of a set lie in a few arenas, so that one dispatch covers them. Places are only ever appended: a tensor
//! keeps its own, also where it is frozen or removed, and its slot is its identity.

mod arenas;
mod arrays;
mod beside;
#[cfg(feature = "wgpu")]
mod bindings;
#[cfg(feature = "wgpu")]
mod foreign;
mod membership;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(feature = "checkpoint")]
use scirs2_core::ndarray::ArrayView1;
use scirs2_core::ndarray::{ArrayBase, ArrayD, Data, DataMut, Dimension, IxDyn};

pub(crate) use arenas::{Arena, Kind, regrown};
use arrays::fill;
pub(crate) use arrays::in_parts;
pub(crate) use beside::Beside;
#[cfg(feature = "wgpu")]
pub use bindings::TensorBinding;
pub(crate) use membership::{Holder, Standing};

use crate::tables::Bounds;
use crate::tables::arenas::{Arenas, Part};
use crate::{Device, GpuOptimError};

/// Parameters and gradients on a device, by name.
///
/// Values go in and out in the arrays' logical order, whatever their memory layout. A gradient stays until it is
/// overwritten or cleared, as `.grad` does in PyTorch: a tensor without one is skipped by a step. An empty tensor never
/// takes part.
///
/// ```
/// use optirs_gpu::{Device, ParamSet};
/// use scirs2_core::ndarray::{arr1, arr2};
///
/// let mut params = ParamSet::new(&Device::cpu(), [("w", arr2(&[[1.0, 2.0], [3.0, 4.0]]))])?;
/// params.add("b", &arr1(&[0.5]))?;
/// params.write_grad("w", &arr2(&[[0.1, 0.2], [0.3, 0.4]]).t())?;
/// assert_eq!(params.read("b")?, arr1(&[0.5]).into_dyn());
/// # Ok::<(), optirs_gpu::GpuOptimError>(())
/// ```
#[derive(Debug)]
pub struct ParamSet {
    device: Device,
    /// Which set this is: an optimizer's states belong to one.
    id: u64,
    /// Rises when buffers are replaced.
    version: u64,
    /// Rises when other tensors may take part in a step than before.
    changes: u64,
    layout: Arenas,
    arenas: Vec<Arena>,
    tensors: Vec<Tensor>,
    /// Of the tensors that have not been removed.
    slots: HashMap<String, usize>,
    /// Names of removed tensors that no other has taken.
    freed: HashMap<String, Holder>,
}

/// A tensor of a set.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    pub name: String,
    pub shape: Vec<usize>,
    pub len: u64,
    pub parts: Vec<Part>,
    pub has_grad: bool,
    pub standing: Standing,
    pub holder: Holder,
}

impl ParamSet {
    /// A set of these tensors. For tensors of different numbers of dimensions, pass views `.into_dyn()` or call
    /// [`ParamSet::add`].
    ///
    /// # Errors
    /// [`GpuOptimError::DuplicateTensor`], and what the device says when it has no memory for them.
    pub fn new<N, S, D>(
        device: &Device,
        tensors: impl IntoIterator<Item = (N, ArrayBase<S, D>)>,
    ) -> Result<ParamSet, GpuOptimError>
    where
        N: Into<String>,
        S: Data<Elem = f32>,
        D: Dimension,
    {
        let mut set = ParamSet {
            device: device.clone(),
            id: next_id(),
            version: 0,
            changes: 0,
            layout: Arenas::new(Bounds::of(&device.raw().limits())?),
            arenas: Vec::new(),
            tensors: Vec::new(),
            slots: HashMap::new(),
            freed: HashMap::new(),
        };
        set.extend(tensors)?;
        Ok(set)
    }

    /// Appends a tensor. Bindings that were handed out earlier may point to a replaced buffer afterwards.
    ///
    /// # Errors
    /// As [`ParamSet::new`]; the set is unchanged then.
    pub fn add<S, D>(&mut self, name: impl Into<String>, values: &ArrayBase<S, D>) -> Result<(), GpuOptimError>
    where
        S: Data<Elem = f32>,
        D: Dimension,
    {
        self.extend([(name, values.view())])
    }

    /// Appends tensors, in one allocation.
    ///
    /// # Errors
    /// As [`ParamSet::new`]; the set is unchanged then.
    pub fn extend<N, S, D>(
        &mut self,
        tensors: impl IntoIterator<Item = (N, ArrayBase<S, D>)>,
    ) -> Result<(), GpuOptimError>
    where
        N: Into<String>,
        S: Data<Elem = f32>,
        D: Dimension,
    {
        let mut layout = self.layout.clone();
        let mut added = Vec::new();
        let mut names = HashSet::new();
        for (name, values) in tensors {
            let name = name.into();
            if self.slots.contains_key(&name) || !names.insert(name.clone()) {
                return Err(GpuOptimError::DuplicateTensor(name));
            }
            let (len, shape) = (values.len() as u64, values.shape().to_vec());
            let parts = layout.place(len)?;
            let (has_grad, standing, holder) = (false, Standing::Trained, Holder::default());
            added.push((Tensor { name, shape, len, parts, has_grad, standing, holder }, values));
        }
        let arenas = arenas::grown(&self.device, &self.arenas, &layout.used())?;
        for (tensor, values) in &added {
            arenas::write(&self.device, &arenas, Kind::Param, &tensor.parts, values)?;
        }
        self.version += 1;
        (self.layout, self.arenas) = (layout, arenas);
        added.into_iter().for_each(|(tensor, _)| self.admit(tensor));
        Ok(())
    }

    /// Overwrites a parameter.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`], [`GpuOptimError::ShapeMismatch`]: nothing is written. Where the device fails
    /// in the middle of a large tensor (more than 4 MiB), a part of it may have been: write it again.
    pub fn write<S, D>(&mut self, name: &str, values: &ArrayBase<S, D>) -> Result<(), GpuOptimError>
    where
        S: Data<Elem = f32>,
        D: Dimension,
    {
        let tensor = self.tensor_of_shape(name, values.shape())?;
        arenas::write(&self.device, &self.arenas, Kind::Param, &tensor.parts, values)
    }

    /// Gives a tensor its gradient, until it is overwritten or cleared.
    ///
    /// # Errors
    /// As [`ParamSet::write`].
    pub fn write_grad<S, D>(&mut self, name: &str, values: &ArrayBase<S, D>) -> Result<(), GpuOptimError>
    where
        S: Data<Elem = f32>,
        D: Dimension,
    {
        let tensor = self.tensor_of_shape(name, values.shape())?;
        arenas::write(&self.device, &self.arenas, Kind::Gradient, &tensor.parts, values)?;
        self.set_grad(name, true)
    }

    /// Declares that a tensor has a gradient: what was last written, or what your own kernel writes.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]
    pub fn set_grad_present(&mut self, name: &str) -> Result<(), GpuOptimError> {
        self.set_grad(name, true)
    }

    /// Takes a tensor's gradient away: steps skip it.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]
    pub fn set_grad_missing(&mut self, name: &str) -> Result<(), GpuOptimError> {
        self.set_grad(name, false)
    }

    /// Takes all gradients away.
    pub fn clear_grads(&mut self) {
        (0..self.tensors.len()).for_each(|slot| self.have_grad(slot, false));
    }

    /// Whether the tensor has a gradient.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]
    pub fn has_grad(&self, name: &str) -> Result<bool, GpuOptimError> {
        Ok(self.tensor(name)?.has_grad)
    }

    /// Reads a parameter, waiting for the steps before.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`], and what the device says.
    pub fn read(&self, name: &str) -> Result<ArrayD<f32>, GpuOptimError> {
        self.read_kind(Kind::Param, name)
    }

    /// Reads the gradient that was last written; zeros before.
    ///
    /// # Errors
    /// As [`ParamSet::read`].
    pub fn read_grad(&self, name: &str) -> Result<ArrayD<f32>, GpuOptimError> {
        self.read_kind(Kind::Gradient, name)
    }

    /// Reads a parameter into an array of its shape, of any memory layout.
    ///
    /// # Errors
    /// As [`ParamSet::read`]; [`GpuOptimError::ShapeMismatch`]. Where the device fails in the middle of a large tensor
    /// (more than 4 MiB), a part of the array may have been overwritten.
    pub fn read_into<S, D>(&self, name: &str, values: &mut ArrayBase<S, D>) -> Result<(), GpuOptimError>
    where
        S: DataMut<Elem = f32>,
        D: Dimension,
    {
        let tensor = self.tensor_of_shape(name, values.shape())?;
        fill(values, |words| arenas::read_into(&self.device, &self.arenas, Kind::Param, &tensor.parts, words))
    }

    /// All parameters, one after the other in the order of their slots; waits once for each arena, which is one unless
    /// they are larger than a binding can be.
    pub(crate) fn read_all(&self) -> Result<Vec<f32>, GpuOptimError> {
        arenas::read_all(&self.device, &self.arenas, self.tensors.iter().flat_map(|tensor| &tensor.parts))
    }

    /// The tensors' names, in the order of their slots.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let there = self.tensors.iter().filter(|tensor| tensor.standing != Standing::Removed);
        there.map(|tensor| tensor.name.as_str())
    }

    /// A tensor's shape.
    ///
    /// # Errors
    /// [`GpuOptimError::UnknownTensor`]
    pub fn shape(&self, name: &str) -> Result<&[usize], GpuOptimError> {
        Ok(&self.tensor(name)?.shape)
    }

    /// Number of tensors.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no tensor.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Where the tensors lie.
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    pub(crate) fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    pub(crate) fn arenas(&self) -> &[Arena] {
        &self.arenas
    }

    pub(crate) fn slot(&self, name: &str) -> Result<usize, GpuOptimError> {
        self.slots.get(name).copied().ok_or_else(|| GpuOptimError::UnknownTensor(name.to_owned()))
    }

    /// A tensor's values, in logical order.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn read_words(&self, slot: usize) -> Result<Vec<u32>, GpuOptimError> {
        arenas::read(&self.device, &self.arenas, Kind::Param, &self.tensors[slot].parts)
    }

    #[cfg(feature = "checkpoint")]
    pub(crate) fn write_words(&mut self, slot: usize, words: &[u32]) -> Result<(), GpuOptimError> {
        let reals = ArrayView1::from(bytemuck::cast_slice::<u32, f32>(words));
        arenas::write(&self.device, &self.arenas, Kind::Param, &self.tensors[slot].parts, &reals)
    }

    fn tensor(&self, name: &str) -> Result<&Tensor, GpuOptimError> {
        Ok(&self.tensors[self.slot(name)?])
    }

    fn tensor_of_shape(&self, name: &str, actual: &[usize]) -> Result<&Tensor, GpuOptimError> {
        let tensor = self.tensor(name)?;
        same_shape(name, &tensor.shape, actual)?;
        Ok(tensor)
    }

    /// Says of every tensor, by slot, whether it has a gradient.
    pub(crate) fn have_grads(&mut self, has_grad: &[bool]) {
        (0..self.tensors.len()).zip(has_grad).for_each(|(slot, has_grad)| self.have_grad(slot, *has_grad));
    }

    /// Says whether the tensor in a slot has a gradient.
    fn have_grad(&mut self, slot: usize, has_grad: bool) {
        let had_grad = core::mem::replace(&mut self.tensors[slot].has_grad, has_grad);
        self.changes += u64::from(had_grad != has_grad);
    }

    fn set_grad(&mut self, name: &str, present: bool) -> Result<(), GpuOptimError> {
        let slot = self.slot(name)?;
        self.have_grad(slot, present);
        Ok(())
    }

    fn read_kind(&self, kind: Kind, name: &str) -> Result<ArrayD<f32>, GpuOptimError> {
        let tensor = self.tensor(name)?;
        let words = arenas::read(&self.device, &self.arenas, kind, &tensor.parts)?;
        array(&tensor.shape, words)
    }
}

/// The identity of a set.
fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// An array of a tensor's values.
pub(crate) fn array(shape: &[usize], words: Vec<u32>) -> Result<ArrayD<f32>, GpuOptimError> {
    let reals = words.into_iter().map(f32::from_bits).collect();
    ArrayD::from_shape_vec(IxDyn(shape), reals).map_err(|error| GpuOptimError::Device(error.to_string()))
}

/// Refuses values of another shape for a tensor.
pub(crate) fn same_shape(tensor: &str, expected: &[usize], actual: &[usize]) -> Result<(), GpuOptimError> {
    if expected == actual {
        return Ok(());
    }
    let (tensor, expected, actual) = (tensor.to_owned(), expected.to_vec(), actual.to_vec());
    Err(GpuOptimError::ShapeMismatch { tensor, expected, actual })
}
