//! The host side of a program: the `Row` struct that the kernels read, and the function that computes it.
//!
//! Guarantees: host arithmetic in f64 and i64 exactly as the interpreter does it, one statement per value; each field
//! is rounded once and checked to be finite; a field that is not needed is 0; host states change only if all went well.
//!
//! The text stands where `math`, `RowContext` and `RowError` of `optirs_gpu::rule` and the parameter struct are in scope.

mod function;
mod names;
mod structure;

use self::function::Function;
use super::text::Text;
use crate::checked::Rule;
use crate::ir::{Names, Program, Variant};

pub use structure::struct_fields;

/// `Row` and `row` of a program.
pub fn program(rule: &Rule, variant: &Variant, program: &Program) -> String {
    let mut text = Text::default();
    let labels = Names::of(rule);
    structure::write(&labels, program, &mut text);
    text.gap();
    Function { rule, labels: &labels, variant, program }.write(&mut text);
    text.finish()
}
