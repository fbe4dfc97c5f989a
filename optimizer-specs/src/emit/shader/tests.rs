//! What single statements become.

use crate::emit::{msl, wgsl};
use crate::{compile, parse};

/// A rule with this update, hyper-parameters `rate` and `power`, element states `m` and `v` and a tensor state `t`; all
/// that the rule does not change is kept.
fn rule(update: &str) -> String {
    format!(
        "#[gpu_optimizer] pub mod rule {{
            pub struct RuleParams {{
                #[hyper(default = 0.1, range = 0.0..)] pub rate: f32,
                #[hyper(default = 2, range = 0..)] pub power: u32,
            }}
            pub struct State {{ m: f32, #[init(0.5)] v: f32, #[tensor] t: f32 }}
            fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {{ {update} }}
        }}"
    )
}

/// The lines of both sources that hold a text, without indentation.
fn lines(update: &str, held: &str) -> [Vec<String>; 2] {
    let (attribute, item) = parse::parse_file(&rule(update)).unwrap().pop().unwrap();
    let compiled = compile(attribute, item).unwrap();
    let variant = &compiled.variants[0];
    [wgsl::program, msl::program].map(|program| {
        let source = program(&compiled.rule, variant, &variant.programs[0]);
        let found = source.lines().map(str::trim).filter(|line| line.contains(held) && !line.starts_with("//"));
        found.map(str::to_owned).collect()
    })
}

/// The one line that defines a name.
fn definition(update: &str, name: &str) -> [String; 2] {
    lines(update, &format!("{name} = ")).map(|lines| {
        let [line] = &lines[..] else { panic!("{lines:?}") };
        line.split_once(" = ").unwrap().1.trim_end_matches(';').to_owned()
    })
}

#[test]
fn operators_group_as_the_rule_says() {
    for (written, printed) in [
        ("grad - (*param - grad)", "grad - (param - grad)"),
        ("grad - *param - grad", "grad - param - grad"),
        ("grad / (*param * grad)", "grad / (param * grad)"),
        ("grad / *param * grad", "grad / param * grad"),
        ("(grad + *param) * grad", "(grad + param) * grad"),
        ("-(grad * *param) + grad", "(-(grad * param)) + grad"),
        ("grad * -1.5 + *param", "grad * (-1.5f) + param"),
        ("grad * 1e-8 + hyper.rate * *param", "grad * 1e-8f + row.rate * param"),
    ] {
        let update = format!("let x = {written}; *param -= x * x;");
        assert_eq!(definition(&update, " x"), [printed, printed], "{written}");
    }
}

#[test]
fn functions_are_those_of_the_language() {
    for (written, in_wgsl, in_metal) in [
        ("grad.max(0.0)", "larger4(grad, vec4f(0.0f))", "larger4(grad, float4(0.0f))"),
        (
            "hyper.rate.min(1.0).min(grad)",
            "smaller4(vec4f(row.min_rate_1), grad)",
            "smaller4(float4(row.min_rate_1), grad)",
        ),
        ("sign(grad) * grad", "sign_of4(grad) * grad", "sign_of4(grad) * grad"),
        ("grad.mul_add(hyper.rate, *param)", "fma(grad, vec4f(row.rate), param)", "fma(grad, float4(row.rate), param)"),
        ("grad.powi(hyper.power) + 1.0", "powi4(grad, row.power) + 1.0f", "powi4(grad, row.power) + 1.0f"),
        ("grad.abs().sqrt() + 1.0", "sqrt(abs(grad)) + 1.0f", "sqrt(abs(grad)) + 1.0f"),
    ] {
        let update = format!("let x = {written}; *param -= x * x;");
        assert_eq!(definition(&update, " x"), [in_wgsl, in_metal], "{written}");
    }
}

/// A condition of the host is one for all elements, one of the elements is one for each.
#[test]
fn conditions_select() {
    for (condition, in_wgsl, in_metal) in [
        ("step == 1", "select(param, grad, row.step_is_1 != 0u)", "(row.step_is_1 != 0u ? grad : param)"),
        ("grad > 0.0", "select(param, grad, grad > vec4f(0.0f))", "select(param, grad, grad > float4(0.0f))"),
        (
            "grad > 0.0 && step == 1",
            "select(param, grad, (grad > vec4f(0.0f)) & vec4<bool>(row.step_is_1 != 0u))",
            "select(param, grad, (grad > float4(0.0f)) && bool4(row.step_is_1 != 0u))",
        ),
    ] {
        let update = format!("let x = if {condition} {{ grad }} else {{ *param }}; *param -= x * x;");
        assert_eq!(definition(&update, " x"), [in_wgsl, in_metal], "{condition}");
    }
}

/// Without the parentheses WGSL would read a list of types between `<` and `>`.
#[test]
fn comparisons_between_commas_stand_in_parentheses() {
    let update =
        "let x = if step == 1 { grad < *param } else { grad >= 0.5 }; *param *= if x || !x { grad } else { 1.0 };";
    let expected = [
        "select((grad >= vec4f(0.5f)), (grad < param), row.step_is_1 != 0u)",
        "(row.step_is_1 != 0u ? (grad < param) : (grad >= float4(0.5f)))",
    ];
    assert_eq!(definition(update, " x"), expected);
}

/// A cell whose old value is not read is not loaded, but where its last elements are beyond the tensor's.
#[test]
fn a_cell_that_is_only_written_is_not_loaded() {
    let [stores, _] = lines("*param = hyper.rate * grad;", "params[");
    assert_eq!(
        stores,
        [
            "params[starts.x + quad] = param;",
            "params[starts.x + quad] = select(params[starts.x + quad], param, inside);"
        ]
    );
}

/// What is the same for a tensor stands before the loop over its elements.
#[test]
fn uniform_values_are_computed_once() {
    let [found, _] = lines("*param -= hyper.rate * state.t.sqrt() * grad; state.t += sum(grad);", "sqrt(t)");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("let ") && !found[0].contains("grad"), "{found:?}");
}
