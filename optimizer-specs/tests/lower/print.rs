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
          3 step_above_1: U32 = %14
          4 rate_times_decay: F32 = %18, needed where %14
        kernel update_pass1: pass, pass 0
          fields: 0, 1, 2
          reads: %8 = clip
          loads: %1 = gradient
          body: %3, %6, %7, %9
          accumulators: %10 sum_of_squares partial[0], %10 scaled_sum_of_squares partial[1]
        kernel update_finish1_tensor: finish_tensor, pass 0
          fields: 4
          reads: %0 = tensor[0]
          uniform: %11, %19
          accumulators: %10 sum_of_squares partial[0], %10 scaled_sum_of_squares partial[1]
          writes: tensor[1] = %19, tensor[0] = %11
        kernel update_pass2: pass, pass 1
          fields: 0, 1, 2, 3
          reads: %8 = clip, %19 = tensor[1]
          loads: %1 = gradient, %15 = param
          body: %3, %6, %7, %9, %20, %21, %22
          stores: param = %22
        16 bytes per element, 2 words per partial
    "#]]
    .assert_eq(after_graph);
}
