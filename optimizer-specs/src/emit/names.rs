//! Names for the values of a kernel: deterministic, readable, legal on every target and the same on each.
//!
//! A value is called what the rule calls it; a load is called after its cell, and the cell's new value `m_new` where both
//! are at hand. A value without a name that is used once has none: it is printed inside its user. What is left is
//! called `t1`, `t2`, …

use std::collections::{BTreeMap, BTreeSet};

use super::keywords::is_reserved;
use crate::checked::Rule;
use crate::ir::Names as RuleNames;
use crate::ir::{
    Accumulator, Cell, Combine, Graph, Kernel, KernelKind, LoadSource, NodeId, Op, Program, ReduceKind, Scope, Slot,
};
use crate::plan::phrase;

/// The names of one kernel.
#[derive(Clone, Debug, Default)]
pub struct Names {
    nodes: BTreeMap<NodeId, String>,
    accumulators: Vec<String>,
    starts: BTreeMap<Cell, String>,
    taken: BTreeSet<String>,
}

impl Names {
    /// Names what the kernel reads and computes.
    pub fn new(rule: &Rule, program: &Program, kernel: &Kernel) -> Self {
        let mut names = Self::default();
        names.taken.extend(input_buffers(rule));
        let rule = &RuleNames::of(rule);
        let members = members(program);
        for &index in &kernel.fields {
            if let (Some(field), Some(member)) = (program.row.get(index as usize), members.get(index as usize)) {
                names.nodes.insert(field.node, member.clone());
                names.taken.insert(member.clone());
            }
        }
        names.name_loads(rule, program, kernel);
        names.name_results(rule, &program.graph, kernel);
        names.name_operations(rule, &program.graph, kernel);
        names.name_accumulators(rule, &program.graph, kernel);
        names.name_starts(rule, kernel);
        names
    }

    /// The name of a node: a row field, a scalar read, a load, or an operation that is a statement of its own. `None`
    /// for literals and for operations that are printed inside their only user.
    pub fn get(&self, node: NodeId) -> Option<&str> {
        self.nodes.get(&node).map(String::as_str)
    }

    /// The names of the kernel's accumulators, in their order.
    pub fn accumulators(&self) -> &[String] {
        &self.accumulators
    }

    /// What to call the place where an element state's values start: `m_start`. `None` for cells that the kernel neither
    /// loads nor stores.
    pub fn start(&self, cell: Cell) -> Option<&str> {
        self.starts.get(&cell).map(String::as_str)
    }

    /// Scalar reads and element loads, each called after its cell.
    fn name_loads(&mut self, rule: &RuleNames, program: &Program, kernel: &Kernel) {
        for read in &kernel.reads {
            match (read.slot, program.graph.op(read.node)) {
                (Slot::Clip, _) => self.give(read.node, "clip"),
                (_, Op::Load(cell)) => self.give(read.node, &rule.cell(cell)),
                _ => self.suggest(rule, &program.graph, read.node),
            }
        }
        for load in &kernel.loads {
            let name = match load.source {
                LoadSource::Gradient => "raw_grad".to_owned(),
                LoadSource::Input(index) => rule.input(index),
                LoadSource::Cell(cell) => rule.cell(cell),
            };
            self.give(load.node, &name);
        }
    }

    /// Final values that the kernel stores or writes: the cell's name, or `m_new` beside the old value.
    fn name_results(&mut self, rule: &RuleNames, graph: &Graph, kernel: &Kernel) {
        let stored = kernel.stores.iter().map(|&(cell, node)| (cell, node));
        let written = kernel.writes.iter().filter_map(|write| {
            let store = graph.stores.iter().find(|store| store.value == write.node)?;
            Some((store.cell, write.node))
        });
        let results: Vec<_> = stored.chain(written).collect();
        for (cell, node) in results {
            let computed = kernel.body.contains(&node) || kernel.uniform.contains(&node);
            let name = rule.cell(cell);
            let named_otherwise = graph.node(node).name.as_ref().is_some_and(|own| *own != name);
            if computed && !named_otherwise {
                let new = if self.taken.contains(&legal(&name)) { format!("{name}_new") } else { name };
                self.give(node, &new);
            }
        }
    }

