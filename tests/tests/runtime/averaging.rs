//! Averages and snapshots of parameters, on the device.

use optirs_gpu::{
    AdamParams, Device, DeviceConfig, DeviceLimits, GpuAdam, GpuOptimError, LimitsChoice, ParamSet, Snapshot,
    WeightAverage,
};
use optirs_gpu_tests::devices;
use scirs2_core::ndarray::{Array1, arr1};

use crate::{bits, noise, values};

/// All devices, and the GPU with limits that cut the tensors below into pieces.
fn all() -> Vec<Device> {
    let limits = DeviceLimits { buffer_bytes: 65_536, binding_bytes: 65_536, alignment_bytes: 256, grid_width: 7 };
    let config = DeviceConfig { limits: LimitsChoice::AtMost(limits), ..DeviceConfig::default() };
    devices::all().into_iter().chain(devices::gpu(config)).collect()
}

fn set(device: &Device) -> ParamSet {
    let tensors = [("a", noise(40_000, 1)), ("b", noise(3, 2)), ("none", Array1::zeros(0))];
    ParamSet::new(device, tensors).unwrap()
}

/// What a tensor's averages are after these values, in f64.
fn expected(history: &[Vec<f32>], decay: Option<f64>) -> Vec<f64> {
    let mut average: Vec<f64> = history[0].iter().map(|value| f64::from(*value)).collect();
    for (place, values) in history.iter().enumerate().skip(1) {
        let weight = decay.map_or(1.0 / (place + 1) as f64, |decay| 1.0 - decay);
        average.iter_mut().zip(values).for_each(|(average, value)| *average += weight * (f64::from(*value) - *average));
    }
    average
}

fn close(found: &[f32], expected: &[f64]) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| (f64::from(*found) - expected).abs() < 1e-6)
}

#[test]
fn averages_follow_the_parameters() {
    for device in all() {
        for decay in [Some(0.75), None] {
            let mut params = set(&device);
            // One tensor is frozen from the beginning, another later.
            params.freeze("a").unwrap();
            let mut average = match decay {
                Some(decay) => WeightAverage::exponential(&params, decay).unwrap(),
                None => WeightAverage::mean(&params).unwrap(),
            };
            let error = average.read("a").unwrap_err();
            assert!(matches!(&error, GpuOptimError::InvalidState(text) if text.contains("`update`")), "{error}");
            let mut histories = vec![Vec::new(); 3];
            for step in 0..5 {
                params.write("a", &noise(40_000, 10 + step)).unwrap();
                params.write("b", &noise(3, 20 + step)).unwrap();
                if step == 2 {
                    params.add("late", &noise(500, 3)).unwrap();
                    params.freeze("b").unwrap();
                }
                average.update(&params).unwrap();
                for (history, name) in histories.iter_mut().zip(["a", "b", "late"]) {
                    if params.shape(name).is_ok() {
                        history.push(values(&params, name));
                    }
                }
            }
            for (history, name) in histories.iter().zip(["a", "b", "late"]) {
                let found = average.read(name).unwrap().into_raw_vec_and_offset().0;
                assert!(close(&found, &expected(history, decay.map(f64::from))), "{name}, {decay:?} on {device}");
            }
            assert_eq!(average.updates(), 5);
            assert!(average.read("none").unwrap().is_empty());
        }
    }
}

#[test]
fn an_average_is_evaluated_and_training_goes_on() {
    for device in all() {
        let train = |evaluates: bool| {
            let mut params = set(&device);
            let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
            let mut average = WeightAverage::exponential(&params, 0.5).unwrap();
            for step in 0..4 {
                params.write_grad("a", &noise(40_000, step)).unwrap();
                params.write_grad("b", &noise(3, step)).unwrap();
                optimizer.step(&mut params).unwrap();
                average.update(&params).unwrap();
                if evaluates {
                    let trained = bits(&params, "a");
                    let mut kept = Snapshot::of(&params).unwrap();
                    average.copy_to(&mut params).unwrap();
                    assert_eq!(params.read("a").unwrap(), average.read("a").unwrap(), "{device}");
                    assert!(step == 0 || bits(&params, "a") != trained);
                    kept.restore(&mut params).unwrap();
                    assert!(bits(&params, "a") == trained, "{device}");
                }
            }
            (bits(&params, "a"), bits(&params, "b"), average.read("b").unwrap())
        };
        assert!(train(true) == train(false), "{device}");
    }
}

#[test]
fn the_norm_of_an_update_is_the_distance_from_a_snapshot() {
    for device in all() {
        let mut params = set(&device);
        let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
        let mut before = Snapshot::of(&params).unwrap();
        assert_eq!(before.distance(&params).unwrap(), 0.0);
        for step in 0..3 {
            let old = [values(&params, "a"), values(&params, "b")].concat();
            before.retake(&params).unwrap();
            params.write_grad("a", &noise(40_000, step)).unwrap();
            params.write_grad("b", &noise(3, step)).unwrap();
            optimizer.step(&mut params).unwrap();
            let new = [values(&params, "a"), values(&params, "b")].concat();
            let squares = old.iter().zip(&new).map(|(old, new)| f64::from(new - old).powi(2));
            let (exact, found) = (squares.sum::<f64>().sqrt(), f64::from(before.distance(&params).unwrap()));
            assert!((found / exact - 1.0).abs() < 1e-5, "{found} is not {exact} on {device}");
        }
        params.add("late", &arr1(&[1.0])).unwrap();
        assert!(before.distance(&params).unwrap_err().to_string().contains("`retake`"));
        before.retake(&params).unwrap();
        params.write("late", &arr1(&[4.0])).unwrap();
        assert_eq!(before.distance(&params).unwrap(), 3.0);
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let device = Device::cpu();
    let (params, other) = (set(&device), set(&device));
    for decay in [-0.1, 1.5, f32::NAN] {
        let error = WeightAverage::exponential(&params, decay).unwrap_err();
        assert!(matches!(error, GpuOptimError::OutOfRange { field: "decay", .. }), "{error}");
    }
    let mut average = WeightAverage::mean(&params).unwrap();
    assert!(average.set_decay(0.5).unwrap_err().to_string().contains("`decay`"));
    assert!(average.update(&other).unwrap_err().to_string().contains("another `ParamSet`"));
    let mut params = params;
    let error = average.copy_to(&mut params).unwrap_err();
    assert!(error.to_string().contains("no average yet"), "{error}");
    average.update(&params).unwrap();
    params.remove("b").unwrap();
    average.update(&params).unwrap();
    assert!(matches!(average.read("b"), Err(GpuOptimError::UnknownTensor(_))));
    params.add("b", &arr1(&[7.0])).unwrap();
    assert!(average.read("b").is_err(), "it is another tensor");
    average.update(&params).unwrap();
    assert_eq!(average.read("b").unwrap(), arr1(&[7.0]).into_dyn());
}
