//! Operations printed as Rust: as the rule's author wrote them, as host code in f64, or as CPU code in f32.
//!
//! The arithmetic that `core` does not define to the bit is called in `optirs_gpu::rule::math`.

use super::literal::device_real;
use super::rust_code::Code;
use crate::functions::Function;
use crate::ir::{BinaryOp, Cell, Graph, Names, NodeId, Op, Scope, Type, UnaryOp};

/// Which Rust is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The rule language, for messages and explanations.
    Rule,
    /// Host code: f64 and i64.
    Host,
    /// Device code on the CPU: f32, u32 counts and i32 exponents.
    Device,
}

/// Prints the operations of one graph.
pub(crate) struct Printer<'a> {
    /// Names of hyper-parameters, states and arguments.
    pub labels: &'a Names,
    /// The operations.
    pub graph: &'a Graph,
    /// Which Rust.
    pub dialect: Dialect,
    /// The variable that holds a value; `None` if the value is printed where it is used.
    pub name: &'a dyn Fn(NodeId) -> Option<String>,
}

/// What stands for a formula that is too long to be read.
pub(crate) const LONG: &str = "…";

/// The values whose formula is too long to be read, by index: a helper that uses its argument twice, called on its own
/// result, doubles the formula each time.
pub(crate) fn too_long(graph: &Graph, is_named: impl Fn(NodeId) -> bool) -> Vec<bool> {
    const MOST_TERMS: usize = 64;
    let mut terms: Vec<usize> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let of = |operand: NodeId| match terms.get(operand.0 as usize) {
            Some(&terms) if terms <= MOST_TERMS && !is_named(operand) => terms,
            _ => 1,
        };
        terms.push(node.op.operands().map(of).sum::<usize>().max(1));
    }
    terms.into_iter().map(|terms| terms > MOST_TERMS).collect()
}

