//! Values of arrays in logical order: transposed, sliced and reversed ones give what indexing them gives.

use scirs2_core::ndarray::{ArrayBase, Data, DataMut, Dimension};

use crate::GpuOptimError;
use crate::backend::zeros;

/// Words that are gathered at a time where memory is not in logical order: a view may be much larger than its memory.
const PIECE: u64 = if cfg!(miri) { 1 << 8 } else { 1 << 22 };

/// Passes an array's elements on as words, cut into consecutive parts of these lengths: which part, the first word
/// within it, and words. Where memory is in logical order already, a part comes in one piece and is not copied.
pub(crate) fn in_parts<S, D>(
    values: &ArrayBase<S, D>,
    lengths: impl IntoIterator<Item = u64>,
    mut pass: impl FnMut(usize, u64, &[u32]) -> Result<(), GpuOptimError>,
) -> Result<(), GpuOptimError>
where
    S: Data<Elem = f32>,
    D: Dimension,
{
    if let Some(slice) = values.as_slice() {
        let mut rest: &[u32] = bytemuck::cast_slice(slice);
        for (part, length) in lengths.into_iter().enumerate() {
            let (words, behind) = rest.split_at(length as usize);
            pass(part, 0, words)?;
            rest = behind;
        }
        return Ok(());
    }
    let mut rest = values.iter().map(|value| value.to_bits());
    let mut words = Vec::new();
    for (part, length) in lengths.into_iter().enumerate() {
        for start in (0..length).step_by(PIECE as usize) {
            words.clear();
            words.extend(rest.by_ref().take(PIECE.min(length - start) as usize));
            pass(part, start, &words)?;
        }
    }
    Ok(())
}

/// Overwrites an array's elements with the words that `read` writes: in place where memory is in logical order.
pub(crate) fn fill<S, D>(
    values: &mut ArrayBase<S, D>,
    read: impl FnOnce(&mut [u32]) -> Result<(), GpuOptimError>,
) -> Result<(), GpuOptimError>
where
    S: DataMut<Elem = f32>,
    D: Dimension,
{
    match values.as_slice_mut() {
        Some(slice) => read(bytemuck::cast_slice_mut(slice)),
        None => {
            let mut words = zeros("a tensor's values", values.len() as u64)?;
            read(&mut words)?;
            values.iter_mut().zip(words).for_each(|(value, word)| *value = f32::from_bits(word));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use scirs2_core::ndarray::{Array1, s};

    use super::*;

    /// What is passed on for these lengths: parts, starts, words.
    fn passed(
        values: &ArrayBase<impl Data<Elem = f32>, impl Dimension>,
        lengths: [u64; 3],
    ) -> Vec<(usize, u64, Vec<u32>)> {
        let mut passed = Vec::new();
        in_parts(values, lengths, |part, start, words| {
            passed.push((part, start, words.to_vec()));
            Ok(())
        })
        .unwrap();
        passed
    }

    #[test]
    fn parts_are_whole_whatever_the_layout_and_pieces_end_with_them() {
        let straight = Array1::from_iter((0..PIECE + 100).map(|index| index as f32));
        let reversed = Array1::from_iter(straight.iter().rev().copied());
        let lengths = [3, PIECE + 90, 7];
        let whole = passed(&straight, lengths);
        assert_eq!(whole.iter().map(|(part, start, _)| (*part, *start)).collect::<Vec<_>>(), [(0, 0), (1, 0), (2, 0)]);
        let pieces = passed(&reversed.slice(s![..;-1]), lengths);
        let starts: Vec<_> = pieces.iter().map(|(part, start, words)| (*part, *start, words.len())).collect();
        assert_eq!(starts, [(0, 0, 3), (1, 0, PIECE as usize), (1, PIECE, 90), (2, 0, 7)]);
        let joined =
            |all: Vec<(usize, u64, Vec<u32>)>| all.into_iter().flat_map(|(_, _, words)| words).collect::<Vec<_>>();
        assert!(joined(pieces) == joined(whole));
    }
}
