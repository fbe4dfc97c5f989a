//! Defaults, ranges, constructors, options, and what parameter groups share.

use optirs_gpu::gpu_optimizer;
use optirs_gpu::rule::{Init, Rule, RuleParams, Value};
use optirs_gpu::rules::{Adagrad, AdagradParams, Prodigy, ProdigyParams, Rprop, RpropParams};
use optirs_gpu::rules::{sgd, sgd::SgdParams};
use optirs_gpu_tests::rules::options::{Centre, Options, OptionsParams};

#[test]
fn defaults_are_the_nearest_f32_and_valid() {
    let params = OptionsParams::default();
    assert_eq!(params.learning_rate, 1e-2);
    assert_eq!((params.gain, params.limit, params.period, params.centre), (0.5, None, 3, Centre::Zero));
    assert!(params.validate().is_ok());
}

#[test]
fn new_takes_the_fields_in_order_and_checks_them() {
    let params = OptionsParams::new(0.1, 0.0, Some(2.0), 7, Centre::Param).unwrap();
    assert_eq!(params.period, 7);
    let error = |params: Result<OptionsParams, _>| params.map_err(|error: optirs_gpu::GpuOptimError| error.to_string());
    assert_eq!(
        error(OptionsParams::new(-0.1, 0.0, None, 7, Centre::Zero)),
        Err("learning_rate = -0.1 is out of range: it must be finite and in 0.0..".to_owned())
    );
    assert_eq!(
        error(OptionsParams::new(0.1, 0.0, Some(f32::INFINITY), 7, Centre::Zero)),
        Err("limit = inf is out of range: it must be finite and in 0.0..".to_owned())
    );
    assert_eq!(
        error(OptionsParams::new(0.1, 0.0, Some(-2.0), 7, Centre::Zero)),
        Err("limit = -2 is out of range: it must be finite and in 0.0..".to_owned())
    );
    assert_eq!(
        error(OptionsParams::new(0.1, 0.0, None, 0, Centre::Zero)),
        Err("period = 0 is out of range: it must be finite and in 1..".to_owned())
    );
    assert_eq!(error(OptionsParams::new(0.1, 0.0, None, 1, Centre::Mean)), Err("a mean needs a gain".to_owned()));
}

#[test]
fn fields_are_read_and_set_by_name() {
    let params = OptionsParams::new(0.1, 0.25, Some(2.0), 7, Centre::Param).unwrap();
    let mut fields = Vec::new();
    params.fields(&mut |field, value| fields.push((field, value)));
    let expected = [
        ("learning_rate", Value::Real(0.1)),
        ("gain", Value::Real(0.25)),
        ("limit", Value::OptionalReal(Some(2.0))),
        ("period", Value::Whole(7)),
        ("centre", Value::Choice("Param")),
    ];
    assert_eq!(fields, expected);
    let mut other = OptionsParams::default();
    assert!(fields.into_iter().all(|(field, value)| other.set_field(field, value)));
    assert_eq!(other, params);
    for (field, value) in [
        ("rate", Value::Real(0.5)),
        ("period", Value::Real(0.5)),
        ("limit", Value::Real(0.5)),
        ("centre", Value::Choice("Corner")),
    ] {
        assert!(!other.set_field(field, value), "{field}");
    }
    assert_eq!(other, params);
}

#[test]
fn every_combination_of_options_has_its_variant() {
    for gain in [0.0, -0.0, 0.5] {
        for limit in [None, Some(1.0)] {
            for (centre, name) in [(Centre::Zero, "Zero"), (Centre::Param, "Param"), (Centre::Mean, "Mean")] {
                let params = OptionsParams { gain, limit, centre, ..OptionsParams::default() };
                let found = Options::variant(&params).map(|index| Options::VARIANTS[index].options);
                let options = [
                    ("gain", if gain == 0.0 { "0" } else { "nonzero" }),
                    ("limit", if limit.is_some() { "Some" } else { "None" }),
                    ("centre", name),
                ];
                let forbidden = gain == 0.0 && centre == Centre::Mean;
                assert_eq!(found, (!forbidden).then_some(&options[..]), "{params:?}");
            }
        }
    }
}

/// Gradient descent with a momentum that may be negative.
#[gpu_optimizer]
pub mod overrelaxed {
    pub struct OverrelaxedParams {
        #[hyper(default = -0.5, range = -1.0..1.0, switch)]
        pub momentum: f32,
    }
    pub struct State {
        velocity: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &OverrelaxedParams) {
        if hyper.momentum != 0.0 {
            state.velocity = hyper.momentum * state.velocity + grad;
            *param -= state.velocity;
        } else {
            *param -= grad;
        }
    }
}

use overrelaxed::{Overrelaxed, OverrelaxedParams};

#[test]
fn a_switch_is_off_at_zero_alone() {
    for (momentum, name) in [(-0.5, "nonzero"), (-f32::MIN_POSITIVE, "nonzero"), (-0.0, "0"), (0.0, "0")] {
        let variant = Overrelaxed::variant(&OverrelaxedParams { momentum }).unwrap();
        assert_eq!(Overrelaxed::VARIANTS[variant].options, [("momentum", name)], "{momentum:?}");
    }
}

#[test]
fn a_state_exists_where_something_reads_it() {
    let states = |params: &SgdParams| {
        let variant = &sgd::Sgd::VARIANTS[sgd::Sgd::variant(params).unwrap()];
        variant.element_states.iter().map(|&state| sgd::Sgd::STATES[state].name).collect::<Vec<_>>()
    };
    assert!(states(&SgdParams::default()).is_empty());
    assert_eq!(states(&SgdParams { momentum: 0.9, ..SgdParams::default() }), ["momentum_buffer"]);
}

#[test]
fn the_default_sources_are_those_of_the_default_options() {
    let variant = Options::variant(&OptionsParams::default()).unwrap();
    assert_eq!(Options::WGSL, Options::VARIANTS[variant].programs[0].wgsl);
    assert_eq!(Options::MSL, Options::VARIANTS[variant].programs[0].msl);
    assert_ne!(variant, 0, "the test would prove nothing");
}

#[test]
fn groups_may_differ_only_in_what_is_not_shared() {
    let params = ProdigyParams::default();
    let other = ProdigyParams { epsilon: 1e-6, weight_decay: 0.1, ..params };
    assert_eq!(Prodigy::shared_difference(&params, &other), None);
    assert_eq!(Prodigy::shared_difference(&params, &ProdigyParams { d0: 1e-5, ..params }), Some("d0"));
    assert_eq!(Prodigy::shared_difference(&params, &ProdigyParams { beta3: Some(0.9), ..params }), Some("beta3"));
}

/// The value that a state starts from, which is one of the hyper-parameters.
fn start<R: Rule>(params: &R::Params, state: &str) -> f32 {
    let state = R::STATES.iter().find(|known| known.name == state).unwrap();
    let Init::Hyper(index) = state.init else { panic!("{:?}", state.init) };
    R::hyper(params, index)
}

#[test]
fn a_state_may_start_from_any_hyper_parameter() {
    let first = RpropParams { learning_rate: 0.25, ..RpropParams::default() };
    assert_eq!(start::<Rprop>(&first, "size"), 0.25);
    let last = AdagradParams { initial_accumulator: 0.125, ..AdagradParams::default() };
    assert_eq!(start::<Adagrad>(&last, "square_sum"), 0.125);
    let middle = ProdigyParams { d0: 1e-5, ..ProdigyParams::default() };
    assert_eq!(start::<Prodigy>(&middle, "d"), 1e-5);
}
