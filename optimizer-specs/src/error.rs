//! What is wrong with a rule, and where.

use proc_macro2::Span;

/// One thing that is wrong (or, a warning, odd) with a rule.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Which entry of the catalogue, e.g. `unknown-state`.
    pub code: &'static str,
    /// Where.
    pub span: Span,
    /// What is wrong, with the names and values concerned.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}
