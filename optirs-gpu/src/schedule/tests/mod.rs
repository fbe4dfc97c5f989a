//! Every schedule beside the one of torch or optax that it is said to equal, and what it refuses.

mod expected;

use expected::{EXPECTED, STEPS};

use super::{OneCycle, Schedule};
use crate::GpuOptimError;

/// The schedule that equals the one of this name, with the arguments of `tests/golden/schedules.py`.
fn equal_to(name: &str) -> Result<Schedule, GpuOptimError> {
    Ok(match name {
        "torch.ConstantLR" => Schedule::constant(0.1)?,
        "torch.LinearLR" => Schedule::linear(0.025, 0.1, 20)?,
        "torch.StepLR" | "optax.exponential_decay.staircase" => Schedule::step(0.1, 0.5, 10)?,
        "torch.MultiStepLR" => Schedule::multi_step(0.1, 0.1, [10, 30, 60])?,
        "torch.ExponentialLR" => Schedule::exponential(0.1, 0.95, 1)?,
        "torch.CosineAnnealingLR" => Schedule::cosine(0.1, 1e-3, 99)?,
        "torch.CosineAnnealingWarmRestarts.1" => Schedule::cosine_restarts(0.1, 1e-3, 10, 1)?,
        "torch.CosineAnnealingWarmRestarts.2" => Schedule::cosine_restarts(0.1, 0.0, 10, 2)?,
        "torch.PolynomialLR" => Schedule::polynomial(0.1, 0.0, 60, 2.0)?,
        "torch.OneCycleLR" => OneCycle::new(0.1, 100).schedule()?,
        "torch.OneCycleLR.linear" => {
            let shape = OneCycle { warmup: 0.2, divisor: 10.0, final_divisor: 100.0, ..OneCycle::new(0.1, 100) };
            OneCycle { linear: true, ..shape }.schedule()?
        }
        "torch.OneCycleLR.three_phase" => OneCycle { three_phases: true, ..OneCycle::new(0.1, 100) }.schedule()?,
        "torch.SequentialLR" => Schedule::linear(0.01, 0.1, 10)?.then(10, Schedule::exponential(0.1, 0.9, 1)?),
        "torch.LambdaLR" => Schedule::of(|step| 0.1 / (1.0 + step as f32).sqrt()),
        "optax.linear_schedule" => Schedule::linear(0.0, 0.1, 20)?,
        "optax.cosine_decay_schedule" => Schedule::cosine(0.1, 1e-3, 60)?,
        "optax.exponential_decay" => Schedule::exponential(0.1, 0.5, 10)?,
        "optax.polynomial_schedule" => Schedule::polynomial(0.1, 0.01, 60, 1.5)?,
        "optax.piecewise_constant_schedule" => Schedule::piecewise_constant(0.1, [(10, 0.05), (30, 0.005)])?,
        "optax.piecewise_interpolate_schedule" => Schedule::piecewise_linear([(0, 0.1), (10, 0.05), (30, 0.005)])?,
        "optax.warmup_cosine_decay_schedule" => {
            Schedule::linear(0.0, 0.1, 10)?.then(10, Schedule::cosine(0.1, 1e-3, 60)?)
        }
        "optax.join_schedules" => Schedule::linear(0.0, 0.1, 10)?
            .then(10, Schedule::constant(0.05)?)
            .then(30, Schedule::exponential(0.05, 0.9, 1)?),
        other => panic!("no schedule is said to equal {other}"),
    })
}

#[test]
fn schedules_equal_those_of_torch_and_optax() {
    for (name, values) in EXPECTED {
        let schedule = equal_to(name).unwrap();
        for (step, expected) in STEPS.into_iter().zip(values) {
            let given = f64::from(schedule.at(step));
            // An ulp of f32, and torch's own error where it multiplies step by step.
            let allowed = 2e-7 * expected.abs() + 1e-11;
            assert!((given - expected).abs() <= allowed, "{name} at {step}: {given} instead of {expected}");
        }
    }
}

#[test]
fn a_value_that_has_arrived_stays_to_the_last_count() {
    for (name, end) in [
        ("torch.LinearLR", 0.1),
        ("torch.CosineAnnealingLR", 1e-3),
        ("torch.PolynomialLR", 0.0),
        ("torch.OneCycleLR", 4e-7),
        ("torch.OneCycleLR.three_phase", 4e-7),
        ("optax.piecewise_interpolate_schedule", 0.005),
        ("optax.warmup_cosine_decay_schedule", 1e-3),
    ] {
        let schedule = equal_to(name).unwrap();
        assert_eq!([100, 1 << 40, u64::MAX].map(|step| schedule.at(step)), [end; 3], "{name}");
    }
    // Periods grow no longer than a count can be.
    let restarts = Schedule::cosine_restarts(1.0, 0.0, 2, u64::MAX).unwrap();
    assert_eq!([0, 1, 2, u64::MAX].map(|step| restarts.at(step)), [1.0, 0.5, 1.0, 0.0]);
}

