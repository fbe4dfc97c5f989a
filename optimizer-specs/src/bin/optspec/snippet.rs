//! Draws diagnostics as rustc does.

use std::io::IsTerminal;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use optimizer_specs::error::Diagnostic;
use optimizer_specs::report::{Severity, byte_range, in_order};

/// Prints diagnostics of one file to standard error, with colours on a terminal.
pub fn print(path: &str, source: &str, severity: Severity, diagnostics: &[Diagnostic]) {
    let renderer = if std::io::stderr().is_terminal() { Renderer::styled() } else { Renderer::plain() };
    for diagnostic in in_order(diagnostics) {
        eprintln!("{}\n", draw(&renderer, path, source, severity, diagnostic));
    }
}

fn draw(renderer: &Renderer, path: &str, source: &str, severity: Severity, diagnostic: &Diagnostic) -> String {
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let primary = AnnotationKind::Primary.span(byte_range(source, diagnostic.span));
    let snippet = Snippet::source(source).path(path).annotation(primary);
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let mut group = title.element(snippet);
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}
