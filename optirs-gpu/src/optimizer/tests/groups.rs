//! Parameter groups: whose tensors, whose hyper-parameters, whose ids.

use scirs2_core::ndarray::{ArrayD, IxDyn, arr1};

use super::descent::{Descent, DescentParams};
use super::{two, values};
use crate::{Device, GpuOptimError, GroupId, Optimizer, ParamSet};

fn rate(learning_rate: f32) -> DescentParams {
    DescentParams { learning_rate, ..DescentParams::default() }
}

#[test]
fn groups_have_their_own_hyper_parameters() {
    let (mut params, mut optimizer) = two();
    let group = optimizer.add_group(&params, rate(2.0), ["b"]).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [0.5, 2.5]);
    assert_eq!(values(&params, "b"), [-5.0]);
    optimizer.set_group_params(group, DescentParams::default()).unwrap();
    optimizer.set_group_maximize(group, true).unwrap();
    optimizer.set_grad_scale(0.5).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [0.25, 2.75]);
    assert_eq!(values(&params, "b"), [-4.0]);
}

#[test]
fn groups_agree_on_options_and_shared_values() {
    let (mut params, mut optimizer) = two();
    let other = DescentParams { flag: true, ..DescentParams::default() };
    let error = optimizer.add_group(&params, other, ["b"]).unwrap_err();
    assert!(error.to_string().contains("`flag` is false, not true"), "{error}");
    assert!(matches!(optimizer.set_params(other), Err(GpuOptimError::InvalidState(_))));
    let other = DescentParams { common: 2.0, ..DescentParams::default() };
    let error = optimizer.add_group(&params, other, ["b"]).unwrap_err();
    assert!(error.to_string().contains("`common` is shared"), "{error}");
    let group = optimizer.add_group(&params, DescentParams::default(), ["b"]).unwrap();
    optimizer.set_group_params(group, other).unwrap();
    assert!(optimizer.step(&mut params).unwrap_err().to_string().contains("`common` is shared"));
    assert_eq!(values(&params, "w"), [1.0, 2.0]);
    optimizer.set_params(other).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(optimizer.step_count(), 1);
}

#[test]
fn names_that_the_set_lacks_or_a_group_has_are_refused_at_once_and_claim_nothing() {
    let (mut params, mut optimizer) = two();
    let unknown = optimizer.add_group(&params, rate(2.0), ["b", "c"]);
    assert!(matches!(unknown, Err(GpuOptimError::UnknownTensor(name)) if name == "c"));
    let twice = optimizer.add_group(&params, rate(2.0), ["b", "b"]);
    assert!(matches!(twice, Err(GpuOptimError::DuplicateTensor(name)) if name == "b"));
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "b"), [1.0], "at the default group's rate");
    let group = optimizer.add_group(&params, rate(2.0), ["b"]).unwrap();
    let taken = optimizer.add_group(&params, rate(3.0), ["w", "b"]).unwrap_err();
    assert!(matches!(&taken, GpuOptimError::TensorInGroup { tensor, group: has } if tensor == "b" && *has == group));
    let said = format!("tensor `b` is in {group:?} already: take that group away with `remove_group`");
    assert!(taken.to_string().starts_with(&said), "{taken}");
    optimizer.remove_group(group).unwrap();
    optimizer.add_group(&params, rate(3.0), ["w", "b"]).unwrap();
}

#[test]
fn a_shape_that_the_rule_refuses_and_a_set_of_another_optimizer_are_refused_at_once() {
    let (mut params, mut optimizer) = two();
    params.add("deep", &ArrayD::<f32>::zeros(IxDyn(&[1, 1, 1, 1]))).unwrap();
    let error = optimizer.add_group(&params, rate(2.0), ["deep"]).unwrap_err();
    assert!(error.to_string().contains("at most three dimensions"), "{error}");

    let (mut params, mut optimizer) = two();
    optimizer.step(&mut params).unwrap();
    let other = ParamSet::new(params.device(), [("b", arr1(&[1.0]))]).unwrap();
    let error = optimizer.add_group(&other, rate(2.0), ["b"]).unwrap_err();
    assert!(error.to_string().contains("another `ParamSet`"), "{error}");
}

