//! States that torch has left (`tests/states/torch.json`) are taken over: the next step is torch's own next one. The names
//! are those of the table in `optirs_gpu::doc::for_pytorch_users`.

use optirs_gpu::rule::Rule;
use optirs_gpu::rules::{
    Adadelta, AdadeltaParams, Adagrad, AdagradParams, Adam, AdamParams, AdamW, AdamWParams, Adamax, AdamaxParams,
    AmsGrad, AmsGradParams, Asgd, AsgdParams, NAdam, NAdamParams, RAdam, RAdamParams, Rmsprop, RmspropParams, Rprop,
    RpropParams, Sgd, SgdParams,
};
use optirs_gpu::{Optimizer, ParamSet};
use optirs_gpu_tests::devices;
use scirs2_core::ndarray::{Array1, arr1};
use serde_json::Value;

fn numbers(value: &Value) -> Array1<f32> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
}

/// Takes over torch's states under these names, theirs and ours, and takes the next step.
fn goes_on<R: Rule>(case: &str, hyper: R::Params, names: &[(&str, &str)]) {
    let all: Value = serde_json::from_str(include_str!("../states/torch.json")).unwrap();
    let case_of = |key: &str| &all[case][key];
    for device in devices::all() {
        let mut params = ParamSet::new(&device, [("p", numbers(case_of("before")))]).unwrap();
        let mut optimizer = Optimizer::<R>::on(&device, hyper).unwrap();
        for (theirs, ours) in names {
            let state = &case_of("state")[theirs];
            match state.as_f64() {
                Some(number) => optimizer.write_host_state(&params, ours, "p", number).unwrap(),
                None => optimizer.write_state(&params, ours, "p", &numbers(state)).unwrap(),
            }
        }
        // SGD keeps no count; anything but the first step will do.
        let steps = case_of("state")["step"].as_f64().unwrap_or(3.0) as u64;
        assert_eq!(steps, 3, "{case}");
        optimizer.set_tensor_step_count(&params, "p", steps).unwrap();
        params.write_grad("p", &numbers(case_of("gradient"))).unwrap();
        optimizer.step(&mut params).unwrap();
        let (after, expected) = (params.read("p").unwrap(), numbers(case_of("after")));
        let close = after.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0));
        assert!(close, "{case} on {device}: {after} instead of {expected}");
        assert_ne!(after, numbers(case_of("before")).into_dyn(), "{case}");
    }
}

#[test]
fn what_torch_has_left_is_taken_over() {
    let moments = [("exp_avg", "m"), ("exp_avg_sq", "v")];
    let sgd = SgdParams { learning_rate: 0.1, momentum: 0.9, dampening: 0.1, weight_decay: 0.01, nesterov: false };
    goes_on::<Sgd>("SGD", sgd, &[("momentum_buffer", "momentum_buffer")]);
    goes_on::<Adam>("Adam", AdamParams { learning_rate: 0.1, weight_decay: 0.01, ..AdamParams::torch() }, &moments);
    goes_on::<AdamW>("AdamW", AdamWParams { learning_rate: 0.1, ..AdamWParams::torch() }, &moments);
    let maximum = [moments[0], moments[1], ("max_exp_avg_sq", "v_max")];
    goes_on::<AmsGrad>("Adam.amsgrad", AmsGradParams { learning_rate: 0.1, ..AmsGradParams::torch() }, &maximum);
    let product = [moments[0], moments[1], ("mu_product", "mu_product")];
    goes_on::<NAdam>("NAdam", NAdamParams { learning_rate: 0.1, ..NAdamParams::torch() }, &product);
    goes_on::<RAdam>("RAdam", RAdamParams { learning_rate: 0.1, ..RAdamParams::torch() }, &moments);
    let adamax = AdamaxParams { learning_rate: 0.1, ..AdamaxParams::torch() };
    goes_on::<Adamax>("Adamax", adamax, &[("exp_avg", "m"), ("exp_inf", "u")]);
    let averages =
        [("square_avg", "square_average"), ("grad_avg", "gradient_average"), ("momentum_buffer", "momentum_buffer")];
    goes_on::<Rmsprop>("RMSprop", RmspropParams { momentum: 0.9, centered: true, ..RmspropParams::torch() }, &averages);
    let adagrad = AdagradParams { learning_rate: 0.1, lr_decay: 0.01, ..AdagradParams::torch() };
    goes_on::<Adagrad>("Adagrad", adagrad, &[("sum", "square_sum")]);
    goes_on::<Adadelta>("Adadelta", AdadeltaParams::torch(), &[("square_avg", "v"), ("acc_delta", "a")]);
    goes_on::<Rprop>("Rprop", RpropParams::torch(), &[("prev", "previous"), ("step_size", "size")]);
    goes_on::<Asgd>("ASGD", AsgdParams { t0: 1.0, ..AsgdParams::torch() }, &[("ax", "average")]);
}

#[test]
fn a_state_under_another_name_leads_elsewhere() {
    let all: Value = serde_json::from_str(include_str!("../states/torch.json")).unwrap();
    let case = &all["Adam"];
    let device = optirs_gpu::Device::cpu();
    let mut params = ParamSet::new(&device, [("p", numbers(&case["before"]))]).unwrap();
    let hyper = AdamParams { learning_rate: 0.1, weight_decay: 0.01, ..AdamParams::torch() };
    let mut optimizer = Optimizer::<Adam>::on(&device, hyper).unwrap();
    optimizer.write_state(&params, "m", "p", &numbers(&case["state"]["exp_avg"])).unwrap();
    optimizer.write_state(&params, "v", "p", &arr1(&[1.0, 1.0, 1.0])).unwrap();
    optimizer.set_tensor_step_count(&params, "p", 3).unwrap();
    params.write_grad("p", &numbers(&case["gradient"])).unwrap();
    optimizer.step(&mut params).unwrap();
    let (after, expected) = (params.read("p").unwrap(), numbers(&case["after"]));
    assert!(after.iter().zip(&expected).any(|(a, b)| (a - b).abs() > 1e-3), "{after}");
}
