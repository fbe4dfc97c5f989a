use proptest::prelude::*;

use super::*;

fn new(offsets: &[usize], columns: &[usize]) -> Result<CsrGradient, GpuOptimError> {
    CsrGradient::new(offsets.to_vec(), columns.to_vec(), vec![1.0; columns.len()], (3, 4))
}

#[test]
fn rows_are_checked() {
    let message = |offsets: &[usize], columns: &[usize]| new(offsets, columns).unwrap_err().to_string();
    assert!(message(&[0, 1, 1, 1], &[4]).contains("column 4 is out of range: it must be below 4"));
    assert!(message(&[0, 2, 2, 2], &[1, 1]).contains("column 1 follows 1"));
    assert!(message(&[0, 2, 1, 2], &[0, 1]).contains("fall from 2 to 1 behind row 1"));
    assert!(message(&[0, 1, 1, 1], &[0, 1]).contains("from 0 to 1") && message(&[1, 1, 1, 1], &[0]).contains("from 1"));
    assert!(message(&[0, 3, 0, 1], &[0]).contains("fall"));
    assert!(matches!(new(&[0, 0, 0], &[]), Err(GpuOptimError::DimensionMismatch { .. })));
    let uneven = CsrGradient::new(vec![0, 1, 1, 1], vec![0], vec![], (3, 4));
    assert!(matches!(uneven, Err(GpuOptimError::DimensionMismatch { .. })));
    assert!(matches!(new(&[0; 4], &[]).unwrap().row(3), Err(GpuOptimError::InvalidState(_))));
}

#[test]
fn shapes_that_overflow_are_refused_or_empty() {
    let shape = (usize::MAX, usize::MAX);
    let empty = CsrGradient::empty(shape);
    assert!(empty.validate().is_ok());
    assert!(empty.to_coo().is_empty());
    assert!(CsrGradient::from_coo(&CooGradient::empty(1), shape).is_err());
    assert!(CsrGradient::new(vec![], vec![], vec![], shape).is_err());
    assert!(CsrGradient::from_coo(&CooGradient::empty(0), (5, 0)).is_ok());
    assert!(CsrGradient::from_coo(&CooGradient::empty(11), (3, 4)).is_err());
}

#[test]
fn rows_hold_their_entries() {
    let gradient = CsrGradient::new(vec![0, 2, 2, 3], vec![0, 3, 1], vec![1.0, 2.0, 3.0], (3, 4)).unwrap();
    assert_eq!(gradient.row(0).unwrap(), ([0, 3].as_slice(), [1.0, 2.0].as_slice()));
    assert_eq!(gradient.row(1).unwrap(), ([].as_slice(), [].as_slice()));
    assert_eq!(gradient.iter().collect::<Vec<_>>(), [(0, 0, 1.0), (0, 3, 2.0), (2, 1, 3.0)]);
    assert_eq!((gradient.rows(), gradient.cols(), gradient.nnz()), (3, 4, 3));
    assert_eq!(CooGradient::from(&gradient).indices(), [0, 3, 9]);
}

proptest! {
    #[test]
    fn forms_come_back(cells in proptest::collection::btree_map(0usize..35, -1e3f64..1e3, 0..35)) {
        let (indices, values): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
        let coo = CooGradient::new(indices.clone(), values.clone(), 35).unwrap();
        let csr = CsrGradient::from_coo(&coo, (7, 5)).unwrap();
        csr.validate().unwrap();
        prop_assert_eq!(csr.to_coo(), coo);
        let offsets = (0..=7).map(|row| indices.iter().filter(|index| **index < row * 5).count()).collect();
        let columns = indices.iter().map(|index| index % 5).collect();
        prop_assert_eq!(CsrGradient::new(offsets, columns, values, (7, 5)).unwrap(), csr);
    }
}
