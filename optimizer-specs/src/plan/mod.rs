//! The pass planner: cuts a graph into kernels.
//!
//! Element code that needs the result of a reduction must wait for it, so the update of LAMB takes two passes over the
//! elements. Which pass stores what decides both whether the result is right (a cell that an earlier pass has
//! overwritten cannot give its old value) and how many bytes move. The planner looks through all ways and takes the
//! cheapest legal one:
//!
//! ```text
//! Graph ──► facts ──► search ──► schedule ──► Program
//!                     what each pass loads,   finishes,
//!                     computes and stores     slots
//! ```
//!
//! Guarantees that [`verify`] accepts every program that comes out, and that the same graph gives the same program.

mod demand;
mod exponents;
mod facts;
mod fields;
mod names;
mod passes;
mod report;
mod schedule;
mod search;
mod slots;
mod variant;
mod verify;

use std::collections::BTreeSet;

use crate::ir::{Graph, Kernel, KernelKind, Names, Op, Program, Slot, SlotTable};

use exponents::set_apart;
use facts::Facts;
use passes::Passes;
use slots::Slots;

pub(crate) use names::phrase;
pub use report::{Cost, Plan, Report};
pub use variant::{errors, variant, warnings};
pub use verify::verify;

/// What a graph is planned within.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// What the rule calls things.
    pub names: Names,
    /// `#[all]` states that exist, in the order of their record.
    pub all_states: Vec<u32>,
    /// `#[tensor]` states that exist, in the order of their record.
    pub tensor_states: Vec<u32>,
}

impl Context {
    /// The states that stand in a graph, without names: enough to plan a graph on its own.
    pub fn of(graph: &Graph) -> Self {
        use crate::ir::Cell::{AllState, TensorState};
        let loaded = graph.nodes.iter().filter_map(|node| match node.op {
            Op::Load(cell) => Some(cell),
            _ => None,
        });
        let cells: BTreeSet<_> = loaded.chain(graph.stores.iter().map(|store| store.cell)).collect();
        let all = cells.iter().filter_map(|cell| if let AllState(state) = cell { Some(*state) } else { None });
        let tensor = cells.iter().filter_map(|cell| if let TensorState(state) = cell { Some(*state) } else { None });
        Self { names: Names::default(), all_states: all.collect(), tensor_states: tensor.collect() }
    }
}

/// Plans a graph.
pub fn plan(graph: Graph, context: &Context) -> Program {
    let graph = set_apart(graph);
    let (plans, report) = search::search(&Facts::new(&graph));
    let best = plans.into_iter().next().map(|(_, passes)| passes);
    program(&graph, context, best.as_ref(), report)
}

/// Every legal plan of a graph, best first. They compute the same to the last bit.
pub fn all_plans(graph: &Graph) -> Vec<Program> {
    let context = Context::of(graph);
    let graph = set_apart(graph.clone());
    let (plans, report) = search::search(&Facts::new(&graph));
    plans.iter().map(|(_, passes)| program(&graph, &context, Some(passes), report.clone())).collect()
}

/// Puts programs of one combination of options together: their records are as long as the longest.
pub fn records(context: &Context, programs: &[Program]) -> (SlotTable, SlotTable) {
    let slots = || {
        let kernels = programs.iter().flat_map(|program| &program.kernels);
        kernels.flat_map(|kernel| {
            let totals = kernel.accumulators.iter().filter_map(|accumulator| accumulator.tensor_total);
            kernel.writes.iter().map(|write| write.slot).chain(totals)
        })
    };
    let all = slots().filter_map(|slot| if let Slot::All(word) = slot { Some(word + 1) } else { None });
    let tensor = slots().filter_map(|slot| if let Slot::Tensor(word) = slot { Some(word + 1) } else { None });
    let table = |states: &[u32], words: Option<u32>| SlotTable {
        states: states.to_vec(),
        words: words.unwrap_or(0).max(states.len() as u32),
    };
    (table(&context.all_states, all.max()), table(&context.tensor_states, tensor.max()))
}

fn program(graph: &Graph, context: &Context, passes: Option<&Passes>, report: Report) -> Program {
    let facts = Facts::new(graph);
    let drafts = passes.map(|passes| schedule::schedule(&facts, passes)).unwrap_or_default();
    let hosts: BTreeSet<_> = drafts.iter().flat_map(|(_, draft)| draft.hosts.iter().copied()).collect();
    let stored = facts.element_stores.iter().chain(&facts.scalar_stores).map(|store| store.value);
    let (extended, row) = fields::fields(graph.clone(), &context.names, &hosts, stored);
    let indices = fields::indices(&row);
    let mut slots = Slots::new(graph, &context.all_states, &context.tensor_states);
    let kernels = drafts.iter().map(|(place, draft)| {
        let elements = draft.elements.clone().unwrap_or_default();
        let kind = place.kind();
        // Writes first: the words of a finish are numbered in the order in which they are written.
        let writes = slots.writes(draft);
        Kernel {
            name: kernel_name(&graph.name, kind, place.pass),
            kind,
            pass: place.pass,
            fields: draft.hosts.iter().filter_map(|host| indices.get(host).copied()).collect(),
            reads: slots.reads(draft),
            uniform: draft.uniform.iter().copied().collect(),
            loads: elements.loads,
            body: elements.body.into_iter().collect(),
            stores: elements.stores.iter().map(|store| (store.cell, store.value)).collect(),
            accumulators: slots.totals(kind, &draft.accumulators),
            writes,
        }
    });
    let kernels: Vec<_> = kernels.collect();
    let partial_words =
        kernels.iter().flat_map(|kernel| &kernel.accumulators).map(|accumulator| accumulator.partial + 1);
    Program {
        partial_words: partial_words.max().unwrap_or(0),
        bytes_per_element: passes.map(|passes| passes.cost.bytes).unwrap_or(0),
        graph: extended,
        row,
        kernels,
        plan: report,
    }
}

fn kernel_name(entry: &str, kind: KernelKind, pass: u32) -> String {
    // `r#loop` is a legal name in Rust alone.
    let entry = entry.strip_prefix("r#").unwrap_or(entry);
    // Two underscores in a row are reserved in C++, and at the start in WGSL.
    let words: Vec<_> = entry.split('_').filter(|word| !word.is_empty()).collect();
    let entry = if words.is_empty() { "entry".to_owned() } else { words.join("_") };
    let number = pass + 1;
    match kind {
        KernelKind::Pass => format!("{entry}_pass{number}"),
        KernelKind::FinishTensor => format!("{entry}_finish{number}_tensor"),
        KernelKind::FinishAll => format!("{entry}_finish{number}_all"),
        KernelKind::FinishTensorLate => format!("{entry}_finish{number}_tensor_late"),
    }
}
