//! A program executed kernel by kernel, literally: a kernel knows what its lists define and nothing else.
//!
//! Scalars and partial results begin undefined, so that a read before a write is an error instead of an old value.

use std::collections::BTreeMap;

use super::direct::Results;
use super::error::Error;
use super::known::{Known, Word, defined};
use super::memory::Memory;
use super::number::Number;
use super::reduce;
use super::row::{host_states, row};
use super::value::Value;
use crate::ir::{
    Accumulator, Cell, Extent, Kernel, KernelKind, Load, LoadSource, NodeId, Op, Program, Scope, Slot, SlotTable,
};
use crate::layout::REDUCTION_CHUNK;

/// Runs a program over all tensors of a memory. `all` and `tensor` say where persistent scalar states lie. On an error the
/// memory is as it was.
pub fn execute<N: Number>(
    program: &Program,
    all: &SlotTable,
    tensor: &SlotTable,
    memory: &mut Memory<N>,
) -> Result<(), Error> {
    if memory.tensors.is_empty() {
        return Ok(());
    }
    let mut machine = Machine::new(program, all, tensor, memory)?;
    for kernel in &program.kernels {
        machine.kernel(kernel)?;
    }
    let results = machine.results(all, tensor)?;
    results.commit(memory);
    Ok(())
}

struct Machine<'a, N> {
    program: &'a Program,
    memory: &'a Memory<N>,
    /// By tensor and field.
    rows: Vec<Vec<Value<N>>>,
    all: Vec<Word<N>>,
    /// By tensor and word.
    records: Vec<Vec<Word<N>>>,
    /// By tensor, chunk and word.
    partials: Vec<Vec<Vec<Word<N>>>>,
    /// Element cells as they are now, by tensor.
    cells: Vec<BTreeMap<Cell, Vec<N>>>,
    literals: Known<'a, N>,
}

impl<'a, N: Number> Machine<'a, N> {
    fn new(program: &'a Program, all: &SlotTable, tensor: &SlotTable, memory: &'a Memory<N>) -> Result<Self, Error> {
        let mut machine = Self {
            program,
            memory,
            rows: Vec::new(),
            all: vec![None; all.words as usize],
            records: vec![vec![None; tensor.words as usize]; memory.tensors.len()],
            partials: Vec::new(),
            cells: Vec::new(),
            literals: Known::literals(&program.graph, memory)?,
        };
        for (word, &state) in machine.all.iter_mut().zip(&all.states) {
            *word = Some(Value::Real(memory.all_state(Cell::AllState(state))?));
        }
        for (place, held) in memory.tensors.iter().enumerate() {
            for (word, &state) in machine.records[place].iter_mut().zip(&tensor.states) {
                *word = held.cell(Cell::TensorState(state))?.first().map(|&value| Value::Real(value));
            }
            machine.rows.push(row(program, memory, place)?.into_iter().map(Value::from_host).collect());
            let chunks = held.len().div_ceil(REDUCTION_CHUNK);
            machine.partials.push(vec![vec![None; program.partial_words as usize]; chunks]);
            machine.cells.push(held.cells.clone());
        }
        Ok(machine)
    }

    fn kernel(&mut self, kernel: &Kernel) -> Result<(), Error> {
        let tensors = 0..self.memory.tensors.len();
        match kernel.kind {
            KernelKind::Pass => {
                for tensor in tensors {
                    self.pass(kernel, tensor)?;
                }
                Ok(())
            }
            KernelKind::FinishTensor | KernelKind::FinishTensorLate => {
                for tensor in tensors {
                    self.finish_tensor(kernel, tensor)?;
                }
                Ok(())
            }
            KernelKind::FinishAll => self.finish_all(kernel),
        }
    }

