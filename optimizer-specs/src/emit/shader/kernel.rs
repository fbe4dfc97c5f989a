//! What all kernels share: the head, scalar reads, and values computed once.

use std::collections::BTreeSet;

use super::expression::Expressions;
use super::library::Library;
use super::reduction::scaled;
use super::syntax::{Head, Syntax, Width, Word};
use super::trees;
use crate::emit::names::Names;
use crate::emit::text::Text;
use crate::ir::{Cell, Kernel, KernelKind, NodeId, Program, Slot, StatementId, Variant};
use crate::layout::{self, Role};

/// Prints one kernel.
pub(super) struct KernelWriter<'a> {
    pub syntax: &'a dyn Syntax,
    pub variant: &'a Variant,
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub names: &'a Names,
    pub text: &'a mut Text,
    pub expressions: Expressions<'a>,
    used: &'a mut BTreeSet<Library>,
    /// The statement that the last printed comment shows.
    shown: Option<StatementId>,
}

impl<'a> KernelWriter<'a> {
    pub fn new(
        syntax: &'a dyn Syntax,
        variant: &'a Variant,
        program: &'a Program,
        kernel: &'a Kernel,
        names: &'a Names,
        text: &'a mut Text,
        used: &'a mut BTreeSet<Library>,
    ) -> Self {
        let expressions = Expressions { syntax, program, kernel, names, used: BTreeSet::new() };
        Self { syntax, variant, program, kernel, names, text, expressions, used, shown: None }
    }

    /// Prints the kernel.
    pub fn write(mut self) {
        let bindings = layout::bindings(self.kernel);
        let head = Head {
            name: &self.kernel.name,
            bindings: &bindings,
            gridded: self.kernel.kind != KernelKind::FinishAll,
            trees: &trees(self.kernel),
        };
        self.syntax.open_kernel(self.text, head);
        match self.kernel.kind {
            KernelKind::Pass => self.pass(),
            KernelKind::FinishTensor => self.finish_tensor(),
            KernelKind::FinishAll => self.finish_all(),
            KernelKind::FinishTensorLate => self.finish_tensor_late(),
        }
        self.text.close("}");
        self.used.append(&mut self.expressions.used);
    }

    /// `let name = value;`
    pub fn constant(&mut self, word: Word, width: Width, name: &str, value: &str) {
        self.text.line(self.syntax.constant(word, width, name, value));
    }

    /// A whole number that is the same for the workgroup.
    pub fn index(&mut self, name: &str, value: &str) {
        self.constant(Word::U32, Width::One, name, value);
    }

    /// The name of a buffer that this kernel binds.
    pub fn buffer(&self, role: Role) -> String {
        let writes = layout::bindings(self.kernel).iter().any(|binding| binding.role == role && binding.writes);
        self.syntax.buffer(role, writes)
    }

    /// The place in the grid, by the name `index`, and leaving where it is beyond the last of `count`.
    pub fn place_in_grid(&mut self, count: &str, or: &str) {
        self.header();
        self.index("index", "group.x + group.y * grid.x");
        self.text.open(format!("if (index >= {count}{or}) {{"));
        self.text.line("return;");
        self.text.close("}");
    }

    /// The head of the table. A table is made of records of two vectors each: the head, the tensors, the chunks.
    pub fn header(&mut self) {
        self.table_vector("header", "chunks[0]", "chunks, tensors, +inf, -inf");
    }

    /// The record of the tensor at a place in the table, and where its scalars lie; as far as the kernel needs them.
    pub fn tensor(&mut self, place: &str) {
        let row_or_record = !self.kernel.fields.is_empty() || self.uses_tensor_record();
        let cells = self.variant.element_states.iter().skip(1);
        let stride = cells.map(|&state| Cell::ElementState(state)).any(|cell| self.names.start(cell).is_some());
        let first = row_or_record || stride;
        // The second vector of a tensor holds its partial records and its clip coefficient.
        let totals = self.kernel.kind == KernelKind::FinishTensor && !self.kernel.accumulators.is_empty();
        let second = totals || self.kernel.reads.iter().any(|read| read.slot == Slot::Clip);
        if first || second {
            self.index("tensor_index", &format!("2u * (1u + {place})"));
        }
        if first {
            self.table_vector("tensor", "chunks[tensor_index]", "row, cell stride, slot, length");
        }
        if self.uses_tensor_record() {
            let record = self.tensor_record("tensor.z");
            self.index("record", &record);
        }
    }

