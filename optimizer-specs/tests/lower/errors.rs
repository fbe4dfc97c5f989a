//! The errors that need extents, as text.

use expect_test::{Expect, expect};

use crate::support::{errors, plain, with_options};

fn check(state: &str, body: &str, expected: Expect) {
    expected.assert_eq(&errors(&plain(state, body)));
}

#[test]
fn functions_of_the_host() {
    check(
        "",
        "*param -= grad % 2.0 + grad.floor() + grad.ceil();",
        expect![[r#"
            host-only at `%`: `%` is for host values only
              help: host values are made of hyper-parameters, `step`, `run`, shape and host states
            host-only at `floor`: `floor` is for host values only
              help: host values are made of hyper-parameters, `step`, `run`, shape and host states
            host-only at `ceil`: `ceil` is for host values only
              help: host values are made of hyper-parameters, `step`, `run`, shape and host states
        "#]],
    );
}

#[test]
fn an_error_in_a_helper_is_reported_once() {
    let source = plain("", "*param -= root(grad) + root(*param);")
        .replace("fn update", "fn root(x: f32) -> f32 { x.floor() }\nfn update");
    expect![[r#"
        host-only at `floor`: `floor` is for host values only
          help: host values are made of hyper-parameters, `step`, `run`, shape and host states
    "#]]
    .assert_eq(&errors(&source));
}

#[test]
fn states_narrower_than_their_value() {
    check(
        "#[tensor] size: f32",
        "state.size = 0.5 * state.size + grad; *param -= state.size * grad;",
        expect![[r#"
            state-extent at `=`: `state.size` has one value per tensor, but the value reads `grad`, which has one value per element
              help: reduce it, `mean(…)`, `norm(…)`, or make the state per element: leave out `#[tensor]`
        "#]],
    );
    check(
        "#[all] d: f32",
        "let g = grad * 2.0; state.d = state.d + g; *param -= state.d * grad;",
        expect![[r#"
        state-extent at `=`: `state.d` has one value for all tensors, but the value reads `grad`, which has one value per element
          help: reduce it over all tensors, `all::mean(…)`, or make the state per element: leave out `#[all]`
    "#]],
    );
    check(
        "#[all] d: f32",
        "state.d = state.d + norm(grad); *param -= state.d * grad;",
        expect![[r#"
        state-extent at `=`: `state.d` has one value for all tensors, but the value reads a reduction over one tensor, which has one value per tensor, made on the device
          help: reduce over all tensors: `all::sum(…)`, `all::norm(…)`, …
    "#]],
    );
    check(
        "#[all] d: f32",
        "state.d = state.d + hyper.rate; *param -= state.d * grad;",
        expect![[r#"
            state-extent at `=`: `state.d` has one value for all tensors, but the value reads `hyper.rate`, which has one value per parameter group
              help: mark the hyper-parameter `shared`: one value for all parameter groups
        "#]],
    );
    check(
        "#[all] d: f32",
        "state.d = state.d + 1.0 / step as f32; *param -= state.d * grad;",
        expect![[r#"
        state-extent at `=`: `state.d` has one value for all tensors, but the value reads `step`, which has one value per tensor, made on the host
          help: `step` counts the updates of one tensor: use `run`
    "#]],
    );
    check(
        "#[all] d: f32",
        "state.d = state.d + len() as f32; *param -= state.d * grad;",
        expect![[r#"
        state-extent at `=`: `state.d` has one value for all tensors, but the value reads `len()`, which has one value per tensor, made on the host
          help: an `#[all]` state reads only `run`, shared hyper-parameters and reductions over all tensors
    "#]],
    );
    check(
        "#[host] h: f64",
        "state.h = state.h + norm(grad); *param -= state.h * grad;",
        expect![[r#"
            state-extent at `=`: `state.h` has one value per tensor, kept on the host, but the value reads a reduction over one tensor, which has one value per tensor, made on the device
              help: the host never waits for the device: make it a `#[tensor]` state or leave out what the device makes
        "#]],
    );
    check(
        "#[host] h: f64",
        "state.h = state.h + all::norm(grad); *param -= state.h * grad;",
        expect![[r#"
            state-extent at `=`: `state.h` has one value per tensor, kept on the host, but the value reads a reduction over all tensors, which has one value for all tensors, made on the device
              help: the host never waits for the device: make it a `#[tensor]` state or leave out what the device makes
        "#]],
    );
}

#[test]
fn assignments_under_wider_conditions() {
    check(
        "#[tensor] size: f32",
        "if grad > 0.0 { state.size = state.size + 1.0; } *param -= state.size * grad;",
        expect![[r#"
            condition-extent at `=`: `state.size` has one value per tensor, but it is assigned under a condition that reads `grad`, which has one value per element
              help: reduce it, `mean(…)`, `norm(…)`, or make the state per element: leave out `#[tensor]`
        "#]],
    );
    check(
        "#[all] d: f32",
        "if step > 1 { state.d = state.d + 1.0; } *param -= state.d * grad;",
        expect![[r#"
        condition-extent at `=`: `state.d` has one value for all tensors, but it is assigned under a condition that reads `step`, which has one value per tensor, made on the host
          help: `step` counts the updates of one tensor: use `run`
    "#]],
    );
    check(
        "#[host] h: f64",
        "let size = norm(grad); if size > 1.0 { state.h = state.h + 1.0; } *param -= state.h * grad;",
        expect![[r#"
            condition-extent at `=`: `state.h` has one value per tensor, kept on the host, but it is assigned under a condition that reads `size`, which has one value per tensor, made on the device
              help: the host never waits for the device: make it a `#[tensor]` state or leave out what the device makes
        "#]],
    );
}

#[test]
fn reductions_out_of_place() {
    check(
        "",
        "*param -= if grad > 0.0 { norm(grad) } else { 0.0 };",
        expect![[r#"
            reduction-condition at `norm`: a reduction goes over all elements, but it stands under a condition that reads `grad`, which has one value per element
              help: compute it before the `if`; to leave elements out, reduce `if … { x } else { 0.0 }`
        "#]],
    );
    check(
        "",
        "*param -= grad / sum(1.0);",
        expect![[r#"
            reduction-argument at `sum`: a reduction goes over the elements of a tensor, but `1.0` is the same for all of them
              help: how many elements there are is `len()`
        "#]],
    );
    check(
        "",
        "*param -= grad / all::count(step > 1) as f32;",
        expect![[r#"
            reduction-argument at `count`: a reduction goes over the elements of a tensor, but the value is the same for all of them
              help: how many elements there are is `all::len()`
        "#]],
    );
    check(
        "",
        "let size = norm(grad); *param -= grad / max(size);",
        expect![[r#"
            reduction-argument at `max`: a reduction goes over the elements of a tensor, but `size` is the same for all of them
              help: use the value itself
        "#]],
    );
}

#[test]
fn whole_numbers_on_the_device() {
    check(
        "",
        "*param -= grad * (count(grad > 0.0) + 1) as f32;",
        expect![[r#"
        device-integer at `+`: a count can be compared and taken `as f32`; other arithmetic on whole numbers is for the host
          help: write `count(…) as f32` and go on with reals
    "#]],
    );
    check(
        "",
        "*param -= grad.powi(count(grad > 0.0));",
        expect![[r#"
            device-integer at `powi`: the power of `powi` is made on the device
              help: use a whole number of the host
        "#]],
    );
    check(
        "",
        "if count(grad > 0.0) > -1 { *param -= grad; }",
        expect![[r#"
        count-range at `>`: a count is never compared with -1: it lies in 0..=4294967295
          help: compare it with a whole number of that range
    "#]],
    );
    check(
        "",
        "let n = if norm(grad) > 1.0 { step } else { 1 }; *param -= grad * n as f32;",
        expect![[r#"
            device-integer at `if`: the device would choose between two whole numbers, which it does not have
              help: take them `as f32` in both arms
        "#]],
    );
}

#[test]
fn options_that_depend_on_the_run() {
    let fields = "#[hyper(default = None, range = 0.0..)]\npub limit: Option<f32>,";
    let body = "let kind = if step == 1 { Kind::First } else { Kind::Second };
        let kept = if grad > 0.0 { hyper.limit } else { hyper.limit };
        *param -= if kind == Kind::First { grad } else { kept.unwrap_or(1.0) };";
    expect![[r#"
        choice-at-run-time at `if`: an `Option` or enum value may depend on options only, and this condition is known at run time
          help: choose between the numbers that it leads to instead
    "#]].assert_eq(&errors(&with_options(fields, "", body)));
}

#[test]
fn an_error_is_reported_once_and_says_which_options_lead_to_it() {
    let fields = "#[hyper(default = 0.0, range = 0.0.., switch)]\npub gain: f32,
        #[hyper(default = false)]\npub double: bool,";
    let body = "let scale = if hyper.double { 2.0 } else { 1.0 };
        *param -= scale * grad.floor() / (1.0 / hyper.gain);";
    expect![[r#"
        host-only at `floor`: `floor` is for host values only
          help: host values are made of hyper-parameters, `step`, `run`, shape and host states
        not-finite at `/`: `1.0 / 0.0` has no finite value
          help: no value may be infinite or NaN: guard it with `if`; it happens with gain = 0, double = false
    "#]]
    .assert_eq(&errors(&with_options(fields, "", body)));
}

#[test]
fn a_default_that_is_not_used_is_not_wrong() {
    let fields = "#[hyper(default = None, range = 0.0..)]\npub limit: Option<f32>,";
    let body = "*param -= grad * hyper.limit.unwrap_or(1.0 / 0.0);";
    expect![[r#"
        not-finite at `/`: `1.0 / 0.0` has no finite value
          help: no value may be infinite or NaN: guard it with `if`; it happens with limit = None
    "#]]
    .assert_eq(&errors(&with_options(fields, "", body)));
}

#[test]
fn nothing_follows_from_an_error() {
    check(
        "#[tensor] size: f32",
        "let e = grad.floor(); state.size = norm(e); let (a, b) = (e, e * 2.0); *param -= a + b + state.size;",
        expect![[r#"
            host-only at `floor`: `floor` is for host values only
              help: host values are made of hyper-parameters, `step`, `run`, shape and host states
        "#]],
    );
}

#[test]
fn arms_of_a_wrong_condition_report_their_own_errors() {
    check(
        "#[tensor] size: f32",
        "if grad.floor() > 1.0 { state.size = state.size + grad; } else { *param = grad.ceil(); } *param -= state.size;",
        expect![[r#"
            host-only at `floor`: `floor` is for host values only
              help: host values are made of hyper-parameters, `step`, `run`, shape and host states
            state-extent at `=`: `state.size` has one value per tensor, but the value reads `grad`, which has one value per element
              help: reduce it, `mean(…)`, `norm(…)`, or make the state per element: leave out `#[tensor]`
            host-only at `ceil`: `ceil` is for host values only
              help: host values are made of hyper-parameters, `step`, `run`, shape and host states
        "#]],
    );
    let fields = "#[hyper(default = None, range = 0.0..)]\npub limit: Option<f32>,";
    let body = "let kind = if step == 1 { Kind::First } else { Kind::Second };
        *param -= match kind { Kind::First => grad.floor(), Kind::Second => hyper.limit.unwrap_or(1.0) };";
    expect![[r#"
        choice-at-run-time at `if`: an `Option` or enum value may depend on options only, and this condition is known at run time
          help: choose between the numbers that it leads to instead
        host-only at `floor`: `floor` is for host values only
          help: host values are made of hyper-parameters, `step`, `run`, shape and host states
    "#]].assert_eq(&errors(&with_options(fields, "", body)));
}
