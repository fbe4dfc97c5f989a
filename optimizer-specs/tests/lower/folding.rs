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
          %4 = multiply %2 %3                  real element 0
          %5 = clip                            real tensor 0
          %6 = multiply %4 %5                  real element 0  grad
          // *param -= (0.1 + 0.2) * grad * (2.0 as f32).powi(-2) * (7 / 2) as f32;
          %7 = multiply %1 %6                  real element 0
          %8 = 0.25                            real const 0
          %9 = multiply %7 %8                  real element 0
          %10 = 3.0                            real const 0
          %11 = multiply %9 %10                real element 0
          %12 = subtract %0 %11                real element 0  param
          store param = %12
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
          %2 = multiply %0 %1                  real element 0
          %3 = clip                            real tensor 0
          %4 = multiply %2 %3                  real element 0  grad
          // *param = grad.powi(6);
          %5 = multiply %4 %4                  real element 0
          %6 = multiply %5 %5                  real element 0
          %7 = multiply %5 %6                  real element 0  param
          store param = %7
    "#]]
    .assert_eq(&text("*param = grad.powi(6);"));
    expect![[r#"
        graph update, takes grad
          // the prologue
          %0 = raw_grad                        real element 0
          %1 = grad_scale                      real row 0
          %2 = multiply %0 %1                  real element 0
          %3 = clip                            real tensor 0
          %4 = multiply %2 %3                  real element 0  grad
          // *param = grad.powi(-3);
          %5 = multiply %4 %4                  real element 0
          %6 = multiply %4 %5                  real element 0
          %7 = 1.0                             real const 0
          %8 = divide %7 %6                    real element 0  param
          store param = %8
    "#]]
    .assert_eq(&text("*param = grad.powi(-3);"));
    expect![[r#"
        graph update, takes grad
          // the prologue
          %0 = raw_grad                        real element 0
          %1 = grad_scale                      real row 0
          %2 = multiply %0 %1                  real element 0
          %3 = clip                            real tensor 0
          %4 = multiply %2 %3                  real element 0  grad
          // *param = grad.powi(0) * grad.powi(step) * hyper.decay.powi(2);
          %5 = 1.0                             real const 0
          %6 = step                            int row 0
          %7 = powi %4 %6                      real element 0
          %8 = multiply %5 %7                  real element 0
          %9 = hyper.decay                     real const 0
          %10 = 2                              int const 0
          %11 = powi %9 %10                    real const 0
          %12 = multiply %8 %11                real element 0  param
          store param = %12
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
          %3 = multiply %1 %2                  real element 0
          %4 = clip                            real tensor 0
          %5 = multiply %3 %4                  real element 0  grad
          // *param = lerp(*param, grad, hyper.decay).clamp(-1.0, 1.0);
          %6 = hyper.decay                     real const 0
          %7 = subtract %5 %0                  real element 0
          %8 = multiply %6 %7                  real element 0
          %9 = add %0 %8                       real element 0
          %10 = 1.0                            real const 0
          %11 = -1.0                           real const 0
          %12 = max %9 %11                     real element 0
          %13 = min %12 %10                    real element 0  param
          store param = %13
    "#]]
    .assert_eq(&text("*param = lerp(*param, grad, hyper.decay).clamp(-1.0, 1.0);"));
    expect![[r#"
        graph update, takes grad
          // the prologue
          %0 = raw_grad                        real element 0
          %1 = grad_scale                      real row 0
          %2 = multiply %0 %1                  real element 0
          %3 = clip                            real tensor 0
          %4 = multiply %2 %3                  real element 0  grad
          // *param = grad.recip().mul_add(2.0, 3.0);
          %5 = 1.0                             real const 0
          %6 = divide %5 %4                    real element 0
          %7 = 2.0                             real const 0
          %8 = 3.0                             real const 0
          %9 = mul_add %6 %7 %8                real element 0  param
          store param = %9
    "#]]
    .assert_eq(&text("*param = grad.recip().mul_add(2.0, 3.0);"));
    expect![[r#"
        graph update, takes grad
          // *param -= all::mean(grad) / max_abs(grad) * count(grad > 0.0) as f32;
          %0 = load param                      real element 0
          // the prologue
          %1 = raw_grad                        real element 0
          %2 = grad_scale                      real row 0
          %3 = multiply %1 %2                  real element 0
          %4 = clip                            real tensor 0
          %5 = multiply %3 %4                  real element 0  grad
          // *param -= all::mean(grad) / max_abs(grad) * count(grad > 0.0) as f32;
          %6 = reduce all::sum %5              real all 1
          %7 = all_len                         int const 0
          %8 = to_real %7                      real const 0
          %9 = divide %6 %8                    real all 1
          %10 = abs %5                         real element 0
          %11 = reduce max %10                 real tensor 1
          %12 = divide %9 %11                  real tensor 1
          %13 = 0.0                            real const 0
          %14 = greater %5 %13                 bool element 0
          %15 = reduce count %14               int tensor 1
          %16 = to_real %15                    real tensor 1
          %17 = multiply %12 %16               real tensor 1
          %18 = subtract %0 %17                real element 1  param
          store param = %18
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
