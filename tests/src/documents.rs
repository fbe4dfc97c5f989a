//! The documents' snippets, compiled and run as doctests.

#[doc = include_str!("../../README.md")]
pub mod readme {}

#[doc = include_str!("../../docs/language.md")]
pub mod language {}

#[doc = include_str!("../../docs/migrating-from-0.3.2.md")]
pub mod migrating {}

#[doc = include_str!("../../docs/planning.md")]
pub mod planning {}
