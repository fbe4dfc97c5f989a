//! Diagnostics as text: position, source line, caret, help.
//!
//! Plain and without dependencies: it is what tests compare. `optspec` draws the same with annotate-snippets.

use std::ops::Range;

use proc_macro2::Span;

use crate::error::Diagnostic;

/// How much a diagnostic weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The rule is wrong.
    Error,
    /// The rule is odd.
    Warning,
}

impl Severity {
    /// The word that reports begin with.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// Diagnostics of a source, in the order of the source, one paragraph each:
///
/// ```text
/// error[unknown-state]: `State` has no field `mm`
///  --> 12:15
///    |         state.mm = grad;
///    |               ^^
///    = help: did you mean `m`?
/// ```
pub fn plain(source: &str, severity: Severity, diagnostics: &[Diagnostic]) -> String {
    let paragraphs = in_order(diagnostics).into_iter().map(|diagnostic| paragraph(source, severity, diagnostic));
    let paragraphs: Vec<String> = paragraphs.collect();
    paragraphs.join("\n")
}

/// Diagnostics in the order of the source.
pub fn in_order(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| (start(diagnostic.span), end(diagnostic.span)));
    sorted
}

fn paragraph(source: &str, severity: Severity, diagnostic: &Diagnostic) -> String {
    let (line, column) = start(diagnostic.span);
    let text = source.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let length = text.chars().count();
    let last = match end(diagnostic.span) {
        (last_line, last_column) if last_line == line => last_column.min(length),
        _ => length,
    };
    let width = last.saturating_sub(column).max(1);
    let mut lines = vec![
        format!("{}[{}]: {}", severity.word(), diagnostic.code, diagnostic.message),
        format!(" --> {line}:{}", column + 1),
        format!("   | {text}"),
        format!("   | {}{}", " ".repeat(column), "^".repeat(width)),
    ];
    lines.extend(diagnostic.help.iter().map(|help| format!("   = help: {help}")));
    lines.join("\n") + "\n"
}

/// The bytes of the source that a span covers: never outside of it, never in the middle of a character.
pub fn byte_range(source: &str, span: Span) -> Range<usize> {
    let first = byte_offset(source, start(span));
    let last = byte_offset(source, end(span));
    first..last.max(first)
}

fn byte_offset(source: &str, (line, column): (usize, usize)) -> usize {
    let before: usize = source.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = source.get(before..).unwrap_or_default();
    let text = rest.split('\n').next().unwrap_or_default();
    before + text.chars().take(column).map(char::len_utf8).sum::<usize>()
}

fn start(span: Span) -> (usize, usize) {
    let position = span.start();
    (position.line, position.column)
}

fn end(span: Span) -> (usize, usize) {
    let position = span.end();
    (position.line, position.column)
}
