//! What only shows when all bodies are known: recursion, states that are never written, what nothing uses.

use proc_macro2::Span;

use super::body::Uses;
use super::items::Items;
use crate::checked::Init;
use crate::error::{Collector, Diagnostic, code};

/// Reports functions that call themselves, directly or through others: helpers are inlined. One error a cycle. Whether
/// there are any.
pub(super) fn recursion(items: &Items<'_>, helpers: &[Uses]) -> bool {
    let mut reported: Vec<usize> = Vec::new();
    for start in 0..helpers.len() {
        if reported.contains(&start) {
            continue;
        }
        if let Some((cycle, span)) = cycle_from(start, helpers) {
            let names: Vec<String> = cycle
                .iter()
                .chain([&start])
                .filter_map(|index| items.helpers.get(*index))
                .map(|helper| format!("`{}`", helper.function.name))
                .collect();
            let message = format!("a function that calls itself: {}", names.join(" → "));
            let help = "helper functions are inlined: write the steps out, or as one formula";
            items.errors.error(code::RECURSION, span, message, help);
            reported.extend(cycle);
        }
    }
    !reported.is_empty()
}

/// The functions on a way from `start` back to itself, and the call that closes it.
fn cycle_from(start: usize, helpers: &[Uses]) -> Option<(Vec<usize>, Span)> {
    let mut seen = vec![false; helpers.len()];
    let mut path = vec![(start, 0)];
    while let Some((at, next)) = path.last_mut() {
        let call = helpers.get(*at).and_then(|uses| uses.calls.get(*next));
        *next += 1;
        let Some((callee, span)) = call else {
            path.pop();
            continue;
        };
        let callee = *callee as usize;
        if callee == start {
            return Some((path.iter().map(|(index, _)| *index).collect(), *span));
        }
        if let Some(seen) = seen.get_mut(callee)
            && !*seen
        {
            *seen = true;
            path.push((callee, 0));
        }
    }
    None
}

/// Reports states that are read but always have their initial 0; not where a write went to a name that no state has.
pub(super) fn never_written(items: &Items<'_>, bodies: &[&Uses]) {
    if bodies.iter().any(|uses| uses.unknown_write) {
        return;
    }
    let fields = items.rule.states.first().map(|state| state.fields()).unwrap_or_default();
    for (index, (state, field)) in items.states.iter().zip(fields).enumerate() {
        let index = index as u32;
        let written = bodies.iter().any(|uses| uses.writes.contains(&index));
        let read = bodies.iter().flat_map(|uses| &uses.reads).find(|(read, _)| *read == index);
        if let (false, None, Init::Number(_), Some((_, span))) = (written, &field.init, state.init, read) {
            let message = format!("state `{}` is read but never written", state.name);
            let help = format!("assign `state.{0} = …;`, or give `{0}` an `#[init(…)]`", state.name);
            items.errors.error(code::NEVER_WRITTEN, *span, message, help);
        }
    }
}

/// Warns of what nothing uses.
pub(super) fn unused(items: &Items<'_>, bodies: &[&Uses], requires: &[Uses]) -> Vec<Diagnostic> {
    let warnings = Collector::new();
    for (index, hyper) in items.hypers.iter().enumerate() {
        let index = index as u32;
        let read = bodies.iter().copied().chain(requires).any(|uses| uses.hypers.contains(&index));
        let init = items.states.iter().any(|state| state.init == Init::Hyper(index));
        if !read && !init {
            let message = format!("hyper-parameter `{}` is never read", hyper.name);
            warnings.error(code::UNUSED_HYPER, hyper.name.span(), message, "use it or remove it");
        }
    }
    for (index, state) in items.states.iter().enumerate() {
        let index = index as u32;
        let touched = |uses: &&Uses| uses.writes.contains(&index) || uses.reads.iter().any(|(read, _)| *read == index);
        if !state.keep && !bodies.iter().any(touched) {
            let message = format!("state `{}` is never read or written", state.name);
            warnings.error(code::UNUSED_STATE, state.name.span(), message, "use it or remove it");
        }
    }
    for (index, helper) in items.helpers.iter().enumerate() {
        let called = bodies.iter().flat_map(|uses| &uses.calls).any(|(callee, _)| *callee as usize == index);
        if !called {
            let name = &helper.function.name;
            let help = "call it, remove it, or mark it `#[entry]`";
            warnings.error(
                code::UNUSED_FUNCTION,
                name.span(),
                format!("helper function `{name}` is never called"),
                help,
            );
        }
    }
    warnings.finish()
}