    fn name_operations(&mut self, rule: &RuleNames, graph: &Graph, kernel: &Kernel) {
        let inlined = inlined(self, graph, kernel);
        let totals = totals(graph, kernel);
        for &node in totals.iter().chain(&kernel.uniform).chain(&kernel.body) {
            if !inlined.contains(&node) {
                self.suggest(rule, graph, node);
            }
        }
    }

    fn name_accumulators(&mut self, rule: &RuleNames, graph: &Graph, kernel: &Kernel) {
        for accumulator in &kernel.accumulators {
            let name = self.unique(&accumulator_name(rule, graph, accumulator));
            self.accumulators.push(name);
        }
    }

    fn name_starts(&mut self, rule: &RuleNames, kernel: &Kernel) {
        let loaded = kernel.loads.iter().filter_map(|load| match load.source {
            LoadSource::Cell(cell) => Some(cell),
            LoadSource::Gradient | LoadSource::Input(_) => None,
        });
        for cell in loaded.chain(kernel.stores.iter().map(|store| store.0)) {
            if matches!(cell, Cell::ElementState(_)) && !self.starts.contains_key(&cell) {
                let name = self.unique(&format!("{}_start", rule.cell(cell)));
                self.starts.insert(cell, name);
            }
        }
    }

    fn give(&mut self, node: NodeId, name: &str) {
        if !self.nodes.contains_key(&node) {
            let name = self.unique(name);
            self.nodes.insert(node, name);
        }
    }

    fn suggest(&mut self, rule: &RuleNames, graph: &Graph, node: NodeId) {
        let numbered = || (1u32..).map(|n| format!("t{n}")).find(|name| !self.taken.contains(name));
        if let Some(name) = suggestion(rule, graph, node).or_else(numbered) {
            self.give(node, &name);
        }
    }

    /// A free name for something of the emitter's own, taken from now on.
    pub fn unique(&mut self, name: &str) -> String {
        unique(&mut self.taken, name)
    }
}

/// The reductions whose value exists in the kernel: each finish defines those of its own scope.
fn totals(graph: &Graph, kernel: &Kernel) -> Vec<NodeId> {
    let own = match kernel.kind {
        KernelKind::FinishTensor => Some(Scope::Tensor),
        KernelKind::FinishAll => Some(Scope::All),
        KernelKind::Pass | KernelKind::FinishTensorLate => None,
    };
    let reductions = kernel.accumulators.iter().map(|accumulator| accumulator.reduction);
    reductions.filter(|&node| matches!(graph.op(node), Op::Reduce(_, scope, _) if Some(scope) == own)).collect()
}

/// The member names of the program's row, in field order: the fields' own, made legal on every target.
pub fn members(program: &Program) -> Vec<String> {
    let mut taken = BTreeSet::new();
    program.row.iter().map(|field| unique(&mut taken, &field.name)).collect()
}

/// What shaders call the buffers of the extra inputs, by index.
pub fn input_buffers(rule: &Rule) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let buffer = |input: &proc_macro2::Ident| format!("{}_buffer", legal(&input.to_string()).trim_end_matches('_'));
    rule.inputs.iter().map(|input| unique(&mut taken, &buffer(input))).collect()
}

/// A legal identifier on every target for an identifier of the rule.
pub fn legal(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let mut text = String::new();
    for character in name.chars() {
        match character {
            // Two underscores in a row are reserved in C++, and at the start in WGSL.
            '_' if text.ends_with('_') => {}
            '_' | '0'..='9' | 'a'..='z' | 'A'..='Z' => text.push(character),
            other => text.push_str(&format!("u{:x}", u32::from(other))),
        }
    }
    // A C++ identifier that begins with an underscore and a capital is reserved; a lone underscore is no name at all.
    if text.starts_with('_') {
        text.insert(0, 'x');
    }
    if is_reserved(&text) { format!("{text}_") } else { text }
}

/// A legal name that is not taken: `u`, `u_2`, `u_3`, …
pub(super) fn unique(taken: &mut BTreeSet<String>, name: &str) -> String {
    let base = legal(name);
    let stem = base.trim_end_matches('_');
    let mut candidate = base.clone();
    let mut count = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{stem}_{count}");
        count += 1;
    }
    candidate
}

/// What to call a node: its own name, or what it evidently is.
fn suggestion(rule: &RuleNames, graph: &Graph, node: NodeId) -> Option<String> {
    match graph.op(node) {
        Op::Reduce(kind, ..) if graph.node(node).name.is_none() => Some(reduction_name(kind).to_owned()),
        _ => phrase(rule, graph, node),
    }
}

