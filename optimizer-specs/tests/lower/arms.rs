//! Control flow: versions, arms, helpers, in Rust's order.

use expect_test::expect;

use crate::support::{lowered, plain, with_options};

#[test]
fn a_read_after_a_write_sees_the_new_value() {
    let rule = lowered(&plain("m: f32", "let old = state.m; state.m += grad; *param -= state.m * old; *param *= 0.5;"));
    expect![[r#"
        graph update, takes grad
          // let old = state.m;
          %0 = load state.m                    real element 0
          // the prologue
          %1 = raw_grad                        real element 0
          %2 = grad_scale                      real row 0
          %3 = multiply %1 %2                  real element 0  scaled_grad
          %4 = clip_value                      real row 0
          %5 = negate %4                       real row 0
          %6 = max %3 %5                       real element 0
          %7 = min %6 %4                       real element 0  clamped_grad
          %8 = is_nan %3                       bool element 0  is_nan
          %9 = select %8 %3 %7                 real element 0  limited_grad
          %10 = clip                           real tensor 0
          %11 = multiply %9 %10                real element 0  grad
          // state.m += grad;
          %12 = add %0 %11                     real element 0  m
          // *param -= state.m * old;
          %13 = load param                     real element 0
          %14 = multiply %12 %0                real element 0
          %15 = subtract %13 %14               real element 0  param
          // *param *= 0.5;
          %16 = 0.5                            real const 0
          %17 = multiply %15 %16               real element 0  param
          store param = %17
          store state.m = %12
    "#]]
    .assert_eq(&rule.text());
}

#[test]
fn an_arm_that_writes_alone_selects_the_old_version() {
    let rule = lowered(&plain(
        "m: f32",
        "if grad > 0.0 { state.m = state.m * 0.5; } else if grad < -1.0 { *param = 0.0; } *param -= state.m;",
    ));
    expect![[r#"
        graph update, takes grad
          // the prologue
          %0 = raw_grad                        real element 0
          %1 = grad_scale                      real row 0
          %2 = multiply %0 %1                  real element 0  scaled_grad
          %3 = clip_value                      real row 0
          %4 = negate %3                       real row 0
          %5 = max %2 %4                       real element 0
          %6 = min %5 %3                       real element 0  clamped_grad
          %7 = is_nan %2                       bool element 0  is_nan
          %8 = select %7 %2 %6                 real element 0  limited_grad
          %9 = clip                            real tensor 0
          %10 = multiply %8 %9                 real element 0  grad
          // if grad > 0.0 {
          %11 = 0.0                            real const 0
          %12 = greater %10 %11                bool element 0
          // state.m = state.m * 0.5;
          %13 = load state.m                   real element 0
          %14 = 0.5                            real const 0
          %15 = multiply %13 %14               real element 0  m
          // else if grad < -1.0 {
          %16 = -1.0                           real const 0
          %17 = less %10 %16                   bool element 0
          %18 = load param                     real element 0
          %19 = select %17 %11 %18             real element 0  param
          // if grad > 0.0 {
          %20 = select %12 %18 %19             real element 0  param
          %21 = select %12 %15 %13             real element 0  m
          // *param -= state.m;
          %22 = subtract %20 %21               real element 0  param
          store param = %22
          store state.m = %21
    "#]]
    .assert_eq(&rule.text());
}

#[test]
fn arms_begin_with_what_was_before_the_choice() {
    let arms = |condition: &str, then: &str, otherwise: &str| {
        let body = format!("if {condition} {{ {then} }} else {{ {otherwise} }} *param -= state.m;");
        lowered(&plain("m: f32", &body)).text()
    };
    let (fresh, old) = ("state.m = 2.0;", "state.m *= 3.0;");
    for text in [arms("step == 1", fresh, old), arms("step != 1", old, fresh)] {
        assert!(text.contains("load state.m") && text.contains("multiply"), "{text}");
    }
}

#[test]
fn variables_of_arms_and_shadowing() {
    let rule = lowered(&plain(
        "",
        "let mut x = grad;
        let y = if step == 1 {
            let x = x * 2.0;
            x + 1.0
        } else {
            x = x * 3.0;
            let x = 5.0;
            x
        };
        let (x, z) = (y, x);
        *param = x - z;",
    ));
    expect![[r#"
        graph update, takes grad
          // the prologue
          %0 = raw_grad                        real element 0
          %1 = grad_scale                      real row 0
          %2 = multiply %0 %1                  real element 0  scaled_grad
          %3 = clip_value                      real row 0
          %4 = negate %3                       real row 0
          %5 = max %2 %4                       real element 0
          %6 = min %5 %3                       real element 0  clamped_grad
          %7 = is_nan %2                       bool element 0  is_nan
          %8 = select %7 %2 %6                 real element 0  limited_grad
          %9 = clip                            real tensor 0
          %10 = multiply %8 %9                 real element 0  grad
          // let y = if step == 1 { let x = x * 2.0; x + 1.0 } else { x = x * 3.0; let x = 5.0; x };
          %11 = step                           int row 0
          %12 = 1                              int const 0
          %13 = equal %11 %12                  bool row 0
          // let x = x * 2.0;
          %14 = 2.0                            real const 0
          %15 = multiply %10 %14               real element 0  x
          // let y = if step == 1 { let x = x * 2.0; x + 1.0 } else { x = x * 3.0; let x = 5.0; x };
          %16 = 1.0                            real const 0
          %17 = add %15 %16                    real element 0
          // x = x * 3.0;
          %18 = 3.0                            real const 0
          %19 = multiply %10 %18               real element 0  x
          // let x = 5.0;
          %20 = 5.0                            real const 0
          // let y = if step == 1 { let x = x * 2.0; x + 1.0 } else { x = x * 3.0; let x = 5.0; x };
          %21 = select %13 %10 %19             real element 0  x
          %22 = select %13 %17 %20             real element 0  y
          // *param = x - z;
          %23 = subtract %22 %21               real element 0  param
          store param = %23
    "#]]
    .assert_eq(&rule.text());
}

#[test]
fn arms_with_equal_values_are_no_choice() {
    let rule = lowered(&plain("", "let x = if grad > 0.0 { grad + 1.0 } else { grad + 1.0 }; *param -= x;"));
    expect![[r#"
        graph update, takes grad
          // the prologue
          %0 = raw_grad                        real element 0
          %1 = grad_scale                      real row 0
          %2 = multiply %0 %1                  real element 0  scaled_grad
          %3 = clip_value                      real row 0
          %4 = negate %3                       real row 0
          %5 = max %2 %4                       real element 0
          %6 = min %5 %3                       real element 0  clamped_grad
          %7 = is_nan %2                       bool element 0  is_nan
          %8 = select %7 %2 %6                 real element 0  limited_grad
          %9 = clip                            real tensor 0
          %10 = multiply %8 %9                 real element 0  grad
          // let x = if grad > 0.0 { grad + 1.0 } else { grad + 1.0 };
          %11 = 1.0                            real const 0
          %12 = add %10 %11                    real element 0  x
          // *param -= x;
          %13 = load param                     real element 0
          %14 = subtract %13 %12               real element 0  param
          store param = %14
    "#]]
    .assert_eq(&rule.text());
}

#[test]
fn conditions_of_the_host_choose_on_the_host() {
    let rule = lowered(&plain(
        "",
        "let warm = if step < hyper.period { step as f32 / hyper.period as f32 } else { 1.0 };
        if warm > 0.5 { *param -= warm * grad; }",
    ));
    expect![[r#"
        graph update, takes grad
          // let warm = if step < hyper.period { step as f32 / hyper.period as f32 } else { 1.0 };
          %0 = step                            int row 0
          %1 = hyper.period                    int row 0
          %2 = less %0 %1                      bool row 0
          %3 = to_real %0                      real row 0
          %4 = to_real %1                      real row 0
          %5 = divide %3 %4                    real row 0
          %6 = 1.0                             real const 0
          %7 = select %2 %5 %6                 real row 0  warm
          // if warm > 0.5 {
          %8 = 0.5                             real const 0
          %9 = greater %7 %8                   bool row 0
          // *param -= warm * grad;
          %10 = load param                     real element 0
          // the prologue
          %11 = raw_grad                       real element 0
          %12 = grad_scale                     real row 0
          %13 = multiply %11 %12               real element 0  scaled_grad
          %14 = clip_value                     real row 0
          %15 = negate %14                     real row 0
          %16 = max %13 %15                    real element 0
          %17 = min %16 %14                    real element 0  clamped_grad
          %18 = is_nan %13                     bool element 0  is_nan
          %19 = select %18 %13 %17             real element 0  limited_grad
          %20 = clip                           real tensor 0
          %21 = multiply %19 %20               real element 0  grad
          // *param -= warm * grad;
          %22 = multiply %7 %21                real element 0
          %23 = subtract %10 %22               real element 0  param
          // if warm > 0.5 {
          %24 = select %9 %23 %10              real element 0  param
          store param = %24
    "#]]
    .assert_eq(&rule.text());
}

#[test]
fn helpers_return_tuples_write_states_and_reduce() {
    let source = plain(
        "m: f32",
        "let (direction, size) = moved(grad, state, hyper); *param -= hyper.rate * direction / (size + 1.0);",
    )
    .replace(
        "fn update",
        "fn moved(g: f32, state: &mut State, hyper: &SmallParams) -> (f32, f32) {
            state.m = lerp(g, state.m, hyper.decay);
            (sign(state.m), norm(state.m))
        }
        fn update",
    );
    expect![[r#"
        graph update, takes grad
          // the prologue
          %0 = raw_grad                        real element 0
          %1 = grad_scale                      real row 0
          %2 = multiply %0 %1                  real element 0  scaled_grad
          %3 = clip_value                      real row 0
          %4 = negate %3                       real row 0
          %5 = max %2 %4                       real element 0
          %6 = min %5 %3                       real element 0  clamped_grad
          %7 = is_nan %2                       bool element 0  is_nan
          %8 = select %7 %2 %6                 real element 0  limited_grad
          %9 = clip                            real tensor 0
          %10 = multiply %8 %9                 real element 0  grad
          // state.m = lerp(g, state.m, hyper.decay);
          %11 = load state.m                   real element 0
          %12 = hyper.decay                    real const 0
          %13 = subtract %11 %10               real element 0
          %14 = multiply %12 %13               real element 0
          %15 = add %10 %14                    real element 0  m
          // let (direction, size) = moved(grad, state, hyper);
          %16 = sign %15                       real element 0  direction
          %17 = reduce norm %15                real tensor 1  size
          // *param -= hyper.rate * direction / (size + 1.0);
          %18 = load param                     real element 0
          %19 = hyper.rate                     real row 0
          %20 = multiply %19 %16               real element 0
          %21 = 1.0                            real const 0
          %22 = add %17 %21                    real tensor 1
          %23 = divide %20 %22                 real element 1
          %24 = subtract %18 %23               real element 1  param
          store param = %24
          store state.m = %15
    "#]]
    .assert_eq(&lowered(&source).text());
}

#[test]
fn options_pass_through_variables_and_helpers() {
    let source = with_options(
        "#[hyper(default = None, range = 0.0..)]\npub limit: Option<f32>,
        #[hyper(default = Kind::First)]\npub kind: Kind,",
        "",
        "let kind = hyper.kind;
        let bounded = bound(grad, hyper.limit);
        *param -= if kind == Kind::First { bounded } else { bounded * 2.0 };",
    )
    .replace(
        "fn update",
        "fn bound(x: f32, limit: Option<f32>) -> f32 {
            if let Some(limit) = limit { x.clamp(-limit, limit) } else { x }
        }
        fn update",
    );
    let rule = lowered(&source);
    let text = |options: &[(&str, &str)]| rule.graph_text(&rule.variant(options).graphs[0]);
    expect![[r#"
        graph update, takes grad
          // the prologue
          %0 = raw_grad                        real element 0
          %1 = grad_scale                      real row 0
          %2 = multiply %0 %1                  real element 0  scaled_grad
          %3 = clip_value                      real row 0
          %4 = negate %3                       real row 0
          %5 = max %2 %4                       real element 0
          %6 = min %5 %3                       real element 0  clamped_grad
          %7 = is_nan %2                       bool element 0  is_nan
          %8 = select %7 %2 %6                 real element 0  limited_grad
          %9 = clip                            real tensor 0
          %10 = multiply %8 %9                 real element 0  grad
          // *param -= if kind == Kind::First { bounded } else { bounded * 2.0 };
          %11 = load param                     real element 0
          %12 = subtract %11 %10               real element 0  param
          store param = %12
    "#]]
    .assert_eq(&text(&[("limit", "None"), ("kind", "First")]));
    expect![[r#"
        graph update, takes grad
          // the prologue
          %0 = raw_grad                        real element 0
          %1 = grad_scale                      real row 0
          %2 = multiply %0 %1                  real element 0  scaled_grad
          %3 = clip_value                      real row 0
          %4 = negate %3                       real row 0
          %5 = max %2 %4                       real element 0
          %6 = min %5 %3                       real element 0  clamped_grad
          %7 = is_nan %2                       bool element 0  is_nan
          %8 = select %7 %2 %6                 real element 0  limited_grad
          %9 = clip                            real tensor 0
          %10 = multiply %8 %9                 real element 0  grad
          // let bounded = bound(grad, hyper.limit);
          %11 = hyper.limit                    real row 0
          %12 = negate %11                     real row 0
          %13 = max %10 %12                    real element 0
          %14 = min %13 %11                    real element 0  bounded
          // *param -= if kind == Kind::First { bounded } else { bounded * 2.0 };
          %15 = load param                     real element 0
          %16 = 2.0                            real const 0
          %17 = multiply %14 %16               real element 0
          %18 = subtract %15 %17               real element 0  param
          store param = %18
    "#]]
    .assert_eq(&text(&[("limit", "Some"), ("kind", "Second")]));
}

#[test]
fn the_right_side_of_and_is_an_arm() {
    let source = plain("m: f32", "if grad > 0.0 && raised(state) { *param = 1.0; }").replace(
        "fn update",
        "fn raised(state: &mut State) -> bool { state.m = state.m + 1.0; state.m > 2.0 }
        fn update",
    );
    expect![[r#"
        graph update, takes grad
          // the prologue
          %0 = raw_grad                        real element 0
          %1 = grad_scale                      real row 0
          %2 = multiply %0 %1                  real element 0  scaled_grad
          %3 = clip_value                      real row 0
          %4 = negate %3                       real row 0
          %5 = max %2 %4                       real element 0
          %6 = min %5 %3                       real element 0  clamped_grad
          %7 = is_nan %2                       bool element 0  is_nan
          %8 = select %7 %2 %6                 real element 0  limited_grad
          %9 = clip                            real tensor 0
          %10 = multiply %8 %9                 real element 0  grad
          // if grad > 0.0 && raised(state) {
          %11 = 0.0                            real const 0
          %12 = greater %10 %11                bool element 0
          // state.m = state.m + 1.0;
          %13 = load state.m                   real element 0
          %14 = 1.0                            real const 0
          %15 = add %13 %14                    real element 0  m
          // if grad > 0.0 && raised(state) {
          %16 = 2.0                            real const 0
          %17 = greater %15 %16                bool element 0
          %18 = select %12 %15 %13             real element 0  m
          %19 = and %12 %17                    bool element 0
          %20 = load param                     real element 0
          %21 = select %19 %14 %20             real element 0  param
          store param = %21
          store state.m = %18
    "#]]
    .assert_eq(&lowered(&source).text());
}

#[test]
fn a_compound_assignment_reads_its_place_last() {
    let source = |assignment: &str| {
        plain("m: f32", &format!("{assignment} *param -= state.m;")).replace(
            "fn update",
            "fn reset(state: &mut State) -> f32 { state.m = 0.0; 1.0 }
            fn update",
        )
    };
    let text = |assignment: &str| lowered(&source(assignment)).text();
    let (compound, plain) = (text("state.m += reset(state);"), text("state.m = state.m + reset(state);"));
    assert!(compound.contains("store param") && !compound.contains("load state.m"), "{compound}");
    assert!(plain.contains("load state.m"), "{plain}");
}
