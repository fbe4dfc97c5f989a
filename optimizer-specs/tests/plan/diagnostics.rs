//! What only planning finds wrong or odd.

use optimizer_specs::compile::compile;
use optimizer_specs::parse;
use optimizer_specs::report::{Severity, plain};

use crate::sources::compiled;

/// A rule with a norm over everything, two inputs and these states.
fn source(states: usize, inputs: &str, extra: &str) -> String {
    let fields: String = (0..states).map(|i| format!("s{i}: f32, ")).collect();
    let updates: String = (0..states).map(|i| format!("state.s{i} = 0.5 * state.s{i} + grad; ")).collect();
    let total: String = (0..states).map(|i| format!(" + state.s{i}")).collect();
    format!(
        "#[gpu_optimizer]
pub mod wide {{
    pub struct WideParams {{
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
    }}
    pub struct State {{ {fields} }}
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &WideParams{inputs}) {{
        {updates}
        let size = norm(*param * grad{extra}{total});
        *param -= hyper.learning_rate / size * (grad{total});
    }}
}}
"
    )
}

#[test]
fn more_buffers_than_a_target_has() {
    let source = source(1, ", #[input] first: f32, #[input] second: f32", " + first * second");
    let (attribute, item) = parse::parse_file(&source).expect("Rust syntax").remove(0);
    let errors = compile(attribute, item).err().unwrap_or_default();
    assert_eq!(
        plain(&source, Severity::Error, &errors),
        "error[too-many-buffers]: `update_pass1` binds 9 buffers; WGSL allows 8
 --> 8:112
   |     fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &WideParams, #[input] first: f32, #[input] second: f32) {
   |                                                                                                                ^^^^^^
   = help: take fewer `#[input]` arguments
"
    );
}

#[test]
fn one_input_fits() {
    let compiled = compiled(&source(1, ", #[input] first: f32", " + first")).remove(0);
    let bindings =
        compiled.variants[0].programs[0].kernels.iter().map(|kernel| optimizer_specs::layout::bindings(kernel).len());
    assert_eq!(bindings.max(), Some(8));
}

#[test]
fn more_plans_than_are_looked_through() {
    let source = source(14, "", "");
    let compiled = compiled(&source).remove(0);
    let warnings = plain(&source, Severity::Warning, &compiled.warnings);
    let lines: Vec<_> = warnings.lines().take(2).collect();
    assert_eq!(lines, ["warning[too-many-plans]: `update` has too many plans to look through: 16384", " --> 8:8"]);
    assert!(compiled.variants[0].programs[0].plan.chosen.stores.iter().all(|&(_, pass)| pass == 1));
}
