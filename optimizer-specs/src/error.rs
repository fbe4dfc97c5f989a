//! What is wrong with a rule, and where.
//!
//! Every diagnostic carries a code of the [`catalogue`]. Stages do not stop at the first error: they put what they find
//! into a [`Collector`], so that all errors of a rule are reported at once.

pub mod catalogue;

use std::cell::RefCell;

use proc_macro2::Span;

pub use catalogue::{CATALOGUE, code, meaning};

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

impl Diagnostic {
    /// A diagnostic without help.
    pub fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { code, span, message: message.into(), help: None }
    }

    /// The same with a help line: what to write instead.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// Collects diagnostics. It must be emptied with [`Collector::finish`]: an error that is collected and then forgotten
/// would let a wrong rule through, so dropping a full collector fails in debug builds.
#[derive(Debug, Default)]
pub struct Collector {
    diagnostics: RefCell<Vec<Diagnostic>>,
}

impl Collector {
    /// Nothing collected yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a diagnostic.
    pub fn push(&self, diagnostic: Diagnostic) {
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    /// Adds an error with its help line.
    pub fn error(&self, code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.push(Diagnostic::new(code, span, message).help(help));
    }

    /// Adds diagnostics of an earlier stage.
    pub fn extend(&self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        self.diagnostics.borrow_mut().extend(diagnostics);
    }

    /// All that was collected.
    pub fn finish(self) -> Vec<Diagnostic> {
        self.diagnostics.take()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        debug_assert!(
            std::thread::panicking() || self.diagnostics.borrow().is_empty(),
            "diagnostics were collected and not looked at: {:?}",
            self.diagnostics.borrow()
        );
    }
}
