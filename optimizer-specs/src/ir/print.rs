//! The text of graphs and programs, for people: `optspec emit --target ir` and the tests. Deterministic, not read back.
//!
//! ```text
//! graph update, takes grad
//!   // let decayed = *param * (1.0 - hyper.rate);
//!   %0 = load param                  real element 0
//!   %1 = hyper.rate                  real row 0
//!   …
//!   %4 = multiply %0 %3              real element 0  decayed
//!   store param = %4
//! ```
//!
//! After the operation stand type, extent, stage, and the name that the rule gave the value.

use std::fmt::{self, Write};

use super::graph::{Cell, Extent, Graph, Node, Op, Scope, Type};
use super::names::Names;
use super::program::{Accumulator, Kernel, LoadSource, Program, Slot};

/// The text of a graph.
pub fn graph(graph: &Graph, names: &Names) -> String {
    let mut text = format!("graph {}{}\n", graph.name, if graph.takes_grad { ", takes grad" } else { "" });
    let mut last = None;
    for (index, node) in graph.nodes.iter().enumerate() {
        if last != Some(node.statement) {
            last = Some(node.statement);
            let source = node.statement.and_then(|id| graph.statements.get(id.0 as usize));
            line(&mut text, format_args!("  // {}", source.map_or("the prologue", |source| source.text.as_str())));
        }
        line(&mut text, format_args!("  {}", node_text(index, node, names)));
    }
    for store in &graph.stores {
        line(&mut text, format_args!("  store {} = %{}", cell_text(store.cell, names), store.value.0));
    }
    text
}

/// The text of a program: its graph, its row, its kernels.
pub fn program(program: &Program, names: &Names) -> String {
    let mut text = graph(&program.graph, names);
    line(&mut text, format_args!("row"));
    for (index, field) in program.row.iter().enumerate() {
        let demand = field.demand.map(|id| format!(", needed where %{}", id.0)).unwrap_or_default();
        line(&mut text, format_args!("  {index} {}: {:?} = %{}{demand}", field.name, field.ty, field.node.0));
    }
    for kernel in &program.kernels {
        kernel_text(&mut text, kernel, names);
    }
    line(
        &mut text,
        format_args!("{} bytes per element, {} words per partial", program.bytes_per_element, program.partial_words),
    );
    text
}

/// Adds a line. Writing to a `String` does not fail.
fn line(text: &mut String, arguments: fmt::Arguments<'_>) {
    let _ = writeln!(text, "{arguments}");
}

fn node_text(index: usize, node: &Node, names: &Names) -> String {
    let operation = format!("%{index} = {}", op_text(node.op, names));
    let ty = match node.ty {
        Type::Real => "real",
        Type::Int => "int",
        Type::Bool => "bool",
    };
    let extent = match node.extent {
        Extent::Const => "const",
        Extent::Row => "row",
        Extent::All => "all",
        Extent::Tensor => "tensor",
        Extent::Element => "element",
    };
    let name = node.name.as_ref().map(|name| format!("  {name}")).unwrap_or_default();
    format!("{operation:<36} {ty} {extent} {}{name}", node.stage)
}

fn op_text(op: Op, names: &Names) -> String {
    let head = match op {
        Op::Real(bits) => format!("{:?}", f64::from_bits(bits)),
        Op::Int(value) => value.to_string(),
        Op::Bool(value) => value.to_string(),
        Op::Hyper(index) => format!("hyper.{}", names.hyper(index)),
        Op::Step => "step".to_owned(),
        Op::Run => "run".to_owned(),
        Op::Len => "len".to_owned(),
        Op::Ndim => "ndim".to_owned(),
        Op::Dim(index) => format!("dim {index}"),
        Op::AllLen => "all_len".to_owned(),
        Op::Scalar(index) => format!("scalar {}", names.scalar(index)),
        Op::GradScale => "grad_scale".to_owned(),
        Op::ClipValue => "clip_value".to_owned(),
        Op::Clip => "clip".to_owned(),
        Op::RawGrad => "raw_grad".to_owned(),
        Op::Input(index) => format!("input {}", names.input(index)),
        Op::Load(cell) => format!("load {}", cell_text(cell, names)),
        Op::Unary(function, _) => lower_snake(&function),
        Op::Binary(function, ..) => lower_snake(&function),
        Op::Compare(comparison, ..) => lower_snake(&comparison),
        Op::MulAdd(..) => "mul_add".to_owned(),
        Op::Select(..) => "select".to_owned(),
        Op::Reduce(kind, Scope::Tensor, _) => format!("reduce {}", lower_snake(&kind)),
        Op::Reduce(kind, Scope::All, _) => format!("reduce all::{}", lower_snake(&kind)),
    };
    op.operands().fold(head, |text, id| format!("{text} %{}", id.0))
}

/// The name of a variant, `GreaterEqual`, as `greater_equal`.
fn lower_snake(variant: &impl fmt::Debug) -> String {
    let mut text = String::new();
    for letter in format!("{variant:?}").chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

fn kernel_text(text: &mut String, kernel: &Kernel, names: &Names) {
    line(text, format_args!("kernel {}: {}, pass {}", kernel.name, lower_snake(&kernel.kind), kernel.pass));
    list(text, "fields", kernel.fields.iter().map(|field| field.to_string()));
    list(text, "reads", kernel.reads.iter().map(|read| format!("%{} = {}", read.node.0, slot_text(read.slot))));
    list(text, "uniform", kernel.uniform.iter().map(|id| format!("%{}", id.0)));
    list(
        text,
        "loads",
        kernel.loads.iter().map(|load| format!("%{} = {}", load.node.0, source_text(load.source, names))),
    );
    list(text, "body", kernel.body.iter().map(|id| format!("%{}", id.0)));
    list(text, "stores", kernel.stores.iter().map(|(cell, id)| format!("{} = %{}", cell_text(*cell, names), id.0)));
    list(text, "accumulators", kernel.accumulators.iter().map(accumulator_text));
    list(text, "writes", kernel.writes.iter().map(|write| format!("{} = %{}", slot_text(write.slot), write.node.0)));
}

fn list(text: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    if !items.is_empty() {
        line(text, format_args!("  {title}: {}", items.join(", ")));
    }
}

fn cell_text(cell: Cell, names: &Names) -> String {
    match cell {
        Cell::Param => names.cell(cell),
        _ => format!("state.{}", names.cell(cell)),
    }
}

fn slot_text(slot: Slot) -> String {
    match slot {
        Slot::Clip => "clip".to_owned(),
        Slot::All(word) => format!("all[{word}]"),
        Slot::Tensor(word) => format!("tensor[{word}]"),
    }
}

fn source_text(source: LoadSource, names: &Names) -> String {
    match source {
        LoadSource::Gradient => "gradient".to_owned(),
        LoadSource::Input(index) => names.input(index),
        LoadSource::Cell(cell) => cell_text(cell, names),
    }
}

fn accumulator_text(accumulator: &Accumulator) -> String {
    let total = accumulator.tensor_total.map(|slot| format!(" via {}", slot_text(slot))).unwrap_or_default();
    format!(
        "%{} {} partial[{}]{total}",
        accumulator.reduction.0,
        lower_snake(&accumulator.combine),
        accumulator.partial
    )
}
