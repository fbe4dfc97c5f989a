//! Writes graphs as one writes formulas.

use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Sub};

use optimizer_specs::ir::build::{GraphBuilder, HyperLeaf};
use optimizer_specs::ir::{BinaryOp, Cell, Comparison, Graph, NodeId, Op, ReduceKind, Scope, Store, Type, UnaryOp};
use optimizer_specs::plan::Context;

/// A graph in the making. Hyper-parameters and states are known by the order in which they are first named.
pub struct Sheet {
    builder: RefCell<GraphBuilder>,
    context: RefCell<Context>,
}

/// A value on a sheet.
#[derive(Clone, Copy)]
pub struct Value<'s> {
    sheet: &'s Sheet,
    pub id: NodeId,
}

pub const PARAM: Cell = Cell::Param;

impl Sheet {
    /// Hyper-parameters by name; a name that begins with `*` is shared by all parameter groups.
    pub fn new(hypers: &[&str]) -> Self {
        let leaf = |name: &&str| HyperLeaf { ty: Type::Real, shared: name.starts_with('*') };
        let mut context = Context::default();
        context.names.hypers = hypers.iter().map(|name| name.trim_start_matches('*').to_owned()).collect();
        let builder = GraphBuilder::new("update", hypers.iter().map(leaf).collect());
        Self { builder: RefCell::new(builder), context: RefCell::new(context) }
    }

    pub fn op(&self, op: Op) -> Value<'_> {
        Value { sheet: self, id: self.builder.borrow_mut().push(op) }
    }

    pub fn hyper(&self, name: &str) -> Value<'_> {
        let index =
            self.context.borrow().names.hypers.iter().position(|known| known == name).expect("one of the sheet");
        self.op(Op::Hyper(index as u32))
    }

    pub fn real(&self, value: f64) -> Value<'_> {
        self.op(Op::Real(value.to_bits()))
    }

    /// The gradient, with the prologue.
    pub fn grad(&self) -> Value<'_> {
        self.op(Op::RawGrad) * self.op(Op::GradScale) * self.op(Op::Clip)
    }

    pub fn load(&self, cell: Cell) -> Value<'_> {
        self.op(Op::Load(cell))
    }

    fn state(&self, name: &str) -> u32 {
        self.context.borrow_mut().names.states.push(name.to_owned());
        self.context.borrow().names.states.len() as u32 - 1
    }

    pub fn element(&self, name: &str) -> Cell {
        Cell::ElementState(self.state(name))
    }

    pub fn tensor(&self, name: &str) -> Cell {
        let state = self.state(name);
        self.context.borrow_mut().tensor_states.push(state);
        Cell::TensorState(state)
    }

    pub fn all(&self, name: &str) -> Cell {
        let state = self.state(name);
        self.context.borrow_mut().all_states.push(state);
        Cell::AllState(state)
    }

    pub fn store(&self, cell: Cell, value: Value<'_>) {
        let mut builder = self.builder.borrow_mut();
        let stores = &mut builder.graph_mut().stores;
        stores.push(Store { cell, value: value.id });
        stores.sort_by_key(|store| store.cell);
    }

    pub fn finish(self) -> (Graph, Context) {
        let mut graph = self.builder.into_inner().finish();
        graph.takes_grad = true;
        (graph, self.context.into_inner())
    }
}

impl<'s> Value<'s> {
    fn binary(self, op: BinaryOp, other: Self) -> Self {
        self.sheet.op(Op::Binary(op, self.id, other.id))
    }

    fn compare(self, comparison: Comparison, other: Self) -> Self {
        self.sheet.op(Op::Compare(comparison, self.id, other.id))
    }

    fn reduce(self, kind: ReduceKind, scope: Scope) -> Self {
        self.sheet.op(Op::Reduce(kind, scope, self.id))
    }

    fn unary(self, op: UnaryOp) -> Self {
        self.sheet.op(Op::Unary(op, self.id))
    }

    pub fn named(self, name: &str) -> Self {
        self.sheet.builder.borrow_mut().name(self.id, name);
        self
    }

    pub fn sqrt(self) -> Self {
        self.unary(UnaryOp::Sqrt)
    }

    pub fn abs(self) -> Self {
        self.unary(UnaryOp::Abs)
    }

    pub fn sign(self) -> Self {
        self.unary(UnaryOp::Sign)
    }

    pub fn to_real(self) -> Self {
        self.unary(UnaryOp::ToReal)
    }

    pub fn max(self, other: Self) -> Self {
        self.binary(BinaryOp::Max, other)
    }

    pub fn powi(self, other: Self) -> Self {
        self.binary(BinaryOp::Powi, other)
    }

    pub fn and(self, other: Self) -> Self {
        self.binary(BinaryOp::And, other)
    }

    pub fn above(self, other: Self) -> Self {
        self.compare(Comparison::Greater, other)
    }

    pub fn is(self, other: Self) -> Self {
        self.compare(Comparison::Equal, other)
    }

    pub fn then(self, then: Self, otherwise: Self) -> Self {
        self.sheet.op(Op::Select(self.id, then.id, otherwise.id))
    }

    pub fn sum(self) -> Self {
        self.reduce(ReduceKind::Sum, Scope::Tensor)
    }

    pub fn norm(self) -> Self {
        self.reduce(ReduceKind::Norm, Scope::Tensor)
    }

    pub fn greatest(self) -> Self {
        self.reduce(ReduceKind::Max, Scope::Tensor)
    }

    pub fn count(self) -> Self {
        self.reduce(ReduceKind::Count, Scope::Tensor)
    }

    pub fn all_sum(self) -> Self {
        self.reduce(ReduceKind::Sum, Scope::All)
    }

    pub fn all_norm(self) -> Self {
        self.reduce(ReduceKind::Norm, Scope::All)
    }
}

impl Add for Value<'_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.binary(BinaryOp::Add, other)
    }
}

impl Sub for Value<'_> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.binary(BinaryOp::Subtract, other)
    }
}

impl Mul for Value<'_> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.binary(BinaryOp::Multiply, other)
    }
}

impl Div for Value<'_> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.binary(BinaryOp::Divide, other)
    }
}
