//! A graph evaluated as it stands: every node that is needed, once, in order of the arena.

use std::collections::BTreeMap;

use super::error::Error;
use super::host::Host;
use super::memory::Memory;
use super::number::Number;
use super::reduce;
use super::row::host_states;
use super::value::{Value, apply};
use crate::ir::{Cell, Extent, Graph, NodeId, Op, ReduceKind, Scope};
use crate::layout::REDUCTION_CHUNK;

/// Runs an entry over all tensors of a memory. On an error the memory is as it was.
pub fn evaluate<N: Number>(graph: &Graph, memory: &mut Memory<N>) -> Result<(), Error> {
    if memory.tensors.is_empty() {
        return Ok(());
    }
    let results = {
        let mut evaluation = Evaluation::new(graph, memory);
        evaluation.mark_needed()?;
        evaluation.compute()?;
        evaluation.results()?
    };
    results.commit(memory);
    Ok(())
}

/// The new values of all cells that change.
pub(super) struct Results<N> {
    pub tensors: Vec<BTreeMap<Cell, Vec<N>>>,
    pub host_states: Vec<BTreeMap<u32, f64>>,
    pub all: BTreeMap<Cell, N>,
}

impl<N: Number> Results<N> {
    pub fn commit(self, memory: &mut Memory<N>) {
        for ((tensor, cells), states) in memory.tensors.iter_mut().zip(self.tensors).zip(self.host_states) {
            tensor.cells.extend(cells);
            tensor.host_states.extend(states);
        }
        memory.all.extend(self.all);
    }
}

struct Evaluation<'a, N> {
    graph: &'a Graph,
    memory: &'a Memory<N>,
    hosts: Vec<Host<'a, N>>,
    /// By node and place.
    needed: Vec<Vec<bool>>,
    /// By node and place; one value per element where the node's extent is that, else one.
    values: Vec<Vec<Vec<Value<N>>>>,
}

impl<'a, N: Number> Evaluation<'a, N> {
    fn new(graph: &'a Graph, memory: &'a Memory<N>) -> Self {
        let places = |extent| match extent {
            Extent::Const | Extent::All => 1,
            Extent::Row | Extent::Tensor | Extent::Element => memory.tensors.len(),
        };
        let needed: Vec<_> = graph.nodes.iter().map(|node| vec![false; places(node.extent)]).collect();
        let values = needed.iter().map(|places| vec![Vec::new(); places.len()]).collect();
        let hosts = (0..memory.tensors.len()).map(|tensor| Host::new(graph, memory, tensor)).collect();
        Self { graph, memory, hosts, needed, values }
    }

    /// Where a node's value for a tensor is kept: values that do not vary over tensors are kept once.
    fn place(&self, id: NodeId, tensor: usize) -> usize {
        if self.needed[id.0 as usize].len() == 1 { 0 } else { tensor }
    }

    fn need(&mut self, id: NodeId, tensor: usize) {
        let place = self.place(id, tensor);
        self.needed[id.0 as usize][place] = true;
    }

    /// Follows what the stores read. Under a condition of the host only the taken arm is needed; a reduction over all
    /// tensors, once any tensor uses it, needs its operand on every tensor, whatever their conditions are.
    fn mark_needed(&mut self) -> Result<(), Error> {
        for store in self.graph.stores.iter().filter(|store| !matches!(store.cell, Cell::HostState(_))) {
            for tensor in 0..self.memory.tensors.len() {
                self.need(store.value, tensor);
            }
        }
        for index in (0..self.graph.nodes.len()).rev() {
            let node = &self.graph.nodes[index];
            if node.extent.is_host() {
                continue;
            }
            for place in 0..self.needed[index].len() {
                if self.needed[index][place] {
                    self.mark_operands(node.op, place)?;
                }
            }
        }
        Ok(())
    }

    fn mark_operands(&mut self, op: Op, tensor: usize) -> Result<(), Error> {
        match op {
            Op::Reduce(_, Scope::All, operand) => {
                for tensor in 0..self.memory.tensors.len() {
                    self.need(operand, tensor);
                }
            }
            Op::Select(condition, then, otherwise) if self.graph.node(condition).extent.is_host() => {
                let taken = if self.hosts[tensor].bool(condition)? { then } else { otherwise };
                self.need(condition, tensor);
                self.need(taken, tensor);
            }
            _ => op.operands().for_each(|operand| self.need(operand, tensor)),
        }
        Ok(())
    }

