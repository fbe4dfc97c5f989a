//! `row`: computes the host values of one tensor and step.

use std::collections::BTreeSet;

use super::names::{Names, expression};
use crate::checked::{HyperType, Rule};
use crate::emit::names::members;
use crate::emit::rust_expression::{Dialect, Printer};
use crate::emit::text::{LONGEST_LINE, Text};
use crate::ir::{self, Cell, FieldType, Graph, NodeId, Op, Program, RowField, Type, Variant};

/// The function that is printed.
pub(super) struct Function<'a> {
    pub rule: &'a Rule,
    pub labels: &'a ir::Names,
    pub variant: &'a Variant,
    pub program: &'a Program,
}

/// A new value of a host state.
struct Change {
    /// Index in the variant's host states.
    place: usize,
    /// What the state is called.
    state: String,
    /// The variable of the new value.
    name: String,
    value: NodeId,
}

impl Function<'_> {
    /// Prints it.
    pub fn write(&self, text: &mut Text) {
        let graph = &self.program.graph;
        let fields = self.program.row.iter().flat_map(|field| [Some(field.node), field.demand]).flatten();
        let stores = graph.stores.iter().filter(|store| matches!(store.cell, Cell::HostState(_)));
        let results: Vec<_> = fields.chain(stores.map(|store| store.value)).collect();
        let nodes = reachable(graph, &results);
        let mut names = Names::new(self.labels, self.program, &nodes, &results);
        let changes = self.changes(&mut names);

        text.line(format!("/// Computes the row of one tensor for `{}`.", graph.name));
        text.open("pub fn row(");
        text.line(format!("context: &RowContext<'_, {}>,", self.rule.params_name));
        text.line("host_states: &mut [f64],");
        text.line("words: &mut [u32],");
        text.turn(") -> Result<(), RowError> {");
        self.leaves(&nodes, &names, text);
        let name = |node| names.get(node);
        let printer = Printer { labels: self.labels, graph, dialect: Dialect::Host, name: &name };
        operations(&printer, &nodes, text);
        text.open("let row = Row {");
        for (field, member) in self.program.row.iter().zip(members(self.program)) {
            write_field(&printer, field, &member, text);
        }
        text.close("};");
        finish(&printer, &changes, text);
        text.close("}");
    }

    fn changes(&self, names: &mut Names) -> Vec<Change> {
        let changes = self.program.graph.stores.iter().filter_map(|store| match store.cell {
            Cell::HostState(index) => {
                let state = self.labels.state(index);
                let name = names.unique(&format!("{state}_new"));
                Some(Change { place: self.place(index), state, name, value: store.value })
            }
            _ => None,
        });
        changes.collect()
    }

    /// Index of a host state in the variant's list.
    fn place(&self, state: u32) -> usize {
        self.variant.host_states.iter().take_while(|known| **known != state).count()
    }

    fn leaves(&self, nodes: &BTreeSet<NodeId>, names: &Names, text: &mut Text) {
        let graph = &self.program.graph;
        if nodes.iter().any(|&node| matches!(graph.op(node), Op::Hyper(_))) {
            text.line("let hyper = context.params;");
        }
        for &node in nodes {
            let value = match graph.op(node) {
                Op::Hyper(index) => self.hyper(index),
                Op::Step => "math::whole(context.step)".to_owned(),
                Op::Run => "math::whole(context.run)".to_owned(),
                Op::Len => "math::len(context.shape)".to_owned(),
                Op::Ndim => "math::whole(context.shape.len() as u64)".to_owned(),
                Op::Dim(index) => format!("math::dim(context.shape, {index})"),
                Op::AllLen => "math::whole(context.all_len)".to_owned(),
                Op::Scalar(index) => format!("f64::from(context.scalars[{index}])"),
                Op::GradScale => "context.grad_scale".to_owned(),
                Op::ClipValue => "context.clip_value".to_owned(),
                Op::Load(Cell::HostState(state)) => format!("host_states[{}]", self.place(state)),
                _ => continue,
            };
            if let Some(name) = names.get(node) {
                text.line(format!("let {name} = {value};"));
            }
        }
    }

    /// A hyper-parameter as a host number.
    fn hyper(&self, index: u32) -> String {
        let field = format!("hyper.{}", self.labels.hyper(index));
        match self.rule.hypers.get(index as usize).map(|hyper| hyper.ty) {
            Some(HyperType::F32) => format!("math::decimal({field})"),
            Some(HyperType::U32) => format!("i64::from({field})"),
            Some(HyperType::OptionF32) => format!("math::decimal({field}.unwrap_or_default())"),
            Some(HyperType::OptionU32) => format!("i64::from({field}.unwrap_or_default())"),
            Some(HyperType::Bool | HyperType::Enum(_)) | None => field,
        }
    }
}

/// Everything that the results depend on, which is host values throughout.
fn reachable(graph: &Graph, results: &[NodeId]) -> BTreeSet<NodeId> {
    let mut nodes = BTreeSet::new();
    let mut open = results.to_vec();
    while let Some(node) = open.pop() {
        if nodes.insert(node) {
            open.extend(graph.op(node).operands());
        }
    }
    nodes
}

fn operations(printer: &Printer<'_>, nodes: &BTreeSet<NodeId>, text: &mut Text) {
    let graph = printer.graph;
    let mut shown = None;
    for &node in nodes.iter().filter(|node| graph.op(**node).operands().next().is_some()) {
        if let Some(name) = (printer.name)(node) {
            let statement = graph.node(node).statement;
            if statement != shown {
                shown = statement;
                if let Some(statement) = statement.and_then(|id| graph.statements.get(id.0 as usize)) {
                    text.line(format!("// {}", statement.text));
                }
            }
            text.line(format!("let {name} = {};", printer.definition(node)));
        }
    }
}

/// A field's value, rounded once and checked; 0 where it is not needed.
fn write_field(printer: &Printer<'_>, field: &RowField, member: &str, text: &mut Text) {
    let value = printer.value(field.node);
    let source = format!("{:?}", expression(printer.labels, printer.graph, field.node));
    let (value, zero) = match (field.ty, printer.graph.node(field.node).ty) {
        (FieldType::F32, _) if printer.graph.is_limit(field.node) => (format!("math::limit({value})"), "0.0"),
        (FieldType::F32, _) => (format!("math::to_f32({value}, {source})?"), "0.0"),
        (FieldType::I32, _) => (format!("math::to_i32({value}, {source})?"), "0"),
        (FieldType::U32, Type::Bool) => (format!("u32::from({value})"), "0"),
        (FieldType::U32, _) => (format!("math::to_u32({value}, {source})?"), "0"),
    };
    let Some(demand) = field.demand else { return text.line(format!("{member}: {value},")) };
    let demand = printer.value(demand);
    let line = format!("{member}: if {demand} {{ {value} }} else {{ {zero} }},");
    if line.len() <= LONGEST_LINE {
        text.line(line);
    } else {
        text.open(format!("{member}: if {demand} {{"));
        text.line(value);
        text.turn("} else {");
        text.line(zero);
        text.close("},");
    }
}

/// All that can fail comes first, so that a failure changes no state.
fn finish(printer: &Printer<'_>, changes: &[Change], text: &mut Text) {
    for Change { state, name, value, .. } in changes {
        let source = format!("state.{state} = {}", expression(printer.labels, printer.graph, *value));
        text.line(format!("let {name} = math::finite({}, {source:?})?;", printer.value(*value)));
    }
    for Change { place, name, .. } in changes {
        text.line(format!("host_states[{place}] = {name};"));
    }
    text.line("row.write(words);");
    text.line("Ok(())");
}