    /// A vector of the table, with what it holds.
    pub fn table_vector(&mut self, name: &str, value: &str, holds: &str) {
        let line = self.syntax.constant(Word::U32, Width::Four, name, value);
        self.text.line(format!("{line} // {holds}"));
    }

    /// The row, and the scalars that the kernel reads.
    pub fn read_uniforms(&mut self) {
        if !self.kernel.fields.is_empty() {
            let index = if self.kernel.kind == KernelKind::FinishAll { "0" } else { "tensor.x" };
            self.text.line(self.syntax.row(index));
        }
        for read in &self.kernel.reads {
            let scalars = self.buffer(Role::Scalars);
            let bits = format!("{scalars}[{}]", self.slot(read.slot));
            let word = self.expressions.word(read.node);
            let value = match word {
                Word::F32 => self.syntax.real_of_bits(&bits),
                Word::U32 | Word::I32 => bits,
                Word::Bool => format!("{bits} != 0u"),
            };
            if let Some(name) = self.names.get(read.node) {
                self.constant(word, Width::One, name, &value);
            }
        }
    }

    /// Whether the kernel reads or writes words of its tensor's record.
    pub fn uses_tensor_record(&self) -> bool {
        let reads = self.kernel.reads.iter().map(|read| read.slot);
        let writes = self.kernel.writes.iter().map(|write| write.slot);
        let totals = self.kernel.accumulators.iter().filter_map(|accumulator| accumulator.tensor_total);
        reads.chain(writes).chain(totals).any(|slot| matches!(slot, Slot::Tensor(_)))
    }

    /// Where the record of a tensor starts in the scalars buffer.
    pub fn tensor_record(&self, slot: &str) -> String {
        let first = self.variant.header + self.variant.all.words;
        format!("{first}u + {}", scaled(self.variant.tensor.words, slot))
    }

    /// The index of a scalar.
    pub fn slot(&self, slot: Slot) -> String {
        match slot {
            Slot::Clip => "chunks[tensor_index + 1u].z".to_owned(),
            Slot::All(word) => format!("{}", self.variant.header + word),
            Slot::Tensor(0) => "record".to_owned(),
            Slot::Tensor(word) => format!("record + {word}u"),
        }
    }

    /// Operations as statements, each rule statement above the first of its own.
    pub fn statements(&mut self, nodes: &[NodeId]) {
        for &node in nodes {
            if let Some(name) = self.names.get(node) {
                self.show_statement(node);
                let (word, width) = (self.expressions.word(node), self.expressions.width(node));
                let value = self.expressions.definition(node).text;
                self.constant(word, width, name, &value);
            }
        }
    }

    fn show_statement(&mut self, node: NodeId) {
        let graph = &self.program.graph;
        let statement = graph.node(node).statement;
        if statement != self.shown {
            if let Some(statement) = statement.and_then(|id| graph.statements.get(id.0 as usize)) {
                self.text.gap();
                self.text.line(comment(&statement.text));
            }
            self.shown = statement;
        }
    }

    /// Stores a value into the scalars buffer.
    pub fn write_scalar(&mut self, slot: Slot, word: Word, value: &str) {
        let bits = match word {
            Word::F32 => self.syntax.bits_of_real(value, Width::One),
            Word::U32 | Word::I32 => value.to_owned(),
            Word::Bool => self.syntax.select((value, Width::One), "1u", "0u"),
        };
        let scalars = self.buffer(Role::Scalars);
        self.text.line(format!("{scalars}[{}] = {bits};", self.slot(slot)));
    }
}

/// A statement as a comment of one line; of a long one, how it begins.
fn comment(statement: &str) -> String {
    match statement.char_indices().nth(LONGEST_COMMENT) {
        Some((end, _)) => format!("// {} …", statement[..end].trim_end()),
        None => format!("// {statement}"),
    }
}

/// Characters of a statement that are shown.
const LONGEST_COMMENT: usize = 105;
