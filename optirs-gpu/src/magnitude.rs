//! The order of magnitudes where something is chosen by size.

/// The rank of a number's magnitude: larger ones rank higher, ±0 alike, every NaN above infinity and like every other NaN,
/// whatever its sign and payload, which arithmetic need not keep.
pub(crate) fn rank(value: f32) -> u32 {
    // The bits of magnitudes are ordered as they are.
    value.abs().to_bits().min(f32::INFINITY.to_bits() + 1)
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn larger_magnitudes_rank_higher_and_all_nans_highest_and_alike() {
        let ascending = [0.0, 1e-45, 1.0, 1.5, f32::MAX, f32::INFINITY, f32::NAN];
        assert!(ascending.map(rank).is_sorted_by(|a, b| a < b));
        assert!(ascending.iter().all(|value| rank(*value) == rank(-value)));
        assert_eq!(rank(f32::from_bits(0x7fc0_0001)), rank(f32::from_bits(0xffff_ffff)));
    }
}
