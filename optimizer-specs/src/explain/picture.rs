//! The data-flow picture, before it has places: what stands in which kernel and what flows where.

use std::collections::BTreeMap;

use crate::ir::{Cell, Combine, Kernel, KernelKind, LoadSource, Names, NodeId, Op, Program, Scope, Slot, Variant};

use super::labels::Labels;
use super::sections::{slot_name, source_name};

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Memory that is read.
    Load,
    /// A value of each element, or on the way to a scalar.
    Value,
    /// A running sum, or its total.
    Reduction,
    /// A scalar that goes through a slot.
    Scalar,
    /// Memory that is written.
    Store,
}

/// A box.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub title: String,
    pub formula: String,
    pub look: Look,
    /// Whether it belongs in the last line of its kernel.
    pub last: bool,
}

/// What flows between kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Partial,
    Scalar,
    Memory,
}

/// A kernel: a column of the picture.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub title: String,
    /// Its boxes: a range of [`Picture::items`].
    pub items: std::ops::Range<usize>,
}

/// Boxes and arrows.
#[derive(Clone, Debug, Default)]
pub(super) struct Picture {
    pub items: Vec<Item>,
    pub columns: Vec<Column>,
    /// Arrows within a column.
    pub links: Vec<(usize, usize)>,
    /// Arrows from a column to a later one.
    pub wires: Vec<(usize, usize, Flow)>,
}

impl Picture {
    pub fn new(variant: &Variant, program: &Program, names: &Names, labels: &Labels<'_>) -> Self {
        let mut painter = Painter {
            variant,
            program,
            names,
            labels,
            picture: Self::default(),
            stored: BTreeMap::new(),
            written: BTreeMap::new(),
            reduced: BTreeMap::new(),
        };
        program.kernels.iter().for_each(|kernel| painter.kernel(kernel));
        painter.picture
    }
}

struct Painter<'a> {
    variant: &'a Variant,
    program: &'a Program,
    names: &'a Names,
    labels: &'a Labels<'a>,
    picture: Picture,
    /// The box that stored each cell.
    stored: BTreeMap<Cell, usize>,
    /// The box that wrote each slot.
    written: BTreeMap<Slot, usize>,
    /// The last box of each reduction.
    reduced: BTreeMap<NodeId, usize>,
}

