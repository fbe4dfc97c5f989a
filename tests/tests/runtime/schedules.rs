//! Schedules: what they lead to is what setting the values by hand leads to, with nothing compiled or allocated anew.

use optirs_gpu::{AdamWParams, GpuAdamW, GpuSgd, GroupId, ParamSet, Schedule, SgdParams};
use optirs_gpu_tests::devices;

use crate::{bits, noise};

#[test]
fn a_schedule_is_as_good_as_values_set_by_hand() {
    for device in devices::all() {
        let rate = Schedule::linear(0.0, 0.01, 3).unwrap().then(3, Schedule::cosine(0.01, 1e-4, 5).unwrap());
        let run = |scheduled: bool| {
            let mut params = ParamSet::new(&device, [("w", noise(3000, 1)), ("b", noise(30, 2))]).unwrap();
            let mut optimizer = GpuAdamW::on(&device, AdamWParams::default()).unwrap();
            let biases = AdamWParams { weight_decay: 0.0, ..AdamWParams::default() };
            let biases = optimizer.add_group(&params, biases, ["b"]).unwrap();
            if scheduled {
                let (rate, of_biases) = (rate.clone(), rate.clone());
                optimizer
                    .set_schedule(GroupId::DEFAULT, move |params, step| params.learning_rate = rate.at(step))
                    .unwrap();
                optimizer
                    .set_schedule(biases, move |params, step| params.learning_rate = 2.0 * of_biases.at(step))
                    .unwrap();
            }
            let mut memory = Vec::new();
            for step in 0..10 {
                params.write_grad("w", &noise(3000, 10 + step)).unwrap();
                params.write_grad("b", &noise(30, 20 + step)).unwrap();
                if !scheduled {
                    let learning_rate = rate.at(step.into());
                    optimizer.set_params(AdamWParams { learning_rate, ..AdamWParams::default() }).unwrap();
                    let learning_rate = 2.0 * learning_rate;
                    let params = AdamWParams { learning_rate, weight_decay: 0.0, ..AdamWParams::default() };
                    optimizer.set_group_params(biases, params).unwrap();
                }
                optimizer.step(&mut params).unwrap();
                memory.push(device.memory());
            }
            assert!(memory.iter().all(|later| *later == memory[0]), "a step has allocated on {}", device.name());
            (bits(&params, "w"), bits(&params, "b"))
        };
        assert!(run(true) == run(false), "on {}", device.name());
    }
}

#[test]
fn a_schedule_cannot_turn_an_option_off() {
    for device in devices::all() {
        let mut params = ParamSet::new(&device, [("w", noise(100, 1))]).unwrap();
        params.write_grad("w", &noise(100, 2)).unwrap();
        let mut optimizer = GpuSgd::on(&device, SgdParams { momentum: 0.9, ..SgdParams::default() }).unwrap();
        let momentum = Schedule::piecewise_constant(0.5, [(2, 0.0)]).unwrap();
        optimizer.set_schedule(GroupId::DEFAULT, move |params, step| params.momentum = momentum.at(step)).unwrap();
        optimizer.step(&mut params).unwrap();
        optimizer.step(&mut params).unwrap();
        let before = bits(&params, "w");
        let error = optimizer.step(&mut params).unwrap_err();
        assert!(error.to_string().contains("`momentum` is"), "{error}");
        assert!(bits(&params, "w") == before);
        assert_eq!((optimizer.step_count(), optimizer.params().momentum), (2, 0.5));
    }
}
