//! Checkpoints: what goes on from one, in which order tensors may come, and that faults change nothing.

use std::path::Path;

use scirs2_core::ndarray::{Array1, ArrayD, IxDyn, arr1};

use super::kinds::STATES;
use super::kinds::kinds::{Kinds, KindsParams};
use crate::backend::faulty::Faulty;
use crate::{
    AdamWParams, Device, DynamicLossScaler, GpuAdamW, GpuOptimError, GroupId, MixedPrecisionConfig, Optimizer,
    ParamSet, Schedule,
};

pub type Training = (ParamSet, Optimizer<Kinds>);

/// Something without pattern, from -1 to 1.
pub fn noise(len: usize, seed: u32) -> Array1<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    Array1::from_shape_simple_fn(len, || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    })
}

/// A set and an optimizer, before the first step: tensors by name and length, from values that depend on the seed.
pub fn training(device: &Device, tensors: &[(&str, usize)], seed: u32) -> Training {
    let values = tensors.iter().map(|(name, len)| (*name, noise(*len, seed + *len as u32)));
    let params = ParamSet::new(device, values).unwrap();
    let mut optimizer = Optimizer::on(device, KindsParams { rate: 0.5, ..KindsParams::default() }).unwrap();
    optimizer.add_group_where(KindsParams { rate: 0.125, ..KindsParams::default() }, |name| name == "b").unwrap();
    (params, optimizer)
}

pub const TENSORS: [(&str, usize); 3] = [("w", 9000), ("b", 5), ("late", 70)];

/// A step with inputs and gradients that depend on its number; `late` takes part from the second on.
pub fn step((params, optimizer): &mut Training, number: u32) {
    optimizer.set_scalar("loss", 0.5 + number as f32).unwrap();
    for (name, len) in TENSORS.iter().filter(|(name, _)| *name != "late" || number > 0) {
        optimizer.write_input(params, "weight", name, &noise(*len, 50 + number)).unwrap();
        params.write_grad(name, &noise(*len, 90 + number)).unwrap();
    }
    optimizer.step(params).unwrap();
}

/// Everything that a user can see, as text.
pub fn seen((params, optimizer): &Training) -> Vec<String> {
    let groups: Vec<_> = optimizer.groups.iter().map(|group| (group.set, group.params, group.factor())).collect();
    let mut seen =
        vec![format!("{} {:?} {groups:?} {:?}", optimizer.step_count(), optimizer.mode(), optimizer.scalars)];
    for (name, _) in TENSORS {
        let bits = |values: crate::ndarray::ArrayD<f32>| {
            format!("{:?}", values.mapv(f32::to_bits).into_raw_vec_and_offset().0)
        };
        seen.push(params.read(name).map_or("gone".to_owned(), bits));
        seen.push(format!(
            "{} {:?}",
            optimizer.tensor_step_count(name).unwrap_or(0),
            optimizer.host_state("age", name).ok()
        ));
        seen.extend(STATES.map(|state| optimizer.state(state, name).map_or("none".to_owned(), bits)));
    }
    seen
}

#[test]
fn three_steps_a_checkpoint_and_a_step_are_four_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let device = Device::cpu();
    for stop in 0..4 {
        let mut whole = training(&device, &TENSORS, 1);
        (0..stop).for_each(|number| step(&mut whole, number));
        // From the device, and from the host, to which the states have moved.
        if stop == 2 {
            whole.1.move_to_cpu().unwrap();
        }
        whole.1.save(&whole.0, &path).unwrap();
        whole.1.move_to_gpu().unwrap();
        // Into a new one, and over another training.
        for steps_before in [0, 3] {
            let mut resumed = training(&device, &TENSORS, 7);
            (0..steps_before).for_each(|number| step(&mut resumed, 30 + number));
            resumed.1.set_params(KindsParams { rate: 0.75, ..KindsParams::default() }).unwrap();
            resumed.1.set_maximize(true);
            resumed.0.clear_grads();
            resumed.1.load(&mut resumed.0, &path).unwrap();
            assert!(seen(&resumed) == seen(&whole), "after {stop} steps");
            let mut straight = training(&device, &TENSORS, 1);
            (0..stop).for_each(|number| step(&mut straight, number));
            for number in stop..stop + 2 {
                step(&mut resumed, number);
                step(&mut straight, number);
            }
            assert!(seen(&resumed) == seen(&straight), "after {stop} steps and two more");
        }
    }
}

