//! Expressions: every operand is lowered before what is made of it, from left to right, as Rust evaluates them.

use proc_macro2::Span;

use super::context::Lowerer;
use super::value::Value;
use crate::checked::{Expr, ExprKind, Function1, Function2, Function3, HyperType, Reduction, Ty};
use crate::ir::{BinaryOp, Cell, Comparison, NodeId, Op, ReduceKind, Scope, UnaryOp};
use crate::options::Choice;

impl Lowerer<'_> {
    /// Lowers an expression.
    pub(super) fn expression(&mut self, expression: &Expr) -> Value {
        let span = expression.span;
        if !self.has_room(span) {
            return Value::Poison;
        }
        let value = self.value(expression, span);
        // Of the wrong type, which is reported: what is made of it would be ill-typed.
        if expression.ty == Ty::Error { Value::Poison } else { value }
    }

    fn value(&mut self, expression: &Expr, span: Span) -> Value {
        match &expression.kind {
            ExprKind::Real(value) => Value::Node(self.builder.real(*value)),
            ExprKind::Int(value) => self.leaf(Op::Int(*value)),
            ExprKind::Bool(value) => self.leaf(Op::Bool(*value)),
            ExprKind::Local(local) => {
                self.versions.locals.get(local.0 as usize).cloned().flatten().unwrap_or(Value::Poison)
            }
            ExprKind::Hyper(index) => self.hyper(*index),
            ExprKind::Step => self.leaf(Op::Step),
            ExprKind::Run => self.leaf(Op::Run),
            ExprKind::Grad => Value::Node(self.gradient()),
            ExprKind::Param => Value::Node(self.read(Cell::Param)),
            ExprKind::State(state) => {
                let cell = self.cell(*state);
                Value::Node(self.read(cell))
            }
            ExprKind::Input(index) => self.leaf(Op::Input(*index)),
            ExprKind::Scalar(index) => self.leaf(Op::Scalar(*index)),
            ExprKind::Len => self.leaf(Op::Len),
            ExprKind::Ndim => self.leaf(Op::Ndim),
            ExprKind::Dim(index) => self.leaf(Op::Dim(*index)),
            ExprKind::AllLen => self.leaf(Op::AllLen),
            ExprKind::Call1(function, a) => {
                let a = self.expression(a).node();
                a.and_then(|a| self.call1(*function, a, span)).into()
            }
            ExprKind::Call2(Function2::And, a, b) => self.lazy(a, b, true, span),
            ExprKind::Call2(Function2::Or, a, b) => self.lazy(a, b, false, span),
            ExprKind::Call2(function, a, b) => {
                let (a, b) = (self.expression(a).node(), self.expression(b).node());
                a.zip(b).and_then(|(a, b)| self.call2(*function, a, b, span)).into()
            }
            ExprKind::Call3(function, a, b, c) => {
                let (a, b, c) = (self.expression(a).node(), self.expression(b).node(), self.expression(c).node());
                a.zip(b).zip(c).and_then(|((a, b), c)| self.call3(*function, [a, b, c], span)).into()
            }
            ExprKind::Reduce(reduction, scope, argument) => {
                let argument = self.expression(argument).node();
                argument.and_then(|argument| self.reduce(*reduction, *scope, argument, span)).into()
            }
            ExprKind::Helper(index, arguments) => {
                let arguments = arguments.iter().map(|argument| self.expression(argument)).collect();
                self.helper(*index, arguments)
            }
            ExprKind::If(condition, then, otherwise) => match self.expression(condition).node() {
                Some(condition) => self.choose(condition, span, |this| this.block(then), |this| this.block(otherwise)),
                None => self.poisoned([then, otherwise]),
            },
            ExprKind::IfSome(option, local, then, otherwise) => match self.expression(option) {
                Value::Option(Some(payload)) => {
                    self.set_local(*local, Value::Node(payload));
                    self.block(then)
                }
                Value::Option(None) => self.block(otherwise),
                _ => self.poisoned([then, otherwise]),
            },
            ExprKind::Match(value, arms) => match self.expression(value) {
                Value::Variant(variant) => arms.get(variant as usize).map_or(Value::Poison, |arm| self.block(arm)),
                _ => self.poisoned(arms),
            },
            ExprKind::Block(block) => self.block(block),
            ExprKind::Tuple(values) => Value::Tuple(values.iter().map(|value| self.expression(value)).collect()),
            ExprKind::IsSome(option) => match self.expression(option) {
                Value::Option(payload) => self.leaf(Op::Bool(payload.is_some())),
                _ => Value::Poison,
            },
            ExprKind::UnwrapOr(option, default) => self.unwrap_or(option, default),
            ExprKind::Variant(_, variant) => Value::Variant(*variant),
            ExprKind::SameVariant(equal, a, b) => match (self.expression(a), self.expression(b)) {
                (Value::Variant(a), Value::Variant(b)) => self.leaf(Op::Bool((a == b) == *equal)),
                _ => Value::Poison,
            },
            ExprKind::Error => {
                self.forget();
                Value::Poison
            }
        }
    }

    /// The value of `place += value` and the like: what the place holds after the right side is evaluated counts.
    pub(super) fn update(&mut self, expression: &Expr) -> Value {
        let ExprKind::Call2(function, place, value) = &expression.kind else { return self.expression(expression) };
        // Read here for the graph's order only, which is that of the source.
        self.expression(place);
        let value = self.expression(value).node();
        let old = self.expression(place).node();
        old.zip(value).and_then(|(old, value)| self.call2(*function, old, value, expression.span)).into()
    }

    fn leaf(&mut self, op: Op) -> Value {
        Value::Node(self.builder.push(op))
    }

    /// `grad`: the gradient as given, times the prologue's factors, limited between them. No statement of the rule makes
    /// it. Off, the limit is infinite and the clip coefficient 1: one kernel with and without clipping. A NaN passes
    /// by: in comparisons of reals, drivers take it for granted that there is none (NVIDIA's makes ±limit of it).
    fn gradient(&mut self) -> NodeId {
        let statement = self.builder.at(None);
        let raw = self.builder.push(Op::RawGrad);
        let scale = self.builder.push(Op::GradScale);
        let scaled = self.builder.push(Op::Binary(BinaryOp::Multiply, raw, scale));
        let high = self.builder.push(Op::ClipValue);
        let low = self.builder.push(Op::Unary(UnaryOp::Negate, high));
        let from_below = self.builder.push(Op::Binary(BinaryOp::Max, scaled, low));
        let within = self.builder.push(Op::Binary(BinaryOp::Min, from_below, high));
        let is_nan = self.builder.push(Op::Unary(UnaryOp::IsNan, scaled));
        let limited = self.builder.push(Op::Select(is_nan, scaled, within));
        let clip = self.builder.push(Op::Clip);
        let gradient = self.builder.push(Op::Binary(BinaryOp::Multiply, limited, clip));
        self.builder.name(scaled, "scaled_grad");
        self.builder.name(within, "clamped_grad");
        self.builder.name(is_nan, "is_nan");
        self.builder.name(limited, "limited_grad");
        self.builder.name(gradient, "grad");
        self.builder.at(statement);
        gradient
    }

    fn call1(&mut self, function: Function1, a: NodeId, span: Span) -> Option<NodeId> {
        let function = match function {
            Function1::Negate => UnaryOp::Negate,
            Function1::Not => UnaryOp::Not,
            Function1::Abs => UnaryOp::Abs,
            Function1::Sqrt => UnaryOp::Sqrt,
            Function1::Sign => UnaryOp::Sign,
            Function1::IsFinite => UnaryOp::IsFinite,
            Function1::Recip => return self.reciprocal(a, span),
            Function1::Floor => UnaryOp::Floor,
            Function1::Ceil => UnaryOp::Ceil,
            Function1::Exp => UnaryOp::Exp,
            Function1::Ln => UnaryOp::Ln,
            Function1::Cbrt => UnaryOp::Cbrt,
            Function1::Tanh => UnaryOp::Tanh,
            Function1::ToReal => UnaryOp::ToReal,
        };
        self.push(Op::Unary(function, a), span)
    }

    fn reciprocal(&mut self, a: NodeId, span: Span) -> Option<NodeId> {
        let one = self.builder.real(1.0);
        self.push(Op::Binary(BinaryOp::Divide, one, a), span)
    }

    fn call2(&mut self, function: Function2, a: NodeId, b: NodeId, span: Span) -> Option<NodeId> {
        let function = match function {
            Function2::Add => BinaryOp::Add,
            Function2::Subtract => BinaryOp::Subtract,
            Function2::Multiply => BinaryOp::Multiply,
            Function2::Divide => BinaryOp::Divide,
            Function2::Remainder => BinaryOp::Remainder,
            Function2::Min => BinaryOp::Min,
            Function2::Max => BinaryOp::Max,
            Function2::Powi => return self.power(a, b, span),
            Function2::Powf => BinaryOp::Powf,
            Function2::And => BinaryOp::And,
            Function2::Or => BinaryOp::Or,
            Function2::Compare(comparison) => return self.compare(comparison, a, b, span),
        };
        self.push(Op::Binary(function, a, b), span)
    }

    fn call3(&mut self, function: Function3, [a, b, c]: [NodeId; 3], span: Span) -> Option<NodeId> {
        match function {
            Function3::MulAdd => self.push(Op::MulAdd(a, b, c), span),
            Function3::Clamp => {
                let raised = self.push(Op::Binary(BinaryOp::Max, a, b), span)?;
                self.push(Op::Binary(BinaryOp::Min, raised, c), span)
            }
            Function3::Lerp => {
                let distance = self.push(Op::Binary(BinaryOp::Subtract, b, a), span)?;
                let part = self.push(Op::Binary(BinaryOp::Multiply, c, distance), span)?;
                self.push(Op::Binary(BinaryOp::Add, a, part), span)
            }
        }
    }

    /// `x.powi(n)`: on the device a literal power is spelled out as the multiplications that the language defines.
    fn power(&mut self, base: NodeId, exponent: NodeId, span: Span) -> Option<NodeId> {
        let Op::Int(power) = self.graph().op(exponent) else {
            return self.push(Op::Binary(BinaryOp::Powi, base, exponent), span);
        };
        if self.graph().node(base).extent.is_host() {
            return self.push(Op::Binary(BinaryOp::Powi, base, exponent), span);
        }
        let mut remaining = power.unsigned_abs();
        let mut square = base;
        let mut product = None;
        while remaining > 0 {
            if remaining & 1 == 1 {
                product = Some(match product {
                    None => square,
                    Some(product) => self.push(Op::Binary(BinaryOp::Multiply, product, square), span)?,
                });
            }
            remaining >>= 1;
            if remaining > 0 {
                square = self.push(Op::Binary(BinaryOp::Multiply, square, square), span)?;
            }
        }
        let product = product.unwrap_or_else(|| self.builder.real(1.0));
        if power < 0 { self.reciprocal(product, span) } else { Some(product) }
    }

    /// A comparison; with the literal 0 it is settled for a hyper-parameter whose being 0 is an option.
    fn compare(&mut self, comparison: Comparison, a: NodeId, b: NodeId, span: Span) -> Option<NodeId> {
        let settled = match (self.graph().op(a), self.graph().op(b)) {
            (Op::Hyper(hyper), zero) if is_zero(zero) => self.against_zero(hyper, comparison),
            (zero, Op::Hyper(hyper)) if is_zero(zero) => self.against_zero(hyper, mirrored(comparison)),
            _ => None,
        };
        match settled {
            Some(value) => Some(self.builder.push(Op::Bool(value))),
            None => self.push(Op::Compare(comparison, a, b), span),
        }
    }

    /// What a comparison of the hyper-parameter with 0 gives where it is known not to be 0. Greater than 0 it is only
    /// if it cannot be negative.
    fn against_zero(&self, hyper: u32, comparison: Comparison) -> Option<bool> {
        if self.choice(hyper) != Some(Choice::Zero(false)) {
            return None;
        }
        let hyper = self.rule.hypers.get(hyper as usize)?;
        let start = hyper.range.as_ref().and_then(|range| range.start);
        let positive = hyper.ty == HyperType::U32 || start.is_some_and(|start| start >= 0.0);
        match comparison {
            Comparison::Equal => Some(false),
            Comparison::NotEqual => Some(true),
            Comparison::Greater | Comparison::GreaterEqual => positive.then_some(true),
            Comparison::Less | Comparison::LessEqual => positive.then_some(false),
        }
    }

    fn reduce(&mut self, reduction: Reduction, scope: Scope, argument: NodeId, span: Span) -> Option<NodeId> {
        let (kind, argument) = match reduction {
            Reduction::Sum | Reduction::Mean => (ReduceKind::Sum, argument),
            Reduction::Norm => (ReduceKind::Norm, argument),
            Reduction::Min => (ReduceKind::Min, argument),
            Reduction::Max => (ReduceKind::Max, argument),
            Reduction::MaxAbs => (ReduceKind::Max, self.push(Op::Unary(UnaryOp::Abs, argument), span)?),
            Reduction::Count => (ReduceKind::Count, argument),
        };
        let total = self.push(Op::Reduce(kind, scope, argument), span)?;
        if reduction != Reduction::Mean {
            return Some(total);
        }
        let len = self.builder.push(match scope {
            Scope::Tensor => Op::Len,
            Scope::All => Op::AllLen,
        });
        let len = self.push(Op::Unary(UnaryOp::ToReal, len), span)?;
        self.push(Op::Binary(BinaryOp::Divide, total, len), span)
    }

    /// `option.unwrap_or(default)`. The default is evaluated in any case, as in Rust, but what is wrong with it is of
    /// interest only where it is used.
    fn unwrap_or(&mut self, option: &Expr, default: &Expr) -> Value {
        match self.expression(option) {
            Value::Option(Some(payload)) => {
                let errors = self.errors.len();
                self.expression(default);
                self.errors.truncate(errors);
                Value::Node(payload)
            }
            Value::Option(None) => self.expression(default),
            _ => Value::Poison,
        }
    }
}

fn is_zero(op: Op) -> bool {
    match op {
        Op::Real(bits) => f64::from_bits(bits) == 0.0,
        Op::Int(value) => value == 0,
        _ => false,
    }
}

/// The comparison with its sides exchanged.
fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessEqual => Comparison::GreaterEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterEqual => Comparison::LessEqual,
        Comparison::Equal | Comparison::NotEqual => comparison,
    }
}
