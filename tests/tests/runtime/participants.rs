//! Who takes part in a step, and what a step leaves alone.

use optirs_gpu::{
    AdamParams, AdamWParams, Device, GpuAdam, GpuAdamW, GpuLamb, GpuOptimError, GpuSgd, LambParams, ParamSet, SgdParams,
};
use optirs_gpu_tests::devices;
use optirs_gpu_tests::rules::reductions::{GpuReductions, ReductionsParams};
use scirs2_core::ndarray::{Array1, Array2, arr1};

use crate::{bits, noise, values};

#[test]
fn empty_tensors_are_passed_over() {
    for device in devices::all() {
        let empty = Array1::<f32>::zeros(0);
        let mut params = ParamSet::new(&device, [("a", empty.view()), ("c", empty.view())]).unwrap();
        params.write_grad("a", &empty).unwrap();
        let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
        optimizer.step(&mut params).unwrap();
        assert_eq!(optimizer.step_count(), 0, "only empty tensors: nothing happens");

        params.add("b", &arr1(&[1.0, -1.0])).unwrap();
        params.write_grad("b", &arr1(&[1.0, -1.0])).unwrap();
        optimizer.step(&mut params).unwrap();
        assert_eq!(optimizer.step_count(), 1);
        assert_eq!(values(&params, "b"), [0.999, -0.999]);
        assert!(values(&params, "a").is_empty());

        let mut nothing = ParamSet::new(&device, [("x", empty); 0]).unwrap();
        let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
        optimizer.step(&mut nothing).unwrap();
        assert_eq!(optimizer.step_count(), 0);
    }
}

#[test]
fn a_tensor_without_a_gradient_is_skipped_whole() {
    for device in devices::all() {
        let decay = AdamWParams { weight_decay: 0.5, ..AdamWParams::default() };
        let run = |skipped: bool| {
            let mut params = ParamSet::new(&device, [("a", noise(100, 1)), ("b", noise(5000, 2))]).unwrap();
            let mut optimizer = GpuAdamW::on(&device, decay).unwrap();
            for step in 0..4 {
                params.write_grad("a", &noise(100, 10 + step)).unwrap();
                params.write_grad("b", &noise(5000, 20 + step)).unwrap();
                optimizer.step(&mut params).unwrap();
                if skipped {
                    // A step of `a` alone, which `b` must not notice.
                    params.set_grad_missing("b").unwrap();
                    optimizer.step(&mut params).unwrap();
                }
            }
            (bits(&params, "b"), optimizer.tensor_step_count("b").unwrap(), optimizer.step_count())
        };
        let (expected, own, all) = run(false);
        assert_eq!((own, all), (4, 4));
        let (skipped, own, all) = run(true);
        assert_eq!((own, all), (4, 8));
        assert!(skipped == expected, "on {}", device.name());
    }
}

#[test]
fn many_tensors_and_groups_in_one_step_are_what_each_is_alone() {
    for device in devices::all() {
        let lengths = [1, 63, 64, 65, 1023, 1024, 1025, 4097, 8191, 8193, 20_000];
        let tensors = lengths.iter().map(|len| (format!("t{len}"), noise(*len, *len as u32)));
        let mut together = ParamSet::new(&device, tensors).unwrap();
        let slow = LambParams { learning_rate: 1e-4, ..LambParams::default() };
        let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
        optimizer.add_group_where(slow, |name| name.ends_with('5')).unwrap();
        for step in 0..3 {
            for len in lengths {
                together.write_grad(&format!("t{len}"), &noise(len, step + 7 * len as u32)).unwrap();
            }
            optimizer.step(&mut together).unwrap();
        }
        for len in lengths {
            let name = format!("t{len}");
            let mut alone = ParamSet::new(&device, [(name.clone(), noise(len, len as u32))]).unwrap();
            let params = if name.ends_with('5') { slow } else { LambParams::default() };
            let mut optimizer = GpuLamb::on(&device, params).unwrap();
            for step in 0..3 {
                alone.write_grad(&name, &noise(len, step + 7 * len as u32)).unwrap();
                optimizer.step(&mut alone).unwrap();
            }
            assert!(bits(&alone, &name) == bits(&together, &name), "{name} on {}", device.name());
        }
    }
}

#[test]
fn maximize_ascends_as_far_as_descent_descends() {
    for device in devices::all() {
        let run = |maximize: bool, sign: f32| {
            let mut params = ParamSet::new(&device, [("w", noise(300, 1))]).unwrap();
            let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
            optimizer.set_maximize(maximize);
            for step in 0..3 {
                params.write_grad("w", &(noise(300, step) * sign)).unwrap();
                optimizer.step(&mut params).unwrap();
            }
            bits(&params, "w")
        };
        assert!(run(true, 1.0) == run(false, -1.0));
        assert!(run(true, 1.0) != run(false, 1.0));
    }
}

#[test]
fn another_device_or_set_is_refused_by_name() {
    let device = Device::cpu();
    let mut elsewhere = ParamSet::new(&Device::cpu(), [("w", arr1(&[1.0]))]).unwrap();
    elsewhere.write_grad("w", &arr1(&[1.0])).unwrap();
    let mut optimizer = GpuSgd::on(&device, SgdParams::default()).unwrap();
    let error = optimizer.step(&mut elsewhere).unwrap_err();
    assert!(matches!(&error, GpuOptimError::InvalidState(text) if text.contains("CPU")), "{error}");
    let twice = ParamSet::new(&device, [("w", arr1(&[1.0])), ("w", arr1(&[1.0]))]);
    assert!(matches!(twice, Err(GpuOptimError::DuplicateTensor(name)) if name == "w"));
}

#[test]
fn steps_allocate_nothing_once_they_have_begun() {
    for device in devices::all() {
        let mut params = ParamSet::new(&device, [("w", Array2::zeros((100, 300)))]).unwrap();
        params.write_grad("w", &Array2::ones((100, 300))).unwrap();
        let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
        optimizer.step(&mut params).unwrap();
        let begun = device.memory();
        for _ in 0..10 {
            optimizer.step(&mut params).unwrap();
        }
        assert_eq!(device.memory(), begun);
        drop((params, optimizer));
        device.wait().unwrap();
        assert_eq!(device.memory().buffers, 0, "everything is given back");
    }
}

/// Totals, means and counts over all tensors are over those that have a gradient, wherever in the set they stand.
#[test]
fn what_takes_part_is_all_there_is() {
    for device in devices::all() {
        let run = |names: &[&str]| {
            let tensors = names.iter().zip(1..).map(|(name, seed)| {
                let seed = if name.starts_with("idle") { 100 + seed } else { name.len() as u32 };
                (*name, noise(3000, seed))
            });
            let mut params = ParamSet::new(&device, tensors).unwrap();
            let mut optimizer = GpuReductions::on(&device, ReductionsParams::default()).unwrap();
            for step in 0..3 {
                params.write_grad("a", &noise(3000, 10 + step)).unwrap();
                params.write_grad("bb", &noise(3000, 20 + step)).unwrap();
                optimizer.step(&mut params).unwrap();
            }
            let scale = optimizer.state("scale", "a").unwrap();
            (bits(&params, "a"), bits(&params, "bb"), scale)
        };
        assert!(run(&["a", "bb"]) == run(&["idle1", "a", "idle2", "bb", "idle3"]), "on {}", device.name());
    }
}