    fn compute(&mut self) -> Result<(), Error> {
        for index in 0..self.graph.nodes.len() {
            for place in 0..self.needed[index].len() {
                if self.needed[index][place] {
                    self.values[index][place] = self.node(NodeId(index as u32), place)?;
                }
            }
        }
        Ok(())
    }

    /// The values of a node at a place.
    fn node(&mut self, id: NodeId, place: usize) -> Result<Vec<Value<N>>, Error> {
        let node = self.graph.node(id);
        if node.extent.is_host() {
            let value = self.hosts[place].finite(id)?;
            return Ok(vec![match node.op {
                Op::Real(bits) => Value::Real(N::from_literal(f64::from_bits(bits))),
                _ => Value::from_host(value),
            }]);
        }
        let tensor = &self.memory.tensors[place];
        let reals = |values: &[N]| Ok(values.iter().map(|value| Value::Real(value.settled())).collect());
        match node.op {
            Op::Clip => Ok(vec![Value::Real(N::from_f32(tensor.clip))]),
            Op::RawGrad => reals(tensor.gradient()?),
            Op::Input(index) => reals(tensor.input(index)?),
            Op::Load(cell @ Cell::AllState(_)) => Ok(vec![Value::Real(self.memory.all_state(cell)?.settled())]),
            Op::Load(cell) => reals(tensor.cell(cell)?),
            Op::Reduce(kind, scope, operand) => Ok(vec![self.reduce(kind, scope, operand, place)?]),
            op => {
                let count = if node.extent == Extent::Element { tensor.len() } else { 1 };
                (0..count).map(|element| apply(op, &mut |id| self.read(id, place, element))).collect()
            }
        }
    }

    fn read(&self, id: NodeId, tensor: usize, element: usize) -> Result<Value<N>, Error> {
        let values = &self.values[id.0 as usize][self.place(id, tensor)];
        let value = if values.len() == 1 { values.first() } else { values.get(element) };
        value.copied().ok_or_else(|| Error::Malformed(format!("node {} is read before it exists", id.0)))
    }

    fn reduce(&self, kind: ReduceKind, scope: Scope, operand: NodeId, place: usize) -> Result<Value<N>, Error> {
        let totals = kind.combines().iter().map(|&combine| {
            let tensor_total = |tensor: usize| {
                let len = self.memory.tensors[tensor].len();
                let chunks = (0..len).step_by(REDUCTION_CHUNK).map(|start| {
                    let elements = start..len.min(start + REDUCTION_CHUNK);
                    reduce::chunk(combine, elements.map(|element| self.read(operand, tensor, element)))
                });
                reduce::finish(combine, chunks)
            };
            match scope {
                Scope::Tensor => tensor_total(place),
                Scope::All => reduce::finish(combine, (0..self.memory.tensors.len()).map(tensor_total)),
            }
        });
        reduce::result(kind, &totals.collect::<Result<Vec<_>, _>>()?)
    }

    fn results(&self) -> Result<Results<N>, Error> {
        let mut tensors = vec![BTreeMap::new(); self.memory.tensors.len()];
        let mut all = BTreeMap::new();
        for store in &self.graph.stores {
            match store.cell {
                Cell::HostState(_) => {}
                Cell::AllState(_) => {
                    all.insert(store.cell, self.read(store.value, 0, 0)?.real()?);
                }
                Cell::Param | Cell::ElementState(_) | Cell::TensorState(_) => {
                    for (place, cells) in tensors.iter_mut().enumerate() {
                        let per_element = store.cell.extent() == Extent::Element;
                        let count = if per_element { self.memory.tensors[place].len() } else { 1 };
                        let values = (0..count).map(|element| self.read(store.value, place, element)?.real());
                        cells.insert(store.cell, values.collect::<Result<_, _>>()?);
                    }
                }
            }
        }
        let places = 0..self.memory.tensors.len();
        let host_states = places.map(|place| host_states(self.graph, self.memory, place)).collect::<Result<_, _>>()?;
        Ok(Results { tensors, host_states, all })
    }
}
