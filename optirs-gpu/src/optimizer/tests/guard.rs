//! Clipping, loss scaling and skipped steps: what they do to a rule that has one of everything, and what they cost.

use scirs2_core::ndarray::{Array1, arr1};

use super::failures::devices;
use super::kinds::STATES;
use super::kinds::kinds::{Kinds, KindsParams};
use super::shards::{limited, noise};
use super::{two, values};
use crate::backend::faulty::{Call, Faulty};
use crate::{
    Clipping, Device, DynamicLossScaler, GpuLamb, GpuOptimError, LambParams, MixedPrecisionConfig, Optimizer, ParamSet,
    StepOutcome,
};

/// A scaler whose scale stays 1: what it finds skips steps, and nothing else.
fn watching() -> DynamicLossScaler {
    let config =
        MixedPrecisionConfig { init_scale: 1.0, min_scale: 1.0, max_scale: 1.0, ..MixedPrecisionConfig::default() };
    DynamicLossScaler::new(config)
}

/// Nothing is clipped, but norms are measured.
const MEASURED: Clipping = Clipping::GlobalNorm(f32::MAX);

/// Steps of a rule with every kind of state, over three tensors of which one joins late; `None` is one whose last tensor
/// has an infinite gradient.
fn run(device: &Device, steps: &[Option<u32>], guard: fn(&mut Optimizer<Kinds>)) -> Vec<Vec<u32>> {
    let mut params = ParamSet::new(device, [("w", noise(9000, 1)), ("b", noise(5, 2))]).unwrap();
    let mut optimizer = Optimizer::<Kinds>::on(device, KindsParams::default()).unwrap();
    optimizer.set_scalar("loss", 0.5).unwrap();
    guard(&mut optimizer);
    for (number, seed) in steps.iter().enumerate() {
        if number == steps.len() - 1 {
            params.add("late", &noise(300, 3)).unwrap();
        }
        let names: Vec<String> = params.names().map(str::to_owned).collect();
        for name in &names {
            let len = params.shape(name).unwrap()[0];
            optimizer.write_input(&params, "weight", name, &noise(len, 4)).unwrap();
            let mut gradient = noise(len, seed.unwrap_or_default());
            if seed.is_none() && name == names.last().unwrap() {
                gradient[len - 1] = f32::NEG_INFINITY;
            }
            params.write_grad(name, &gradient).unwrap();
        }
        let (count, own) = (optimizer.step_count(), optimizer.tensor_step_count("w").unwrap_or(0));
        optimizer.step(&mut params).unwrap();
        let taken = u64::from(seed.is_some());
        // Before the outcome is taken in, and after.
        assert_eq!(optimizer.step_count(), count + taken);
        assert_eq!(optimizer.tensor_step_count("w").unwrap(), own + taken);
        let expected = if seed.is_some() { StepOutcome::Taken } else { StepOutcome::Skipped };
        assert_eq!(optimizer.last_step().unwrap(), expected);
        assert_eq!(optimizer.step_count(), count + taken);
        assert_eq!(optimizer.state("age", "w").is_ok(), count + taken > 0, "states exist from the first step on");
    }
    let mut all = Vec::new();
    for name in params.names() {
        let mut bits = |values: Vec<f32>| all.push(values.into_iter().map(f32::to_bits).collect());
        bits(values(&params, name));
        for state in STATES {
            bits(optimizer.state(state, name).unwrap().into_raw_vec_and_offset().0);
        }
    }
    all
}

#[test]
fn a_skipped_step_leaves_every_bit_and_every_counter() {
    for device in devices() {
        let run =
            |steps: &[Option<u32>]| run(&device, steps, |optimizer| optimizer.set_loss_scaler(watching()).unwrap());
        let expected = run(&[Some(11), Some(12), Some(13)]);
        assert!(run(&[None, Some(11), None, None, Some(12), Some(13)]) == expected, "{device}");
        assert!(run(&[Some(11), Some(12), Some(12)]) != expected, "{device}");
    }
}

