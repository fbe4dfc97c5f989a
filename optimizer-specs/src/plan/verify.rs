//! Checks a program against its graph: an independent proof that a plan computes what the rule says.
//!
//! It follows what every cell and every word of the scalars buffer holds from kernel to kernel. A read is right only if
//! the place holds the very version that the reading node stands for, so that a pass that takes a moment for the old one
//! after another pass has overwritten it is caught.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    Accumulator, Cell, Extent, Kernel, KernelKind, LoadSource, NodeId, Op, Program, Scope, Slot, SlotTable,
};

use super::passes::is_literal;

/// Checks that a program computes its graph, within records of these words. `Err` says what is wrong, and in which kernel.
pub fn verify(program: &Program, all: &SlotTable, tensor: &SlotTable) -> Result<(), String> {
    let mut machine = Machine::new(program, all, tensor);
    for kernel in &program.kernels {
        machine.kernel(kernel).map_err(|message| format!("{}: {message}", kernel.name))?;
    }
    machine.end()
}

/// What a place holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// The value of a cell before the step.
    Old(Cell),
    /// The value of a node.
    Value(NodeId),
    /// A tensor's total of a reduction over all tensors, of an accumulator with this word of the partial record.
    Total(NodeId, u32),
}

struct Machine<'a> {
    program: &'a Program,
    all: &'a SlotTable,
    tensor: &'a SlotTable,
    cells: BTreeMap<Cell, Content>,
    slots: BTreeMap<Slot, Content>,
    /// Accumulators of the last pass that ran.
    accumulated: Vec<Accumulator>,
    /// Pass and kind of the last kernel.
    last: Option<(u32, u32)>,
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program, all: &'a SlotTable, tensor: &'a SlotTable) -> Self {
        let all_states =
            all.states.iter().zip(0..).map(|(&s, word)| (Slot::All(word), Content::Old(Cell::AllState(s))));
        let tensor_states =
            tensor.states.iter().zip(0..).map(|(&s, word)| (Slot::Tensor(word), Content::Old(Cell::TensorState(s))));
        let slots = all_states.chain(tensor_states).collect();
        Self { program, all, tensor, cells: BTreeMap::new(), slots, accumulated: Vec::new(), last: None }
    }

    fn holds(&self, content: Option<Content>, node: NodeId) -> bool {
        match content {
            Some(Content::Value(held)) => held == node,
            Some(Content::Old(cell)) => self.program.graph.op(node) == Op::Load(cell),
            Some(Content::Total(..)) | None => false,
        }
    }

    fn kernel(&mut self, kernel: &Kernel) -> Result<(), String> {
        let place = (kernel.pass, kernel.kind as u32);
        if self.last.is_some_and(|last| last >= place) {
            return Err("it does not stand behind what runs before it".to_owned());
        }
        self.last = Some(place);
        let mut defined = self.fields(kernel)?;
        self.reads(kernel, &mut defined)?;
        let is_pass = kernel.kind == KernelKind::Pass;
        if !is_pass {
            if !(kernel.loads.is_empty() && kernel.body.is_empty() && kernel.stores.is_empty()) {
                return Err("a finish has element code".to_owned());
            }
            self.totals(kernel, &mut defined)?;
        }
        self.compute(kernel, &kernel.uniform, false, &mut defined)?;
        if is_pass {
            if !kernel.writes.is_empty() {
                return Err("a pass writes scalars".to_owned());
            }
            self.loads(kernel, &mut defined)?;
            self.compute(kernel, &kernel.body, true, &mut defined)?;
            self.accumulate(kernel, &defined)?;
            return self.stores(kernel, &defined);
        }
        self.writes(kernel, &defined)
    }

    fn fields(&self, kernel: &Kernel) -> Result<BTreeSet<NodeId>, String> {
        let mut defined = BTreeSet::new();
        for &index in &kernel.fields {
            let field = self.program.row.get(index as usize).ok_or_else(|| format!("no row field {index}"))?;
            let extent = self.program.graph.node(field.node).extent;
            if !extent.is_host() || (kernel.kind == KernelKind::FinishAll && extent != Extent::Const) {
                return Err(format!("row field `{}` varies over {extent:?}", field.name));
            }
            define(&mut defined, field.node)?;
        }
        Ok(defined)
    }

    fn reads(&self, kernel: &Kernel, defined: &mut BTreeSet<NodeId>) -> Result<(), String> {
        for read in &kernel.reads {
            let right = match read.slot {
                Slot::Clip => self.program.graph.op(read.node) == Op::Clip,
                slot => self.holds(self.slots.get(&slot).copied(), read.node),
            };
            if !right {
                return Err(format!("{:?} does not hold node {} here", read.slot, read.node.0));
            }
            if kernel.kind == KernelKind::FinishAll && !matches!(read.slot, Slot::All(_)) {
                return Err(format!("{:?} is a tensor's, and there are many", read.slot));
            }
            define(defined, read.node)?;
        }
        Ok(())
    }

    fn loads(&self, kernel: &Kernel, defined: &mut BTreeSet<NodeId>) -> Result<(), String> {
        for load in &kernel.loads {
            let op = self.program.graph.op(load.node);
            let right = match load.source {
                LoadSource::Gradient => op == Op::RawGrad,
                LoadSource::Input(index) => op == Op::Input(index),
                LoadSource::Cell(cell) => {
                    self.holds(Some(self.cells.get(&cell).copied().unwrap_or(Content::Old(cell))), load.node)
                }
            };
            if !right {
                return Err(format!("{:?} does not hold node {} here", load.source, load.node.0));
            }
            define(defined, load.node)?;
        }
        Ok(())
    }

    fn compute(
        &self,
        kernel: &Kernel,
        nodes: &[NodeId],
        of_elements: bool,
        defined: &mut BTreeSet<NodeId>,
    ) -> Result<(), String> {
        for &id in nodes {
            let node = self.program.graph.node(id);
            let fits = match node.extent {
                Extent::Element => of_elements,
                Extent::Tensor => !of_elements && kernel.kind != KernelKind::FinishAll,
                Extent::All => !of_elements,
                Extent::Const | Extent::Row => false,
            };
            if !fits || node.op.operands().next().is_none() || matches!(node.op, Op::Reduce(..)) {
                return Err(format!("node {} is not computed here", id.0));
            }
            for operand in node.op.operands() {
                self.need(defined, operand)?;
            }
            define(defined, id)?;
        }
        Ok(())
    }

    fn need(&self, defined: &BTreeSet<NodeId>, id: NodeId) -> Result<(), String> {
        let known = defined.contains(&id) || is_literal(self.program.graph.op(id));
        if known { Ok(()) } else { Err(format!("node {} is used and not defined", id.0)) }
    }

    /// The accumulators of a pass: each running value of each reduction, in a word of its own.
    fn accumulate(&mut self, kernel: &Kernel, defined: &BTreeSet<NodeId>) -> Result<(), String> {
        self.accumulated.clone_from(&kernel.accumulators);
        let mut words = BTreeSet::new();
        for accumulator in &kernel.accumulators {
            let Op::Reduce(kind, _, argument) = self.program.graph.op(accumulator.reduction) else {
                return Err(format!("node {} is no reduction", accumulator.reduction.0));
            };
            self.need(defined, argument)?;
            let mut siblings = kernel.accumulators.iter().filter(|other| other.reduction == accumulator.reduction);
            if !siblings.by_ref().map(|other| other.combine).eq(kind.combines().iter().copied()) {
                return Err(format!("{kind:?} is not accumulated as it must be"));
            }
            if accumulator.partial >= self.program.partial_words || !words.insert(accumulator.partial) {
                return Err(format!("word {} of the partial record is wrong", accumulator.partial));
            }
        }
        Ok(())
    }

    /// The totals of a finish: exactly those of its pass.
    fn totals(&mut self, kernel: &Kernel, defined: &mut BTreeSet<NodeId>) -> Result<(), String> {
        let scope = |accumulator: &Accumulator| match self.program.graph.op(accumulator.reduction) {
            Op::Reduce(_, scope, _) => Some(scope),
            _ => None,
        };
        let key = |accumulator: &Accumulator| (accumulator.reduction, accumulator.combine, accumulator.partial);
        let of_pass = self.accumulated.iter().filter(|accumulator| match kernel.kind {
            KernelKind::FinishTensor => true,
            KernelKind::FinishAll => scope(accumulator) == Some(Scope::All),
            KernelKind::Pass | KernelKind::FinishTensorLate => false,
        });
        if !kernel.accumulators.iter().map(key).eq(of_pass.map(key)) {
            return Err("its totals are not those of its pass".to_owned());
        }
        let mut totals = Vec::new();
        for accumulator in &kernel.accumulators {
            match (scope(accumulator), kernel.kind, accumulator.tensor_total) {
                (Some(Scope::Tensor), KernelKind::FinishTensor, None) => _ = defined.insert(accumulator.reduction),
                (Some(Scope::All), KernelKind::FinishTensor, Some(slot)) => {
                    totals.push((slot, Content::Total(accumulator.reduction, accumulator.partial)));
                }
                (Some(Scope::All), KernelKind::FinishAll, Some(slot))
                    if self.slots.get(&slot) == Some(&Content::Total(accumulator.reduction, accumulator.partial)) =>
                {
                    defined.insert(accumulator.reduction);
                }
                _ => return Err(format!("the total of node {} is misplaced", accumulator.reduction.0)),
            }
        }
        totals.into_iter().try_for_each(|(slot, content)| self.write(kernel, slot, content))
    }

    fn stores(&mut self, kernel: &Kernel, defined: &BTreeSet<NodeId>) -> Result<(), String> {
        for &(cell, value) in &kernel.stores {
            self.need(defined, value)?;
            if !matches!(cell, Cell::Param | Cell::ElementState(_)) {
                return Err(format!("{cell:?} is not of the elements"));
            }
            if self.cells.insert(cell, Content::Value(value)).is_some() {
                return Err(format!("{cell:?} is stored twice"));
            }
        }
        Ok(())
    }

    fn writes(&mut self, kernel: &Kernel, defined: &BTreeSet<NodeId>) -> Result<(), String> {
        let mut written = BTreeSet::new();
        for write in &kernel.writes {
            self.need(defined, write.node)?;
            if !written.insert(write.slot) {
                return Err(format!("{:?} is written twice", write.slot));
            }
            self.write(kernel, write.slot, Content::Value(write.node))?;
        }
        Ok(())
    }

    fn write(&mut self, kernel: &Kernel, slot: Slot, content: Content) -> Result<(), String> {
        let allowed = match slot {
            Slot::Clip => false,
            Slot::All(word) => kernel.kind == KernelKind::FinishAll && word < self.all.words,
            Slot::Tensor(word) => kernel.kind != KernelKind::FinishAll && word < self.tensor.words,
        };
        if !allowed {
            return Err(format!("{slot:?} cannot be written here"));
        }
        self.slots.insert(slot, content);
        Ok(())
    }

    /// After the last kernel every cell must hold what the graph says.
    fn end(&self) -> Result<(), String> {
        let graph = &self.program.graph;
        let last = |cell| graph.stores.iter().find(|store| store.cell == cell).map(|store| store.value);
        let all = self.all.states.iter().zip(0..).map(|(&state, word)| (Cell::AllState(state), Slot::All(word)));
        let tensor = self.tensor.states.iter().zip(0..).map(|(&s, word)| (Cell::TensorState(s), Slot::Tensor(word)));
        let scalars = all.chain(tensor).map(|(cell, slot)| (cell, self.slots.get(&slot).copied()));
        let elements = graph.stores.iter().map(|store| store.cell).chain(self.cells.keys().copied());
        let elements = elements.filter(|cell| matches!(cell, Cell::Param | Cell::ElementState(_)));
        let elements = elements.map(|cell| (cell, Some(self.cells.get(&cell).copied().unwrap_or(Content::Old(cell)))));
        for (cell, content) in scalars.chain(elements) {
            let right = match last(cell) {
                Some(value) => self.holds(content, value),
                None => content == Some(Content::Old(cell)),
            };
            if !right {
                return Err(format!("{cell:?} does not end with its final value"));
            }
        }
        Ok(())
    }
}

fn define(defined: &mut BTreeSet<NodeId>, id: NodeId) -> Result<(), String> {
    if defined.insert(id) { Ok(()) } else { Err(format!("node {} is defined twice", id.0)) }
}
