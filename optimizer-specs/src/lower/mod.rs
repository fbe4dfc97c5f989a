//! Lowering: from a checked rule to one graph per entry and combination of options.
//!
//! Options fold away first: an arm that they rule out leaves no trace, no state and no error. Helpers are inlined,
//! assignments become versions, arms become selects. What comes out is verified ([`crate::ir::verify`]), holds only
//! states that matter, and no dead node.

mod context;
mod control;
mod diagnose;
mod expression;
mod fold;
mod live;
mod value;

use std::collections::BTreeSet;

use crate::checked::{Entry, Expr, Rule, StateKind};
use crate::error::{Diagnostic, code};
use crate::ir::{Graph, Op, Store, verify};
use crate::options::{self, Choice, Combination};
use context::Lowerer;

/// One combination of options, lowered.
#[derive(Clone, Debug)]
pub struct LoweredVariant {
    /// Option fields and their values, in field order: `("momentum", "0")`, `("nesterov", "true")`.
    pub options: Vec<(String, String)>,
    /// The same, by index of the hyper-parameter.
    pub choices: Vec<(u32, Choice)>,
    /// Whether the defaults of the hyper-parameters choose it.
    pub default: bool,
    /// Element states that exist, by index in the rule's list, ascending.
    pub element_states: Vec<u32>,
    /// `#[tensor]` states that exist.
    pub tensor_states: Vec<u32>,
    /// `#[all]` states that exist.
    pub all_states: Vec<u32>,
    /// `#[host]` states that exist.
    pub host_states: Vec<u32>,
    /// `update` first, then the entries in order of the source.
    pub graphs: Vec<Graph>,
}

/// Lowers a rule under every combination of its options, in the order of [`options::combinations`]. With the variants
/// come warnings.
pub fn lower(rule: &Rule) -> Result<(Vec<LoweredVariant>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let Lowered { combinations, written, errors } = lower_all(rule);
    if !errors.is_empty() {
        return Err(errors);
    }
    let variants: Vec<_> =
        combinations.into_iter().map(|(combination, graphs)| finish(rule, &combination, graphs)).collect();
    let warnings = unused_states(rule, &variants, &written);
    Ok((variants, warnings))
}

/// The errors that lowering finds in a rule that `check` has refused: nothing is known of what is poisoned, and nothing
/// is said of it.
pub fn errors_beside(rule: &Rule) -> Vec<Diagnostic> {
    lower_all(rule).errors
}

struct Lowered {
    /// With the graph of each entry.
    combinations: Vec<(Combination, Vec<Graph>)>,
    /// States that are assigned under any of them.
    written: BTreeSet<u32>,
    errors: Vec<Diagnostic>,
}

fn lower_all(rule: &Rule) -> Lowered {
    let (tried, mut errors) = options::tried(rule);
    let mut combinations = Vec::new();
    let mut written = BTreeSet::new();
    let mut found = Vec::new();
    for combination in tried {
        let entries = rule.entries.iter().map(|entry| lower_entry(rule, &combination, entry));
        let mut graphs = Vec::new();
        let mut of_combination = Vec::new();
        for lowered in entries {
            graphs.push(lowered.graph);
            of_combination.extend(lowered.errors);
            written.extend(lowered.written);
        }
        found.push((combination.clone(), of_combination));
        combinations.push((combination, graphs));
    }
    errors.extend(distinct(rule, &found));
    Lowered { combinations, written, errors }
}

/// What a condition over hyper-parameters is, as far as a combination of options settles it.
pub(crate) fn requirement(rule: &Rule, combination: &Combination, condition: &Expr) -> Option<bool> {
    settled(Lowerer::new(rule, combination, "require"), condition)
}

/// What it is for the defaults; nothing where it depends on shapes.
pub(crate) fn requirement_of_defaults(rule: &Rule, combination: &Combination, condition: &Expr) -> Option<bool> {
    let mut lowerer = Lowerer::new(rule, combination, "require");
    lowerer.defaults = true;
    settled(lowerer, condition)
}

