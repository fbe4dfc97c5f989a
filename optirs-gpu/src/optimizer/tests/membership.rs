//! Tensors that join, rest and leave in mid-training, and how many dispatches all of it takes.

use scirs2_core::gpu::GpuBackend;
use scirs2_core::ndarray::{Array1, arr1};

use super::descent::{Descent, DescentParams};
use super::values;
use crate::backend::faulty::Faulty;
use crate::{
    AdamParams, AdamWParams, Device, DeviceConfig, DeviceLimits, GpuAdam, GpuAdamW, GpuLamb, GpuOptimError, LambParams,
    LimitsChoice, Optimizer, ParamSet, Schedule,
};

#[test]
fn a_tensor_without_a_gradient_neither_steps_nor_ages() {
    let device = Device::cpu();
    for frozen in [false, true] {
        let mut params = ParamSet::new(&device, [("w", arr1(&[1.0])), ("other", arr1(&[1.0]))]).unwrap();
        let rule = AdamWParams { learning_rate: 0.1, weight_decay: 0.0, ..AdamWParams::default() };
        let mut optimizer = GpuAdamW::on(&device, rule).unwrap();
        params.write_grad("other", &arr1(&[1.0])).unwrap();
        for grad in [Some(0.5), None, Some(-1.0)] {
            match grad {
                Some(grad) => {
                    params.write_grad("w", &arr1(&[grad])).unwrap();
                    params.unfreeze("w").unwrap();
                }
                None if frozen => params.freeze("w").unwrap(),
                None => params.set_grad_missing("w").unwrap(),
            }
            assert_eq!(params.is_frozen("w").unwrap(), frozen && grad.is_none());
            optimizer.step(&mut params).unwrap();
        }
        // A count of steps that both share would give 0.93142862.
        assert!((values(&params, "w")[0] - 0.936_610_35).abs() < 1e-7, "{}", values(&params, "w")[0]);
        assert_eq!((optimizer.tensor_step_count("w").unwrap(), optimizer.step_count()), (2, 3));
    }
}

#[test]
fn a_frozen_tensor_keeps_its_bits_states_and_count() {
    let device = Device::cpu();
    let rule = AdamWParams { weight_decay: 0.5, ..AdamWParams::default() };
    let run = |rests: bool| {
        let mut params = ParamSet::new(&device, [("a", arr1(&[1.0, 2.0])), ("b", arr1(&[3.0]))]).unwrap();
        let mut optimizer = GpuAdamW::on(&device, rule).unwrap();
        params.write_grad("a", &arr1(&[0.5, -0.25])).unwrap();
        params.write_grad("b", &arr1(&[1.0])).unwrap();
        for _ in 0..3 {
            optimizer.step(&mut params).unwrap();
            if rests {
                params.freeze("a").unwrap();
                optimizer.step(&mut params).unwrap();
                params.unfreeze("a").unwrap();
            }
        }
        let moment = optimizer.state("v", "a").unwrap();
        (values(&params, "a"), moment, optimizer.tensor_step_count("a").unwrap(), values(&params, "b"))
    };
    let (rested, awake) = (run(true), run(false));
    assert_eq!((rested.0, rested.1, rested.2), (awake.0, awake.1, awake.2));
    assert_ne!(rested.3, awake.3);
}

