//! Who takes part is looked up after a change alone, and counts are right whoever takes part.

use std::sync::Arc;

use super::*;

/// The lineup of the update.
fn slots(optimizer: &Optimizer<Descent>) -> Arc<[usize]> {
    optimizer.lineups[0].as_ref().unwrap().slots.clone()
}

fn counts(optimizer: &Optimizer<Descent>) -> [u64; 2] {
    ["w", "b"].map(|name| optimizer.tensor_step_count(name).unwrap())
}

#[test]
fn a_step_over_the_tensors_of_the_one_before_looks_nothing_up() {
    let (mut params, mut optimizer) = two();
    optimizer.step(&mut params).unwrap();
    let first = slots(&optimizer);
    params.write_grad("w", &arr1(&[2.0, 2.0])).unwrap();
    optimizer.step(&mut params).unwrap();
    assert!(Arc::ptr_eq(&first, &slots(&optimizer)));
    // Gradients that are cleared and written again are those of the same tensors.
    params.clear_grads();
    params.write_grad("w", &arr1(&[2.0, 2.0])).unwrap();
    params.write_grad("b", &arr1(&[4.0])).unwrap();
    optimizer.step(&mut params).unwrap();
    assert!(Arc::ptr_eq(&first, &slots(&optimizer)));
    assert_eq!(optimizer.cohorts.len(), 1);
    params.freeze("b").unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(*slots(&optimizer), [0]);
    assert_eq!(counts(&optimizer), [4, 3]);
}

#[test]
fn tensors_part_and_meet_again() {
    let (mut params, mut optimizer) = two();
    params.set_grad_missing("b").unwrap();
    optimizer.step(&mut params).unwrap();
    params.set_grad_present("b").unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!((counts(&optimizer), optimizer.cohorts.len()), ([2, 1], 2));
    optimizer.set_tensor_step_count(&params, "b", 2).unwrap();
    assert_eq!(counts(&optimizer), [2, 2]);
    optimizer.step(&mut params).unwrap();
    assert_eq!((counts(&optimizer), optimizer.cohorts.len()), ([3, 3], 1));
    params.add("c", &arr1(&[1.0])).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(counts(&optimizer), [4, 4]);
    assert_eq!(optimizer.tensor_step_count("c").unwrap(), 0);
}
