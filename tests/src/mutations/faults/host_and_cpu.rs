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
        name: "host-states-change-before-all-is-checked",
        file: "optimizer-specs/src/emit/host/function.rs",
        find: r#"    for Change { state, name, value, .. } in changes {
        let source = format!("state.{state} = {}", expression(printer.labels, printer.graph, *value));
        text.line(format!("let {name} = math::finite({}, {source:?})?;", printer.value(*value)));
    }
    for Change { place, name, .. } in changes {
"#,
        replace: r#"    for Change { state, name, value, place } in changes {
        let source = format!("state.{state} = {}", expression(printer.labels, printer.graph, *value));
        text.line(format!("let {name} = math::finite({}, {source:?})?;", printer.value(*value)));
"#,
        wrong: "A host state changes although the next one's new value is not finite and the step fails.",
        caught_by: "optirs-gpu-tests generated generated::rows::no_host_state_changes_where_the_new_value_of_another_is_not_finite",
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
        name: "cpu-tail-lane-lost",
        file: "optimizer-specs/src/emit/rust_cpu/pass.rs",
        find: r#"writer.text.open(format!("for lane in 0..{} {{", locals.len));"#,
        replace: r#"writer.text.open(format!("for lane in 0..{} / 2 * 2 {{", locals.len));"#,
        wrong: "The CPU skips the last element of a block of odd length.",
        caught_by: "optirs-gpu-tests parity cpu::cpu_steps_with_other_hyper_parameters_are_bit_equal_to_the_interpreter",
    },
    Fault {
        name: "cpu-maximum-takes-nan",
        file: "optimizer-specs/src/emit/rust_cpu/pass.rs",
        find: r#"Combine::Max => format!("{name}[lane] = math::max({name}[lane], {x});"),"#,
        replace: r#"Combine::Max => format!("{name}[lane] = math::max({x}, {name}[lane]);"),"#,
        wrong: "On the CPU a NaN stays in a maximum that should pass over it.",
        caught_by: "optirs-gpu-tests parity not_finite::the_cpu_makes_of_it_what_the_interpreter_does",
    },
    Fault {
        name: "cpu-partials-in-one-word",
        file: "optimizer-specs/src/emit/rust_cpu/pass.rs",
        find: r#"chunk.partials[{}] = {name}.total();", accumulator.partial"#,
        replace: r#"chunk.partials[{}] = {name}.total();", accumulator.partial / 2 * 2"#,
        wrong: "On the CPU the accumulators of a pass share the words of the partial record.",
        caught_by: "optirs-gpu-tests parity cpu::cpu_steps_with_other_hyper_parameters_are_bit_equal_to_the_interpreter",
    },
    Fault {
        name: "cpu-state-slices-swapped",
        file: "optimizer-specs/src/emit/rust_cpu/pass.rs",
        find: "let slices: Vec<_> = variant.element_states.iter().map(slice).collect();",
        replace: "let slices: Vec<_> = variant.element_states.iter().rev().map(slice).collect();",
        wrong: "On the CPU the states of an element lie in each other's place.",
        caught_by: "optirs-gpu-tests parity cpu::cpu_steps_with_other_hyper_parameters_are_bit_equal_to_the_interpreter",
    },
    Fault {
        name: "cpu-total-of-another-word",
        file: "optimizer-specs/src/emit/rust_cpu/finish.rs",
        find: r#"let total = format!("cpu::total_of_tensors::<{}>(all, {word})", combine(accumulator.combine));"#,
        replace: r#"let total =
                format!("cpu::total_of_tensors::<{}>(all, {})", combine(accumulator.combine), accumulator.partial);
            let _ = word;"#,
        wrong: "The finish over all tensors takes the word of the partial record for that of the tensor's.",
        caught_by: "optirs-gpu-tests parity cpu::cpu_steps_with_other_hyper_parameters_are_bit_equal_to_the_interpreter",
    },
    Fault {
        name: "rust-sign-of-zero-is-one",
        file: "optimizer-specs/src/emit/rust_expression.rs",
        find: r#"(UnaryOp::Sign, Dialect::Device) => Code::call("math::sign_f32", [self.code(a)]),"#,
        replace: r#"(UnaryOp::Sign, Dialect::Device) => self.typed(a).method("signum", []),"#,
        wrong: "On the CPU `sign(0)` is 1.",
        caught_by: "optirs-gpu-tests parity cpu::cpu_steps_with_other_hyper_parameters_are_bit_equal_to_the_interpreter",
    },
    Fault {
        name: "rust-whole-numbers-wrap",
        file: "optimizer-specs/src/emit/rust_expression.rs",
        find: r#"(BinaryOp::Subtract, _) if whole => self.method(a, "saturating_sub", b),"#,
        replace: r#"(BinaryOp::Subtract, _) if whole => self.method(a, "wrapping_sub", b),"#,
        wrong: "Whole numbers of the host wrap where the language says they saturate.",
        caught_by: "optirs-gpu-tests generated generated::whole_numbers::whole_numbers_saturate_at_both_ends",
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
        name: "expand-negative-switch-is-off",
        file: "optimizer-specs/src/expand/rule.rs",
        find: "HyperType::F32 => quote!(params.#name != 0.0),",
        replace: "HyperType::F32 => quote!(params.#name > 0.0),",
        wrong: "A negative number marked `switch` chooses the kernel for 0.",
        caught_by: "optirs-gpu-tests generated generated::params::a_switch_is_off_at_zero_alone",
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
        name: "expand-state-starts-from-another-parameter",
        file: "optimizer-specs/src/expand/rule.rs",
        find: "let (index, name) = (Literal::u32_unsuffixed(index), &hyper.name);",
        replace: r#"let place = indices.partition_point(|&other| other < index) as u32;
        let (index, name) = (Literal::u32_unsuffixed(place), &hyper.name);"#,
        wrong: "A hyper-parameter that a state starts from is looked up by its place among those alone.",
        caught_by: "optirs-gpu-tests generated generated::params::a_state_may_start_from_any_hyper_parameter",
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
        name: "expand-row-reads-bare-fields-alone",
        file: "optimizer-specs/src/expand/tables.rs",
        find: "program.graph.nodes.iter().any(|node| what(node.op));",
        replace: "program.row.iter().any(|field| what(program.graph.op(field.node)));",
        wrong: "A row that depends on `step` through a formula is taken not to: tensors at different steps share it.",
        caught_by: "optirs-gpu-tests runtime participants::a_tensor_without_a_gradient_is_skipped_whole",
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
        name: "expand-payload-out-of-range",
        file: "optimizer-specs/src/expand/params.rs",
        find: "HyperType::OptionF32 => Some(some(quote!(check::real(#label, value, #bounds, #text)?;))),",
        replace: "HyperType::OptionF32 => Some(some(quote!(check::real(#label, value, .., #text)?;))),",
        wrong: "The number inside of an `Option` may be out of its range.",
        caught_by: "optirs-gpu-tests generated generated::params::new_takes_the_fields_in_order_and_checks_them",
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