#[test]
fn a_removed_tensor_is_gone_and_its_name_starts_anew() {
    let device = Device::cpu();
    let names = ["a", "b", "c"];
    let mut params = ParamSet::new(&device, names.map(|name| (name, arr1(&[1.0, 1.0])))).unwrap();
    let rule = AdamParams { learning_rate: 0.1, ..AdamParams::default() };
    let mut optimizer = GpuAdam::on(&device, rule).unwrap();
    optimizer.add_group(&params, AdamParams { learning_rate: 0.2, ..rule }, ["b", "c"]).unwrap();
    for name in names {
        params.write_grad(name, &arr1(&[1.0, 1.0])).unwrap();
    }
    optimizer.step(&mut params).unwrap();
    params.remove("b").unwrap();
    assert_eq!(params.names().collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(params.len(), 2);
    for gone in [
        params.read("b").map(drop),
        params.write_grad("b", &arr1(&[1.0, 1.0])),
        params.remove("b"),
        params.freeze("b"),
        params.has_grad("b").map(drop),
    ] {
        assert!(matches!(gone, Err(GpuOptimError::UnknownTensor(name)) if name == "b"));
    }
    // The group that has it by name does not mind.
    optimizer.step(&mut params).unwrap();
    let close = |name: &str, expected: f32, params: &ParamSet| {
        assert!((values(params, name)[0] - expected).abs() < 1e-6, "{name}: {:?}", values(params, name));
    };
    close("a", 0.8, &params);
    close("c", 0.6, &params);

    // Another shape, the group's rate, no states and no count of before.
    params.add("b", &arr1(&[5.0])).unwrap();
    params.write_grad("b", &arr1(&[-3.0])).unwrap();
    assert_eq!(params.names().collect::<Vec<_>>(), ["a", "c", "b"]);
    optimizer.step(&mut params).unwrap();
    close("b", 5.2, &params);
    assert_eq!(optimizer.tensor_step_count("b").unwrap(), 1);
    assert!((optimizer.state("m", "b").unwrap()[[0]] + 0.3).abs() < 1e-6);
    assert_eq!(optimizer.tensor_step_count("a").unwrap(), 3);
    close("c", 0.4, &params);

    for name in ["a", "b", "c"] {
        params.remove(name).unwrap();
    }
    assert!(params.is_empty());
    optimizer.step(&mut params).unwrap();
    assert_eq!(optimizer.step_count(), 3, "nothing is left to step");
}

#[test]
fn who_asks_for_a_name_hears_of_the_tensor_that_has_it_now() {
    let device = Device::cpu();
    let mut params = ParamSet::new(&device, [("w", arr1(&[1.0, 1.0])), ("b", arr1(&[1.0]))]).unwrap();
    let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
    params.write_grad("w", &arr1(&[1.0, 1.0])).unwrap();
    params.write_grad("b", &arr1(&[1.0])).unwrap();
    optimizer.step(&mut params).unwrap();
    let is_unknown = |optimizer: &GpuAdam, name: &str| {
        let asked = [optimizer.state("m", name).map(drop), optimizer.tensor_step_count(name).map(drop)];
        asked.iter().all(|asked| matches!(asked, Err(GpuOptimError::UnknownTensor(unknown)) if unknown == name))
    };
    let is_fresh = |optimizer: &GpuAdam, name: &str| {
        let state = optimizer.state("m", name).unwrap_err().to_string();
        state.contains("has no state `m` yet") && optimizer.tensor_step_count(name).unwrap() == 0
    };
    for round in 0..2 {
        params.remove("w").unwrap();
        assert!(is_unknown(&optimizer, "w"), "{round}");
        // A call that fails gives the name to nobody.
        params.extend([("w", arr1(&[5.0])), ("b", arr1(&[5.0]))]).unwrap_err();
        assert!(is_unknown(&optimizer, "w"), "{round}");
        params.add("w", &arr1(&[5.0])).unwrap();
        assert!(is_fresh(&optimizer, "w"), "{round}");
    }
    params.write_grad("w", &arr1(&[1.0])).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(optimizer.state("m", "w").unwrap().shape(), [1]);
    assert_eq!(["w", "b"].map(|name| optimizer.tensor_step_count(name).unwrap()), [1, 2]);

    // Once the states follow another set, its names count.
    let mut other = ParamSet::new(&device, [("w", arr1(&[1.0, 1.0])), ("b", arr1(&[1.0]))]).unwrap();
    for len in [1, 1] {
        other.remove("w").unwrap();
        other.add("w", &Array1::<f32>::ones(len)).unwrap();
    }
    optimizer.move_to_cpu().unwrap();
    optimizer.move_to(&device).unwrap();
    other.write_grad("w", &arr1(&[1.0])).unwrap();
    optimizer.step(&mut other).unwrap();
    params.remove("w").unwrap();
    assert_eq!(optimizer.tensor_step_count("w").unwrap(), 2);
    other.remove("w").unwrap();
    assert!(is_unknown(&optimizer, "w"));
}

/// The CPU with so large buffers, seen through a back end that counts dispatches.
fn counted(binding_words: u64) -> (std::sync::Arc<Faulty>, Device) {
    let bytes = 4 * binding_words;
    let limits = DeviceLimits { buffer_bytes: bytes, binding_bytes: bytes, alignment_bytes: 256, grid_width: 65_535 };
    let config = DeviceConfig {
        backend: Some(GpuBackend::Cpu),
        limits: LimitsChoice::AtMost(limits),
        ..DeviceConfig::default()
    };
    let cpu = Device::with_config(config).unwrap();
    let faulty = Faulty::new(&cpu, |_| false, Box::new(|_| Ok(())));
    let device = faulty.device(&cpu);
    (faulty, device)
}

#[test]
fn a_step_is_one_dispatch_a_shard_whatever_the_groups_are() {
    let run = |words: u64| {
        let (faulty, device) = counted(words);
        let tensors = (0..12).map(|place| (format!("t{place}"), Array1::<f32>::ones(3000)));
        let mut params = ParamSet::new(&device, tensors).unwrap();
        let mut optimizer = Optimizer::<Descent>::on(&device, DescentParams::default()).unwrap();
        let rate = |learning_rate| DescentParams { learning_rate, ..DescentParams::default() };
        optimizer.add_group(&params, rate(0.125), ["t1", "t2"]).unwrap();
        let scheduled = optimizer.add_group_where(rate(0.25), |name| name.ends_with('5')).unwrap();
        let decay = Schedule::step(0.25, 0.5, 1).unwrap();
        optimizer.set_schedule(scheduled, move |params, step| params.learning_rate = decay.at(step)).unwrap();
        for place in 0..12 {
            params.write_grad(&format!("t{place}"), &Array1::ones(3000)).unwrap();
        }
        let mut dispatches = Vec::new();
        for step in 0..4 {
            match step {
                1 => params.freeze("t1").unwrap(),
                2 => params.remove("t5").unwrap(),
                3 => params.unfreeze("t1").unwrap(),
                _ => {}
            }
            optimizer.step(&mut params).unwrap();
            dispatches.push(faulty.dispatched());
        }
        assert_eq!([0, 1, 2].map(|place| values(&params, &format!("t{place}"))[0]), [-1.0, 0.75, 0.5]);
        dispatches
    };
    assert_eq!(run(1 << 20), [1; 4]);
    // Three tensors of 3008 words fit a buffer of 10,000.
    assert_eq!(run(10_000), [4; 4]);
}

#[test]
fn with_reductions_a_pass_is_one_dispatch_a_shard_and_a_finish_one() {
    let (faulty, device) = counted(1 << 20);
    let tensors = (0..5).map(|place| (format!("t{place}"), Array1::<f32>::ones(500)));
    let mut params = ParamSet::new(&device, tensors).unwrap();
    let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
    optimizer.add_group(&params, LambParams { learning_rate: 0.5, ..LambParams::default() }, ["t1", "t3"]).unwrap();
    for place in 0..5 {
        params.write_grad(&format!("t{place}"), &Array1::ones(500)).unwrap();
    }
    optimizer.step(&mut params).unwrap();
    assert_eq!(faulty.dispatched(), 3);
}
