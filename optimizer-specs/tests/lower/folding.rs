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
          %8 = min %7 %5                       real element 0  limited_grad
          %9 = clip                            real tensor 0
          %10 = multiply %8 %9                 real element 0  grad
          // *param -= (0.1 + 0.2) * grad * (2.0 as f32).powi(-2) * (7 / 2) as f32;
          %11 = multiply %1 %10                real element 0
          %12 = 0.25                           real const 0
          %13 = multiply %11 %12               real element 0
          %14 = 3.0                            real const 0
          %15 = multiply %13 %14               real element 0
          %16 = subtract %0 %15                real element 0  param
          store param = %16
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
          %6 = min %5 %3                       real element 0  limited_grad
          %7 = clip                            real tensor 0
          %8 = multiply %6 %7                  real element 0  grad
          // *param = grad.powi(6);
          %9 = multiply %8 %8                  real element 0
          %10 = multiply %9 %9                 real element 0
          %11 = multiply %9 %10                real element 0  param
          store param = %11
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
          %6 = min %5 %3                       real element 0  limited_grad
          %7 = clip                            real tensor 0
          %8 = multiply %6 %7                  real element 0  grad
          // *param = grad.powi(-3);
          %9 = multiply %8 %8                  real element 0
          %10 = multiply %8 %9                 real element 0
          %11 = 1.0                            real const 0
          %12 = divide %11 %10                 real element 0  param
          store param = %12
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
          %6 = min %5 %3                       real element 0  limited_grad
          %7 = clip                            real tensor 0
          %8 = multiply %6 %7                  real element 0  grad
          // *param = grad.powi(0) * grad.powi(step) * hyper.decay.powi(2);
          %9 = 1.0                             real const 0
          %10 = step                           int row 0
          %11 = powi %8 %10                    real element 0
          %12 = multiply %9 %11                real element 0
          %13 = hyper.decay                    real const 0
          %14 = 2                              int const 0
          %15 = powi %13 %14                   real const 0
          %16 = multiply %12 %15               real element 0  param
          store param = %16
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
          %7 = min %6 %4                       real element 0  limited_grad
          %8 = clip                            real tensor 0
          %9 = multiply %7 %8                  real element 0  grad
          // *param = lerp(*param, grad, hyper.decay).clamp(-1.0, 1.0);
          %10 = hyper.decay                    real const 0
          %11 = subtract %9 %0                 real element 0
          %12 = multiply %10 %11               real element 0
          %13 = add %0 %12                     real element 0
          %14 = 1.0                            real const 0
          %15 = -1.0                           real const 0
          %16 = max %13 %15                    real element 0
          %17 = min %16 %14                    real element 0  param
          store param = %17
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
          %6 = min %5 %3                       real element 0  limited_grad
          %7 = clip                            real tensor 0
          %8 = multiply %6 %7                  real element 0  grad
          // *param = grad.recip().mul_add(2.0, 3.0);
          %9 = 1.0                             real const 0
          %10 = divide %9 %8                   real element 0
          %11 = 2.0                            real const 0
          %12 = 3.0                            real const 0
          %13 = mul_add %10 %11 %12            real element 0  param
          store param = %13
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
          %7 = min %6 %4                       real element 0  limited_grad
          %8 = clip                            real tensor 0
          %9 = multiply %7 %8                  real element 0  grad
          // *param -= all::mean(grad) / max_abs(grad) * count(grad > 0.0) as f32;
          %10 = reduce all::sum %9             real all 1
          %11 = all_len                        int const 0
          %12 = to_real %11                    real const 0
          %13 = divide %10 %12                 real all 1
          %14 = abs %9                         real element 0
          %15 = reduce max %14                 real tensor 1
          %16 = divide %13 %15                 real tensor 1
          %17 = 0.0                            real const 0
          %18 = greater %9 %17                 bool element 0
          %19 = reduce count %18               int tensor 1
          %20 = to_real %19                    real tensor 1
          %21 = multiply %16 %20               real tensor 1
          %22 = subtract %0 %21                real element 1  param
          store param = %22
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
