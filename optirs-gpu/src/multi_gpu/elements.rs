//! Elements of arrays on their way to kernels, which are of f32: no number is ever converted.

use core::any::{Any, type_name};

use scirs2_core::gpu::GpuDataType;
use scirs2_core::ndarray::{ArrayBase, Data, DataMut, Dimension};
use scirs2_core::numeric::Float;

use crate::GpuOptimError;

/// The error of elements that are not f32.
pub(super) fn not_served<A>() -> GpuOptimError {
    GpuOptimError::UnsupportedOperation(format!(
        "gradients of `{}`: kernels are of f32; convert them to f32",
        type_name::<A>()
    ))
}

/// An array's elements in logical order.
pub(super) fn reals<A: Float + GpuDataType, D: Dimension>(
    values: &ArrayBase<impl Data<Elem = A>, D>,
) -> Result<Vec<f32>, GpuOptimError> {
    cast(values.iter().copied().collect())
}

/// Overwrites an array's elements, in logical order.
pub(super) fn fill<A: Float + GpuDataType, D: Dimension>(
    values: &mut ArrayBase<impl DataMut<Elem = A>, D>,
    reals: Vec<f32>,
) -> Result<(), GpuOptimError> {
    values.iter_mut().zip(cast::<f32, A>(reals)?).for_each(|(value, real)| *value = real);
    Ok(())
}

/// The same numbers, where both types are one.
pub(super) fn cast<From: 'static, To: 'static>(values: Vec<From>) -> Result<Vec<To>, GpuOptimError> {
    let values: Box<dyn Any> = Box::new(values);
    values.downcast().map(|values| *values).map_err(|_| not_served::<From>())
}
