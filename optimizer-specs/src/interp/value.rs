//! Values of device nodes and the operations on them.

use super::error::Error;
use super::host::HostValue;
use super::number::{Count, Number, Truth};
use crate::functions::Function;
use crate::ir::{BinaryOp, NodeId, Op, UnaryOp};

/// The value of a node on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<N> {
    /// A real.
    Real(N),
    /// A count, or a whole number that is compared with one.
    Int(Count),
    /// A truth value.
    Bool(Truth),
}

impl<N: Number> Value<N> {
    /// A host value where it meets the device.
    pub fn from_host(value: HostValue) -> Self {
        match value {
            HostValue::Real(value) => Value::Real(N::from_host(value)),
            HostValue::Int(value) => Value::Int(Count::certain(value)),
            HostValue::Bool(value) => Value::Bool(Truth::certain(value)),
        }
    }

    /// The real, or an error: the graph is ill-typed.
    pub fn real(self) -> Result<N, Error> {
        if let Value::Real(value) = self { Ok(value) } else { Err(self.mistyped("a real")) }
    }

    /// The whole number, or an error: the graph is ill-typed.
    pub fn int(self) -> Result<Count, Error> {
        if let Value::Int(value) = self { Ok(value) } else { Err(self.mistyped("a whole number")) }
    }

    /// The truth value, or an error: the graph is ill-typed.
    pub fn bool(self) -> Result<Truth, Error> {
        if let Value::Bool(value) = self { Ok(value) } else { Err(self.mistyped("a truth value")) }
    }

    fn mistyped(self, expected: &str) -> Error {
        Error::Malformed(format!("{self:?} stands where {expected} is needed"))
    }
}

/// Computes an operation of the device. Of a select whose condition is certain only the taken arm is asked for.
///
/// Leaves and reductions are not computed from operands and are an error here.
pub fn apply<N: Number>(op: Op, operand: &mut dyn FnMut(NodeId) -> Result<Value<N>, Error>) -> Result<Value<N>, Error> {
    match op {
        Op::Unary(unary, a) => {
            let a = operand(a)?;
            match unary {
                UnaryOp::Negate => Ok(Value::Real(a.real()?.negate())),
                UnaryOp::Not => Ok(Value::Bool(a.bool()?.negation())),
                UnaryOp::Abs => Ok(Value::Real(a.real()?.magnitude())),
                UnaryOp::Sqrt => Ok(Value::Real(a.real()?.root())),
                UnaryOp::IsFinite => Ok(Value::Bool(a.real()?.finiteness())),
                UnaryOp::IsNan => {
                    let a = a.real()?;
                    Ok(Value::Bool(Truth { value: a.to_f32().is_nan(), certain: a.finiteness().certain }))
                }
                UnaryOp::Sign => Ok(Value::Real(a.real()?.sign())),
                UnaryOp::ToReal => Ok(Value::Real(N::from_count(a.int()?))),
                UnaryOp::Exp | UnaryOp::Ln | UnaryOp::Cbrt | UnaryOp::Tanh | UnaryOp::Floor | UnaryOp::Ceil => {
                    let function = Function::of(op).ok_or_else(|| of_the_host(&unary))?;
                    Ok(Value::Real(N::function(function, &[a.real()?])))
                }
            }
        }
        Op::Binary(BinaryOp::Powf, a, b) => {
            let function = Function::of(op).ok_or_else(|| of_the_host(&op))?;
            Ok(Value::Real(N::function(function, &[operand(a)?.real()?, operand(b)?.real()?])))
        }
        Op::Binary(binary, a, b) => binary_op(binary, operand(a)?, operand(b)?),
        Op::Compare(comparison, a, b) => match (operand(a)?, operand(b)?) {
            (Value::Int(a), Value::Int(b)) => Ok(Value::Bool(a.compare(comparison, b))),
            (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(a.compare(comparison, b))),
            (a, b) => Ok(Value::Bool(a.real()?.compare(comparison, b.real()?))),
        },
        Op::MulAdd(a, b, c) => {
            let (a, b, c) = (operand(a)?.real()?, operand(b)?.real()?, operand(c)?.real()?);
            Ok(Value::Real(a.multiply_add(b, c)))
        }
        Op::Select(condition, then, otherwise) => {
            let condition = operand(condition)?.bool()?;
            if condition.certain {
                return operand(if condition.value { then } else { otherwise });
            }
            match (operand(then)?, operand(otherwise)?) {
                (Value::Int(a), Value::Int(b)) => Ok(Value::Int(Count::choose(condition, a, b))),
                (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(condition.choose(a, b))),
                (a, b) => Ok(Value::Real(N::choose(condition, a.real()?, b.real()?))),
            }
        }
        _ => Err(Error::Malformed(format!("{op:?} is not computed from operands"))),
    }
}

fn of_the_host(op: &dyn core::fmt::Debug) -> Error {
    Error::Malformed(format!("{op:?} is a function of the host"))
}

fn binary_op<N: Number>(op: BinaryOp, a: Value<N>, b: Value<N>) -> Result<Value<N>, Error> {
    let real = |combine: fn(N, N) -> N| Ok(Value::Real(combine(a.real()?, b.real()?)));
    match op {
        BinaryOp::Add => real(N::add),
        BinaryOp::Subtract => real(N::subtract),
        BinaryOp::Multiply => real(N::multiply),
        BinaryOp::Divide => real(N::divide),
        BinaryOp::Min => real(N::least),
        BinaryOp::Max => real(N::greatest),
        BinaryOp::Powi => Ok(Value::Real(power(a.real()?, b.int()?.value))),
        BinaryOp::And => Ok(Value::Bool(a.bool()?.and(b.bool()?))),
        BinaryOp::Or => Ok(Value::Bool(a.bool()?.or(b.bool()?))),
        BinaryOp::Remainder | BinaryOp::Powf => Err(of_the_host(&op)),
    }
}

/// `base^exponent` by square-and-multiply from the lowest bit; a negative power is the reciprocal.
pub fn power<N: Number>(base: N, exponent: i64) -> N {
    let one = N::from_host(1.0);
    let (mut result, mut square, mut rest) = (one, base, exponent.unsigned_abs());
    while rest != 0 {
        if rest & 1 == 1 {
            result = result.multiply(square);
        }
        square = square.multiply(square);
        rest >>= 1;
    }
    if exponent < 0 { one.divide(result) } else { result }
}