#[test]
fn a_group_that_is_removed_gives_its_tensors_to_the_next_claim() {
    let (mut params, mut optimizer) = two();
    let fast = optimizer.add_group_where(rate(2.0), |name| name == "b").unwrap();
    let faster = optimizer.add_group(&params, rate(4.0), ["b"]).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "b"), [3.0 - 4.0 * 4.0]);
    optimizer.remove_group(faster).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "b"), [-13.0 - 2.0 * 4.0]);
    assert_eq!(*optimizer.group_params(fast).unwrap(), rate(2.0));
    optimizer.remove_group(fast).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "b"), [-21.0 - 0.5 * 4.0]);
    assert_eq!(optimizer.tensor_step_count("b").unwrap(), 3);
    for gone in [fast, faster] {
        assert!(matches!(optimizer.remove_group(gone), Err(GpuOptimError::InvalidState(_))));
    }
    assert!(optimizer.remove_group(GroupId::DEFAULT).unwrap_err().to_string().contains("default group"));
    // The name is free again.
    optimizer.add_group(&params, rate(4.0), ["b"]).unwrap();
}

#[test]
fn after_a_reset_a_set_without_a_claimed_tensor_says_how_to_go_on() {
    let (mut params, mut optimizer) = two();
    let group = optimizer.add_group(&params, rate(2.0), ["b"]).unwrap();
    optimizer.step(&mut params).unwrap();
    optimizer.reset();
    let mut other = ParamSet::new(params.device(), [("bias", arr1(&[1.0]))]).unwrap();
    other.write_grad("bias", &arr1(&[1.0])).unwrap();
    let error = optimizer.step(&mut other).unwrap_err();
    assert!(error.to_string().contains("claims tensor `b`") && error.to_string().contains("`remove_group`"), "{error}");
    optimizer.remove_group(group).unwrap();
    optimizer.step(&mut other).unwrap();
    assert_eq!(values(&other, "bias"), [0.5]);
}

#[test]
fn the_group_of_another_optimizer_is_refused_although_its_own_has_as_many() {
    let (params, mut optimizer) = two();
    let own = optimizer.add_group(&params, rate(2.0), ["b"]).unwrap();
    let mut other = Optimizer::<Descent>::on(params.device(), rate(1.0)).unwrap();
    let foreign = other.add_group(&params, rate(3.0), ["b"]).unwrap();
    assert_ne!(own, foreign);
    let refused = [
        optimizer.group_params(foreign).map(drop),
        optimizer.set_group_params(foreign, rate(1.0)),
        optimizer.set_group_maximize(foreign, true),
        optimizer.set_group_grad_scale(foreign, 2.0),
        optimizer.remove_group(foreign),
    ];
    for result in refused {
        assert!(result.unwrap_err().to_string().contains("no such parameter group"));
    }
    assert_eq!(*optimizer.group_params(own).unwrap(), rate(2.0));
    assert_eq!(*other.group_params(GroupId::DEFAULT).unwrap(), rate(1.0));
    drop((optimizer, Device::cpu()));
    assert_eq!(*other.group_params(foreign).unwrap(), rate(3.0));
}

#[test]
fn a_group_that_joins_between_steps_takes_its_tensors() {
    let (mut params, mut optimizer) = two();
    optimizer.step(&mut params).unwrap();
    optimizer.add_group(&params, rate(2.0), ["b"]).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [0.0, 3.0]);
    assert_eq!(values(&params, "b"), [-7.0]);
}

#[test]
fn of_groups_that_claim_a_tensor_the_last_has_it() {
    let (mut params, mut optimizer) = two();
    optimizer.add_group_where(rate(1.0), |_| true).unwrap();
    optimizer.add_group_where(rate(2.0), |name| name == "b").unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [0.0, 3.0]);
    assert_eq!(values(&params, "b"), [-5.0]);
}
