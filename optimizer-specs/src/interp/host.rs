//! Host arithmetic: f64 and saturating i64, lazily by arms.
//!
//! A value is computed when something asks for it, so that the root of a negative number in an arm that is not taken
//! never exists. Nothing is refused here for being infinite: what matters is what reaches a row or a host state.

use super::error::{Error, expression};
use super::memory::{Hyper, Memory};
use super::number::{Number, holds};
use super::value::power;
use crate::ir::{BinaryOp, Cell, Graph, NodeId, Op, Type, UnaryOp};

/// The value of a host node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HostValue {
    /// A real.
    Real(f64),
    /// A whole number.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

/// The host nodes of a graph for one tensor.
pub struct Host<'a, N> {
    graph: &'a Graph,
    memory: &'a Memory<N>,
    tensor: usize,
    known: Vec<Option<HostValue>>,
}

/// The f64 nearest to the shortest decimal form of an f32: `0.999f32` is 0.999.
pub fn decimal(value: f32) -> f64 {
    // What `Display` prints always parses.
    value.to_string().parse().unwrap_or(f64::from(value))
}

impl<'a, N: Number> Host<'a, N> {
    /// The host nodes for a tensor, by its place.
    pub fn new(graph: &'a Graph, memory: &'a Memory<N>, tensor: usize) -> Self {
        Self { graph, memory, tensor, known: vec![None; graph.nodes.len()] }
    }

    /// The value of a node of extent const or row.
    pub fn value(&mut self, id: NodeId) -> Result<HostValue, Error> {
        if let Some(value) = self.known[id.0 as usize] {
            return Ok(value);
        }
        let value = self.compute(id)?;
        self.known[id.0 as usize] = Some(value);
        Ok(value)
    }

    /// The value of a node where it leaves the host: finite, also once rounded to f32, but for a limit of the prologue.
    pub fn finite(&mut self, id: NodeId) -> Result<HostValue, Error> {
        match self.value(id)? {
            value if self.graph.is_limit(id) => Ok(value),
            HostValue::Real(value) if !(value as f32).is_finite() => Err(self.not_representable(id, value)),
            value => Ok(value),
        }
    }

    /// The new value of a host state: finite.
    pub fn host_state(&mut self, id: NodeId) -> Result<f64, Error> {
        let value = self.real(id)?;
        if value.is_finite() { Ok(value) } else { Err(self.not_representable(id, value)) }
    }

    /// The type of a node.
    pub fn type_of(&self, id: NodeId) -> Type {
        self.graph.node(id).ty
    }

    /// The error for a value that has no place in a row.
    pub fn not_representable(&self, id: NodeId, value: f64) -> Error {
        Error::NotRepresentable { expression: expression(self.graph, id), value, tensor: self.tensor }
    }

    /// The value of a condition.
    pub fn bool(&mut self, id: NodeId) -> Result<bool, Error> {
        match self.value(id)? {
            HostValue::Bool(value) => Ok(value),
            other => Err(Error::Malformed(format!("{other:?} is no truth value"))),
        }
    }

    fn real(&mut self, id: NodeId) -> Result<f64, Error> {
        match self.value(id)? {
            HostValue::Real(value) => Ok(value),
            other => Err(Error::Malformed(format!("{other:?} is no real"))),
        }
    }

    fn int(&mut self, id: NodeId) -> Result<i64, Error> {
        match self.value(id)? {
            HostValue::Int(value) => Ok(value),
            other => Err(Error::Malformed(format!("{other:?} is no whole number"))),
        }
    }

