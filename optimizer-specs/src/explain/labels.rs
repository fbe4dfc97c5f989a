//! What values are called in explanations, and their formulas as one would write them in a rule.
//!
//! A value is called what the rule calls it; a later version of the same name gets a prime: `m'` is the new value of `m`.
//! Values without a name are written out where they are used.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{BinaryOp, Comparison, Graph, Names, NodeId, Op, ReduceKind, Scope, UnaryOp};

/// Names and formulas of the values of a graph.
pub(super) struct Labels<'a> {
    graph: &'a Graph,
    names: &'a Names,
    labels: BTreeMap<NodeId, String>,
}

/// How tightly a formula holds together; an operand that binds less than its place needs stands in parentheses.
mod binding {
    pub const LOOSEST: u32 = 0;
    pub const OR: u32 = 1;
    pub const AND: u32 = 2;
    pub const COMPARE: u32 = 3;
    pub const SUM: u32 = 4;
    pub const PRODUCT: u32 = 5;
    pub const CAST: u32 = 6;
    pub const PREFIX: u32 = 7;
    pub const METHOD: u32 = 8;
}

/// Formulas nested deeper than this are cut off.
const DEEPEST: u32 = 16;

impl<'a> Labels<'a> {
    pub fn new(graph: &'a Graph, names: &'a Names) -> Self {
        let ids = || (0..graph.nodes.len() as u32).map(NodeId);
        let mut taken: BTreeSet<String> = ids().filter_map(|id| leaf(graph, names, id)).collect();
        let mut labels = BTreeMap::new();
        for id in ids().filter(|&id| leaf(graph, names, id).is_none()) {
            if let Some(name) = &graph.node(id).name {
                let mut label = name.clone();
                while !taken.insert(label.clone()) {
                    label.push('\'');
                }
                labels.insert(id, label);
            }
        }
        Self { graph, names, labels }
    }

    /// Whether the rule has a name for this computed value.
    pub fn is_named(&self, id: NodeId) -> bool {
        self.labels.contains_key(&id)
    }

    /// The name of a value, or its formula.
    pub fn get(&self, id: NodeId) -> String {
        self.operand(id, binding::LOOSEST, 0)
    }

    /// How a value is computed, one step further than its name.
    pub fn formula(&self, id: NodeId) -> String {
        self.write(id, 0).0
    }

    fn operand(&self, id: NodeId, needs: u32, depth: u32) -> String {
        if let Some(label) = self.labels.get(&id).cloned().or_else(|| leaf(self.graph, self.names, id)) {
            return label;
        }
        if depth > DEEPEST {
            return "…".to_owned();
        }
        let (text, binds) = self.write(id, depth);
        if binds < needs { format!("({text})") } else { text }
    }