impl Painter<'_> {
    fn kernel(&mut self, kernel: &Kernel) {
        let first = self.picture.items.len();
        // The box that has a node, in this kernel.
        let mut boxes = BTreeMap::new();
        self.reads(kernel, &mut boxes);
        if kernel.kind != KernelKind::Pass {
            self.totals(kernel, &mut boxes);
        }
        for &id in kernel.uniform.iter().chain(&kernel.body) {
            let stored = kernel.stores.iter().find(|store| store.1 == id).map(|store| store.0);
            let written = kernel.writes.iter().any(|write| write.node == id);
            if self.labels.is_named(id) || stored.is_some() || written {
                let look = if written { Look::Scalar } else { Look::Value };
                let new = stored.map(|cell| format!("new {}", self.names.cell(cell))).unwrap_or_default();
                let title = if self.labels.is_named(id) { self.labels.get(id) } else { new };
                let item = self.item(title, self.labels.formula(id), look, false);
                self.link_operands(id, item, &boxes);
                boxes.insert(id, item);
            }
        }
        self.results(kernel, &boxes);
        let title = match kernel.kind {
            KernelKind::Pass => {
                let bytes = 4 * (kernel.loads.len() + kernel.stores.len());
                format!("pass {} · {bytes} bytes per element", kernel.pass + 1)
            }
            KernelKind::FinishTensor => format!("finish {} · each tensor", kernel.pass + 1),
            KernelKind::FinishAll => format!("finish {} · all tensors", kernel.pass + 1),
            KernelKind::FinishTensorLate => format!("finish {} · each tensor, late", kernel.pass + 1),
        };
        self.picture.columns.push(Column { title, items: first..self.picture.items.len() });
    }

    fn item(&mut self, title: String, formula: String, look: Look, last: bool) -> usize {
        let formula = if formula == title { String::new() } else { formula };
        self.picture.items.push(Item { title, formula, look, last });
        self.picture.items.len() - 1
    }

    /// What a kernel finds: cells and slots.
    fn reads(&mut self, kernel: &Kernel, boxes: &mut BTreeMap<NodeId, usize>) {
        for load in &kernel.loads {
            let writer = match load.source {
                LoadSource::Cell(cell) => self.stored.get(&cell).copied(),
                LoadSource::Gradient | LoadSource::Input(_) => None,
            };
            let note = if writer.is_some() { "as stored before" } else { "" };
            let item = self.item(source_name(self.names, load.source), note.to_owned(), Look::Load, false);
            self.picture.wires.extend(writer.map(|from| (from, item, Flow::Memory)));
            boxes.insert(load.node, item);
        }
        for read in kernel.reads.iter().filter(|read| read.slot != Slot::Clip) {
            let item = self.item(self.labels.get(read.node), slot_name(read.slot), Look::Scalar, false);
            let writer = self.written.get(&read.slot).copied();
            self.picture.wires.extend(writer.map(|from| (from, item, Flow::Scalar)));
            boxes.insert(read.node, item);
        }
    }

    fn totals(&mut self, kernel: &Kernel, boxes: &mut BTreeMap<NodeId, usize>) {
        for id in reductions(kernel) {
            let for_all = matches!(self.program.graph.op(id), Op::Reduce(_, Scope::All, _));
            let part = for_all && kernel.kind == KernelKind::FinishTensor;
            let note = if part { "of this tensor".to_owned() } else { self.labels.formula(id) };
            let is_written = kernel.writes.iter().any(|write| write.node == id);
            let look = if is_written { Look::Scalar } else { Look::Reduction };
            let item = self.item(self.labels.get(id), note, look, false);
            let before = self.reduced.insert(id, item);
            self.picture.wires.extend(before.map(|from| (from, item, Flow::Partial)));
            if !part {
                boxes.insert(id, item);
            }
        }
    }

    /// What a kernel leaves behind: running sums, cells and slots.
    fn results(&mut self, kernel: &Kernel, boxes: &BTreeMap<NodeId, usize>) {
        for id in reductions(kernel).into_iter().filter(|_| kernel.kind == KernelKind::Pass) {
            let item = self.item(self.labels.get(id), self.labels.formula(id), Look::Reduction, true);
            self.link_operands(id, item, boxes);
            self.reduced.insert(id, item);
        }
        for &(cell, value) in &kernel.stores {
            let item = self.item(self.names.cell(cell), String::new(), Look::Store, true);
            self.link(value, item, boxes);
            self.stored.insert(cell, item);
        }
        for write in &kernel.writes {
            let item = match (self.state(write.slot), boxes.get(&write.node)) {
                (None, Some(&item)) => item,
                (state, _) => {
                    let title = state.map_or_else(|| self.labels.get(write.node), |state| self.names.state(state));
                    let item = self.item(title, slot_name(write.slot), Look::Store, true);
                    self.link(write.node, item, boxes);
                    item
                }
            };
            self.written.insert(write.slot, item);
        }
    }

    /// The state that stands in a slot.
    fn state(&self, slot: Slot) -> Option<u32> {
        match slot {
            Slot::Clip => None,
            Slot::All(word) => self.variant.all.states.get(word as usize).copied(),
            Slot::Tensor(word) => self.variant.tensor.states.get(word as usize).copied(),
        }
    }

    /// Arrows from all boxes that a value is made of, through values without a box.
    fn link_operands(&mut self, id: NodeId, to: usize, boxes: &BTreeMap<NodeId, usize>) {
        for operand in self.program.graph.op(id).operands() {
            self.link(operand, to, boxes);
        }
    }

    fn link(&mut self, id: NodeId, to: usize, boxes: &BTreeMap<NodeId, usize>) {
        match boxes.get(&id) {
            Some(&from) if self.picture.links.contains(&(from, to)) => {}
            Some(&from) => self.picture.links.push((from, to)),
            None if self.program.graph.node(id).extent.is_host() => {}
            None => self.link_operands(id, to, boxes),
        }
    }
}

/// The reductions of a kernel's accumulators, each once.
fn reductions(kernel: &Kernel) -> Vec<NodeId> {
    // The second value of a norm only guards the first one.
    let main = kernel.accumulators.iter().filter(|accumulator| accumulator.combine != Combine::ScaledSumOfSquares);
    main.map(|accumulator| accumulator.reduction).collect()
}
