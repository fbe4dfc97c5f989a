//! Faults in the generated Rust: host functions, CPU kernels, what the macro leaves in a user's crate.

use crate::mutations::Fault;

/// The faults.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "host-plain-widening",
        file: "optimizer-specs/src/emit/host/function.rs",
        find: r#"Some(HyperType::F32) => format!("math::decimal({field})"),"#,
        replace: r#"Some(HyperType::F32) => format!("f64::from({field})"),"#,
        wrong: "A hyper-parameter enters host arithmetic with the rounding error of its f32: 1 - 0.999 is off by 1.3e-5.",
        caught_by: "optirs-gpu-tests generated generated::rows::host_values_are_rounded_once",
    },
    Fault {
        name: "host-run-for-step",
        file: "optimizer-specs/src/emit/host/function.rs",
        find: r#"Op::Step => "math::whole(context.step)".to_owned(),"#,
        replace: r#"Op::Step => "math::whole(context.run)".to_owned(),"#,
        wrong: "`step` counts the optimizer's updates instead of the tensor's.",
        caught_by: "optirs-gpu-tests host_values generated_rows_are_those_of_the_interpreter",
    },
    Fault {
        name: "host-state-of-another-place",
        file: "optimizer-specs/src/emit/host/function.rs",
        find: "self.variant.host_states.iter().take_while(|known| **known != state).count()",
        replace: "state as usize",
        wrong: "A host state is looked up by its place among all states of the rule.",
        caught_by: "optirs-gpu-tests host_values generated_rows_are_those_of_the_interpreter",
    },
    Fault {
        name: "host-arms-not-taken-are-checked",
        file: "optimizer-specs/src/emit/host/function.rs",
        find: r#"let Some(demand) = field.demand else { return text.line(format!("{member}: {value},")) };"#,
        replace: r#"let Some(demand) = field.demand.filter(|_| field.ty != FieldType::F32) else {
        return text.line(format!("{member}: {value},"));
    };"#,
        wrong: "The root of a negative number in an arm that is not taken fails the step.",
        caught_by: "optirs-gpu-tests generated generated::rows::a_field_of_an_arm_not_taken_is_zero_and_no_error",
    },
    Fault {
        name: "rust-comparison-groups-loosely",
        file: "optimizer-specs/src/emit/rust_code.rs",
        find: r#""+" | "-" => (Level::Sum, Level::Sum, Level::Product),"#,
        replace: r#""+" | "-" => (Level::Sum, Level::Sum, Level::Sum),"#,
        wrong: "`a - (b - c)` prints as `a - b - c` in Rust.",
        caught_by: "optimizer-specs lib emit::rust_code::tests::grouping_to_the_left_needs_no_parentheses",
    },
    Fault {
        name: "expand-only-the-first-shared-parameter",
        file: "optimizer-specs/src/expand/rule.rs",
        find: "rule.hypers.iter().filter(|hyper| hyper.shared).map(|hyper| {",
        replace: "rule.hypers.iter().filter(|hyper| hyper.shared).take(1).map(|hyper| {",
        wrong: "Groups may differ in the second `shared` hyper-parameter, and the first group's value is taken for all.",
        caught_by: "optirs-gpu-tests generated generated::params::groups_may_differ_only_in_what_is_not_shared",
    },
    Fault {
        name: "expand-number-of-dimensions-not-read",
        file: "optimizer-specs/src/expand/tables.rs",
        find: "matches!(op, Op::Len | Op::Ndim | Op::Dim(_))",
        replace: "matches!(op, Op::Len)",
        wrong: "Tensors of equal length and different shape share a row that depends on the shape.",
        caught_by: "optirs-gpu-tests generated generated::shapes::the_shape_of_each_tensor_decides_its_row",
    },
    Fault {
        name: "expand-entries-ask-for-a-gradient",
        file: "optimizer-specs/src/expand/tables.rs",
        find: "let takes_grad = program.graph.takes_grad;",
        replace: "let takes_grad = true;",
        wrong: "An entry that takes no gradient leaves out the tensors that have none.",
        caught_by: "optirs-gpu-tests generated generated::rows::entries_have_rows_of_their_own",
    },
    Fault {
        name: "expand-requirement-in-f32",
        file: "optimizer-specs/src/expand/requirement.rs",
        find: r#"HyperType::F32 => Code::call("math::decimal", [field]),"#,
        replace: r#"HyperType::F32 => Code::call("f64::from", [field]),"#,
        wrong: "A requirement compares 0.9 as 0.89999998: `beta1 >= 0.9` refuses 0.9.",
        caught_by: "optirs-gpu-tests generated generated::requirements::a_bound_is_met_by_the_decimal_that_was_written",
    },
    Fault {
        name: "expand-requirements-on-shapes-unchecked",
        file: "optimizer-specs/src/expand/requirement.rs",
        find: r#"of_shapes: conditions(true, "params")"#,
        replace: r#"of_shapes: conditions(false, "params")"#,
        wrong: "Requirements on shapes are never checked.",
        caught_by: "optirs-gpu-tests generated generated::requirements::conditions_over_the_shape",
    },
];
