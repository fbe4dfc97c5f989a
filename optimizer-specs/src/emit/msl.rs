//! Metal Shading Language: a preamble, then each kernel, which begins with a line `kernel void NAME(`. The preamble and
//! one kernel are a source of their own.
//!
//! A kernel's buffers are numbered by their place in [`crate::layout::bindings`], without gaps: scirs2-core's Metal
//! context numbers what is bound in the order it is given. Safe math and no contraction: the results are those of the
//! CPU, bit for bit.

use super::c_like::{self, Dialect};
use super::shader::syntax::Builtin;
use crate::checked::Rule;
use crate::ir::{Program, Variant};

/// The source of a program.
pub fn program(rule: &Rule, variant: &Variant, program: &Program) -> String {
    c_like::source(&METAL, rule, variant, program)
}

static METAL: Dialect = Dialect {
    prologue: &[
        "#pragma METAL fp math_mode(safe)",
        "#pragma METAL fp contract(off)",
        "#include <metal_stdlib>",
        "using namespace metal;",
    ],
    kernel: "kernel void",
    buffer: "device",
    shared: "threadgroup",
    constant: "constant",
    function: "static inline",
    binding: |place| format!(" [[buffer({place})]]"),
    grid: &["uint3 group [[threadgroup_position_in_grid]]", "uint3 grid [[threadgroups_per_grid]]"],
    invocation: "uint invocation [[thread_index_in_threadgroup]]",
    barrier: "threadgroup_barrier(mem_flags::mem_threadgroup);",
    bitcast: "as_type",
    builtin: |builtin| match builtin {
        Builtin::Abs => "abs",
        Builtin::Sqrt => "sqrt",
        Builtin::Fma => "fma",
        Builtin::Floor => "floor",
        Builtin::Ceil => "ceil",
    },
};