fn settled(mut lowerer: Lowerer<'_>, condition: &Expr) -> Option<bool> {
    let value = lowerer.expression(condition).node()?;
    match lowerer.graph().op(value) {
        Op::Bool(value) => Some(value),
        _ => None,
    }
}

struct LoweredEntry {
    graph: Graph,
    written: BTreeSet<u32>,
    errors: Vec<Diagnostic>,
}

fn lower_entry(rule: &Rule, combination: &Combination, entry: &Entry) -> LoweredEntry {
    let mut lowerer = Lowerer::new(rule, combination, &entry.name.to_string());
    lowerer.body(&entry.body, Vec::new());
    let Lowerer { builder, versions, written, errors, .. } = lowerer;
    let mut graph = builder.finish();
    graph.takes_grad = entry.takes_grad;
    // A cell that ends as it began is not stored.
    let changed = versions.cells.into_iter().filter(|&(cell, value)| graph.op(value) != Op::Load(cell));
    graph.stores = changed.map(|(cell, value)| Store { cell, value }).collect();
    LoweredEntry { graph, written, errors }
}

fn finish(rule: &Rule, combination: &Combination, graphs: Vec<Graph>) -> LoweredVariant {
    let live = live::live_states(rule, &graphs);
    let graphs: Vec<Graph> = graphs.into_iter().map(|graph| live::without_dead(graph, &live)).collect();
    for graph in &graphs {
        debug_assert_eq!(verify::verify(graph), Ok(()), "lowering `{}`", rule.name);
    }
    let of_kind = |kind| {
        let states = live.iter().copied();
        states.filter(|state| rule.states[*state as usize].kind == kind).collect()
    };
    LoweredVariant {
        options: combination.labels(rule),
        choices: combination.choices.clone(),
        default: combination.default,
        element_states: of_kind(StateKind::Element),
        tensor_states: of_kind(StateKind::Tensor),
        all_states: of_kind(StateKind::All),
        host_states: of_kind(StateKind::Host),
        graphs,
    }
}

/// The errors of all combinations, each once. One that not every combination has says where it was found.
fn distinct(rule: &Rule, found: &[(Combination, Vec<Diagnostic>)]) -> Vec<Diagnostic> {
    let same = |a: &Diagnostic, b: &Diagnostic| {
        a.message == b.message && a.span.start() == b.span.start() && a.span.end() == b.span.end()
    };
    let mut distinct: Vec<Diagnostic> = Vec::new();
    for (combination, errors) in found {
        for error in errors {
            if distinct.iter().any(|known| same(known, error)) {
                continue;
            }
            let mut error = error.clone();
            if !found.iter().all(|(_, errors)| errors.iter().any(|other| same(other, &error))) {
                let options: Vec<String> =
                    combination.labels(rule).into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
                let help = error.help.map(|help| help + "; ").unwrap_or_default();
                error.help = Some(format!("{help}it happens with {}", options.join(", ")));
            }
            distinct.push(error);
        }
    }
    distinct
}

/// A warning for each state that is written and exists in no combination.
fn unused_states(rule: &Rule, variants: &[LoweredVariant], written: &BTreeSet<u32>) -> Vec<Diagnostic> {
    let exists = |state: &u32| {
        variants.iter().any(|variant| {
            [&variant.element_states, &variant.tensor_states, &variant.all_states, &variant.host_states]
                .iter()
                .any(|states| states.contains(state))
        })
    };
    let unused = written.iter().filter(|state| !exists(state));
    let warning = |state: &u32| {
        let name = &rule.states[*state as usize].name;
        let message =
            format!("`state.{name}` is written, but no step needs the value of an earlier one: it is left out");
        Diagnostic::new(code::DEAD_STATE, name.span(), message)
            .help("use a `let`, or mark it `#[keep]` to look at it from outside")
    };
    unused.map(warning).collect()
}
