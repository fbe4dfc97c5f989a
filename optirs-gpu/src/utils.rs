//! Sizes, alignments and launch shapes: small calculations that callers of 0.3.2 have from here, with its results.
//!
//! Guarantees that nothing wraps around or panics.
//!
//! ```
//! use optirs_gpu::utils::{align_size, calculate_block_size, format_bytes};
//!
//! assert_eq!(align_size(1000, 256), 1024);
//! assert_eq!(calculate_block_size(1000, 1024), (4, 256));
//! assert_eq!(format_bytes(4 * 124_439_808), "474.70 MB");
//! ```

use crate::backends::{GpuBackend, detected_backends};
use crate::rule::records::WORKGROUP_SIZE;

/// The smallest multiple of `alignment` that is not below `size`. An alignment that is no power of two, 0 included, asks
/// for nothing: `size` comes back. Where no multiple fits, `usize::MAX`, which no allocation grants.
#[must_use]
pub fn align_size(size: usize, alignment: usize) -> usize {
    if alignment.is_power_of_two() { size.checked_next_multiple_of(alignment).unwrap_or(usize::MAX) } else { size }
}

/// Whether `addr` is a multiple of `alignment`; false if that is no power of two.
#[must_use]
pub fn is_aligned(addr: usize, alignment: usize) -> bool {
    alignment.is_power_of_two() && addr.is_multiple_of(alignment)
}

/// How fragmented free memory is, in 0 ..= 1: `1 - largest block / all free bytes`, and 0 where nothing is free.
/// `free_blocks` holds pairs of a size in bytes and how many blocks have it.
#[must_use]
pub fn calculate_fragmentation(free_blocks: &[(usize, usize)]) -> f32 {
    let blocks = || free_blocks.iter().filter(|(_, count)| *count > 0);
    // In f64, where sizes × counts neither overflow nor, below 2⁵³ bytes, lose anything.
    let free: f64 = blocks().map(|&(size, count)| size as f64 * count as f64).sum();
    let largest = blocks().map(|&(size, _)| size).max().unwrap_or(0) as f64;
    if free > 0.0 { (1.0 - largest / free) as f32 } else { 0.0 }
}

/// A number of bytes to read, in B, KB, MB, GB or TB of 1024 each, with two digits after the point from KB on.
#[must_use]
pub fn format_bytes(bytes: usize) -> String {
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = "KB";
    for larger in ["MB", "GB", "TB"] {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, larger);
    }
    format!("{value:.2} {unit}")
}

/// The smallest power of two that is not below `n`, 1 for 0; `None` where it does not fit.
#[must_use]
pub fn checked_next_power_of_two(n: usize) -> Option<usize> {
    n.checked_next_power_of_two()
}

/// Blocks and threads of a block, `(blocks, threads)`, for a thread for each of `n` elements: blocks of at most
/// `max_threads` threads, and of at most 256, as the generated kernels have them. A limit of 0 counts as 1.
#[must_use]
pub fn calculate_block_size(n: usize, max_threads: usize) -> (usize, usize) {
    let threads = max_threads.clamp(1, WORKGROUP_SIZE);
    (n.div_ceil(threads), threads)
}

/// The first of [`detected_backends`], or [`GpuBackend::Cpu`] where it finds no GPU, or cannot find out, which is logged.
#[must_use]
pub fn get_optimal_backend() -> GpuBackend {
    let backends = detected_backends().unwrap_or_else(|error| {
        log::warn!("{error}");
        Vec::new()
    });
    backends.first().copied().unwrap_or(GpuBackend::Cpu)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn results_are_those_of_the_earlier_version() {
        assert_eq!([align_size(300, 256), align_size(300, 3), align_size(300, 0)], [512, 300, 300]);
        assert_eq!([is_aligned(512, 256), is_aligned(513, 256), is_aligned(9, 3)], [true, false, false]);
        assert_eq!(calculate_fragmentation(&[(256, 4)]), 0.75);
        assert_eq!([512, 1024, 1_048_576].map(format_bytes), ["512 B", "1.00 KB", "1.00 MB"]);
        assert_eq!([0, 100, 128].map(checked_next_power_of_two), [Some(1), Some(128), Some(128)]);
        assert_eq!([calculate_block_size(257, 256), calculate_block_size(10, 0)], [(2, 256), (10, 1)]);
    }

    #[test]
    fn the_ends_of_the_range_are_answered() {
        assert_eq!(align_size(usize::MAX, 256), usize::MAX);
        assert_eq!(checked_next_power_of_two(usize::MAX), None);
        assert_eq!(calculate_block_size(usize::MAX, usize::MAX).1, 256);
        assert_eq!(calculate_block_size(0, 256), (0, 256));
        assert_eq!(format_bytes(usize::MAX), "16777216.00 TB");
        assert_eq!(calculate_fragmentation(&[]), 0.0);
        assert_eq!(calculate_fragmentation(&[(0, 5), (64, 0)]), 0.0);
        assert_eq!(calculate_fragmentation(&[(usize::MAX, usize::MAX)]), 1.0);
    }

    #[test]
    fn the_best_back_end_is_the_first_that_is_there() {
        let expected = detected_backends().unwrap().first().copied().unwrap_or(GpuBackend::Cpu);
        assert_eq!(get_optimal_backend(), expected);
    }

    proptest! {
        #[test]
        fn an_aligned_size_is_the_next_multiple(size in 0usize..1 << 40, power in 0u32..20) {
            let alignment = 1usize << power;
            let aligned = align_size(size, alignment);
            prop_assert!(is_aligned(aligned, alignment) && aligned >= size && aligned - size < alignment);
        }

        #[test]
        fn blocks_cover_all_elements(n in 0usize..1 << 40, most in 0usize..2048) {
            let (blocks, threads) = calculate_block_size(n, most);
            prop_assert!(threads >= 1 && threads <= most.max(1) && threads <= 256);
            prop_assert!(blocks * threads >= n && blocks * threads - n < threads);
        }
    }
}
