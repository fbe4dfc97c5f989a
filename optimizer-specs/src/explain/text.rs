//! The explanation as text: the variants of a rule, and of each its entries.

use crate::ir::{FieldType, Kernel, KernelKind, Names, NodeId, Program, SlotTable, Variant};
use crate::plan::{Plan, Report};

use super::labels::Labels;
use super::sections::{bindings, cells, extent, kernel_rows, plural, short, table, where_computed};
use super::time::Memory;

/// Explains the variants of a rule; predicts the time of a run on a memory, if one is given.
pub fn text(title: &str, names: &Names, variants: &[Variant], memory: Option<Memory>) -> String {
    let mut out = format!("{title}\n");
    if variants.len() > 1 {
        out += &format!("\n{} variants, one for each combination of options\n", variants.len());
        let rows = variants.iter().map(|variant| vec![options(variant), totals(variant)]);
        out += &table("  ", &rows.collect::<Vec<_>>());
    }
    for variant in variants {
        out += &format!("\n== {} ==\n", options(variant));
        out += &storage(names, variant);
        for program in &variant.programs {
            out += &entry(names, program, memory);
        }
    }
    out
}

fn options(variant: &Variant) -> String {
    let options = variant.options.iter().map(|(name, value)| format!("{name} = {value}"));
    let options: Vec<_> = options.collect();
    if options.is_empty() { "no options".to_owned() } else { options.join(", ") }
}

fn totals(variant: &Variant) -> String {
    let entries = variant.programs.iter().map(|program| {
        let passes = program.kernels.iter().filter(|kernel| kernel.kind == KernelKind::Pass).count();
        format!("{} {}, {} bytes", program.graph.name, plural(passes, "pass"), program.bytes_per_element)
    });
    entries.collect::<Vec<_>>().join("; ")
}

/// What outlives a step.
fn storage(names: &Names, variant: &Variant) -> String {
    let list = |states: &[u32]| states.iter().map(|&state| names.state(state)).collect::<Vec<_>>().join(", ");
    let or_none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
    let record = |table: &SlotTable| {
        let transient = table.words as usize - table.states.len();
        or_none(match (list(&table.states), transient) {
            (states, 0) => states,
            (states, _) if states.is_empty() => plural(transient, "transient word"),
            (states, _) => format!("{states}, {}", plural(transient, "transient word")),
        })
    };
    let element = match variant.element_states.len() {
        0 => "none".to_owned(),
        count => format!("{} ({} bytes)", list(&variant.element_states), 4 * count),
    };
    table(
        "",
        &[
            vec!["per element".to_owned(), element],
            vec!["per tensor".to_owned(), record(&variant.tensor)],
            vec!["for all tensors".to_owned(), record(&variant.all)],
            vec!["on the host".to_owned(), or_none(list(&variant.host_states))],
        ],
    )
}

fn entry(names: &Names, program: &Program, memory: Option<Memory>) -> String {
    let labels = Labels::new(&program.graph, names);
    let mut out = format!("\n{}: {} bytes per element\n", program.graph.name, program.bytes_per_element);
    if let Some(memory) = memory {
        out += &format!("  {}\n", memory.line(program));
    }
    out += "\n  values\n";
    out += &values(program, &labels);
    out += "\n  row\n";
    out += &row(program, &labels);
    out += &format!("\n  plan: {}\n", search(&program.plan));
    out += &plans(names, &labels, &program.plan);
    for kernel in &program.kernels {
        out += &format!("\n  {}: {}\n", kernel.name, what(kernel));
        out += &table("    ", &kernel_rows(program, names, &labels, kernel));
        out += &bindings(names, kernel);
    }
    out
}

fn values(program: &Program, labels: &Labels<'_>) -> String {
    let graph = &program.graph;
    let named = (0..graph.nodes.len() as u32).map(NodeId).filter(|&id| labels.is_named(id));
    let rows = named.map(|id| {
        let node = graph.node(id);
        let place = where_computed(program, id);
        vec![labels.get(id), extent(node.extent).to_owned(), format!("stage {}", node.stage), place, labels.formula(id)]
    });
    table("    ", &rows.collect::<Vec<_>>())
}

fn row(program: &Program, labels: &Labels<'_>) -> String {
    let rows = program.row.iter().map(|field| {
        let ty = match field.ty {
            FieldType::F32 => "f32",
            FieldType::U32 => "u32",
            FieldType::I32 => "i32",
        };
        let demand = field.demand.map(|demand| format!("where {}", labels.get(demand))).unwrap_or_default();
        vec![field.name.clone(), ty.to_owned(), labels.formula(field.node), demand]
    });
    table("    ", &rows.collect::<Vec<_>>())
}

fn search(report: &Report) -> String {
    match report.exhaustive {
        true => format!("{} legal of {}", report.legal, plural(report.candidates as usize, "candidate")),
        false => format!("{} candidates, too many to look through: all is stored last", report.candidates_text()),
    }
}

fn plans(names: &Names, labels: &Labels<'_>, report: &Report) -> String {
    let plans = std::iter::once(("taken", &report.chosen)).chain(report.runners_up.iter().map(|plan| ("beaten", plan)));
    let rows = plans.map(|(fate, plan)| {
        let recomputed = match plan.cost.recomputed {
            0 => String::new(),
            count => format!("{} again", plural(count as usize, "operation")),
        };
        let bytes = format!("{} bytes", plan.cost.bytes);
        vec![fate.to_owned(), bytes, recomputed, passes(names, labels, plan)]
    });
    table("    ", &rows.collect::<Vec<_>>())
}

/// What a plan does in which pass.
fn passes(names: &Names, labels: &Labels<'_>, plan: &Plan) -> String {
    let placed = plan.stores.iter().map(|&(_, pass)| pass).chain(plan.reductions.iter().map(|&(_, pass)| pass));
    let count = placed.max().map_or(0, |last| last + 1);
    let pass = |index: u32| {
        let stored = plan.stores.iter().filter(|&&(_, pass)| pass == index).map(|&(cell, _)| cell);
        let reduced = plan.reductions.iter().filter(|&&(_, pass)| pass == index);
        let reduced: Vec<_> = reduced.map(|&(id, _)| short(labels.get(id))).collect();
        let mut parts = Vec::new();
        if let Some(cells) = cells(names, stored) {
            parts.push(format!("stores {cells}"));
        }
        if !reduced.is_empty() {
            parts.push(format!("reduces {}", reduced.join(", ")));
        }
        format!("pass {} {}", index + 1, parts.join(" and "))
    };
    (0..count).map(pass).collect::<Vec<_>>().join("; ")
}

fn what(kernel: &Kernel) -> String {
    match kernel.kind {
        KernelKind::Pass => format!("over elements, {} bytes each", 4 * (kernel.loads.len() + kernel.stores.len())),
        KernelKind::FinishTensor => "for each tensor".to_owned(),
        KernelKind::FinishAll => "once for all tensors".to_owned(),
        KernelKind::FinishTensorLate => "for each tensor, with what holds for all".to_owned(),
    }
}
