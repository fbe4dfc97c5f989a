//! The host function: bits of host values, fields that are not needed, host states, values that are not finite.

use optirs_gpu::rule::{RowContext, RowError, Rule};
use optirs_gpu::rules::{Adam, AdamParams};
use optirs_gpu::rules::{NAdam, NAdamParams};
use optirs_gpu::rules::{RAdam, RAdamParams};
use optirs_gpu::rules::{ScheduleFreeAdamW, ScheduleFreeAdamWParams};
use optirs_gpu_tests::compiled::{self, RuleFile};

/// A row of `update` by field names.
struct Row(Vec<(String, u32)>);

impl Row {
    fn of<R: Rule>(params: &R::Params, step: u64, host_states: &mut [f64]) -> Result<Self, RowError> {
        let (shape, clip_value) = (&[3], f64::INFINITY);
        let context =
            RowContext { params, step, run: step, shape, all_len: 3, scalars: &[], grad_scale: 1.0, clip_value };
        let variant = R::variant(params).expect("allowed options");
        let mut words = vec![u32::MAX; R::VARIANTS[variant].programs[0].row_words];
        R::row(variant, 0, &context, host_states, &mut words)?;
        let rule = compiled::rules().into_iter().find(|rule: &RuleFile| rule.name() == R::NAME).expect("a known rule");
        let fields = &rule.compiled.variants[variant].programs[0].row;
        assert_eq!(fields.len(), words.len());
        Ok(Self(fields.iter().map(|field| field.name.clone()).zip(words).collect()))
    }

    fn bits(&self, name: &str) -> u32 {
        let found = self.0.iter().find(|(field, _)| field == name);
        found.unwrap_or_else(|| panic!("no field `{name}` in {:?}", self.0)).1
    }

    fn real(&self, name: &str) -> f32 {
        f32::from_bits(self.bits(name))
    }
}

#[test]
fn host_values_are_rounded_once() {
    let row = Row::of::<Adam>(&AdamParams::default(), 1, &mut []).unwrap();
    assert_eq!(row.bits("one_minus_beta2"), 0x3a83_126f, "not 0x3a831200, which is 1 - 0.999f32");
    assert_eq!(row.bits("bias2"), 0x3a83_126f);
    assert_eq!(row.bits("beta2"), 0.999f32.to_bits());
    assert_eq!(row.real("learning_rate_over_bias1"), 0.01);
    assert_eq!(row.real("grad_scale"), 1.0);
    let late = Row::of::<Adam>(&AdamParams::default(), u64::MAX, &mut []).unwrap();
    assert_eq!(late.real("bias2"), 1.0);
}

#[test]
fn a_field_of_an_arm_not_taken_is_zero_and_no_error() {
    let params = RAdamParams::default();
    let early = Row::of::<RAdam>(&params, 1, &mut []).unwrap();
    assert_eq!(early.bits("rho_above_5"), 0);
    assert_eq!(early.bits("rectified_rate"), 0, "the root of a negative number");
    assert_eq!(early.real("learning_rate_over_bias1"), 1e-2);
    let late = Row::of::<RAdam>(&params, 10, &mut []).unwrap();
    assert_eq!(late.bits("rho_above_5"), 1);
    assert_eq!(late.bits("learning_rate_over_bias1"), 0);
    assert!(late.real("rectified_rate") > 0.0);
}

#[test]
fn host_states_are_f64_from_step_to_step() {
    let params = NAdamParams::default();
    let mut product = [1.0];
    let momentum = |t: f64| 0.9 * (1.0 - 0.5 * 0.96f64.powf(t * 0.004));
    let mut expected = 1.0;
    for step in 1..=5 {
        Row::of::<NAdam>(&params, step, &mut product).unwrap();
        expected *= momentum(step as f64);
        assert_eq!(product[0], expected, "step {step}");
    }
}

#[test]
fn entries_have_rows_of_their_own() {
    let params = ScheduleFreeAdamWParams::default();
    let context = RowContext {
        params: &params,
        step: 1,
        run: 1,
        shape: &[1],
        all_len: 1,
        scalars: &[],
        grad_scale: 1.0,
        clip_value: f64::INFINITY,
    };
    let programs = ScheduleFreeAdamW::VARIANTS[0].programs;
    let names: Vec<_> = programs.iter().map(|program| (program.name, program.takes_grad, program.row_words)).collect();
    assert_eq!(names[1..], [("eval", false, 1), ("train", false, 1)]);
    let mut words = [0];
    ScheduleFreeAdamW::row(0, 1, &context, &mut [0.0, 0.0], &mut words).unwrap();
    assert_eq!(f32::from_bits(words[0]), (1.0f64 - 1.0 / 0.9) as f32);
}

#[test]
fn a_value_that_is_not_finite_names_its_expression_and_changes_no_state() {
    let params = AdamParams { learning_rate: f32::MAX, beta1: 0.999, ..AdamParams::default() };
    let error = Row::of::<Adam>(&params, 1, &mut []).map(|_| ()).unwrap_err();
    assert_eq!(error.expression, "hyper.learning_rate / bias1");
    assert!(error.value > 3.4e38 && error.value.is_finite(), "the f64, which no f32 holds: {}", error.value);

    let params = NAdamParams::default();
    let mut overflowing = [f64::INFINITY];
    let error = Row::of::<NAdam>(&params, 1, &mut overflowing).map(|_| ()).unwrap_err();
    assert_eq!(error.expression, "state.mu_product = state.mu_product * mu");
    assert_eq!(overflowing, [f64::INFINITY]);
}

#[test]
fn no_host_state_changes_where_the_new_value_of_another_is_not_finite() {
    // Without a power the weights do not depend on the largest rate: either state overflows alone.
    let params = ScheduleFreeAdamWParams { weight_lr_power: 0.0, ..ScheduleFreeAdamWParams::default() };
    for (start, changed) in [([f64::INFINITY, 0.0], "state.weight_sum"), ([0.0, f64::INFINITY], "state.rate_max")] {
        let mut states = start;
        let error = Row::of::<ScheduleFreeAdamW>(&params, 1, &mut states).map(|_| ()).unwrap_err();
        assert!(error.expression.starts_with(changed), "{}", error.expression);
        assert_eq!(states, start, "{}", error.expression);
    }
}

#[test]
fn a_program_that_does_not_exist_is_an_error() {
    let params = AdamParams::default();
    let context = RowContext {
        params: &params,
        step: 1,
        run: 1,
        shape: &[1],
        all_len: 1,
        scalars: &[],
        grad_scale: 1.0,
        clip_value: f64::INFINITY,
    };
    assert!(Adam::row(0, 7, &context, &mut [], &mut []).is_err());
}
