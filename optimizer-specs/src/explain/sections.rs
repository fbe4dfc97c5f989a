//! Parts of the explanation that are tables: rows of cells, aligned.

use crate::ir::{Cell, Combine, Extent, Kernel, KernelKind, LoadSource, Names, NodeId, Op, Program, Slot};
use crate::layout::{self, Role};

use super::labels::Labels;

/// Rows of cells, each column as wide as its widest cell. Columns that are empty in every row are left out.
pub(super) fn table(indent: &str, rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
        // By hand: a width in a format may not exceed 65,535.
        let padding = |cell: &String, width: &usize| " ".repeat(width - cell.chars().count());
        let cells: Vec<_> = cells.map(|(cell, width)| cell.clone() + &padding(cell, width)).collect();
        format!("{indent}{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

/// A text that is cut off where it is too long for a list.
pub(super) fn short(text: String) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// `1 pass`, `2 passes`.
pub(super) fn plural(count: usize, noun: &str) -> String {
    let ending = match (count, noun.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {noun}{ending}")
}

/// The word for an extent.
pub(super) fn extent(extent: Extent) -> &'static str {
    match extent {
        Extent::Const => "const",
        Extent::Row => "row",
        Extent::All => "all",
        Extent::Tensor => "tensor",
        Extent::Element => "element",
    }
}

/// The names of cells, if there are any.
pub(super) fn cells(names: &Names, cells: impl Iterator<Item = Cell>) -> Option<String> {
    let cells: Vec<_> = cells.map(|cell| names.cell(cell)).collect();
    if cells.is_empty() { None } else { Some(cells.join(", ")) }
}

/// In which kernels a value is computed: `host`, `pass 1`, `finish 1`.
pub(super) fn where_computed(program: &Program, id: NodeId) -> String {
    if program.graph.node(id).extent.is_host() {
        return "host".to_owned();
    }
    let computes = |kernel: &&Kernel| {
        let totals = kernel.kind != KernelKind::Pass && defines_total(program, kernel, id);
        kernel.uniform.contains(&id) || kernel.body.contains(&id) || totals
    };
    let places = program.kernels.iter().filter(computes).map(|kernel| {
        let kind = if kernel.kind == KernelKind::Pass { "pass" } else { "finish" };
        format!("{kind} {}", kernel.pass + 1)
    });
    let mut places: Vec<_> = places.collect();
    places.dedup();
    places.join(", ")
}

/// Whether a finish ends a reduction.
fn defines_total(program: &Program, kernel: &Kernel, id: NodeId) -> bool {
    let all = program.graph.node(id).extent == Extent::All;
    let own = all == (kernel.kind == KernelKind::FinishAll);
    own && kernel.accumulators.iter().any(|accumulator| accumulator.reduction == id)
}

/// Lists are broken into lines of this length.
const LINE: usize = 100;

/// What a kernel reads, computes and writes.
pub(super) fn kernel_rows(program: &Program, names: &Names, labels: &Labels<'_>, kernel: &Kernel) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut add = |title: &str, items: Vec<String>| {
        let mut lines: Vec<String> = Vec::new();
        for item in items {
            match lines.last_mut() {
                Some(line) if line.chars().count() + item.chars().count() + 2 <= LINE => *line += &format!(", {item}"),
                _ => lines.push(item),
            }
        }
        let titles = std::iter::once(title).chain(std::iter::repeat(""));
        rows.extend(titles.zip(lines).map(|(title, line)| vec![title.to_owned(), line]));
    };
    let fields = kernel.fields.iter().filter_map(|&field| program.row.get(field as usize));
    add("row", fields.map(|field| field.name.clone()).collect());
    let reads = kernel.reads.iter().map(|read| format!("{} = {}", slot_name(read.slot), labels.get(read.node)));
    add("reads", reads.filter(|text| text != "clip = clip").collect());
    let loads = kernel.loads.iter().map(|load| match (load.source, program.graph.op(load.node)) {
        // Of a cell that an earlier pass stored.
        (LoadSource::Cell(cell), op) if op != Op::Load(cell) => format!("{} (new)", names.cell(cell)),
        (source, _) => source_name(names, source),
    });
    add("loads", loads.collect());
    add("totals", accumulators(labels, kernel, KernelKind::FinishTensor));
    let computed = kernel.uniform.iter().chain(&kernel.body).filter(|&&id| labels.is_named(id));
    add("computes", computed.map(|&id| labels.get(id)).collect());
    add("sums up", accumulators(labels, kernel, KernelKind::Pass));
    add("stores", cells(names, kernel.stores.iter().map(|&(cell, _)| cell)).into_iter().collect());
    add(
        "writes",
        kernel.writes.iter().map(|write| format!("{} = {}", slot_name(write.slot), labels.get(write.node))).collect(),
    );
    rows
}

/// The accumulators of a pass, or the totals of a finish.
fn accumulators(labels: &Labels<'_>, kernel: &Kernel, side: KernelKind) -> Vec<String> {
    let is_pass = kernel.kind == KernelKind::Pass;
    let mine = kernel.accumulators.iter().filter(|_| is_pass == (side == KernelKind::Pass));
    // The second value of a norm only guards the first one.
    let main = mine.filter(|accumulator| accumulator.combine != Combine::ScaledSumOfSquares);
    main.map(|accumulator| labels.get(accumulator.reduction)).collect()
}

/// What a kernel binds, and how many that are.
pub(super) fn bindings(names: &Names, kernel: &Kernel) -> String {
    let bound = layout::bindings(kernel);
    let texts = bound.iter().map(|binding| {
        let name = match binding.role {
            Role::Hyper => "rows".to_owned(),
            Role::Chunks => "table".to_owned(),
            Role::Param => "param".to_owned(),
            Role::Gradient => "grad".to_owned(),
            Role::State => "state".to_owned(),
            Role::Scalars => "scalars".to_owned(),
            Role::Partials => "partials".to_owned(),
            Role::Input(index) => names.input(index),
        };
        if binding.writes { format!("{name} (written)") } else { name }
    });
    let texts: Vec<_> = texts.collect();
    format!("    binds {} buffers: {}\n", bound.len(), texts.join(", "))
}

/// The name of what is loaded.
pub(super) fn source_name(names: &Names, source: LoadSource) -> String {
    match source {
        LoadSource::Gradient => "grad".to_owned(),
        LoadSource::Input(index) => names.input(index),
        LoadSource::Cell(cell) => names.cell(cell),
    }
}

/// A word of the scalars buffer.
pub(super) fn slot_name(slot: Slot) -> String {
    match slot {
        Slot::Clip => "clip".to_owned(),
        Slot::All(word) => format!("all[{word}]"),
        Slot::Tensor(word) => format!("tensor[{word}]"),
    }
}
