//! The text of a program.

use expect_test::expect;
use optimizer_specs::ir::names::Names;
use optimizer_specs::ir::print;
use optimizer_specs::{compile, parse};

use crate::support::plain;

#[test]
fn a_program_shows_its_row_and_kernels() {
    let source = plain(
        "#[tensor] size: f32",
        "state.size = state.size + norm(grad);
        if step > 1 { *param -= hyper.rate * hyper.decay / state.size * grad; }",
    );
    let (attribute, item) = parse::parse_file(&source).expect("a file of one rule").remove(0);
    let compiled = compile(attribute, item).expect("the rule is right");
    let text = print::program(&compiled.variants[0].programs[0], &Names::of(&compiled.rule));
    let after_graph = &text[text.find("row\n").expect("a row")..];
    expect![[r#"
        row
          0 grad_scale: F32 = %2
          1 clip_value: F32 = %4
          2 minus_clip_value: F32 = %5
          3 step_above_1: U32 = %16
          4 rate_times_decay: F32 = %20, needed where %16
        kernel update_pass1: pass, pass 0
          fields: 0, 1, 2
          reads: %10 = clip
          loads: %1 = gradient
          body: %3, %6, %7, %8, %9, %11
          accumulators: %12 sum_of_squares partial[0], %12 scaled_sum_of_squares partial[1]
        kernel update_finish1_tensor: finish_tensor, pass 0
          fields: 4
          reads: %0 = tensor[0]
          uniform: %13, %21
          accumulators: %12 sum_of_squares partial[0], %12 scaled_sum_of_squares partial[1]
          writes: tensor[1] = %21, tensor[0] = %13
        kernel update_pass2: pass, pass 1
          fields: 0, 1, 2, 3
          reads: %10 = clip, %21 = tensor[1]
          loads: %1 = gradient, %17 = param
          body: %3, %6, %7, %8, %9, %11, %22, %23, %24
          stores: param = %24
        16 bytes per element, 2 words per partial
    "#]]
    .assert_eq(after_graph);
}