/// What the guard writes beside the states of tensors is none of them.
#[test]
fn a_guard_that_changes_nothing_leaves_every_bit() {
    let guards: [fn(&mut Optimizer<Kinds>); 3] = [
        |optimizer| optimizer.set_loss_scaler(watching()).unwrap(),
        |optimizer| optimizer.set_clipping(MEASURED).unwrap(),
        |optimizer| optimizer.set_clipping(Clipping::TensorNorm(f32::MAX)).unwrap(),
    ];
    for device in devices() {
        let steps = [Some(11), Some(12), Some(13)];
        let expected = run(&device, &steps, |_| ());
        for (number, guard) in guards.into_iter().enumerate() {
            assert!(run(&device, &steps, guard) == expected, "guard {number} on {device}");
        }
    }
}

#[test]
fn an_entry_without_gradients_runs_after_a_step_that_was_skipped() {
    for device in devices() {
        let mut params = ParamSet::new(&device, [("w", arr1(&[1.0f32, 2.0]))]).unwrap();
        let mut optimizer = Optimizer::<Kinds>::on(&device, KindsParams::default()).unwrap();
        optimizer.set_scalar("loss", 0.5).unwrap();
        optimizer.set_loss_scaler(watching()).unwrap();
        optimizer.write_input(&params, "weight", "w", &arr1(&[1.0, 1.0])).unwrap();
        params.write_grad("w", &arr1(&[1.0, 1.0])).unwrap();
        optimizer.step(&mut params).unwrap();
        let stepped = values(&params, "w");
        params.write_grad("w", &arr1(&[1.0, f32::NAN])).unwrap();
        optimizer.step(&mut params).unwrap();
        optimizer.run_entry("eval", &mut params).unwrap();
        assert_eq!(values(&params, "w"), [1.0, 2.0], "{device}: back to where it began");
        optimizer.run_entry("train", &mut params).unwrap();
        assert_eq!(values(&params, "w"), stepped, "{device}");
        // A scaler that is taken away leaves nothing behind.
        optimizer.step(&mut params).unwrap();
        optimizer.set_loss_scaler(None).unwrap();
        optimizer.step(&mut params).unwrap();
        assert!(values(&params, "w").iter().any(|value| value.is_nan()), "{device}");
    }
}

#[test]
fn clipping_by_norms_does_not_depend_on_shards() {
    let train = |device: &Device, clipping| {
        let lengths = [0, 1, 64, 65, 8193, 40_000, 100_001];
        let tensors = lengths.iter().map(|len| (format!("t{len}"), noise(*len, *len as u32)));
        let mut params = ParamSet::new(device, tensors).unwrap();
        let mut optimizer = GpuLamb::on(device, LambParams::default()).unwrap();
        optimizer.set_clipping(clipping).unwrap();
        for step in 0..3 {
            for len in lengths {
                params.write_grad(&format!("t{len}"), &noise(len, step + len as u32)).unwrap();
            }
            if step == 1 {
                params.set_grad_missing("t40000").unwrap();
                params.add("late", &noise(9000, 5)).unwrap();
                params.write_grad("late", &noise(9000, 6)).unwrap();
            }
            optimizer.step(&mut params).unwrap();
        }
        let bits = |name: &str| values(&params, name).into_iter().map(f32::to_bits).collect::<Vec<_>>();
        (params.names().map(bits).collect::<Vec<_>>(), optimizer.grad_norm().unwrap().to_bits())
    };
    for clipping in [Clipping::GlobalNorm(1.0), Clipping::TensorNorm(1.0)] {
        let expected = train(&Device::cpu(), clipping);
        assert!(train(&Device::cpu(), MEASURED) != expected);
        for (binding_words, grid_width) in [(24_576, 65_535), (65_536, 7)] {
            let found = train(&limited(binding_words, grid_width), clipping);
            assert!(found == expected, "{clipping:?} with {binding_words} words, grid {grid_width}");
        }
    }
}

