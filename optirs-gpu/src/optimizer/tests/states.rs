//! States of every kind, their first values, entries, inputs and scalars.

use scirs2_core::ndarray::{Array1, arr1};

use super::everything::{Everything, EverythingParams};
use super::values;
use crate::{Device, GpuOptimError, Optimizer, ParamSet};

fn set() -> (ParamSet, Optimizer<Everything>) {
    let device = Device::cpu();
    let mut params = ParamSet::new(&device, [("w", arr1(&[8.0, 4.0])), ("b", arr1(&[2.0]))]).unwrap();
    params.write_grad("w", &arr1(&[1.0, 2.0])).unwrap();
    params.write_grad("b", &arr1(&[-1.0])).unwrap();
    let mut optimizer = Optimizer::on(&device, EverythingParams::default()).unwrap();
    optimizer.set_scalar("loss", 0.5).unwrap();
    optimizer.write_input(&params, "weight", "w", &arr1(&[2.0, 4.0])).unwrap();
    optimizer.write_input(&params, "weight", "b", &arr1(&[0.0])).unwrap();
    (params, optimizer)
}

fn state(optimizer: &Optimizer<Everything>, state: &str, tensor: &str) -> Vec<f32> {
    optimizer.state(state, tensor).unwrap().into_raw_vec_and_offset().0
}

#[test]
fn every_kind_of_state_starts_and_advances() {
    let (mut params, mut optimizer) = set();
    optimizer.step(&mut params).unwrap();
    // 8 - (0.25·1 + 0.5·2 + 3), 4 - (0.25·2 + 0.5·4 + 3)
    assert_eq!(values(&params, "w"), [3.75, -1.5]);
    assert_eq!(values(&params, "b"), [3.25]);
    assert_eq!(state(&optimizer, "m", "w"), [1.0, 2.0]);
    assert_eq!(state(&optimizer, "p0", "w"), [8.0, 4.0]);
    assert_eq!(state(&optimizer, "c", "b"), [3.0]);
    assert_eq!(state(&optimizer, "t", "w"), [4.0]);
    assert_eq!(state(&optimizer, "d", "b"), [9.0]);
    assert_eq!(state(&optimizer, "h", "w"), [1.25]);

    params.set_grad_missing("b").unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [-0.75, -7.5]);
    assert_eq!(values(&params, "b"), [3.25]);
    assert_eq!(state(&optimizer, "t", "w"), [7.0]);
    assert_eq!(state(&optimizer, "t", "b"), [0.0]);
    assert_eq!(state(&optimizer, "d", "b"), [12.0]);
    assert_eq!(optimizer.host_state("h", "w").unwrap(), 3.25);
    assert_eq!(optimizer.host_state("h", "b").unwrap(), 1.25);
    assert_eq!(optimizer.tensor_step_count("b").unwrap(), 1);
}

#[test]
fn a_tensor_that_joins_later_starts_from_its_own_values() {
    let (mut params, mut optimizer) = set();
    optimizer.step(&mut params).unwrap();
    params.add("late", &arr1(&[10.0, 20.0, 30.0])).unwrap();
    params.write_grad("late", &arr1(&[0.0, 0.0, 1.0])).unwrap();
    let error = optimizer.step(&mut params).unwrap_err();
    assert!(error.to_string().contains("tensor `late` has no `weight`"), "{error}");
    assert_eq!(optimizer.step_count(), 1);
    optimizer.write_input(&params, "weight", "late", &Array1::zeros(3)).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "late"), [9.0, 19.0, 28.75]);
    assert_eq!(state(&optimizer, "p0", "late"), [10.0, 20.0, 30.0]);
    assert_eq!(state(&optimizer, "m", "w"), [2.0, 4.0]);
    assert_eq!(state(&optimizer, "c", "w"), [4.0, 4.0]);
    assert_eq!(state(&optimizer, "t", "late"), [2.0]);
    assert_eq!(state(&optimizer, "d", "late"), [12.0]);
    assert_eq!(optimizer.tensor_step_count("late").unwrap(), 1);
    assert_eq!(optimizer.step_count(), 2);
}

#[test]
fn states_follow_the_optimizer_to_the_host_and_back() {
    let (mut stayed, mut home) = set();
    let (mut moved, mut away) = set();
    for step in 0..4 {
        home.step(&mut stayed).unwrap();
        if step == 2 {
            away.move_to_cpu().unwrap();
            let error = away.step(&mut moved).unwrap_err();
            assert!(error.to_string().contains("call `move_to_gpu()` first"), "{error}");
            assert_eq!(state(&away, "m", "w"), state_at(&home, 2));
            assert_eq!(away.state("t", "w").unwrap().into_raw_vec_and_offset().0, [7.0]);
            away.move_to_gpu().unwrap();
        }
        away.step(&mut moved).unwrap();
    }
    for name in ["w", "b"] {
        assert_eq!(values(&stayed, name), values(&moved, name));
        for kind in ["m", "p0", "c", "t", "d", "h"] {
            assert_eq!(state(&home, kind, name), state(&away, kind, name));
        }
    }
    assert_eq!(away.step_count(), 4);
}

/// m of `w` after that many steps.
fn state_at(_optimizer: &Optimizer<Everything>, steps: u32) -> [f32; 2] {
    [1.0, 2.0].map(|grad| grad * steps as f32)
}

