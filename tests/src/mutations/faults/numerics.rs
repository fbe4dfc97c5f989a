//! Faults in the numerics beside the optimizers: conversions, loss scales, quantization, sparse gradients.

use crate::mutations::Fault;

/// The faults.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "mixed-precision-bfloat16-is-cut-off",
        file: "optirs-gpu/src/mixed_precision/conversion.rs",
        find: "bf16::from_f32(value).to_bits()",
        replace: "(value.to_bits() >> 16) as u16",
        wrong: "A number becomes the bfloat16 below it, not the nearest; some NaNs become infinite.",
        caught_by: "optirs-gpu-tests numerics formats::every_halfway_point_rounds_to_even_and_its_neighbours_to_theirs",
    },
    Fault {
        name: "mixed-precision-growth-goes-on-after-an-overflow",
        file: "optirs-gpu/src/mixed_precision/loss_scale.rs",
        find: r#".max(min_scale);
            self.streak = 0;"#,
        replace: ".max(min_scale);",
        wrong: "An overflow does not begin the count of good steps anew: the scale grows too soon.",
        caught_by: "optirs-gpu-tests numerics loss_scale::a_scale_moves_as_torchs_does",
    },
    Fault {
        name: "mixed-precision-scale-without-a-limit",
        file: "optirs-gpu/src/mixed_precision/loss_scale.rs",
        find: "(self.scale * growth_factor).min(max_scale)",
        replace: "self.scale * growth_factor",
        wrong: "A scale that meets no overflow grows beyond its limit.",
        caught_by: "optirs-gpu lib mixed_precision::loss_scale::tests::a_scale_follows_overflows_within_its_limits",
    },
    Fault {
        name: "quantization-a-grid-without-zero",
        file: "optirs-gpu/src/quantization/calibration.rs",
        find: "(min_v.min(0.0), max_v.max(0.0))",
        replace: "(min_v, max_v)",
        wrong: "The grid of values that are all positive does not hold 0.",
        caught_by: "optirs-gpu lib quantization::calibration::tests::an_affine_grid_holds_zero",
    },
    Fault {
        name: "quantization-halves-go-away-from-zero",
        file: "optirs-gpu/src/quantization/rounding.rs",
        find: "RoundingMode::Nearest => value.round_ties_even(),",
        replace: "RoundingMode::Nearest => value.round(),",
        wrong: "Halfway between two numbers, FP8 takes the larger one.",
        caught_by: "optirs-gpu-tests numerics fp8::fake_quantization_is_the_value_of_that_code_but_saturates",
    },
    Fault {
        name: "quantization-stochastic-by-a-coin",
        file: "optirs-gpu/src/quantization/rounding.rs",
        find: "rng.random::<f64>() < value - low",
        replace: "value > low && rng.random::<f64>() < 0.5",
        wrong: "Stochastic rounding goes up half of the time, however near the lower number is.",
        caught_by: "optirs-gpu lib quantization::tests::stochastic_rounding_is_unbiased",
    },
    Fault {
        name: "quantization-clipped-values-have-gradients",
        file: "optirs-gpu/src/quantization/straight_through.rs",
        find: "(qmin_real..=qmax_real).contains(&x)",
        replace: "x.is_finite()",
        wrong: "Gradients pass through values that were clipped.",
        caught_by: "optirs-gpu lib quantization::tests::gradients_go_straight_through_what_is_not_clipped",
    },
    Fault {
        name: "quantization-weights-of-the-first-step",
        file: "optirs-gpu/src/quantization/rule.rs",
        find: r#"        self.optimizer.step(params)?;
        self.requantize(params, rng)"#,
        replace: r#"        self.requantize(params, rng)?;
        self.optimizer.step(params).map(|_| ())"#,
        wrong: "The quantized weights are those of one step before.",
        caught_by: "optirs-gpu lib quantization::rule::tests::masters_follow_any_rule",
    },
    Fault {
        name: "sparse-the-last-duplicate-counts",
        file: "optirs-gpu/src/sparse_optimizer/coo.rs",
        find: "*sum += value",
        replace: "*sum = value",
        wrong: "Of several gradients for one row only the last is applied.",
        caught_by: "optirs-gpu lib sparse_optimizer::coo::tests::duplicates_are_summed_in_order",
    },
    Fault {
        name: "sparse-second-moments-do-not-sleep",
        file: "optirs-gpu/src/sparse_optimizer/dormancy.rs",
        find: r#"        self.second *= power(config.beta2, left);
"#,
        replace: "",
        wrong: "A row without gradients keeps its second moment, which dense Adam lets decay.",
        caught_by: "optirs-gpu lib sparse_optimizer::adam::tests::dormancy_is_adam_on_gradients_of_zero",
    },
    Fault {
        name: "sparse-columns-as-many-as-rows",
        file: "optirs-gpu/src/sparse_optimizer/csr.rs",
        find: r#"increasing(columns, self.shape.1, "column")"#,
        replace: r#"increasing(columns, self.shape.0, "column")"#,
        wrong: "Columns are held against the number of rows.",
        caught_by: "optirs-gpu lib sparse_optimizer::csr::tests::rows_are_checked",
    },
    Fault {
        name: "sparse-nesterov-without-the-gradient",
        file: "optirs-gpu/src/sparse_optimizer/sgd.rs",
        find: "{ gradient + momentum * *buffer }",
        replace: "{ momentum * *buffer }",
        wrong: "Nesterov's momentum leaves out the gradient itself.",
        caught_by: "optirs-gpu lib sparse_optimizer::sgd::tests::a_parameter_moves_as_in_a_dense_sgd_over_the_steps_that_touch_it",
    },
];
