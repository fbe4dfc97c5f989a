//! What all kernels share: the head, scalar reads, values computed once, scalar writes.

use crate::checked::Rule;
use crate::emit::names::{Names, members};
use crate::emit::rust_expression::{Dialect, Printer};
use crate::emit::text::{LONGEST_LINE, Text};
use crate::ir::{self, Combine, FieldType, Kernel, NodeId, Program, Slot, StatementId, Type};

/// Prints one kernel.
pub(super) struct Writer<'a> {
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub names: Names,
    pub labels: ir::Names,
    pub text: &'a mut Text,
    /// The statement that the last comment shows.
    shown: Option<StatementId>,
}

impl<'a> Writer<'a> {
    pub fn new(rule: &'a Rule, program: &'a Program, kernel: &'a Kernel, text: &'a mut Text) -> Self {
        Self {
            program,
            kernel,
            names: Names::new(rule, program, kernel),
            labels: ir::Names::of(rule),
            text,
            shown: None,
        }
    }

    /// Row fields and scalars by their names. `arguments` is what the kernel is called with.
    pub fn read_uniforms(&mut self, arguments: &str) {
        self.read_row(arguments);
        for read in &self.kernel.reads {
            let Some(name) = self.names.get(read.node) else { continue };
            let value = match (read.slot, self.ty(read.node)) {
                (Slot::Clip, _) => format!("{arguments}.clip"),
                (slot, Type::Real) => format!("f32::from_bits({})", word(arguments, slot)),
                (slot, Type::Int) => word(arguments, slot),
                (slot, Type::Bool) => format!("{} != 0", word(arguments, slot)),
            };
            self.text.line(format!("let {name} = {value};"));
        }
    }

    fn read_row(&mut self, arguments: &str) {
        let members = members(self.program);
        let fields: Vec<_> = self.kernel.fields.iter().map(|&index| index as usize).collect();
        let names: Vec<_> = fields.iter().filter_map(|&index| members.get(index).map(String::as_str)).collect();
        if names.is_empty() {
            return;
        }
        let rest = if names.len() < members.len() { ", .." } else { "" };
        let line = format!("let Row {{ {}{rest} }} = Row::from_words({arguments}.row);", names.join(", "));
        if line.len() <= LONGEST_LINE {
            self.text.line(line);
        } else {
            self.text.open("let Row {");
            names.iter().for_each(|name| self.text.line(format!("{name},")));
            rest.strip_prefix(", ").into_iter().for_each(|rest| self.text.line(rest));
            self.text.close(format!("}} = Row::from_words({arguments}.row);"));
        }
        for &index in &fields {
            if let (Some(field), Some(name)) = (self.program.row.get(index), members.get(index))
                && self.ty(field.node) == Type::Bool
            {
                self.text.line(format!("let {name} = {name} != 0;"));
            }
        }
    }

    /// Operations as statements, the rule's statement above the first of its own.
    pub fn statements(&mut self, nodes: &[NodeId]) {
        for &node in nodes {
            if let Some(name) = self.names.get(node) {
                let line = format!("let {name} = {};", self.definition(node));
                self.show_statement(node);
                self.text.line(line);
            }
        }
    }

    fn show_statement(&mut self, node: NodeId) {
        let graph = &self.program.graph;
        let statement = graph.node(node).statement;
        if statement != self.shown {
            self.shown = statement;
            if let Some(statement) = statement.and_then(|id| graph.statements.get(id.0 as usize)) {
                self.text.line(format!("// {}", statement.text));
            }
        }
    }

    /// Scalars that the finish writes.
    pub fn write_scalars(&mut self, arguments: &str) {
        for write in &self.kernel.writes {
            let value = self.value(write.node);
            let bits = match self.ty(write.node) {
                Type::Real => format!("f32::to_bits({value})"),
                Type::Int => value,
                Type::Bool => format!("u32::from({value})"),
            };
            self.text.line(format!("{} = {bits};", word(arguments, write.slot)));
        }
    }

    /// A value where it is used.
    pub fn value(&self, node: NodeId) -> String {
        self.print(|printer| printer.value(node))
    }

    fn definition(&self, node: NodeId) -> String {
        self.print(|printer| printer.definition(node))
    }

    fn print(&self, of: impl FnOnce(&Printer<'_>) -> String) -> String {
        let name = |node| self.names.get(node).map(str::to_owned);
        of(&Printer { labels: &self.labels, graph: &self.program.graph, dialect: Dialect::Device, name: &name })
    }

    pub fn ty(&self, node: NodeId) -> Type {
        self.program.graph.node(node).ty
    }

    /// The Rust type of a value that is the same for a tensor.
    pub fn rust_type(&self, node: NodeId) -> &'static str {
        let field = self.program.row.iter().find(|field| field.node == node);
        match (self.ty(node), field.map(|field| field.ty)) {
            (Type::Real, _) => "f32",
            (Type::Bool, _) => "bool",
            (Type::Int, Some(FieldType::I32)) => "i32",
            (Type::Int, _) => "u32",
        }
    }
}

/// A word of a record.
fn word(arguments: &str, slot: Slot) -> String {
    match slot {
        Slot::Clip => format!("{arguments}.clip"),
        Slot::All(word) => format!("{arguments}.all[{word}]"),
        Slot::Tensor(word) => format!("{arguments}.tensor[{word}]"),
    }
}

/// The type in `optirs_gpu::rule::cpu` that says how two accumulators meet.
pub(super) fn combine(combine: Combine) -> &'static str {
    match combine {
        Combine::Sum | Combine::SumOfSquares | Combine::ScaledSumOfSquares => "cpu::Sum",
        Combine::Min => "cpu::Min",
        Combine::Max => "cpu::Max",
        Combine::Count => "cpu::Count",
    }
}
