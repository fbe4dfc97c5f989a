//! Faults in the generated Rust: host functions, CPU kernels, what the macro leaves in a user's crate.

use crate::mutations::Fault;

/// The faults.
pub const FAULTS: &[Fault] = &[Fault {
    name: "rust-comparison-groups-loosely",
    file: "optimizer-specs/src/emit/rust_code.rs",
    find: r#""+" | "-" => (Level::Sum, Level::Sum, Level::Product),"#,
    replace: r#""+" | "-" => (Level::Sum, Level::Sum, Level::Sum),"#,
    wrong: "`a - (b - c)` prints as `a - b - c` in Rust.",
    caught_by: "optimizer-specs lib emit::rust_code::tests::grouping_to_the_left_needs_no_parentheses",
}];
