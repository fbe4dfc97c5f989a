//! Plans all entries of one combination of options, and says what is wrong or odd with the outcome.

use crate::checked::Rule;
use crate::error::{Diagnostic, code};
use crate::ir::{LoadSource, Names, Variant};
use crate::layout::{SCALARS_HEADER_WORDS, bindings};
use crate::lower::LoweredVariant;

use super::{Context, plan, records, verify};

/// Plans the entries of a combination of options.
pub fn variant(lowered: LoweredVariant, names: &Names) -> Variant {
    let context =
        Context { names: names.clone(), all_states: lowered.all_states, tensor_states: lowered.tensor_states };
    let programs: Vec<_> = lowered.graphs.into_iter().map(|graph| plan(graph, &context)).collect();
    let (all, tensor) = records(&context, &programs);
    for program in &programs {
        debug_assert_eq!(verify(program, &all, &tensor), Ok(()), "planning `{}`", program.graph.name);
    }
    Variant {
        options: lowered.options,
        element_states: lowered.element_states,
        host_states: lowered.host_states,
        header: SCALARS_HEADER_WORDS as u32,
        all,
        tensor,
        programs,
    }
}

/// How many storage buffers a shader may bind, by target: WebGPU's default limit.
const BUFFER_LIMITS: [(&str, usize); 1] = [("WGSL", 8)];

/// Kernels that bind more buffers than a target has, each once, at the last of their inputs.
pub fn errors(rule: &Rule, variants: &[Variant]) -> Vec<Diagnostic> {
    let mut errors: Vec<Diagnostic> = Vec::new();
    for kernel in variants.iter().flat_map(|variant| &variant.programs).flat_map(|program| &program.kernels) {
        let count = bindings(kernel).len();
        for (target, limit) in BUFFER_LIMITS.iter().filter(|(_, limit)| count > *limit) {
            let mut inputs = kernel.loads.iter().filter_map(|load| match load.source {
                LoadSource::Input(index) => rule.inputs.get(index as usize),
                LoadSource::Gradient | LoadSource::Cell(_) => None,
            });
            let span = inputs.next_back().unwrap_or(&rule.name).span();
            let message = format!("`{}` binds {count} buffers; {target} allows {limit}", kernel.name);
            let help = "take fewer `#[input]` arguments";
            push_once(&mut errors, Diagnostic::new(code::TOO_MANY_BUFFERS, span, message).help(help));
        }
    }
    errors
}

/// Entries with too many plans to look through, each once.
pub fn warnings(rule: &Rule, variants: &[Variant]) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    for (program, entry) in variants.iter().flat_map(|variant| variant.programs.iter().zip(&rule.entries)) {
        if !program.plan.exhaustive {
            let message =
                format!("`{}` has too many plans to look through: {}", entry.name, program.plan.candidates_text());
            let help = "every state is stored in the last pass; fewer states may move fewer bytes";
            push_once(&mut warnings, Diagnostic::new(code::TOO_MANY_PLANS, entry.name.span(), message).help(help));
        }
    }
    warnings
}

/// The same thing in several variants is said once.
fn push_once(diagnostics: &mut Vec<Diagnostic>, diagnostic: Diagnostic) {
    if diagnostics.iter().all(|known| known.message != diagnostic.message) {
        diagnostics.push(diagnostic);
    }
}