#[test]
fn a_limit_that_is_no_limit_is_refused_by_name() {
    let (_, mut optimizer) = two();
    for value in [-1.0, f32::NAN, f32::INFINITY] {
        for (clipping, name) in [
            (Clipping::Value(value), "Clipping::Value"),
            (Clipping::TensorNorm(value), "Clipping::TensorNorm"),
            (Clipping::GlobalNorm(value), "Clipping::GlobalNorm"),
        ] {
            let error = optimizer.set_clipping(clipping).unwrap_err();
            assert!(matches!(&error, GpuOptimError::OutOfRange { field, .. } if *field == name), "{error}");
            assert_eq!(optimizer.clipping(), Clipping::Off);
        }
    }
    let config = MixedPrecisionConfig { growth_factor: 0.5, ..MixedPrecisionConfig::default() };
    let error = optimizer.set_loss_scaler(DynamicLossScaler::new(config)).unwrap_err();
    assert!(matches!(error, GpuOptimError::OutOfRange { field: "growth_factor", .. }), "{error}");
    let config = MixedPrecisionConfig { use_bfloat16: true, ..MixedPrecisionConfig::default() };
    let error = optimizer.set_loss_scaler(DynamicLossScaler::new(config)).unwrap_err();
    assert!(matches!(&error, GpuOptimError::UnsupportedOperation(text) if text.contains("use_bfloat16")), "{error}");
    assert_eq!(optimizer.loss_scale().unwrap(), 1.0);
    assert!(optimizer.grad_norm().unwrap_err().to_string().contains("set_clipping"));
}

#[cfg(feature = "checkpoint")]
#[test]
fn a_checkpoint_holds_the_loss_scale_and_nothing_of_a_step_that_was_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("guarded.safetensors");
    for device in devices() {
        let config = MixedPrecisionConfig { growth_interval: 2, ..MixedPrecisionConfig::default() };
        let start = || {
            let params = ParamSet::new(&device, [("w", noise(100, 1))]).unwrap();
            let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
            optimizer.set_loss_scaler(DynamicLossScaler::new(config)).unwrap();
            (params, optimizer)
        };
        let step = |(params, optimizer): &mut (ParamSet, GpuLamb), seed: Option<u32>| {
            let scale = seed.map_or(f32::INFINITY, |_| optimizer.loss_scale().unwrap());
            params.write_grad("w", &(noise(100, seed.unwrap_or_default()) * scale)).unwrap();
            optimizer.step(params).unwrap();
        };
        let mut whole = start();
        for seed in [Some(2), Some(3), None, Some(4), None] {
            step(&mut whole, seed);
        }
        // Nobody has asked what became of the last step.
        whole.1.save(&whole.0, &path).unwrap();
        let mut resumed = start();
        resumed.1.load(&mut resumed.0, &path).unwrap();
        assert_eq!((resumed.1.step_count(), resumed.1.loss_scale().unwrap()), (3, 32768.0), "{device}");
        for training in [&mut whole, &mut resumed] {
            [Some(5), Some(6), Some(7)].into_iter().for_each(|seed| step(training, seed));
        }
        assert!(values(&whole.0, "w") == values(&resumed.0, "w"), "{device}");
        assert_eq!(whole.1.loss_scale().unwrap(), resumed.1.loss_scale().unwrap());

        resumed.1.set_loss_scaler(None).unwrap();
        let error = resumed.1.load(&mut resumed.0, &path).unwrap_err().to_string();
        assert!(error.contains("`set_loss_scaler`"), "{error}");
    }
}