    /// A kernel's knowledge of a tensor before it computes anything.
    fn known(&self, kernel: &Kernel, tensor: usize) -> Result<Known<'a, N>, Error> {
        let mut known = self.literals.clone();
        for &index in &kernel.fields {
            let field = self.program.row.get(index as usize).zip(self.rows[tensor].get(index as usize));
            let (field, &value) = field.ok_or_else(|| Error::Malformed(format!("no row field {index}")))?;
            known.define(field.node, value);
        }
        for read in &kernel.reads {
            known.define(read.node, self.slot(read.slot, tensor)?);
        }
        Ok(known)
    }

    fn slot(&self, slot: Slot, tensor: usize) -> Result<Value<N>, Error> {
        match slot {
            Slot::Clip => Ok(Value::Real(N::from_f32(self.memory.tensors[tensor].clip))),
            Slot::All(word) => defined(self.all.get(word as usize), &slot),
            Slot::Tensor(word) => defined(self.records[tensor].get(word as usize), &slot),
        }
    }

    fn write(&mut self, slot: Slot, tensor: usize, value: Value<N>) -> Result<(), Error> {
        let word = match slot {
            Slot::Clip => None,
            Slot::All(word) => self.all.get_mut(word as usize),
            Slot::Tensor(word) => self.records[tensor].get_mut(word as usize),
        };
        *word.ok_or_else(|| Error::Malformed(format!("{slot:?} cannot be written")))? = Some(value);
        Ok(())
    }

    fn pass(&mut self, kernel: &Kernel, tensor: usize) -> Result<(), Error> {
        let mut uniform = self.known(kernel, tensor)?;
        uniform.compute(&kernel.uniform)?;
        let len = self.memory.tensors[tensor].len();
        for (chunk, start) in (0..len).step_by(REDUCTION_CHUNK).enumerate() {
            let mut contributions = vec![Vec::new(); kernel.accumulators.len()];
            // Anew for each chunk: what no list defines is then unknown to its first element.
            let mut known = uniform.clone();
            for element in start..len.min(start + REDUCTION_CHUNK) {
                for load in &kernel.loads {
                    known.define(load.node, self.load(load, tensor, element)?);
                }
                known.compute(&kernel.body)?;
                for &(cell, value) in &kernel.stores {
                    self.store(cell, tensor, element, known.read(value)?.real()?)?;
                }
                for (accumulator, values) in kernel.accumulators.iter().zip(&mut contributions) {
                    values.push(Ok(known.read(self.operand(accumulator)?)?));
                }
            }
            for (accumulator, values) in kernel.accumulators.iter().zip(contributions) {
                let partial = reduce::chunk(accumulator.combine, values.into_iter())?;
                let word = self.partials[tensor][chunk].get_mut(accumulator.partial as usize);
                *word.ok_or_else(|| Error::Malformed(format!("no partial word {}", accumulator.partial)))? =
                    Some(partial);
            }
        }
        Ok(())
    }

    fn load(&self, load: &Load, tensor: usize, element: usize) -> Result<Value<N>, Error> {
        let held = &self.memory.tensors[tensor];
        let values = match load.source {
            LoadSource::Gradient => Some(held.gradient()?),
            LoadSource::Input(index) => Some(held.input(index)?),
            LoadSource::Cell(cell) => self.cells[tensor].get(&cell).map(Vec::as_slice),
        };
        let value = values.and_then(|values| values.get(element));
        value
            .map(|&value| Value::Real(value))
            .ok_or_else(|| Error::Malformed(format!("{:?} has no value", load.source)))
    }

    fn store(&mut self, cell: Cell, tensor: usize, element: usize, value: N) -> Result<(), Error> {
        let place = self.cells[tensor].get_mut(&cell).and_then(|values| values.get_mut(element));
        *place.ok_or_else(|| Error::Malformed(format!("{cell:?} has no place")))? = value;
        Ok(())
    }

    fn operand(&self, accumulator: &Accumulator) -> Result<NodeId, Error> {
        match self.program.graph.op(accumulator.reduction) {
            Op::Reduce(_, _, operand) => Ok(operand),
            op => Err(Error::Malformed(format!("{op:?} is accumulated and no reduction"))),
        }
    }

    fn finish_tensor(&mut self, kernel: &Kernel, tensor: usize) -> Result<(), Error> {
        let mut known = self.known(kernel, tensor)?;
        let mut totals: BTreeMap<NodeId, Vec<Value<N>>> = BTreeMap::new();
        let mut writes = Vec::new();
        for accumulator in &kernel.accumulators {
            let partials = self.partials[tensor].iter();
            let words = partials.map(|words| defined(words.get(accumulator.partial as usize), &accumulator));
            let total = reduce::finish(accumulator.combine, words)?;
            match accumulator.tensor_total {
                Some(slot) => writes.push((slot, total)),
                None => totals.entry(accumulator.reduction).or_default().push(total),
            }
        }
        self.define_reductions(&mut known, Scope::Tensor, totals)?;
        known.compute(&kernel.uniform)?;
        for write in &kernel.writes {
            writes.push((write.slot, known.read(write.node)?));
        }
        writes.into_iter().try_for_each(|(slot, value)| self.write(slot, tensor, value))
    }

    fn finish_all(&mut self, kernel: &Kernel) -> Result<(), Error> {
        let per_tensor = |slot: Slot| matches!(slot, Slot::Clip | Slot::Tensor(_));
        if kernel.reads.iter().any(|read| per_tensor(read.slot)) || kernel.writes.iter().any(|w| per_tensor(w.slot)) {
            return Err(Error::Malformed(format!("`{}` touches a value of one tensor", kernel.name)));
        }
        let shared = |&index: &u32| {
            let field = self.program.row.get(index as usize);
            field.is_some_and(|field| self.program.graph.node(field.node).extent == Extent::Const)
        };
        if !kernel.fields.iter().all(shared) {
            return Err(Error::Malformed(format!("`{}` reads a field that varies over tensors", kernel.name)));
        }
        let mut known = self.known(kernel, 0)?;
        let mut totals: BTreeMap<NodeId, Vec<Value<N>>> = BTreeMap::new();
        for accumulator in &kernel.accumulators {
            let slot = accumulator.tensor_total.ok_or_else(|| Error::Malformed("no total over tensors".to_owned()))?;
            let words = (0..self.memory.tensors.len()).map(|tensor| self.slot(slot, tensor));
            let total = reduce::finish(accumulator.combine, words)?;
            totals.entry(accumulator.reduction).or_default().push(total);
        }
        self.define_reductions(&mut known, Scope::All, totals)?;
        known.compute(&kernel.uniform)?;
        let writes = kernel.writes.iter().map(|write| Ok((write.slot, known.read(write.node)?)));
        let writes = writes.collect::<Result<Vec<_>, Error>>()?;
        writes.into_iter().try_for_each(|(slot, value)| self.write(slot, 0, value))
    }

    fn define_reductions(
        &self,
        known: &mut Known<'a, N>,
        expected: Scope,
        totals: BTreeMap<NodeId, Vec<Value<N>>>,
    ) -> Result<(), Error> {
        for (id, totals) in totals {
            match self.program.graph.op(id) {
                Op::Reduce(kind, scope, _) if scope == expected => known.define(id, reduce::result(kind, &totals)?),
                op => return Err(Error::Malformed(format!("{op:?} is totalled over {expected:?}"))),
            }
        }
        Ok(())
    }

    fn results(self, all: &SlotTable, tensor: &SlotTable) -> Result<Results<N>, Error> {
        let states = |words: &[Word<N>], table: &SlotTable, cell: fn(u32) -> Cell| {
            let held = words.iter().zip(&table.states);
            let values = held.map(|(word, &state)| Ok((cell(state), defined(Some(word), &cell(state))?.real()?)));
            values.collect::<Result<BTreeMap<_, _>, Error>>()
        };
        let all = states(&self.all, all, Cell::AllState)?;
        let mut tensors = self.cells;
        for (cells, record) in tensors.iter_mut().zip(&self.records) {
            let states = states(record, tensor, Cell::TensorState)?;
            cells.extend(states.into_iter().map(|(cell, value)| (cell, vec![value])));
        }
        let places = 0..self.memory.tensors.len();
        let host_states = places.map(|place| host_states(&self.program.graph, self.memory, place));
        let host_states = host_states.collect::<Result<_, _>>()?;
        Ok(Results { tensors, host_states, all })
    }
}