#[test]
fn over_no_steps_a_value_is_there_at_once() {
    for schedule in [
        Schedule::linear(0.0, 0.5, 0),
        Schedule::cosine(0.0, 0.5, 0),
        Schedule::polynomial(0.0, 0.5, 0, 2.0),
        Schedule::linear(7.0, 8.0, 3).map(|first| first.then(0, Schedule::constant(0.5).unwrap())),
        OneCycle { final_divisor: 1.0, divisor: 2.0, ..OneCycle::new(1.0, 1) }.schedule(),
        Schedule::piecewise_linear([(0, 0.5)]),
        Schedule::piecewise_constant(0.5, []),
    ] {
        assert_eq!(schedule.unwrap().at(0), 0.5);
    }
}

#[test]
fn a_curve_that_arrives_is_there_exactly() {
    // In f64, from + (to - from) may differ from to.
    let schedule = Schedule::linear(0.1, 0.7, 10).unwrap();
    assert_eq!((schedule.at(0), schedule.at(10)), (0.1, 0.7));
    let schedule = Schedule::piecewise_linear([(2, 0.1), (5, 0.7)]).unwrap();
    assert_eq!([0, 2, 5, 6].map(|step| schedule.at(step)), [0.1, 0.1, 0.7, 0.7]);
}

#[test]
fn what_is_out_of_range_is_named() {
    let cycle = OneCycle::new(0.1, 100);
    for (result, field) in [
        (Schedule::constant(f32::NAN), "value"),
        (Schedule::linear(f32::INFINITY, 0.0, 1), "from"),
        (Schedule::cosine(0.0, f32::NAN, 1), "to"),
        (Schedule::step(0.1, -0.5, 1), "factor"),
        (Schedule::step(0.1, 0.5, 0), "period"),
        (Schedule::exponential(f32::NAN, 0.5, 1), "initial"),
        (Schedule::exponential(0.1, 0.5, 0), "period"),
        (Schedule::multi_step(0.1, f32::NAN, [1]), "factor"),
        (Schedule::cosine_restarts(0.1, 0.0, 0, 1), "period"),
        (Schedule::cosine_restarts(0.1, 0.0, 1, 0), "growth"),
        (Schedule::polynomial(0.1, 0.0, 1, 0.0), "power"),
        (Schedule::piecewise_constant(0.1, [(1, f32::NAN)]), "value"),
        (OneCycle { peak: f32::NAN, ..cycle }.schedule(), "peak"),
        (OneCycle { steps: 0, ..cycle }.schedule(), "steps"),
        (OneCycle { warmup: 0.0, ..cycle }.schedule(), "warmup"),
        (OneCycle { warmup: 1.0, ..cycle }.schedule(), "warmup"),
        (OneCycle { warmup: 0.6, three_phases: true, ..cycle }.schedule(), "warmup"),
        (OneCycle { divisor: 0.0, ..cycle }.schedule(), "divisor"),
        (OneCycle { final_divisor: -1.0, ..cycle }.schedule(), "final_divisor"),
    ] {
        let error = result.unwrap_err();
        assert!(matches!(error, GpuOptimError::OutOfRange { field: named, .. } if named == field), "{field}: {error}");
    }
    for unordered in [
        Schedule::multi_step(0.1, 0.5, [3, 3]),
        Schedule::piecewise_constant(0.1, [(3, 0.1), (2, 0.2)]),
        Schedule::piecewise_linear([]),
    ] {
        assert!(matches!(unordered.unwrap_err(), GpuOptimError::Requirement(_)));
    }
    let unordered = Schedule::multi_step(0.1, 0.5, [1, 5, 4]).unwrap_err();
    assert_eq!(unordered.to_string(), "milestones must rise: 4 comes after 5");
}

#[test]
fn a_schedule_shows_what_it_is() {
    let shown = format!("{:?}", Schedule::linear(0.0, 1.0, 4).unwrap());
    assert_eq!(shown, r#"Schedule { shape: "linear", begins: [0.0, 0.25, 0.5], .. }"#);
}
