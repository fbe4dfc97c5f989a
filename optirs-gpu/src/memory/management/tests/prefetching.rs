//! Every prefetcher predicts its own pattern, and is silent on others' and on noise.

use proptest::prelude::*;

use super::*;

const MARKOV: PrefetchPattern = PrefetchPattern::Markov { most: 64 };

/// All predictions over a trace, step by step.
fn predictions(pattern: PrefetchPattern, depth: usize, trace: &[u64]) -> Vec<Vec<u64>> {
    let mut prefetcher = Prefetcher::new(pattern, depth).unwrap();
    trace.iter().map(|address| prefetcher.observe(*address)).collect()
}

proptest! {
    #[test]
    fn a_stride_is_predicted_from_its_third_address_on(start in 1_000_000..2_000_000u64, stride in -50..50i64, depth in 1..5usize) {
        let address = |step: usize| start.wrapping_add_signed(stride * step as i64);
        let trace: Vec<u64> = (0..20).map(address).collect();
        let sequential = predictions(PrefetchPattern::Sequential, depth, &trace);
        let strided = predictions(PrefetchPattern::Strided, depth, &trace);
        for step in 0..trace.len() {
            let ahead: Vec<u64> = (1..=depth).map(|ahead| address(step + ahead)).collect();
            let expected = |is_pattern: bool| if is_pattern && step >= 2 { ahead.clone() } else { Vec::new() };
            prop_assert_eq!(&sequential[step], &expected(stride == 1));
            prop_assert_eq!(&strided[step], &expected(stride != 0));
        }
    }

    #[test]
    fn a_circle_of_any_addresses_is_predicted_in_its_third_round(seed in any::<u64>(), len in 3..30usize, depth in 1..5usize) {
        let circle: Vec<u64> = (0..len as u64).map(|step| seed.wrapping_add(step * step * 977)).collect();
        let trace: Vec<u64> = circle.iter().cycle().take(4 * len).copied().collect();
        let markov = predictions(MARKOV, depth, &trace);
        prop_assert!(markov[..2 * len].iter().all(Vec::is_empty), "once is no pattern");
        for (step, predicted) in markov.iter().enumerate().skip(3 * len) {
            let expected: Vec<u64> = (1..=depth).map(|ahead| circle[(step + ahead) % len]).collect();
            prop_assert_eq!(predicted, &expected);
        }
    }

    #[test]
    fn noise_predicts_nothing(addresses in prop::collection::hash_set(any::<u64>(), 3..200)) {
        let trace: Vec<u64> = addresses.into_iter().collect();
        for pattern in [PrefetchPattern::Sequential, PrefetchPattern::Strided, MARKOV] {
            prop_assert!(predictions(pattern, 4, &trace).iter().all(Vec::is_empty), "{pattern:?}");
        }
    }
}

#[test]
fn a_successor_that_comes_in_half_of_the_cases_is_not_likely() {
    let trace: Vec<u64> = [7, 1, 7, 2].into_iter().cycle().take(80).collect();
    let all = predictions(MARKOV, 1, &trace);
    let after_seven: Vec<&Vec<u64>> = all.iter().step_by(2).skip(4).collect();
    assert!(after_seven.iter().all(|predicted| predicted.len() <= 1));
    assert!(all.iter().skip(9).step_by(2).all(|predicted| *predicted == [7]), "7 follows on both");
    assert!(after_seven.iter().step_by(2).all(|predicted| predicted.is_empty()), "1 and 2 came equally often");
}

#[test]
fn the_oldest_address_is_forgotten_and_the_ends_of_addresses_end_a_sequence() {
    let mut few = Prefetcher::new(PrefetchPattern::Markov { most: 2 }, 1).unwrap();
    for address in [1, 2, 1, 2, 1] {
        let _ = few.observe(address);
    }
    assert_eq!(few.observe(2), [1]);
    for address in [30, 31, 32, 33] {
        let _ = few.observe(address);
    }
    assert_eq!(few.observe(1), [0u64; 0], "30 to 33 took the two places");
    let strided = predictions(PrefetchPattern::Strided, 3, &[9, 6, 3]);
    assert_eq!(strided[2], [0]);
    let up = predictions(PrefetchPattern::Strided, 3, &[u64::MAX - 3, u64::MAX - 2, u64::MAX - 1]);
    assert_eq!(up[2], [u64::MAX]);
    assert!(Prefetcher::new(PrefetchPattern::Markov { most: 0 }, 1).is_err());
    assert!(Prefetcher::new(PrefetchPattern::Sequential, 0).is_err());
}

#[test]
fn successors_that_are_no_longer_kept_count_all_the_same() {
    let often = [7, 1].into_iter().cycle().take(8);
    let trace: Vec<u64> = often.chain((100..200).flat_map(|other| [7, other])).chain([7]).collect();
    let all = predictions(PrefetchPattern::Markov { most: 1000 }, 1, &trace);
    assert_eq!(all[6], [1], "3 of 3 times");
    assert_eq!(all[trace.len() - 1], [0u64; 0], "4 of 104 times");
}