#[test]
fn entries_run_over_all_tensors_and_modes_alternate() {
    let (mut params, mut optimizer) = set();
    params.set_grad_missing("b").unwrap();
    optimizer.step(&mut params).unwrap();
    optimizer.run_entry("double", &mut params).unwrap();
    assert_eq!(values(&params, "w"), [7.5, -3.0]);
    assert_eq!(values(&params, "b"), [4.0]);
    optimizer.run_entry("train", &mut params).unwrap();
    assert_eq!(values(&params, "b"), [4.0], "already in train mode");
    optimizer.run_entry("eval", &mut params).unwrap();
    assert_eq!(values(&params, "w"), [8.0, 4.0]);
    let error = optimizer.step(&mut params).unwrap_err();
    let text = "`everything` is in eval mode: call `run_entry(\"train\", …)` to go back to training first";
    assert!(matches!(&error, GpuOptimError::InvalidState(said) if said == text), "{error}");
    optimizer.run_entry("train", &mut params).unwrap();
    assert_eq!(values(&params, "w"), [16.0, 8.0]);
    optimizer.step(&mut params).unwrap();
    assert_eq!(optimizer.step_count(), 2);
    assert_eq!(["w", "b"].map(|name| optimizer.tensor_step_count(name).unwrap()), [2, 0], "entries are no updates");
    let error = optimizer.run_entry("update", &mut params).unwrap_err();
    assert!(error.to_string().contains("it has: eval, train, double; the update is `step`"), "{error}");
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    let (mut params, _) = set();
    let mut optimizer = Optimizer::<Everything>::on(params.device(), EverythingParams::default()).unwrap();
    let text = |result: Result<(), GpuOptimError>| result.unwrap_err().to_string();
    assert!(text(optimizer.step(&mut params)).contains("tensor `w` has no `weight`"));
    assert!(text(optimizer.write_input(&params, "height", "w", &arr1(&[0.0]))).contains("it has: weight"));
    let wrong = optimizer.write_input(&params, "weight", "w", &arr1(&[0.0]));
    assert!(matches!(wrong, Err(GpuOptimError::ShapeMismatch { .. })));
    optimizer.write_input(&params, "weight", "w", &arr1(&[0.0, 0.0])).unwrap();
    optimizer.write_input(&params, "weight", "b", &arr1(&[0.0])).unwrap();
    assert!(text(optimizer.step(&mut params)).contains("set_scalar(\"loss\""));
    assert!(text(optimizer.set_scalar("gain", 1.0)).contains("it has: loss"));
    assert!(text(optimizer.set_scalar("loss", f32::INFINITY)).contains("loss = inf"));
    let unseen = optimizer.state("m", "w").unwrap_err();
    assert!(unseen.to_string().contains("has not taken part"), "{unseen}");
    optimizer.set_scalar("loss", 0.0).unwrap();
    optimizer.step(&mut params).unwrap();
    let unknown = optimizer.state("q", "w").unwrap_err();
    assert!(unknown.to_string().contains("it has: m, p0, c, t, d, h"), "{unknown}");
    assert!(matches!(optimizer.state("m", "v"), Err(GpuOptimError::UnknownTensor(name)) if name == "v"));
}

#[test]
fn a_row_that_is_not_finite_names_the_tensor_and_nothing_is_stepped() {
    let (mut params, _) = set();
    let mut optimizer = Optimizer::<Everything>::on(params.device(), EverythingParams::default()).unwrap();
    optimizer.set_scalar("loss", 0.0).unwrap();
    optimizer.add_group(&params, EverythingParams { rate: 999.0, start: 7.0 }, ["b"]).unwrap();
    optimizer.write_input(&params, "weight", "w", &arr1(&[0.0, 0.0])).unwrap();
    optimizer.write_input(&params, "weight", "b", &arr1(&[0.0])).unwrap();
    let error = optimizer.step(&mut params).unwrap_err();
    let named =
        matches!(&error, GpuOptimError::NotFinite { expression: "1 / (h - 1000)", tensor, .. } if tensor == "b");
    assert!(named, "{error}");
    assert_eq!(values(&params, "w"), [8.0, 4.0]);
    assert_eq!(optimizer.step_count(), 0);
    assert_eq!(optimizer.tensor_step_count("w").unwrap(), 0);
    params.set_grad_missing("b").unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(state(&optimizer, "h", "w"), [1.25]);
}

#[test]
fn an_input_that_grew_is_read_from_where_it_is() {
    let (mut params, mut optimizer) = set();
    optimizer.step(&mut params).unwrap();
    params.add("late", &Array1::zeros(500)).unwrap();
    optimizer.step(&mut params).unwrap();
    // Its place makes the input's buffer a longer one, into which the next values go.
    optimizer.write_input(&params, "weight", "late", &Array1::zeros(500)).unwrap();
    optimizer.write_input(&params, "weight", "b", &arr1(&[100.0])).unwrap();
    let before = values(&params, "b");
    optimizer.step(&mut params).unwrap();
    // 0.25·m + 0.5·weight + total
    assert_eq!(before[0] - values(&params, "b")[0], 0.25 * -3.0 + 0.5 * 100.0 - 1.0);
}

#[test]
fn after_a_reset_states_have_their_first_values() {
    let (mut params, mut optimizer) = set();
    optimizer.step(&mut params).unwrap();
    optimizer.reset();
    optimizer.write_input(&params, "weight", "w", &arr1(&[2.0, 4.0])).unwrap();
    optimizer.write_input(&params, "weight", "b", &arr1(&[0.0])).unwrap();
    optimizer.step(&mut params).unwrap();
    for (name, expected) in [("m", [1.0, 2.0]), ("p0", [3.75, -1.5]), ("c", [3.0, 3.0])] {
        assert_eq!(state(&optimizer, name, "w"), expected, "{name}");
    }
    for (name, expected) in [("t", 4.0), ("d", 9.0), ("h", 1.25)] {
        assert_eq!(state(&optimizer, name, "w"), [expected], "{name}");
    }
    assert_eq!((optimizer.step_count(), optimizer.tensor_step_count("w").unwrap()), (1, 1));
}
