//! Faults in the oracle itself, and in explanations. What is compared with the interpreter proves nothing where both are
//! wrong, so its own tests must stand alone.

use crate::mutations::Fault;

/// The faults.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "interpreter-lanes-in-another-order",
        file: "optimizer-specs/src/interp/reduce.rs",
        find: "let (low, high) = (meet(combine, lane[0], lane[1])?, meet(combine, lane[2], lane[3])?);",
        replace: "let (low, high) = (meet(combine, lane[0], lane[2])?, meet(combine, lane[1], lane[3])?);",
        wrong: "The interpreter adds the lanes of a thread in another order.",
        caught_by: "optimizer-specs lib interp::tests::sums::a_thread_adds_its_four_lanes_in_pairs",
    },
    Fault {
        name: "interpreter-norm-overflows",
        file: "optimizer-specs/src/interp/reduce.rs",
        find: "if plain.is_not_finite() { large } else { plain.root() }",
        replace: "if large.is_not_finite() { large } else { plain.root() }",
        wrong: "The interpreter's norm is infinite where its sum of squares is.",
        caught_by: "optimizer-specs lib interp::tests::sums::a_norm_does_not_overflow",
    },
    Fault {
        name: "interpreter-last-element-lost",
        file: "optimizer-specs/src/interp/direct.rs",
        find: "let elements = start..len.min(start + REDUCTION_CHUNK);",
        replace: "let elements = start..(len - 1).min(start + REDUCTION_CHUNK);",
        wrong: "The interpreter's sums leave out the last element of a tensor.",
        caught_by: "optimizer-specs lib interp::tests::sums::a_norm_does_not_overflow",
    },
    Fault {
        name: "interpreter-plain-widening",
        file: "optimizer-specs/src/interp/host.rs",
        find: "    value.to_string().parse().unwrap_or(f64::from(value))",
        replace: "    f64::from(value)",
        wrong: "The interpreter widens hyper-parameters with the rounding error of their f32.",
        caught_by: "optimizer-specs lib interp::tests::host_arithmetic::a_hyper_parameter_is_the_decimal_that_was_written",
    },
    Fault {
        name: "interpreter-both-arms-on-the-host",
        file: "optimizer-specs/src/interp/host.rs",
        find: r#"let taken = if self.bool(condition)? { then } else { otherwise };
                self.value(taken)"#,
        replace: r#"let (then, otherwise) = (self.finite(then)?, self.finite(otherwise)?);
                Ok(if self.bool(condition)? { then } else { otherwise })"#,
        wrong: "The interpreter fails on what stands in an arm that is not taken.",
        caught_by: "optimizer-specs lib interp::tests::host_arithmetic::an_arm_that_is_not_taken_does_not_exist",
    },
    Fault {
        name: "interpreter-division-of-whole-numbers-floors",
        file: "optimizer-specs/src/interp/host.rs",
        find: "BinaryOp::Divide => Ok(Int(a.saturating_div(b))),",
        replace: "BinaryOp::Divide => Ok(Int(a.div_euclid(b))),",
        wrong: "The interpreter divides whole numbers towards minus infinity.",
        caught_by: "optimizer-specs lib interp::tests::host_arithmetic::whole_numbers_saturate",
    },
    Fault {
        name: "interpreter-stores-are-not-seen",
        file: "optimizer-specs/src/interp/execute.rs",
        find: "LoadSource::Cell(cell) => self.cells[tensor].get(&cell).map(Vec::as_slice),",
        replace: "LoadSource::Cell(cell) => held.cells.get(&cell).map(Vec::as_slice),",
        wrong: "The interpreter reloads what a cell held before the step.",
        caught_by: "optimizer-specs lib interp::tests::programs::every_plan_gives_the_bits_of_direct_evaluation",
    },
    Fault {
        name: "bound-forgets-products",
        file: "optimizer-specs/src/interp/form.rs",
        find: "((self.terms - 1.0) * self.weight + self.products)",
        replace: "((self.terms - 1.0) * self.weight)",
        wrong: "The bound does not allow for a product that is fused with a sum, or rounded elsewhere.",
        caught_by: "optimizer-specs lib interp::tests::bounds::many_factors_may_be_taken_in_any_order",
    },
    Fault {
        name: "bound-forgets-factors-of-factors",
        file: "optimizer-specs/src/interp/form.rs",
        find: "products: self.products * other.weight + other.products * self.weight + weight,",
        replace: "products: weight,",
        wrong: "The bound does not allow for factors in another order.",
        caught_by: "optimizer-specs lib interp::tests::bounds::many_factors_may_be_taken_in_any_order",
    },
    Fault {
        name: "bound-of-division-far-too-wide",
        file: "optimizer-specs/src/interp/bounded.rs",
        find: "const DIVISION_ULPS: f64 = 2.5 + 0.5;",
        replace: "const DIVISION_ULPS: f64 = 25.0 + 0.5;",
        wrong: "The bound admits quotients that no implementation may give.",
        caught_by: "optimizer-specs lib interp::tests::bounds::the_bound_of_a_step_is_small",
    },
    Fault {
        name: "bound-of-roots-too-narrow",
        file: "optimizer-specs/src/interp/bounded.rs",
        find: "const ROOT_ULPS: f64 = 4.5 + 0.5;",
        replace: "const ROOT_ULPS: f64 = 1.5 + 0.5;",
        wrong: "The bound refuses roots that WGSL allows.",
        caught_by: "optimizer-specs lib interp::tests::bounds::quotients_and_roots_are_off_by_what_wgsl_allows_and_no_more",
    },
    Fault {
        name: "bound-comparisons-are-certain",
        file: "optimizer-specs/src/interp/bounded.rs",
        find: "certain: bound == 0.0 || apart > bound }",
        replace: "certain: bound.is_finite() }",
        wrong: "The bound takes for certain a comparison that could fall either way.",
        caught_by: "optimizer-specs lib interp::tests::bounds::an_uncertain_condition_widens_to_the_other_arm",
    },
];