impl Printer<'_> {
    /// The expression that computes a value.
    pub fn definition(&self, id: NodeId) -> String {
        self.operation(id).into_text()
    }

    /// A value where it is used: its variable, or else its expression.
    pub fn value(&self, id: NodeId) -> String {
        self.code(id).into_text()
    }

    fn code(&self, id: NodeId) -> Code {
        match (self.name)(id) {
            Some(name) => Code::atom(name),
            None => self.operation(id),
        }
    }

    /// A value where nothing beside it says its type, so that a literal must.
    fn typed(&self, id: NodeId) -> Code {
        let suffix = match (self.graph.op(id), self.dialect) {
            (_, Dialect::Rule) => "",
            (Op::Real(_), Dialect::Host) => "_f64",
            (Op::Real(_), Dialect::Device) => "_f32",
            (Op::Int(_), Dialect::Host) => "_i64",
            (Op::Int(_), Dialect::Device) => "_u32",
            _ => "",
        };
        if self.is_literal(id) { Code::number(self.value(id) + suffix) } else { self.code(id) }
    }

    fn is_literal(&self, id: NodeId) -> bool {
        (self.name)(id).is_none() && matches!(self.graph.op(id), Op::Real(_) | Op::Int(_))
    }

    /// Two values of one type, of which at least one says it.
    fn pair(&self, a: NodeId, b: NodeId) -> (Code, Code) {
        let first = if self.is_literal(b) { self.typed(a) } else { self.code(a) };
        (first, self.code(b))
    }

    fn operation(&self, id: NodeId) -> Code {
        let op = self.graph.op(id);
        if let (Dialect::Device, Some(function)) = (self.dialect, Function::of(op)) {
            return Code::call(&format!("math::{}", function.name()), op.operands().map(|operand| self.code(operand)));
        }
        match op {
            Op::Real(bits) => self.real(f64::from_bits(bits)),
            Op::Int(value) => Code::number(value.to_string()),
            Op::Bool(value) => Code::atom(value.to_string()),
            Op::Unary(op, a) => self.unary(op, a),
            Op::Binary(op, a, b) => self.binary(op, a, b),
            Op::Compare(op, a, b) => self.infix(a, op.symbol(), b),
            Op::MulAdd(a, b, c) => self.typed(a).method("mul_add", [self.code(b), self.code(c)]),
            Op::Select(condition, then, otherwise) => {
                let (then, otherwise) = self.pair(then, otherwise);
                match self.dialect {
                    // Arms evaluated ahead of the choice leave no branch, and a loop without branches vectorises.
                    Dialect::Device => Code::call("math::select", [self.code(condition), then, otherwise]),
                    Dialect::Host | Dialect::Rule => Code::select(self.code(condition), then, otherwise),
                }
            }
            Op::Reduce(kind, scope, a) => {
                let scope = if scope == Scope::All { "all::" } else { "" };
                Code::call(&format!("{scope}{}", kind.name()), [self.code(a)])
            }
            Op::Hyper(index) => Code::atom(format!("hyper.{}", self.labels.hyper(index))),
            Op::Step => Code::atom("step"),
            Op::Run => Code::atom("run"),
            Op::Len => Code::atom("len()"),
            Op::Ndim => Code::atom("ndim()"),
            Op::Dim(index) => Code::atom(format!("dim({index})")),
            Op::AllLen => Code::atom("all::len()"),
            Op::Scalar(index) => Code::atom(self.labels.scalar(index)),
            Op::Input(index) => Code::atom(self.labels.input(index)),
            Op::GradScale => Code::atom("grad_scale"),
            Op::ClipValue => Code::atom("clip_value"),
            Op::Clip => Code::atom("clip"),
            Op::RawGrad => Code::atom("raw_grad"),
            Op::Load(Cell::Param) => Code::prefix("*", Code::atom("param")),
            Op::Load(state) => Code::atom(format!("state.{}", self.labels.cell(state))),
        }
    }

    fn unary(&self, op: UnaryOp, a: NodeId) -> Code {
        let whole = self.graph.node(a).ty == Type::Int;
        match (op, self.dialect) {
            (UnaryOp::Negate, Dialect::Host) if whole => self.typed(a).method("saturating_neg", []),
            (UnaryOp::Abs, Dialect::Host) if whole => self.typed(a).method("saturating_abs", []),
            (UnaryOp::Negate, _) => Code::prefix("-", self.code(a)),
            (UnaryOp::Not, _) => Code::prefix("!", self.code(a)),
            (UnaryOp::Sign, Dialect::Rule) => Code::call("sign", [self.code(a)]),
            (UnaryOp::Sign, Dialect::Host) => Code::call("math::sign", [self.code(a)]),
            (UnaryOp::Sign, Dialect::Device) => Code::call("math::sign_f32", [self.code(a)]),
            (UnaryOp::ToReal, Dialect::Host) => self.typed(a).cast("f64"),
            (UnaryOp::ToReal, Dialect::Rule | Dialect::Device) => self.typed(a).cast("f32"),
            (UnaryOp::IsFinite, _) => self.typed(a).method("is_finite", []),
            (UnaryOp::IsNan, _) => self.typed(a).method("is_nan", []),
            (UnaryOp::Abs, _) => self.typed(a).method("abs", []),
            (UnaryOp::Sqrt, _) => self.typed(a).method("sqrt", []),
            (UnaryOp::Floor, _) => self.typed(a).method("floor", []),
            (UnaryOp::Ceil, _) => self.typed(a).method("ceil", []),
            (UnaryOp::Exp, _) => self.typed(a).method("exp", []),
            (UnaryOp::Ln, _) => self.typed(a).method("ln", []),
            (UnaryOp::Cbrt, _) => self.typed(a).method("cbrt", []),
            (UnaryOp::Tanh, _) => self.typed(a).method("tanh", []),
        }
    }

    fn binary(&self, op: BinaryOp, a: NodeId, b: NodeId) -> Code {
        let whole = self.graph.node(a).ty == Type::Int && self.dialect == Dialect::Host;
        match (op, self.dialect) {
            (BinaryOp::Add, _) if whole => self.method(a, "saturating_add", b),
            (BinaryOp::Subtract, _) if whole => self.method(a, "saturating_sub", b),
            (BinaryOp::Multiply, _) if whole => self.method(a, "saturating_mul", b),
            (BinaryOp::Divide, _) if whole => self.call("math::divide", a, b),
            (BinaryOp::Remainder, _) if whole => self.call("math::remainder", a, b),
            (BinaryOp::Add, _) => self.infix(a, "+", b),
            (BinaryOp::Subtract, _) => self.infix(a, "-", b),
            (BinaryOp::Multiply, _) => self.infix(a, "*", b),
            (BinaryOp::Divide, _) => self.infix(a, "/", b),
            (BinaryOp::Remainder, _) => self.infix(a, "%", b),
            (BinaryOp::Min, Dialect::Rule) => self.method(a, "min", b),
            (BinaryOp::Max, Dialect::Rule) => self.method(a, "max", b),
            (BinaryOp::Powi, Dialect::Rule) => self.method(a, "powi", b),
            (BinaryOp::Min, _) => self.call("math::min", a, b),
            (BinaryOp::Max, _) => self.call("math::max", a, b),
            (BinaryOp::Powi, Dialect::Host) => self.call("math::powi", a, b),
            (BinaryOp::Powi, Dialect::Device) => self.call("math::powi_f32", a, b),
            (BinaryOp::Powf, _) => self.method(a, "powf", b),
            // Without short circuits, for the same reason as selects.
            (BinaryOp::And, Dialect::Device) => self.infix(a, "&", b),
            (BinaryOp::Or, Dialect::Device) => self.infix(a, "|", b),
            (BinaryOp::And, _) => self.infix(a, "&&", b),
            (BinaryOp::Or, _) => self.infix(a, "||", b),
        }
    }

    fn infix(&self, a: NodeId, operator: &str, b: NodeId) -> Code {
        let (a, b) = self.pair(a, b);
        Code::infix(a, operator, b)
    }

    fn method(&self, a: NodeId, method: &str, b: NodeId) -> Code {
        self.typed(a).method(method, [self.code(b)])
    }

    fn call(&self, path: &str, a: NodeId, b: NodeId) -> Code {
        let (a, b) = match self.graph.node(a).ty == self.graph.node(b).ty {
            true => self.pair(a, b),
            false => (self.code(a), self.code(b)),
        };
        Code::call(path, [a, b])
    }

    /// A literal of the device is its decimal rounded to f32.
    fn real(&self, value: f64) -> Code {
        Code::number(match self.dialect {
            Dialect::Device => format!("{:?}", device_real(value)),
            Dialect::Host | Dialect::Rule => format!("{value:?}"),
        })
    }
}