#[test]
fn mode_schedule_and_inputs_go_on_where_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let device = Device::cpu();
    let scheduled = || {
        let mut training = training(&device, &TENSORS, 1);
        let rate = Schedule::cosine(0.5, 0.0, 5).unwrap();
        training.1.set_schedule(GroupId::DEFAULT, move |params, step| params.rate *= rate.at(step)).unwrap();
        training
    };
    let mut straight = scheduled();
    (0..3).for_each(|number| step(&mut straight, number));
    straight.1.run_entry("eval", &mut straight.0).unwrap();
    straight.1.save(&straight.0, &path).unwrap();
    let mut resumed = scheduled();
    resumed.1.load(&mut resumed.0, &path).unwrap();
    assert!(seen(&resumed) == seen(&straight));
    let refused = resumed.1.step(&mut resumed.0).unwrap_err();
    assert!(refused.to_string().contains("eval mode"), "{refused}");
    for training in [&mut straight, &mut resumed] {
        training.1.run_entry("train", &mut training.0).unwrap();
        // Without new inputs: those of before are in the checkpoint.
        for (name, len) in TENSORS {
            training.0.write_grad(name, &noise(len, 5)).unwrap();
        }
        training.1.step(&mut training.0).unwrap();
    }
    assert!(seen(&resumed) == seen(&straight));
}

#[test]
fn tensors_are_found_by_name_in_any_order_and_where_some_were_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let device = Device::cpu();
    let mut saved = training(&device, &[("w", 9000), ("gone", 8), ("b", 5), ("late", 70)], 1);
    saved.0.remove("gone").unwrap();
    (0..3).for_each(|number| step(&mut saved, number));
    saved.1.save(&saved.0, &path).unwrap();
    let mut other = training(&device, &[("late", 70), ("also gone", 9), ("w", 9000), ("b", 5)], 2);
    step(&mut other, 0);
    other.0.remove("also gone").unwrap();
    other.1.load(&mut other.0, &path).unwrap();
    assert!(seen(&other) == seen(&saved));
    step(&mut other, 3);
    step(&mut saved, 3);
    let (other, saved) = (other.0.read("b").unwrap(), saved.0.read("b").unwrap());
    // What is summed over all tensors is summed in another order.
    assert!(other.iter().zip(&saved).all(|(a, b)| (a - b).abs() <= 1e-5 * b.abs().max(1.0)), "{other} {saved}");
}

#[test]
fn a_step_that_was_skipped_is_not_in_it_and_the_loss_scale_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let device = Device::cpu();
    let scaled = |seed: u32| {
        let mut training = training(&device, &TENSORS, seed);
        training.1.set_loss_scaler(DynamicLossScaler::new(MixedPrecisionConfig::default())).unwrap();
        training
    };
    let mut saved = scaled(1);
    step(&mut saved, 0);
    let before = seen(&saved);
    saved.0.write_grad("b", &Array1::from_elem(5, f32::INFINITY)).unwrap();
    saved.1.step(&mut saved.0).unwrap();
    // What became of the step is not asked for before.
    saved.1.save(&saved.0, &path).unwrap();
    let mut resumed = scaled(2);
    step(&mut resumed, 7);
    resumed.1.load(&mut resumed.0, &path).unwrap();
    assert!(seen(&resumed) == before);
    assert_eq!((saved.1.loss_scale().unwrap(), resumed.1.loss_scale().unwrap()), (32_768.0, 32_768.0));
    step(&mut resumed, 1);
    step(&mut saved, 1);
    assert!(seen(&resumed) == seen(&saved));

    let mut unscaled = training(&device, &TENSORS, 2);
    let error = unscaled.1.load(&mut unscaled.0, &path).unwrap_err();
    assert!(error.to_string().contains("call `set_loss_scaler` first"), "{error}");
}

#[test]
fn tensors_of_any_name_and_shape_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let shapes: [(&str, &[usize]); 7] = [
        ("", &[2]),
        ("w", &[]),
        ("m/w", &[3]),
        ("state/m/w", &[1, 2, 1, 2, 1]),
        ("\"ü\"\n", &[1]),
        ("__metadata__", &[4]),
        ("empty", &[3, 0]),
    ];
    let device = Device::cpu();
    let begin = |seed: u32| {
        let value = |(place, (name, shape)): (usize, &(&'static str, &[usize]))| {
            let values = noise(shape.iter().product(), seed + place as u32);
            (*name, values.into_shape_with_order(IxDyn(shape)).unwrap())
        };
        let mut params = ParamSet::new(&device, shapes.iter().enumerate().map(value)).unwrap();
        for (name, shape) in shapes {
            params.write_grad(name, &ArrayD::from_elem(IxDyn(shape), 0.5)).unwrap();
        }
        (params, GpuAdamW::on(&device, AdamWParams::default()).unwrap())
    };
    let (mut params, mut optimizer) = begin(1);
    optimizer.step(&mut params).unwrap();
    optimizer.save(&params, &path).unwrap();
    let (mut others, mut other) = begin(100);
    other.load(&mut others, &path).unwrap();
    optimizer.step(&mut params).unwrap();
    other.step(&mut others).unwrap();
    for (name, _) in shapes {
        assert_eq!(others.read(name).unwrap(), params.read(name).unwrap(), "{name}");
        assert_eq!(other.state("v", name).ok(), optimizer.state("v", name).ok(), "{name}");
    }
}

