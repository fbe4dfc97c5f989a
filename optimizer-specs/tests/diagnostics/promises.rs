//! What the compiler promises of every input. It answers and does not panic. What it refuses, it refuses with errors
//! that say where and what to do, beside a stub that is Rust and has the module, if that has a body. What it accepts
//! becomes Rust.
//!
//! The fuzz targets and the broken ones of random rules hold it to the same.

use optimizer_specs::compile::{Compiled, compile};
use optimizer_specs::error::Diagnostic;
use optimizer_specs::expand::expand;
use optimizer_specs::parse;
use optimizer_specs::report::{Severity, byte_range, plain};
use optimizer_specs::stub::stub;
use proc_macro2::TokenStream;

/// What became of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Its rules compile.
    Accepted,
    /// There are rules, and the compiler says what is wrong with one.
    Refused,
    /// It is no file of Rust with a rule in it.
    NoRule,
}

/// Holds the compiler to its word on a source file; `accepted` looks at what it accepts.
///
/// # Errors
/// The promise that it breaks.
pub fn keep_for_file(source: &str, accepted: impl Fn(&Compiled)) -> Result<Answer, String> {
    let rules = match parse::parse_file(source) {
        Ok(rules) => rules,
        Err(errors) => return is_drawn(source, &errors).map(|()| Answer::NoRule),
    };
    holds(!rules.is_empty(), || "a file without rules is accepted".to_owned())?;
    let mut answer = Answer::Accepted;
    for (attribute, item) in rules {
        let errors = keep(&attribute, &item, &accepted)?;
        if !errors.is_empty() {
            is_drawn(source, &errors)?;
            answer = Answer::Refused;
        }
    }
    Ok(answer)
}

/// The same for the item of a rule: what is wrong with it; nothing where it is accepted.
///
/// # Errors
/// The promise that the compiler breaks.
pub fn keep_for_rule(item: &TokenStream, accepted: impl Fn(&Compiled)) -> Result<Vec<Diagnostic>, String> {
    // The macro stands on something.
    if item.is_empty() { Ok(Vec::new()) } else { keep(&TokenStream::new(), item, &accepted) }
}

fn keep(attribute: &TokenStream, item: &TokenStream, accepted: &impl Fn(&Compiled)) -> Result<Vec<Diagnostic>, String> {
    let errors = match compile(attribute.clone(), item.clone()) {
        Ok(compiled) => {
            becomes_rust(item, &compiled)?;
            accepted(&compiled);
            return Ok(Vec::new());
        }
        Err(errors) => errors,
    };
    is_helpful(&errors)?;
    let stub = stub(item, attribute, &errors);
    let file: syn::File =
        syn::parse2(stub.clone()).map_err(|error| format!("the stub is no Rust: {error}\n{item}\n{stub}"))?;
    let said = stub.to_string().matches(":: core :: compile_error !").count();
    holds(said == errors.len(), || format!("the stub does not say every error\n{item}\n{stub}"))?;
    let is_module = syn::parse2::<syn::ItemMod>(item.clone()).is_ok_and(|module| module.content.is_some());
    let has_module = file.items.iter().any(|item| matches!(item, syn::Item::Mod(_)));
    holds(!is_module || has_module, || format!("the stub has no module\n{item}\n{stub}"))?;
    Ok(errors)
}

fn becomes_rust(item: &TokenStream, compiled: &Compiled) -> Result<(), String> {
    let expanded = expand(compiled);
    let is_rust = syn::parse2::<syn::File>(expanded.clone()).is_ok();
    holds(is_rust, || format!("the expansion is no Rust\n{item}\n{expanded}"))?;
    let compiles = !expanded.to_string().contains("compile_error");
    holds(compiles, || format!("it is accepted and does not compile\n{item}"))?;
    let poison = format!("{:?}", compiled.rule).contains("kind: Error");
    holds(!poison, || format!("it is accepted with something refused in it\n{item}"))
}

fn is_helpful(errors: &[Diagnostic]) -> Result<(), String> {
    holds(!errors.is_empty(), || "it is refused without a reason".to_owned())?;
    for error in errors {
        let points = !error.span.byte_range().is_empty();
        holds(points, || format!("an error points nowhere\n{}", error.message))?;
        says_what_to_do(error)?;
    }
    Ok(())
}

/// Errors of a file can be drawn: each lies in it.
fn is_drawn(source: &str, errors: &[Diagnostic]) -> Result<(), String> {
    holds(!errors.is_empty(), || "it is refused without a reason".to_owned())?;
    for error in errors {
        let lies_in_it = source.get(byte_range(source, error.span)).is_some();
        holds(lies_in_it, || format!("an error lies outside of the file\n{}", error.message))?;
        says_what_to_do(error)?;
    }
    holds(!plain(source, Severity::Error, errors).is_empty(), || "errors are drawn as nothing".to_owned())
}

fn says_what_to_do(error: &Diagnostic) -> Result<(), String> {
    holds(error.help.is_some(), || format!("an error says not what to do\n{}", error.message))
}

/// A promise; its first line is which one is broken.
fn holds(promise: bool, broken: impl FnOnce() -> String) -> Result<(), String> {
    if promise { Ok(()) } else { Err(broken()) }
}