#[test]
fn counters_that_are_set_after_a_step_that_was_skipped_stay() {
    let (mut params, mut optimizer) = two();
    optimizer.set_loss_scaler(watching()).unwrap();
    params.write_grad("w", &arr1(&[f32::INFINITY, 1.0])).unwrap();
    optimizer.step(&mut params).unwrap();
    optimizer.set_step_count(7);
    assert_eq!((optimizer.step_count(), optimizer.last_step().unwrap()), (7, StepOutcome::Skipped));
    optimizer.step(&mut params).unwrap();
    optimizer.set_tensor_step_count(&params, "w", 5).unwrap();
    assert_eq!((optimizer.tensor_step_count("w").unwrap(), optimizer.step_count()), (5, 7));
}

/// A call that waits for the step before.
type Waits = fn(&mut GpuLamb, &mut ParamSet) -> Result<(), GpuOptimError>;

#[test]
fn a_wait_for_a_step_that_fails_is_repeated() {
    let device = Device::cpu();
    let late = |_| Err(GpuOptimError::Timeout { what: "a fault", seconds: 0.0 });
    let faulty = Faulty::new(&device, |call| call == Call::Wait, Box::new(late));
    let on = faulty.device(&device);
    let mut params = ParamSet::new(&on, [("w", arr1(&[1.0f32, 2.0]))]).unwrap();
    let mut optimizer = GpuLamb::on(&on, LambParams::default()).unwrap();
    optimizer.set_loss_scaler(DynamicLossScaler::new(MixedPrecisionConfig::default())).unwrap();
    params.write_grad("w", &arr1(&[f32::INFINITY, 2.0])).unwrap();
    optimizer.step(&mut params).unwrap();
    let repeated: [Waits; 6] = [
        |optimizer, _| optimizer.last_step().map(drop),
        |optimizer, _| optimizer.loss_scale().map(drop),
        |optimizer, _| optimizer.grad_norm().map(drop),
        |optimizer, _| optimizer.tensor_step_count("w").map(drop),
        |optimizer, _| optimizer.set_loss_scaler(None),
        |optimizer, params| optimizer.step(params),
    ];
    for call in repeated {
        faulty.set(0);
        assert!(matches!(call(&mut optimizer, &mut params), Err(GpuOptimError::Timeout { .. })));
    }
    assert_eq!(optimizer.step_count(), 0);
    assert_eq!(optimizer.loss_scale().unwrap(), 32768.0);
    params.write_grad("w", &arr1(&[1.0, 2.0])).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!((optimizer.step_count(), optimizer.last_step().unwrap()), (1, StepOutcome::Taken));
}

#[test]
fn a_step_that_asks_for_nothing_costs_nothing_more() {
    let device = Device::cpu();
    let faulty = Faulty::new(&device, |_| true, Box::new(|_| Ok(())));
    let on = faulty.device(&device);
    let mut params = ParamSet::new(&on, [("w", Array1::<f32>::ones(10))]).unwrap();
    params.write_grad("w", &Array1::ones(10)).unwrap();
    let mut optimizer = GpuLamb::on(&on, LambParams::default()).unwrap();
    let mut calls = |optimizer: &mut GpuLamb| {
        optimizer.step(&mut params).unwrap();
        let before = (faulty.set(1000), on.memory());
        optimizer.step(&mut params).unwrap();
        assert_eq!(on.memory(), before.1, "a step that has begun allocates nothing");
        1000 - faulty.set(-1)
    };
    // The program is looked up, and the step submitted, which brings its row along.
    assert_eq!(calls(&mut optimizer), 2);
    optimizer.set_clipping(Clipping::Value(1.0)).unwrap();
    assert_eq!(calls(&mut optimizer), 2, "a limit is a value of the row");
    // The guard: what the step before has found, and its program.
    optimizer.set_clipping(Clipping::GlobalNorm(1.0)).unwrap();
    assert_eq!(calls(&mut optimizer), 4);
    optimizer.set_clipping(Clipping::Off).unwrap();
    assert_eq!(calls(&mut optimizer), 2);
}
