//! What the compiler promises of every input. It answers and does not panic. What it refuses, it refuses with errors
//! that say where and what to do, beside a stub that is Rust. What it accepts becomes Rust.
//!
//! The fuzz targets hold it to the same.

use optimizer_specs::compile::{Compiled, compile};
use optimizer_specs::error::Diagnostic;
use optimizer_specs::expand::expand;
use optimizer_specs::parse;
use optimizer_specs::report::{Severity, byte_range, plain};
use optimizer_specs::stub::stub;
use proc_macro2::TokenStream;

/// Holds the compiler to its word on a source file; `accepted` looks at what it accepts.
pub fn keep_for_file(source: &str, accepted: impl Fn(&Compiled)) {
    let rules = match parse::parse_file(source) {
        Ok(rules) => rules,
        Err(errors) => return assert_drawn(source, &errors),
    };
    assert!(!rules.is_empty(), "a file without rules is accepted");
    for (attribute, item) in rules {
        if let Err(errors) = keep(&attribute, &item, &accepted) {
            assert_drawn(source, &errors);
        }
    }
}

/// The same for the item of a rule. The errors, if it is refused.
pub fn keep_for_rule(item: &TokenStream, accepted: impl Fn(&Compiled)) -> Result<(), Vec<Diagnostic>> {
    // The macro stands on something.
    if item.is_empty() { Ok(()) } else { keep(&TokenStream::new(), item, &accepted) }
}

fn keep(attribute: &TokenStream, item: &TokenStream, accepted: &impl Fn(&Compiled)) -> Result<(), Vec<Diagnostic>> {
    let compiled = compile(attribute.clone(), item.clone());
    match compiled {
        Ok(compiled) => {
            let expanded = expand(&compiled);
            assert!(
                syn::parse2::<syn::File>(expanded.clone()).is_ok(),
                "the expansion of {item} is no Rust: {expanded}"
            );
            assert!(!expanded.to_string().contains("compile_error"), "{item} is accepted and does not compile");
            let poison = format!("{:?}", compiled.rule).contains("kind: Error");
            assert!(!poison, "{item} is accepted with something refused in it");
            accepted(&compiled);
            Ok(())
        }
        Err(errors) => {
            assert_helpful(&errors);
            let stub = stub(item, attribute, &errors);
            assert!(syn::parse2::<syn::File>(stub.clone()).is_ok(), "the stub of {item} is no Rust: {stub}");
            let said = stub.to_string().matches(":: core :: compile_error !").count();
            assert_eq!(said, errors.len(), "the stub of {item} does not say every error");
            Err(errors)
        }
    }
}

fn assert_helpful(errors: &[Diagnostic]) {
    assert!(!errors.is_empty(), "refused without a reason");
    for error in errors {
        assert!(!error.span.byte_range().is_empty(), "points nowhere: {}", error.message);
        assert!(error.help.is_some(), "says not what to do: {}", error.message);
    }
}

/// Errors of a file can be drawn: each lies in it.
fn assert_drawn(source: &str, errors: &[Diagnostic]) {
    assert!(!errors.is_empty(), "refused without a reason");
    for error in errors {
        assert!(source.get(byte_range(source, error.span)).is_some(), "lies outside of the file: {}", error.message);
        assert!(error.help.is_some(), "says not what to do: {}", error.message);
    }
    assert!(!plain(source, Severity::Error, errors).is_empty());
}
