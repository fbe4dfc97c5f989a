//! What is kept beside a set, where calls to the device fail.

use scirs2_core::ndarray::arr1;

use super::*;
use crate::backend::faulty::Faulty;
use crate::{Device, Snapshot, WeightAverage};

/// Makes a call.
type Run<'a> = &'a mut dyn FnMut(&mut dyn FnMut() -> Result<(), GpuOptimError>);

/// Runs a training once for each call to the back end, which fails then; a call of the training that fails is made again.
/// What comes of it is as expected, with and without a fault.
fn with_every_fault(expected: &[f32], training: fn(&Device, Run<'_>) -> Vec<f32>) {
    const FAR: i64 = 1 << 40;
    let cpu = Device::cpu();
    let late = |_| Err(GpuOptimError::Timeout { what: "a fault", seconds: 0.0 });
    let faulty = Faulty::new(&cpu, |_| true, Box::new(late));
    let mut calls = 0;
    let found = training(&faulty.device(&cpu), &mut |call| {
        faulty.set(FAR);
        call().unwrap();
        calls += FAR - faulty.set(-1);
    });
    assert_eq!(found, expected, "without a fault");
    assert!(calls > 20, "only {calls} calls");
    for place in 0..calls {
        let (mut left, mut failed) = (place, false);
        let found = training(&faulty.device(&cpu), &mut |call| {
            faulty.set(if failed { -1 } else { left });
            match call() {
                Ok(()) => left = faulty.set(-1),
                Err(GpuOptimError::Timeout { .. }) => {
                    failed = true;
                    call().unwrap();
                }
                Err(error) => panic!("call {place}: {error}"),
            }
        });
        assert!(failed, "call {place} did not fail");
        assert_eq!(found, expected, "call {place} failed");
    }
}

#[test]
fn a_call_that_failed_is_made_again_and_adds_nothing_twice() {
    with_every_fault(&[3.0, 3.0, 16.0], |device, run| {
        let mut params = ParamSet::new(device, [("a", arr1(&[1.0f32, 2.0])), ("b", arr1(&[3.0]))]).unwrap();
        let mut gradients = GradientAccumulator::new(&params).unwrap();
        for batch in 0..3 {
            params.write_grad("a", &arr1(&[batch as f32, 1.0])).unwrap();
            // From the second on: in one call both kinds of tensors, new in the sum and not.
            if batch > 0 {
                params.write_grad("b", &arr1(&[8.0])).unwrap();
            }
            run(&mut || gradients.add(&params));
            assert_eq!(gradients.micro_batches(), batch + 1);
        }
        run(&mut || gradients.sum_into(&mut params));
        ["a", "b"].iter().flat_map(|name| params.read_grad(name).unwrap()).collect()
    });
}

#[test]
fn an_average_that_failed_is_taken_again() {
    with_every_fault(&[5.0, 2.0, 3.0, 5.0], |device, run| {
        let mut params = ParamSet::new(device, [("a", arr1(&[1.0f32, 2.0]))]).unwrap();
        let mut average = WeightAverage::mean(&params).unwrap();
        for value in [4.0, 8.0, 3.0] {
            params.write("a", &arr1(&[value, 0.0])).unwrap();
            if value == 8.0 {
                params.add("b", &arr1(&[5.0])).unwrap();
            }
            run(&mut || average.update(&params));
        }
        let mut kept = Snapshot::of(&params).unwrap();
        run(&mut || kept.retake(&params));
        run(&mut || average.copy_to(&mut params));
        let averaged = params.read("a").unwrap()[[0]];
        let mut distance = 0.0;
        run(&mut || {
            distance = kept.distance(&params)?;
            Ok(())
        });
        run(&mut || kept.restore(&mut params));
        vec![averaged, distance, params.read("a").unwrap()[[0]], params.read("b").unwrap()[[0]]]
    });
}
