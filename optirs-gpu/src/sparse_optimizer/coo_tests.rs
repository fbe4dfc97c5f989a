use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[test]
fn entries_are_checked() {
    let message = |indices: &[usize]| {
        let values = vec![1.0; indices.len()];
        CooGradient::new(indices.to_vec(), values, 5).unwrap_err().to_string()
    };
    assert!(message(&[1, 5]).contains("index 5 is out of range: it must be below 5"));
    assert!(message(&[1, 1]).contains("index 1 follows 1") && message(&[2, 1]).contains("new_unsorted"));
    let uneven = CooGradient::new(vec![1], vec![], 5).unwrap_err();
    assert!(matches!(uneven, GpuOptimError::DimensionMismatch { .. }));
    assert!(CooGradient::new_unsorted(vec![1], vec![], 5).is_err());
    assert!(CooGradient::new_unsorted(vec![5, 1], vec![1.0, 1.0], 5).is_err());
    let empty = CooGradient::empty(0);
    assert!(empty.is_empty() && empty.validate().is_ok() && empty.nnz() == 0);
}

proptest! {
    #[test]
    fn duplicates_are_summed_in_order(entries in proptest::collection::vec((0usize..20, -1e3f64..1e3), 0..60)) {
        let (indices, values): (Vec<_>, Vec<_>) = entries.iter().copied().unzip();
        let gradient = CooGradient::new_unsorted(indices, values, 20).unwrap();
        let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
        for (index, value) in entries {
            sums.entry(index).and_modify(|sum| *sum += value).or_insert(value);
        }
        prop_assert_eq!(gradient.iter().collect::<Vec<_>>(), sums.into_iter().collect::<Vec<_>>());
        let again = CooGradient::new(gradient.indices().to_vec(), gradient.values().to_vec(), gradient.dim());
        prop_assert_eq!(again.unwrap(), gradient);
    }
}
