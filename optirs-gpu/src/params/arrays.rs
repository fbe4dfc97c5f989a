//! Values of arrays in logical order: transposed, sliced and reversed ones give what indexing them gives.

use std::borrow::Cow;

use scirs2_core::ndarray::{ArrayBase, Data, DataMut, Dimension};

/// An array's elements as words; borrowed where memory is in logical order already.
pub(crate) fn words_of<S, D>(values: &ArrayBase<S, D>) -> Cow<'_, [u32]>
where
    S: Data<Elem = f32>,
    D: Dimension,
{
    match values.as_slice() {
        Some(slice) => Cow::Borrowed(bytemuck::cast_slice(slice)),
        None => values.iter().map(|value| value.to_bits()).collect(),
    }
}

/// Overwrites an array's elements.
pub(crate) fn fill<S, D>(values: &mut ArrayBase<S, D>, reals: &[f32])
where
    S: DataMut<Elem = f32>,
    D: Dimension,
{
    match values.as_slice_mut() {
        Some(slice) if slice.len() == reals.len() => slice.copy_from_slice(reals),
        _ => values.iter_mut().zip(reals).for_each(|(value, real)| *value = *real),
    }
}