    /// The formula of a node and how tightly it binds.
    fn write(&self, id: NodeId, depth: u32) -> (String, u32) {
        let operand = |id, needs| self.operand(id, needs, depth + 1);
        let method = |receiver, name: &str, arguments: String| {
            (format!("{}.{name}({arguments})", operand(receiver, binding::METHOD)), binding::METHOD)
        };
        match self.graph.op(id) {
            Op::Real(bits) => (format!("{:?}", f64::from_bits(bits)), binding::METHOD),
            Op::Int(value) => (value.to_string(), binding::METHOD),
            Op::Bool(value) => (value.to_string(), binding::METHOD),
            Op::Unary(function, a) => match function {
                UnaryOp::Negate => (format!("-{}", operand(a, binding::PREFIX)), binding::PREFIX),
                UnaryOp::Not => (format!("!{}", operand(a, binding::PREFIX)), binding::PREFIX),
                UnaryOp::ToReal => (format!("{} as f32", operand(a, binding::CAST)), binding::CAST),
                UnaryOp::Sign => (format!("sign({})", operand(a, binding::LOOSEST)), binding::METHOD),
                UnaryOp::Abs => method(a, "abs", String::new()),
                UnaryOp::Sqrt => method(a, "sqrt", String::new()),
                UnaryOp::Floor => method(a, "floor", String::new()),
                UnaryOp::Ceil => method(a, "ceil", String::new()),
                UnaryOp::Exp => method(a, "exp", String::new()),
                UnaryOp::Ln => method(a, "ln", String::new()),
                UnaryOp::Cbrt => method(a, "cbrt", String::new()),
                UnaryOp::Tanh => method(a, "tanh", String::new()),
            },
            Op::Binary(function, a, b) => match binary(function) {
                Spelling::Infix(symbol, binds) => {
                    (format!("{} {symbol} {}", operand(a, binds), operand(b, binds + 1)), binds)
                }
                Spelling::Method(name) => method(a, name, operand(b, binding::LOOSEST)),
            },
            Op::Compare(comparison, a, b) => {
                let (a, b) = (operand(a, binding::SUM), operand(b, binding::SUM));
                (format!("{a} {} {b}", compare(comparison)), binding::COMPARE)
            }
            Op::MulAdd(a, b, c) => {
                method(a, "mul_add", format!("{}, {}", operand(b, binding::LOOSEST), operand(c, binding::LOOSEST)))
            }
            Op::Select(condition, then, otherwise) => {
                let [condition, then, otherwise] = [condition, then, otherwise].map(|id| operand(id, binding::LOOSEST));
                (format!("if {condition} {{ {then} }} else {{ {otherwise} }}"), binding::LOOSEST)
            }
            Op::Reduce(kind, scope, a) => {
                let all = if scope == Scope::All { "all::" } else { "" };
                (format!("{all}{}({})", reduction(kind), operand(a, binding::LOOSEST)), binding::METHOD)
            }
            _ => (leaf(self.graph, self.names, id).unwrap_or_default(), binding::METHOD),
        }
    }
}

/// What stands in the rule itself, by its name.
fn leaf(graph: &Graph, names: &Names, id: NodeId) -> Option<String> {
    Some(match graph.op(id) {
        Op::Hyper(index) => names.hyper(index),
        Op::Step => "step".to_owned(),
        Op::Run => "run".to_owned(),
        Op::Len => "len()".to_owned(),
        Op::Ndim => "ndim()".to_owned(),
        Op::Dim(index) => format!("dim({index})"),
        Op::AllLen => "all::len()".to_owned(),
        Op::Scalar(index) => names.scalar(index),
        Op::GradScale => "grad_scale".to_owned(),
        Op::Clip => "clip".to_owned(),
        Op::RawGrad => "raw_grad".to_owned(),
        Op::Input(index) => names.input(index),
        Op::Load(cell) => names.cell(cell),
        _ => return None,
    })
}

/// How a function of two operands is written.
enum Spelling {
    Infix(&'static str, u32),
    Method(&'static str),
}

fn binary(function: BinaryOp) -> Spelling {
    use Spelling::{Infix, Method};
    match function {
        BinaryOp::Add => Infix("+", binding::SUM),
        BinaryOp::Subtract => Infix("-", binding::SUM),
        BinaryOp::Multiply => Infix("*", binding::PRODUCT),
        BinaryOp::Divide => Infix("/", binding::PRODUCT),
        BinaryOp::Remainder => Infix("%", binding::PRODUCT),
        BinaryOp::And => Infix("&&", binding::AND),
        BinaryOp::Or => Infix("||", binding::OR),
        BinaryOp::Min => Method("min"),
        BinaryOp::Max => Method("max"),
        BinaryOp::Powi => Method("powi"),
        BinaryOp::Powf => Method("powf"),
    }
}

fn compare(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
    }
}

fn reduction(kind: ReduceKind) -> &'static str {
    match kind {
        ReduceKind::Sum => "sum",
        ReduceKind::Norm => "norm",
        ReduceKind::Min => "min",
        ReduceKind::Max => "max",
        ReduceKind::Count => "count",
    }
}
