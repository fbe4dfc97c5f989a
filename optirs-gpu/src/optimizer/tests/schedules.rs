//! Schedules on an optimizer: which counter drives them, what they start from, what they may not do.

use scirs2_core::ndarray::arr1;

use super::descent::{Descent, DescentParams};
use super::{two, values};
use crate::backend::faulty::{Call, Faulty};
use crate::{Device, GpuOptimError, GroupId, Optimizer, ParamSet, Schedule};

fn rate(learning_rate: f32) -> DescentParams {
    DescentParams { learning_rate, ..DescentParams::default() }
}

#[test]
fn each_group_follows_its_own_schedule_by_the_optimizers_updates() {
    let (mut params, mut optimizer) = two();
    let group = optimizer.add_group(&params, rate(1.0), ["b"]).unwrap();
    let warmup = Schedule::linear(0.0, 1.0, 4).unwrap();
    optimizer.set_schedule(GroupId::DEFAULT, move |params, step| params.learning_rate = warmup.at(step)).unwrap();
    optimizer.set_schedule(group, |params, step| params.learning_rate *= 0.5f32.powi(step as i32)).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [1.0, 2.0]);
    assert_eq!(values(&params, "b"), [3.0 - 4.0]);
    // `b` does not take part, and finds the rate of the third update when it does again: 1/4 of what was set.
    params.set_grad_missing("b").unwrap();
    optimizer.step(&mut params).unwrap();
    params.set_grad_present("b").unwrap();
    assert_eq!(optimizer.next_params(group).unwrap(), rate(0.25));
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [1.0 - 0.25 - 0.5, 2.0 + 0.25 + 0.5]);
    assert_eq!(values(&params, "b"), [-1.0 - 0.25 * 4.0]);
    assert_eq!(*optimizer.group_params(group).unwrap(), rate(0.25));
    assert_eq!((optimizer.step_count(), optimizer.tensor_step_count("b").unwrap()), (3, 2));
}

#[test]
fn a_schedule_starts_from_what_was_set_and_leaves_it() {
    let (mut params, mut optimizer) = two();
    optimizer.set_schedule(GroupId::DEFAULT, |params, _| params.learning_rate *= 2.0).unwrap();
    optimizer.step(&mut params).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "b"), [3.0 - 4.0 - 4.0], "twice the rate that was set, both times");
    optimizer.set_params(rate(0.25)).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "b"), [-5.0 - 2.0]);
    optimizer.clear_schedule(GroupId::DEFAULT).unwrap();
    assert_eq!(*optimizer.params(), rate(0.25));
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "b"), [-7.0 - 1.0]);
    // A reset begins it anew.
    optimizer.set_schedule(GroupId::DEFAULT, |params, step| params.learning_rate = step as f32).unwrap();
    optimizer.reset();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "b"), [-8.0], "a rate of 0");
}

#[test]
fn what_a_schedule_may_not_make_stops_the_step_before_anything_is_changed() {
    let (mut params, mut optimizer) = two();
    let group = optimizer.add_group(&params, rate(1.0), ["b"]).unwrap();
    type Edit = fn(&mut DescentParams);
    let texts: [(&str, Edit); 3] = [
        ("learning_rate = NaN", |params| params.learning_rate = f32::NAN),
        ("`flag` is false, not true", |params| params.flag = true),
        ("`common` is shared", |params| params.common += 1.0),
    ];
    for (text, edit) in texts {
        optimizer.set_schedule(GroupId::DEFAULT, |params, _| params.learning_rate = 0.125).unwrap();
        optimizer
            .set_schedule(group, move |params, step| {
                if step == 1 {
                    edit(params)
                }
            })
            .unwrap();
        optimizer.step(&mut params).unwrap();
        let before = (values(&params, "w"), values(&params, "b"));
        let error = optimizer.step(&mut params).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!((values(&params, "w"), values(&params, "b")), before);
        assert_eq!((optimizer.step_count(), *optimizer.group_params(group).unwrap()), (1, rate(1.0)));
        optimizer.clear_schedule(group).unwrap();
        optimizer.step(&mut params).unwrap();
        optimizer.reset();
    }
    let (_, other) = two();
    let foreign = Optimizer::<Descent>::on(params.device(), rate(1.0)).unwrap().add_group_where(rate(1.0), |_| true);
    let foreign = foreign.unwrap();
    let refused = [
        optimizer.set_schedule(foreign, |_, _| ()),
        optimizer.clear_schedule(foreign),
        other.next_params(foreign).map(drop),
    ];
    for result in refused {
        assert!(result.unwrap_err().to_string().contains("no such parameter group"));
    }
}

#[test]
fn a_step_that_fails_puts_the_hyper_parameters_back() {
    let late = |_| Err(GpuOptimError::Timeout { what: "a fault", seconds: 0.0 });
    let cpu = Device::cpu();
    let faulty = Faulty::new(&cpu, |call| call == Call::Run, Box::new(late));
    let device = faulty.device(&cpu);
    let mut params = ParamSet::new(&device, [("w", arr1(&[1.0]))]).unwrap();
    params.write_grad("w", &arr1(&[1.0])).unwrap();
    let mut optimizer = Optimizer::<Descent>::on(&device, rate(0.5)).unwrap();
    optimizer.set_schedule(GroupId::DEFAULT, |params, step| params.learning_rate = 0.25 * (step + 1) as f32).unwrap();
    optimizer.step(&mut params).unwrap();
    faulty.set(0);
    optimizer.step(&mut params).unwrap_err();
    assert_eq!((optimizer.params().learning_rate, optimizer.step_count()), (0.25, 1));
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [0.25]);
}