    fn compute(&mut self, id: NodeId) -> Result<HostValue, Error> {
        use HostValue::{Bool, Int, Real};
        let memory = self.memory;
        let tensor = &memory.tensors[self.tensor];
        let missing = |what: &str, index: u32| Error::Malformed(format!("{what} {index} has no value"));
        let whole = |value: u64| Int(i64::try_from(value).unwrap_or(i64::MAX));
        match self.graph.op(id) {
            Op::Real(bits) => Ok(Real(f64::from_bits(bits))),
            Op::Int(value) => Ok(Int(value)),
            Op::Bool(value) => Ok(Bool(value)),
            Op::Hyper(index) => match tensor.hypers.get(index as usize) {
                Some(&Hyper::Real(value)) => Ok(Real(decimal(value))),
                Some(&Hyper::Int(value)) => Ok(Int(value.into())),
                Some(Hyper::Option) | None => Err(missing("hyper-parameter", index)),
            },
            Op::Step => Ok(whole(tensor.step)),
            Op::Run => Ok(whole(memory.run)),
            Op::Len => Ok(whole(tensor.len() as u64)),
            Op::Ndim => Ok(whole(tensor.shape.len() as u64)),
            // A dimension that the shape lacks is 1, so that the product stays the length.
            Op::Dim(index) => Ok(whole(tensor.shape.get(index as usize).copied().unwrap_or(1) as u64)),
            Op::AllLen => Ok(whole(memory.all_len())),
            Op::Scalar(index) => match memory.scalars.get(index as usize) {
                Some(&value) => Ok(Real(value.into())),
                None => Err(missing("scalar", index)),
            },
            Op::GradScale => Ok(Real(tensor.grad_scale)),
            Op::ClipValue => Ok(Real(tensor.clip_value)),
            Op::Load(Cell::HostState(index)) => match tensor.host_states.get(&index) {
                Some(&value) => Ok(Real(value)),
                None => Err(missing("host state", index)),
            },
            Op::Unary(op, a) => self.unary(op, a),
            Op::Binary(op, a, b) => self.binary(op, a, b),
            Op::Compare(comparison, a, b) => match (self.value(a)?, self.value(b)?) {
                (Real(a), Real(b)) => Ok(Bool(holds(comparison, a, b))),
                (Int(a), Int(b)) => Ok(Bool(holds(comparison, a, b))),
                (Bool(a), Bool(b)) => Ok(Bool(holds(comparison, a, b))),
                (a, b) => Err(Error::Malformed(format!("{a:?} is compared with {b:?}"))),
            },
            Op::MulAdd(a, b, c) => Ok(Real(self.real(a)?.mul_add(self.real(b)?, self.real(c)?))),
            Op::Select(condition, then, otherwise) => {
                let taken = if self.bool(condition)? { then } else { otherwise };
                self.value(taken)
            }
            op @ (Op::Clip | Op::RawGrad | Op::Input(_) | Op::Load(_) | Op::Reduce(..)) => {
                Err(Error::Malformed(format!("{op:?} does not exist on the host")))
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, a: NodeId) -> Result<HostValue, Error> {
        use HostValue::{Bool, Int, Real};
        match (op, self.value(a)?) {
            (UnaryOp::Negate, Real(a)) => Ok(Real(-a)),
            (UnaryOp::Negate, Int(a)) => Ok(Int(a.saturating_neg())),
            (UnaryOp::Not, Bool(a)) => Ok(Bool(!a)),
            (UnaryOp::Abs, Real(a)) => Ok(Real(a.abs())),
            (UnaryOp::Abs, Int(a)) => Ok(Int(a.saturating_abs())),
            (UnaryOp::Sqrt, Real(a)) => Ok(Real(a.sqrt())),
            (UnaryOp::IsFinite, Real(a)) => Ok(Bool(a.is_finite())),
            (UnaryOp::IsNan, Real(a)) => Ok(Bool(a.is_nan())),
            (UnaryOp::Sign, Real(a)) => Ok(Real(a.sign())),
            (UnaryOp::ToReal, Int(a)) => Ok(Real(a as f64)),
            (UnaryOp::Floor, Real(a)) => Ok(Real(a.floor())),
            (UnaryOp::Ceil, Real(a)) => Ok(Real(a.ceil())),
            (UnaryOp::Exp, Real(a)) => Ok(Real(a.exp())),
            (UnaryOp::Ln, Real(a)) => Ok(Real(a.ln())),
            (UnaryOp::Cbrt, Real(a)) => Ok(Real(a.cbrt())),
            (UnaryOp::Tanh, Real(a)) => Ok(Real(a.tanh())),
            (op, a) => Err(Error::Malformed(format!("{op:?} of {a:?}"))),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> Result<HostValue, Error> {
        use HostValue::{Bool, Int, Real};
        match op {
            BinaryOp::And => return Ok(Bool(self.bool(a)? && self.bool(b)?)),
            BinaryOp::Or => return Ok(Bool(self.bool(a)? || self.bool(b)?)),
            BinaryOp::Powi => return Ok(Real(power(self.real(a)?, self.int(b)?))),
            _ => {}
        }
        match (self.value(a)?, self.value(b)?) {
            (Real(a), Real(b)) => match op {
                BinaryOp::Add => Ok(Real(a + b)),
                BinaryOp::Subtract => Ok(Real(a - b)),
                BinaryOp::Multiply => Ok(Real(a * b)),
                BinaryOp::Divide => Ok(Real(a / b)),
                BinaryOp::Remainder => Ok(Real(a % b)),
                BinaryOp::Min => Ok(Real(a.least(b))),
                BinaryOp::Max => Ok(Real(a.greatest(b))),
                BinaryOp::Powf => Ok(Real(a.powf(b))),
                BinaryOp::Powi | BinaryOp::And | BinaryOp::Or => Err(Error::Malformed(format!("{op:?} of reals"))),
            },
            (Int(a), Int(b)) => match op {
                BinaryOp::Add => Ok(Int(a.saturating_add(b))),
                BinaryOp::Subtract => Ok(Int(a.saturating_sub(b))),
                BinaryOp::Multiply => Ok(Int(a.saturating_mul(b))),
                // The language admits only divisors of at least 1; of anything else every implementation makes 0.
                BinaryOp::Divide | BinaryOp::Remainder if b == 0 => Ok(Int(0)),
                BinaryOp::Divide => Ok(Int(a.saturating_div(b))),
                BinaryOp::Remainder => Ok(Int(a.wrapping_rem(b))),
                BinaryOp::Min => Ok(Int(a.min(b))),
                BinaryOp::Max => Ok(Int(a.max(b))),
                BinaryOp::Powi | BinaryOp::Powf | BinaryOp::And | BinaryOp::Or => {
                    Err(Error::Malformed(format!("{op:?} of whole numbers")))
                }
            },
            (a, b) => Err(Error::Malformed(format!("{op:?} of {a:?} and {b:?}"))),
        }
    }
}
