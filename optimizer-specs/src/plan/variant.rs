//! Plans all entries of one combination of options, and says what is wrong or odd with the outcome.

use proc_macro2::Span;

use crate::error::Diagnostic;
use crate::ir::{Graph, LoadSource, Names, NodeId, Program, Variant};
use crate::layout::bindings;
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
        all,
        tensor,
        programs,
    }
}

/// How many storage buffers a shader may bind, by target: WebGPU's default limit.
const BUFFER_LIMITS: [(&str, usize); 1] = [("WGSL", 8)];

/// Kernels that bind more buffers than a target has, each once.
pub fn errors(variants: &[Variant]) -> Vec<Diagnostic> {
    let mut errors: Vec<Diagnostic> = Vec::new();
    for program in variants.iter().flat_map(|variant| &variant.programs) {
        for kernel in &program.kernels {
            let count = bindings(kernel).len();
            for (target, limit) in BUFFER_LIMITS.iter().filter(|(_, limit)| count > *limit) {
                let mut inputs = kernel.loads.iter().filter(|load| matches!(load.source, LoadSource::Input(_)));
                let span = inputs.next_back().and_then(|load| span_of(&program.graph, load.node));
                let message = format!("`{}` binds {count} buffers; {target} allows {limit}", kernel.name);
                if errors.iter().all(|known| known.message != message) {
                    errors.push(Diagnostic {
                        code: "too-many-buffers",
                        span: span.unwrap_or_else(Span::call_site),
                        message,
                        help: Some("take fewer `#[input]` arguments".to_owned()),
                    });
                }
            }
        }
    }
    errors
}

/// Entries with too many plans to look through, each once.
pub fn warnings(variants: &[Variant]) -> Vec<Diagnostic> {
    let mut warnings: Vec<Diagnostic> = Vec::new();
    for program in variants.iter().flat_map(|variant| &variant.programs).filter(|program| !program.plan.exhaustive) {
        let message =
            format!("`{}` has too many plans to look through: {}", program.graph.name, program.plan.candidates);
        if warnings.iter().all(|known| known.message != message) {
            warnings.push(Diagnostic {
                code: "too-many-plans",
                span: span_of_entry(program),
                message,
                help: Some(
                    "every state is stored in the last pass; a rule with fewer states may move fewer bytes".to_owned(),
                ),
            });
        }
    }
    warnings
}

fn span_of(graph: &Graph, node: NodeId) -> Option<Span> {
    let statement = graph.node(node).statement?;
    graph.statements.get(statement.0 as usize).map(|statement| statement.span)
}

fn span_of_entry(program: &Program) -> Span {
    program.graph.statements.first().map(|statement| statement.span).unwrap_or_else(Span::call_site)
}