#[test]
fn a_file_is_replaced_whole_or_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let device = Device::cpu();
    let mut training = training(&device, &TENSORS, 1);
    let files = |folder: &Path| {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        names.collect::<Vec<_>>()
    };
    training.1.save(&training.0, &path).unwrap();
    let first = std::fs::read(&path).unwrap();
    // Another name of the same file: it would change if that were overwritten.
    let linked = tempfile::tempdir().unwrap();
    let link = linked.path().join("link");
    std::fs::hard_link(&path, &link).unwrap();
    step(&mut training, 0);
    training.1.save(&training.0, &path).unwrap();
    assert_ne!(std::fs::read(&path).unwrap(), first);
    assert_eq!(std::fs::read(&link).unwrap(), first);
    assert_eq!(files(folder.path()), ["training.safetensors"]);
    // Where a folder is, no file can be put.
    std::fs::create_dir(folder.path().join("taken")).unwrap();
    for place in [folder.path().join("taken"), folder.path().join("nowhere").join("file")] {
        let error = training.1.save(&training.0, &place).unwrap_err();
        assert!(matches!(&error, GpuOptimError::Checkpoint { path, .. } if *path == place), "{error}");
        assert!(error.to_string().contains("cannot be written"), "{error}");
    }
    assert_eq!(files(folder.path()).len(), 2);
    let other = ParamSet::new(&device, [("x", arr1(&[1.0]))]).unwrap();
    let error = training.1.save(&other, &path).unwrap_err();
    assert!(matches!(error, GpuOptimError::InvalidState(_)), "{error}");
    assert!(training.1.load(&mut training.0, &path).is_ok());
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_the_file_behind_it_is_replaced() {
    use std::os::unix::fs::symlink;

    let (folder, behind) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut training = training(&Device::cpu(), &TENSORS, 1);
    let file = behind.path().join("first.safetensors");
    let (latest, link) = (folder.path().join("latest"), folder.path().join("link"));
    symlink(&file, &latest).unwrap();
    symlink("latest", &link).unwrap();
    // At first there is nothing behind it.
    for number in 0..2 {
        step(&mut training, number);
        training.1.save(&training.0, &link).unwrap();
        assert!([&latest, &link].iter().all(|link| link.is_symlink()) && !file.is_symlink());
        training.1.load(&mut training.0, &file).unwrap();
        assert_eq!(training.1.step_count(), u64::from(number) + 1);
    }
    let circle = folder.path().join("circle");
    symlink("circle", &circle).unwrap();
    let error = training.1.save(&training.0, &circle).unwrap_err();
    assert!(error.to_string().contains("more than 40 others"), "{error}");
    assert!(matches!(error, GpuOptimError::Checkpoint { path, .. } if path == circle));
}

#[test]
fn a_fault_while_loading_changes_neither_the_set_nor_the_optimizer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let cpu = Device::cpu();
    let mut saved = training(&cpu, &TENSORS, 1);
    (0..2).for_each(|number| step(&mut saved, number));
    saved.1.save(&saved.0, &path).unwrap();
    let late = |_| Err(GpuOptimError::Timeout { what: "a fault", seconds: 0.0 });
    let faulty = Faulty::new(&cpu, |_| true, Box::new(late));
    let device = faulty.device(&cpu);
    let mut training = training(&device, &TENSORS, 2);
    step(&mut training, 7);
    let before = seen(&training);
    let mut faults = 0;
    loop {
        faulty.set(faults);
        let loaded = training.1.load(&mut training.0, &path);
        if faulty.set(-1) >= 0 {
            loaded.unwrap();
            break;
        }
        assert!(matches!(loaded, Err(GpuOptimError::Timeout { .. })));
        assert!(seen(&training) == before, "fault {faults} has changed something");
        faults += 1;
    }
    assert_eq!(faults, 6, "a read and a write for each tensor");
    assert!(seen(&training) == seen(&saved));
}
