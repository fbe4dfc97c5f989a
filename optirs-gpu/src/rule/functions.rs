//! The element functions of the language as the CPU computes them: the same bits as the interpreter and Metal.
//!
//! Printed from the sequences of operations that the shaders are printed from, see `optimizer_specs::functions`.

// Coefficients are what they are, near ln 2 or not, and print as the shortest decimals of f32.
#![allow(clippy::approx_constant)]

use super::math;

optirs_gpu_macros::element_functions!();