fn reduction_name(kind: ReduceKind) -> &'static str {
    match kind {
        ReduceKind::Sum => "sum",
        ReduceKind::Norm => "norm",
        ReduceKind::Min => "least",
        ReduceKind::Max => "greatest",
        ReduceKind::Count => "count",
    }
}

fn accumulator_name(rule: &RuleNames, graph: &Graph, accumulator: &Accumulator) -> String {
    let name = suggestion(rule, graph, accumulator.reduction).unwrap_or_default();
    match accumulator.combine {
        Combine::SumOfSquares => format!("{name}_squares"),
        Combine::ScaledSumOfSquares => format!("{name}_scaled_squares"),
        Combine::Sum | Combine::Min | Combine::Max | Combine::Count => format!("{name}_so_far"),
    }
}

/// Unnamed operations that are printed inside their only user, because that user is printed beside them: what is
/// computed once per workgroup is never moved into the loop over elements.
fn inlined(names: &Names, graph: &Graph, kernel: &Kernel) -> BTreeSet<NodeId> {
    let mut uses: BTreeMap<NodeId, u32> = BTreeMap::new();
    let mut inside = BTreeSet::new();
    for list in [&kernel.uniform, &kernel.body] {
        let operands = list.iter().flat_map(|&user| graph.op(user).operands());
        for operand in operands {
            *uses.entry(operand).or_default() += 1;
            if list.contains(&operand) {
                inside.insert(operand);
            }
        }
    }
    let reduced = kernel.accumulators.iter().flat_map(|accumulator| graph.op(accumulator.reduction).operands());
    let results = kernel.stores.iter().map(|store| store.1).chain(kernel.writes.iter().map(|write| write.node));
    let needed: BTreeSet<NodeId> = reduced.chain(results).collect();
    inside.retain(|node| uses.get(node) == Some(&1) && !needed.contains(node) && graph.node(*node).name.is_none());
    let mut widths: BTreeMap<NodeId, usize> = BTreeMap::new();
    for &node in kernel.uniform.iter().chain(&kernel.body) {
        let width = |operand, inside: &BTreeSet<NodeId>| match widths.get(&operand) {
            Some(&width) if inside.contains(&operand) => width,
            _ => names.get(operand).or(graph.node(operand).name.as_deref()).map_or(UNNAMED, |name| name.len() + 5),
        };
        let operands: Vec<_> = graph.op(node).operands().collect();
        loop {
            let own: usize = operands.iter().map(|&operand| width(operand, &inside)).sum();
            let widest =
                operands.iter().filter(|operand| inside.contains(operand)).max_by_key(|operand| widths.get(operand));
            match widest {
                Some(widest) if own > WIDEST => inside.remove(widest),
                _ => {
                    widths.insert(node, own);
                    break;
                }
            };
        }
    }
    inside
}

/// About how many columns an operation may have, its operands included.
const WIDEST: usize = 88;
/// Columns of what has no name.
const UNNAMED: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_legal() {
        for (written, printed) in [
            ("m", "m"),
            ("thread", "thread_"),
            ("r#final", "final_"),
            ("a__b", "a_b"),
            ("_hidden", "x_hidden"),
            ("β1", "u3b21"),
        ] {
            assert_eq!(legal(written), printed);
        }
    }

    #[test]
    fn inputs_whose_names_become_one_have_buffers_of_their_own() {
        let source = "#[gpu_optimizer] mod rule {
            pub struct RuleParams {}
            fn update(param: &mut f32, #[input] a: f32, #[input] a_: f32) { *param = a * a_; }
        }";
        let (attribute, item) = crate::parse::parse_file(source).unwrap().remove(0);
        let compiled = crate::compile::compile(attribute, item).unwrap();
        assert_eq!(input_buffers(&compiled.rule), ["a_buffer", "a_buffer_2"]);
    }

    #[test]
    fn names_are_made_unique() {
        let mut taken = BTreeSet::new();
        let names: Vec<_> = ["u", "u", "u", "row", "row"].iter().map(|name| unique(&mut taken, name)).collect();
        assert_eq!(names, ["u", "u_2", "u_3", "row_", "row_2"]);
    }
}
