//! What the functions of the language are made of, and what folds.

use expect_test::expect;

use crate::support::{errors, lowered, plain};

fn text(body: &str) -> String {
    lowered(&plain("", body)).text()
}

#[test]
fn a_tree_of_literals_is_one_literal_in_f64() {
    expect![[r#"
        graph update, takes grad
          // *param -= (0.1 + 0.2) * grad * (2.0 as f32).powi(-2) * (7 / 2) as f32;
          %0 = load param                      real element 0
          %1 = 0.30000000000000004             real const 0
          // the prologue
          %2 = raw_grad                        real element 0
          %3 = grad_scale                      real row 0
          %4 = multiply %2 %3                  real element 0  scaled_grad
          %5 = clip_value                      real row 0
          %6 = negate %5                       real row 0
          %7 = max %4 %6                       real element 0
          %8 = min %7 %5                       real element 0  clamped_grad
          %9 = is_nan %4                       bool element 0  is_nan
          %10 = select %9 %4 %8                real element 0  limited_grad
          %11 = clip                           real tensor 0
          %12 = multiply %10 %11               real element 0  grad
          // *param -= (0.1 + 0.2) * grad * (2.0 as f32).powi(-2) * (7 / 2) as f32;
          %13 = multiply %1 %12                real element 0
          %14 = 0.25                           real const 0
          %15 = multiply %13 %14               real element 0
          %16 = 3.0                            real const 0
          %17 = multiply %15 %16               real element 0
          %18 = subtract %0 %17                real element 0  param
          store param = %18
    "#]]
    .assert_eq(&text("*param -= (0.1 + 0.2) * grad * (2.0 as f32).powi(-2) * (7 / 2) as f32;"));
}

#[test]
fn arithmetic_on_values_stays_as_written() {
    expect![[r#"
        graph update, takes grad
          // *param = *param * 1.0 + 0.0;
          %0 = load param                      real element 0
          %1 = 1.0                             real const 0
          %2 = multiply %0 %1                  real element 0
          %3 = 0.0                             real const 0
          %4 = add %2 %3                       real element 0  param
          store param = %4
    "#]]
    .assert_eq(&text("*param = *param * 1.0 + 0.0;"));
}

#[test]
fn comparisons_that_every_count_answers_alike_fold() {
    let folds = |condition: &str| {
        let counts = "let n = count(grad > 0.0); let m = count(grad > 1.0);";
        let text = text(&format!("{counts} if {condition} {{ *param = 1.0; }}"));
        !text.lines().any(|line| line.contains("reduce count"))
    };
    for condition in ["n >= 0", "n < 0", "0 > n", "0 <= n", "n <= 4294967295", "4294967295 < n"] {
        assert!(folds(condition), "{condition}");
    }
    let same = "count(grad > 0.0)";
    for comparison in ["==", "!=", "<", "<=", ">", ">="] {
        assert!(folds(&format!("{same} {comparison} {same}")), "{comparison}");
    }
    for condition in ["n > 0", "n == 0", "n != 0", "0 < n", "n >= 1", "n < 4294967295", "n >= m"] {
        assert!(!folds(condition), "{condition}");
    }
}

#[test]
fn powers_on_the_device_are_multiplications() {
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
          // *param = grad.powi(6);
          %11 = multiply %10 %10               real element 0
          %12 = multiply %11 %11               real element 0
          %13 = multiply %11 %12               real element 0  param
          store param = %13
    "#]]
    .assert_eq(&text("*param = grad.powi(6);"));
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
          // *param = grad.powi(-3);
          %11 = multiply %10 %10               real element 0
          %12 = multiply %10 %11               real element 0
          %13 = 1.0                            real const 0
          %14 = divide %13 %12                 real element 0  param
          store param = %14
    "#]]
    .assert_eq(&text("*param = grad.powi(-3);"));
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
          // *param = grad.powi(0) * grad.powi(step) * hyper.decay.powi(2);
          %11 = 1.0                            real const 0
          %12 = step                           int row 0
          %13 = powi %10 %12                   real element 0
          %14 = multiply %11 %13               real element 0
          %15 = hyper.decay                    real const 0
          %16 = 2                              int const 0
          %17 = powi %15 %16                   real const 0
          %18 = multiply %14 %17               real element 0  param
          store param = %18
    "#]]
    .assert_eq(&text("*param = grad.powi(0) * grad.powi(step) * hyper.decay.powi(2);"));
}

#[test]
fn composed_functions() {
    expect![[r#"
        graph update, takes grad
          // *param = lerp(*param, grad, hyper.decay).clamp(-1.0, 1.0);
          %0 = load param                      real element 0
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
          // *param = lerp(*param, grad, hyper.decay).clamp(-1.0, 1.0);
          %12 = hyper.decay                    real const 0
          %13 = subtract %11 %0                real element 0
          %14 = multiply %12 %13               real element 0
          %15 = add %0 %14                     real element 0
          %16 = 1.0                            real const 0
          %17 = -1.0                           real const 0
          %18 = max %15 %17                    real element 0
          %19 = min %18 %16                    real element 0  param
          store param = %19
    "#]]
    .assert_eq(&text("*param = lerp(*param, grad, hyper.decay).clamp(-1.0, 1.0);"));
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
          // *param = grad.recip().mul_add(2.0, 3.0);
          %11 = 1.0                            real const 0
          %12 = divide %11 %10                 real element 0
          %13 = 2.0                            real const 0
          %14 = 3.0                            real const 0
          %15 = mul_add %12 %13 %14            real element 0  param
          store param = %15
    "#]]
    .assert_eq(&text("*param = grad.recip().mul_add(2.0, 3.0);"));
    expect![[r#"
        graph update, takes grad
          // *param -= all::mean(grad) / max_abs(grad) * count(grad > 0.0) as f32;
          %0 = load param                      real element 0
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
          // *param -= all::mean(grad) / max_abs(grad) * count(grad > 0.0) as f32;
          %12 = reduce all::sum %11            real all 1
          %13 = all_len                        int const 0
          %14 = to_real %13                    real const 0
          %15 = divide %12 %14                 real all 1
          %16 = abs %11                        real element 0
          %17 = reduce max %16                 real tensor 1
          %18 = divide %15 %17                 real tensor 1
          %19 = 0.0                            real const 0
          %20 = greater %11 %19                bool element 0
          %21 = reduce count %20               int tensor 1
          %22 = to_real %21                    real tensor 1
          %23 = multiply %18 %22               real tensor 1
          %24 = subtract %0 %23                real element 1  param
          store param = %24
    "#]]
    .assert_eq(&text("*param -= all::mean(grad) / max_abs(grad) * count(grad > 0.0) as f32;"));
}

#[test]
fn literals_without_a_finite_value() {
    expect![[r#"
        not-finite at `/`: `1.0 / 0.0` has no finite value
          help: no value may be infinite or NaN: guard it with `if`
    "#]]
    .assert_eq(&errors(&plain("", "*param -= grad * (1.0 / 0.0);")));
    expect![[r#"
        not-finite at `sqrt`: `(-4.0).sqrt()` has no finite value
          help: no value may be infinite or NaN: guard it with `if`
    "#]]
    .assert_eq(&errors(&plain("", "*param -= grad * (0.0 - 4.0).sqrt();")));
    expect![[r#"
        literal at `*`: 1.0000000000000001e60 is used on the device, where numbers are f32, and does not fit
          help: the greatest number is `f32::MAX`, about 3.4e38
    "#]]
    .assert_eq(&errors(&plain("", "*param -= grad * (1e30 * 1e30);")));
    expect![[r#"
        literal at `=`: 1.0000000000000001e60 is used on the device, where numbers are f32, and does not fit
          help: the greatest number is `f32::MAX`, about 3.4e38
    "#]]
    .assert_eq(&errors(&plain("", "*param = 1e30 * 1e30;")));
}

#[test]
fn the_host_has_room_for_what_the_device_has_not() {
    let value = text("*param -= grad * (hyper.rate * (1e30 * 1e30) / 1e30);");
    assert!(value.contains("= 1.0000000000000001e60 "), "{value}");
}
