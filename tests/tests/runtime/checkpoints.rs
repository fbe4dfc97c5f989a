//! Checkpoints on devices: on the same one to the bit, on another within what WGSL allows.

use optirs_gpu::rule::Rule;
use optirs_gpu::rules::{adam, adamw, lamb, rmsprop};
use optirs_gpu::{Device, Optimizer, ParamSet};
use optirs_gpu_tests::devices;
use optirs_gpu_tests::rules::reductions::Reductions;

use crate::noise;

const TENSORS: [(&str, usize); 3] = [("w", 9000), ("b", 5), ("more", 1000)];

fn begin<R: Rule>(device: &Device, order: [usize; 3]) -> (ParamSet, Optimizer<R>) {
    let tensors = order.map(|place| (TENSORS[place].0, noise(TENSORS[place].1, place as u32)));
    (ParamSet::new(device, tensors).unwrap(), Optimizer::on(device, R::Params::default()).unwrap())
}

fn steps<R: Rule>((params, optimizer): &mut (ParamSet, Optimizer<R>), numbers: core::ops::Range<u32>) {
    for number in numbers {
        for (place, (name, len)) in (0..).zip(TENSORS) {
            params.write_grad(name, &noise(len, 100 + 10 * number + place)).unwrap();
        }
        optimizer.step(params).unwrap();
    }
}

/// The largest difference of a parameter, of max(1, |p|).
fn distance(first: &ParamSet, second: &ParamSet) -> f32 {
    let pairs = TENSORS.map(|(name, _)| (first.read(name).unwrap(), second.read(name).unwrap()));
    let all = pairs.iter().flat_map(|(a, b)| a.iter().zip(b));
    all.fold(0.0, |largest: f32, (a, b)| largest.max((a - b).abs() / a.abs().max(1.0)))
}

fn goes_on_anywhere<R: Rule>(orders: &[[usize; 3]]) {
    let folder = tempfile::tempdir().unwrap();
    for saving in devices::all() {
        let path = folder.path().join("training.safetensors");
        let mut straight = begin::<R>(&saving, [0, 1, 2]);
        steps(&mut straight, 0..3);
        straight.1.save(&straight.0, &path).unwrap();
        steps(&mut straight, 3..4);
        for loading in devices::all() {
            for order in orders {
                let mut resumed = begin::<R>(&loading, *order);
                steps(&mut resumed, 50..51);
                resumed.1.load(&mut resumed.0, &path).unwrap();
                steps(&mut resumed, 3..4);
                let distance = distance(&straight.0, &resumed.0);
                let what = format!("{}, from {saving} to {loading}, {distance:e}", R::NAME);
                assert_eq!(resumed.1.step_count(), 4);
                if saving.backend() == loading.backend() {
                    assert!(distance == 0.0, "{what}");
                } else {
                    assert!(distance <= 1e-6, "{what}");
                }
            }
        }
    }
}

#[test]
fn a_training_goes_on_from_a_checkpoint_on_any_device() {
    // These rules look at one tensor at a time, so that the order is nothing to them.
    let orders = [[0, 1, 2], [2, 0, 1]];
    goes_on_anywhere::<adam::Adam>(&orders);
    goes_on_anywhere::<adamw::AdamW>(&orders);
    goes_on_anywhere::<lamb::Lamb>(&orders);
    goes_on_anywhere::<rmsprop::Rmsprop>(&orders);
    // States of a tensor and of all, which are summed in the order of the set.
    goes_on_anywhere::<Reductions>(&orders[..1]);
}
