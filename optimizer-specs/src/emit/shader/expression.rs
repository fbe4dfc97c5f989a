//! Operations as text, with no more parentheses than WGSL asks for.

use std::collections::BTreeSet;

use super::library::Library;
use super::syntax::{Builtin, Syntax, Width, Word};
use crate::emit::literal;
use crate::emit::names::Names;
use crate::functions::Function;
use crate::ir::{BinaryOp, Comparison, Extent, FieldType, Kernel, NodeId, Op, Program, Type, UnaryOp};

/// How tightly an expression holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    /// Logic and signs: always in parentheses as an operand.
    Loose,
    Comparison,
    Sum,
    Product,
    /// Names, calls, literals.
    Tight,
}

/// The exponent of an f32, all of whose bits are ones where it is infinite or NaN.
const EXPONENT: &str = "0x7f800000u";
/// All of an f32 but its sign.
const MAGNITUDE: &str = "0x7fffffffu";

/// An expression's text.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    /// The text, to stand alone or as an argument.
    pub text: String,
    /// Whether it has a value per element.
    pub width: Width,
    binding: Binding,
}

impl Expression {
    fn tight(text: String, width: Width) -> Self {
        Self { text, width, binding: Binding::Tight }
    }

    fn at_least(&self, least: Binding) -> String {
        if self.binding >= least { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// Prints the operations of one kernel.
pub(crate) struct Expressions<'a> {
    pub syntax: &'a dyn Syntax,
    pub program: &'a Program,
    pub kernel: &'a Kernel,
    pub names: &'a Names,
    /// The library functions that what was printed calls.
    pub used: BTreeSet<Library>,
}

impl Expressions<'_> {
    /// What kind of word a node is on the device.
    pub fn word(&self, node: NodeId) -> Word {
        match self.program.graph.node(node).ty {
            Type::Real => Word::F32,
            Type::Int => Word::U32,
            Type::Bool => Word::Bool,
        }
    }

    /// Whether a node has a value per element.
    pub fn width(&self, node: NodeId) -> Width {
        if self.program.graph.node(node).extent == Extent::Element { Width::Four } else { Width::One }
    }

    /// A node where it is used: its name, or what it is if it has none.
    pub fn operand(&mut self, node: NodeId) -> Expression {
        let fields = self.kernel.fields.iter().filter_map(|&index| self.program.row.get(index as usize));
        let field = fields.clone().find(|field| field.node == node);
        match (field, self.names.get(node)) {
            (Some(field), Some(name)) => {
                let is_truth = field.ty == FieldType::U32 && self.word(node) == Word::Bool;
                let (text, binding) = match is_truth {
                    true => (format!("row.{name} != 0u"), Binding::Comparison),
                    false => (format!("row.{name}"), Binding::Tight),
                };
                Expression { text, width: Width::One, binding }
            }
            (None, Some(name)) => Expression::tight(name.to_owned(), self.width(node)),
            (_, None) => self.definition(node),
        }
    }

    /// A node where a value per element is needed.
    pub fn spread(&mut self, node: NodeId) -> String {
        let expression = self.operand(node);
        match expression.width {
            Width::Four => expression.text,
            Width::One => self.syntax.splat(self.word(node), &expression.text),
        }
    }

    /// What a node is.
    pub fn definition(&mut self, node: NodeId) -> Expression {
        match self.program.graph.op(node) {
            Op::Real(bits) => {
                let value = literal::device_real(f64::from_bits(bits));
                let binding = if value.is_sign_negative() { Binding::Loose } else { Binding::Tight };
                Expression { text: literal::real(value), width: Width::One, binding }
            }
            Op::Int(value) => Expression::tight(format!("{value}u"), Width::One),
            Op::Bool(value) => Expression::tight(value.to_string(), Width::One),
            Op::Unary(op, a) => self.unary(op, a),
            Op::Binary(op, a, b) => self.binary(op, a, b),
            Op::Compare(comparison, a, b) => self.compare(comparison, a, b),
            Op::MulAdd(a, b, c) => self.call_builtin(Builtin::Fma, &[a, b, c]),
            Op::Select(condition, then, otherwise) => self.select(condition, then, otherwise),
            // Leaves and reductions have names where they exist: the planner lists them among what a kernel reads.
            Op::Hyper(_)
            | Op::Step
            | Op::Run
            | Op::Len
            | Op::Ndim
            | Op::Dim(_)
            | Op::AllLen
            | Op::Scalar(_)
            | Op::GradScale
            | Op::ClipValue
            | Op::Clip
            | Op::RawGrad
            | Op::Input(_)
            | Op::Load(_)
            | Op::Reduce(..) => Expression::tight(format!("missing_{}", node.0), Width::One),
        }
    }

    fn unary(&mut self, op: UnaryOp, a: NodeId) -> Expression {
        match op {
            UnaryOp::Negate => self.prefix('-', a),
            UnaryOp::Not => self.prefix('!', a),
            UnaryOp::Sign => self.call_library(Library::SignOf, &[a]),
            UnaryOp::IsFinite => self.compare_bits(a, EXPONENT, "!="),
            UnaryOp::IsNan => self.compare_bits(a, MAGNITUDE, ">"),
            UnaryOp::ToReal => {
                let operand = self.operand(a);
                let text = format!("{}({})", self.syntax.ty(Word::F32, operand.width), operand.text);
                Expression::tight(text, operand.width)
            }
            UnaryOp::Abs => self.call_builtin(Builtin::Abs, &[a]),
            UnaryOp::Sqrt => self.call_builtin(Builtin::Sqrt, &[a]),
            UnaryOp::Floor => self.call_builtin(Builtin::Floor, &[a]),
            UnaryOp::Ceil => self.call_builtin(Builtin::Ceil, &[a]),
            UnaryOp::Exp => self.call_function(Function::Exp, &[a]),
            UnaryOp::Ln => self.call_function(Function::Ln, &[a]),
            UnaryOp::Cbrt => self.call_function(Function::Cbrt, &[a]),
            UnaryOp::Tanh => self.call_function(Function::Tanh, &[a]),
        }
    }

    /// Compares bits with those of infinity: targets may take it for granted that comparisons of reals meet no NaN and
    /// nothing infinite.
    fn compare_bits(&mut self, a: NodeId, mask: &str, sign: &str) -> Expression {
        let operand = self.operand(a);
        let word = |bits: &str| match operand.width {
            Width::One => bits.to_owned(),
            Width::Four => self.syntax.splat(Word::U32, bits),
        };
        let bits = self.syntax.bits_of_real(&operand.text, operand.width);
        let text = format!("({bits} & {}) {sign} {}", word(mask), word(EXPONENT));
        Expression { text, width: operand.width, binding: Binding::Comparison }
    }

    fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> Expression {
        match op {
            BinaryOp::Add => self.infix("+", Binding::Sum, a, b),
            BinaryOp::Subtract => self.infix("-", Binding::Sum, a, b),
            BinaryOp::Multiply => self.infix("*", Binding::Product, a, b),
            BinaryOp::Divide => self.infix("/", Binding::Product, a, b),
            BinaryOp::Remainder => self.infix("%", Binding::Product, a, b),
            BinaryOp::Min => self.call_library(Library::Smaller, &[a, b]),
            BinaryOp::Max => self.call_library(Library::Larger, &[a, b]),
            BinaryOp::Powi => self.powi(a, b),
            BinaryOp::Powf => self.call_function(Function::Powf, &[a, b]),
            BinaryOp::And | BinaryOp::Or => self.logic(op, a, b),
        }
    }

    fn prefix(&mut self, sign: char, a: NodeId) -> Expression {
        let operand = self.operand(a);
        let text = format!("{sign}{}", operand.at_least(Binding::Tight));
        Expression { text, width: operand.width, binding: Binding::Loose }
    }

    /// Left-associative, as in every target: the right operand must hold together more tightly.
    fn infix(&mut self, sign: &str, binding: Binding, a: NodeId, b: NodeId) -> Expression {
        let tighter = if binding == Binding::Sum { Binding::Product } else { Binding::Tight };
        let (left, right) = (self.operand(a), self.operand(b));
        let text = format!("{} {sign} {}", left.at_least(binding), right.at_least(tighter));
        Expression { text, width: left.width.max(right.width), binding }
    }

    fn compare(&mut self, comparison: Comparison, a: NodeId, b: NodeId) -> Expression {
        let sign = comparison.symbol();
        let (left, right) = self.same_width(a, b, Binding::Sum);
        let width = self.width(a).max(self.width(b));
        Expression { text: format!("{left} {sign} {right}"), width, binding: Binding::Comparison }
    }

    fn logic(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> Expression {
        let width = self.width(a).max(self.width(b));
        let (both, either) = self.syntax.logic(width);
        let sign = if op == BinaryOp::And { both } else { either };
        // The operators on vectors bind more tightly than comparisons.
        let least = if width == Width::One { Binding::Comparison } else { Binding::Tight };
        let (left, right) = self.same_width(a, b, least);
        Expression { text: format!("{left} {sign} {right}"), width, binding: Binding::Loose }
    }

    /// Both operands, spread over the elements if one of them is.
    fn same_width(&mut self, a: NodeId, b: NodeId, least: Binding) -> (String, String) {
        if self.width(a) == self.width(b) {
            (self.operand(a).at_least(least), self.operand(b).at_least(least))
        } else {
            let mut one = |node| match self.width(node) {
                Width::One => self.spread(node),
                Width::Four => self.operand(node).at_least(least),
            };
            (one(a), one(b))
        }
    }

    fn select(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> Expression {
        let width = [condition, then, otherwise].map(|node| self.width(node)).into_iter().max().unwrap_or(Width::One);
        let (then, otherwise) = (self.arm(then, width), self.arm(otherwise, width));
        let condition = self.operand(condition);
        let text = self.syntax.select((&condition.text, condition.width), &then, &otherwise);
        Expression::tight(text, width)
    }

    /// A comparison stands in parentheses: WGSL reads `select(a < b, c > d, e)` as a call with type arguments.
    fn arm(&mut self, node: NodeId, width: Width) -> String {
        match self.word(node) {
            Word::Bool if width == self.width(node) => self.operand(node).at_least(Binding::Tight),
            _ if width == Width::One => self.operand(node).text,
            _ => self.spread(node),
        }
    }

    fn powi(&mut self, base: NodeId, exponent: NodeId) -> Expression {
        let function = Library::Powi(self.width(base));
        self.used.insert(function);
        let exponent = match self.program.graph.op(exponent) {
            Op::Int(value) => value.to_string(),
            _ => self.operand(exponent).text,
        };
        Expression::tight(format!("{}({}, {exponent})", function.name(), self.operand(base).text), self.width(base))
    }

    fn call_library(&mut self, function: fn(Width) -> Library, operands: &[NodeId]) -> Expression {
        let (arguments, width) = self.arguments(operands);
        let function = function(width);
        self.used.insert(function);
        Expression::tight(format!("{}({arguments})", function.name()), width)
    }

    fn call_function(&mut self, function: Function, operands: &[NodeId]) -> Expression {
        let (arguments, width) = self.arguments(operands);
        let function = Library::Function(function, width);
        self.used.insert(function);
        self.used.extend(function.calls());
        Expression::tight(format!("{}({arguments})", function.name()), width)
    }

    fn call_builtin(&mut self, builtin: Builtin, operands: &[NodeId]) -> Expression {
        let (arguments, width) = self.arguments(operands);
        Expression::tight(format!("{}({arguments})", self.syntax.builtin(builtin)), width)
    }

    /// Operands as arguments, all spread over the elements if one of them is.
    fn arguments(&mut self, operands: &[NodeId]) -> (String, Width) {
        let width = operands.iter().map(|&node| self.width(node)).max().unwrap_or(Width::One);
        let arguments: Vec<_> = operands
            .iter()
            .map(|&node| if width == Width::Four { self.spread(node) } else { self.operand(node).text })
            .collect();
        (arguments.join(", "), width)
    }
}
