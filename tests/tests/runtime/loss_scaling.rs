//! Loss scaling: what is found in gradients, what a skipped step leaves, and how the scale follows.

use optirs_gpu::{
    AdamParams, Clipping, Device, DynamicLossScaler, GpuAdam, GpuLamb, GpuSgd, LambParams, MixedPrecisionConfig,
    ParamSet, SgdParams, StepOutcome,
};
use optirs_gpu_tests::devices;
use optirs_gpu_tests::rules::sam_sgd::{GpuSamSgd, SamSgdParams};
use scirs2_core::ndarray::{Array1, arr1};

use crate::{bits, noise, values};

fn scaler() -> DynamicLossScaler {
    DynamicLossScaler::new(MixedPrecisionConfig::default())
}

#[test]
fn an_infinity_skips_the_step_and_halves_the_scale() {
    for device in devices::all() {
        let mut params = ParamSet::new(&device, [("w", arr1(&[1.0f32, 2.0]))]).unwrap();
        let mut optimizer = GpuAdam::on(&device, AdamParams { learning_rate: 0.5, ..AdamParams::default() }).unwrap();
        optimizer.set_loss_scaler(scaler()).unwrap();
        params.write_grad("w", &arr1(&[f32::INFINITY, 1.0])).unwrap();
        optimizer.step(&mut params).unwrap();
        assert_eq!(optimizer.last_step().unwrap(), StepOutcome::Skipped);
        assert_eq!((values(&params, "w"), optimizer.step_count()), (vec![1.0, 2.0], 0), "{device}");
        assert_eq!(optimizer.loss_scale().unwrap(), 32768.0);
        assert!(optimizer.state("m", "w").is_err(), "no step has given it states");

        params.write_grad("w", &arr1(&[32768.0, -65536.0])).unwrap();
        optimizer.step(&mut params).unwrap();
        assert_eq!(optimizer.last_step().unwrap(), StepOutcome::Taken);
        let mut plain = ParamSet::new(&device, [("w", arr1(&[1.0f32, 2.0]))]).unwrap();
        plain.write_grad("w", &arr1(&[1.0, -2.0])).unwrap();
        let mut other = GpuAdam::on(&device, *optimizer.params()).unwrap();
        other.step(&mut plain).unwrap();
        assert_eq!(bits(&params, "w"), bits(&plain, "w"), "{device}: the scale is a power of two");
        // Adam's step hardly depends on the size of gradients, its moments do.
        assert_eq!(optimizer.state("m", "w").unwrap(), other.state("m", "w").unwrap(), "{device}");
        assert_eq!(optimizer.step_count(), 1);
    }
}

#[test]
fn gradients_are_searched_by_their_bits_in_every_tensor() {
    for device in devices::all() {
        for len in [1, 5, 9001] {
            for (word, outcome) in [
                (0x7f80_0000, StepOutcome::Skipped),
                (0xff80_0000, StepOutcome::Skipped),
                (0x7fc0_0000, StepOutcome::Skipped),
                (0x7f80_0001, StepOutcome::Skipped),
                (f32::MAX.to_bits(), StepOutcome::Taken),
            ] {
                let mut params = ParamSet::new(&device, [("a", noise(70, 1)), ("b", noise(len, 2))]).unwrap();
                let before = (bits(&params, "a"), bits(&params, "b"));
                let mut optimizer = GpuSgd::on(&device, SgdParams::default()).unwrap();
                optimizer.set_loss_scaler(scaler()).unwrap();
                params.write_grad("a", &noise(70, 3)).unwrap();
                let mut gradient = noise(len, 4);
                gradient[len - 1] = f32::from_bits(word);
                params.write_grad("b", &gradient).unwrap();
                optimizer.step(&mut params).unwrap();
                assert_eq!(optimizer.last_step().unwrap(), outcome, "{word:#x} in {len} on {device}");
                let kept = (bits(&params, "a"), bits(&params, "b")) == before;
                assert_eq!(kept, outcome == StepOutcome::Skipped, "{word:#x} in {len} on {device}");
            }
        }
    }
}

/// Fifty steps whose gradients overflow now and then, with clipping; everything that is left.
fn train(device: &Device, reads: bool) -> (Vec<u32>, u64, f32) {
    let config = MixedPrecisionConfig { growth_interval: 5, ..MixedPrecisionConfig::default() };
    let mut params = ParamSet::new(device, [("a", noise(3000, 1)), ("b", noise(40, 2))]).unwrap();
    let mut optimizer = GpuLamb::on(device, LambParams::default()).unwrap();
    optimizer.set_clipping(Clipping::GlobalNorm(1.0)).unwrap();
    optimizer.set_loss_scaler(DynamicLossScaler::new(config)).unwrap();
    let (mut skipped, mut scale) = (0, 65536.0);
    for step in 0..50 {
        if reads {
            scale = optimizer.loss_scale().unwrap();
        }
        params.write_grad("a", &(noise(3000, step) * scale)).unwrap();
        let overflows = step % 7 == 3;
        let last = if overflows { f32::INFINITY } else { 1.0 };
        let mut gradient = noise(40, step + 100) * scale;
        gradient[39] *= last;
        params.write_grad("b", &gradient).unwrap();
        optimizer.step(&mut params).unwrap();
        if reads {
            let outcome = optimizer.last_step().unwrap();
            assert_eq!(outcome == StepOutcome::Skipped, overflows, "step {step}");
            skipped += u64::from(overflows);
            assert_eq!(optimizer.step_count(), u64::from(step) + 1 - skipped);
        }
    }
    let stats = optimizer.loss_scaler().unwrap().unwrap().overflow_stats();
    assert_eq!((stats.total_steps, stats.overflow_count), (50, 7));
    (bits(&params, "a"), optimizer.step_count(), stats.current_scale)
}

#[test]
fn outcomes_are_taken_in_whether_or_not_anybody_asks() {
    for device in devices::all() {
        let (_, asked, followed) = train(&device, true);
        let (_, unasked, scale) = train(&device, false);
        assert_eq!((asked, unasked), (43, 43), "{device}");
        // Between the overflows at 3, 10, …, 45 are six steps each, in which the scale doubles once.
        assert_eq!((followed, scale), (32768.0, 32768.0), "{device}");
    }
}

#[test]
fn memory_does_not_grow_with_guarded_steps() {
    for device in devices::all() {
        let mut params = ParamSet::new(&device, [("w", Array1::<f32>::zeros(5000))]).unwrap();
        params.write_grad("w", &noise(5000, 1)).unwrap();
        let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
        optimizer.set_loss_scaler(scaler()).unwrap();
        optimizer.set_clipping(Clipping::TensorNorm(1.0)).unwrap();
        optimizer.step(&mut params).unwrap();
        let begun = device.memory();
        for _ in 0..50 {
            optimizer.step(&mut params).unwrap();
        }
        assert_eq!(device.memory(), begun, "{device}");
    }
}

#[test]
fn states_and_the_scale_move_between_devices_in_the_middle() {
    for device in devices::all() {
        let start = || (noise(500, 1), GpuAdam::on(&device, AdamParams::default()).unwrap());
        let run = |moves: bool| {
            let (values, mut optimizer) = start();
            optimizer.set_loss_scaler(scaler()).unwrap();
            let mut params = ParamSet::new(&device, [("w", values)]).unwrap();
            for step in 0..6 {
                let mut gradient = noise(500, step) * 65536.0;
                if step == 2 {
                    gradient[7] = f32::NAN;
                }
                params.write_grad("w", &gradient).unwrap();
                optimizer.step(&mut params).unwrap();
                if moves && step % 2 == 0 {
                    optimizer.move_to_cpu().unwrap();
                    optimizer.move_to(&device).unwrap();
                }
            }
            (bits(&params, "w"), optimizer.step_count(), optimizer.loss_scale().unwrap())
        };
        let expected = run(false);
        assert_eq!((expected.1, expected.2), (5, 32768.0));
        assert!(run(true) == expected, "{device}");
    }
}

#[test]
fn an_entry_with_gradients_is_guarded_and_moves_no_scale() {
    for device in devices::all() {
        let mut params = ParamSet::new(&device, [("a", arr1(&[1.0f32])), ("b", arr1(&[2.0, 3.0]))]).unwrap();
        let mut optimizer = GpuSamSgd::on(&device, SamSgdParams { learning_rate: 1.0, rho: 0.5 }).unwrap();
        optimizer.set_loss_scaler(scaler()).unwrap();
        params.write_grad("a", &arr1(&[65536.0])).unwrap();
        params.write_grad("b", &arr1(&[f32::NAN, 0.0])).unwrap();
        optimizer.run_entry("ascend", &mut params).unwrap();
        assert_eq!(optimizer.last_step().unwrap(), StepOutcome::Skipped, "{device}");
        assert_eq!([values(&params, "a"), values(&params, "b")], [vec![1.0], vec![2.0, 3.0]]);
        assert_eq!(optimizer.loss_scale().unwrap(), 65536.0);

        params.write_grad("b", &arr1(&[0.0, 0.0])).unwrap();
        optimizer.run_entry("ascend", &mut params).unwrap();
        assert_eq!(optimizer.last_step().unwrap(), StepOutcome::Taken, "{device}");
        assert_eq!(values(&params, "a"), [1.5], "rho along the gradient");
        optimizer.step(&mut params).unwrap();
        assert_eq!((values(&params, "a"), optimizer.step_count()), (vec![0.0], 1), "{device}");
    }
}
