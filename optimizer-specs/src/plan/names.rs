//! Names for row fields: what the rule calls a value, else what it evidently is (`one_minus_beta1`, `step_is_1`).

use std::collections::BTreeSet;

use crate::emit::names::legal;
use crate::ir::{BinaryOp, Comparison, Graph, Names, NodeId, Op, UnaryOp};

/// A legal and free name for the field of a host node.
pub(super) fn field(names: &Names, graph: &Graph, id: NodeId, taken: &mut BTreeSet<String>) -> String {
    let derived = describe(names, graph, id, 0).map(|name| legal(&name)).filter(|name| name.len() <= LONGEST);
    let base = match derived {
        Some(name) if name.starts_with(|first: char| first.is_ascii_digit()) => format!("value_{name}"),
        Some(name) => name,
        None => "value".to_owned(),
    };
    let numbered = |count: u32| if count == 1 { base.clone() } else { format!("{base}_{count}") };
    let free = (1..).map(numbered).find(|name| !taken.contains(name)).unwrap_or(base.clone());
    taken.insert(free.clone());
    free
}

/// A short name that says what an unnamed node is; none where that would take too many words.
pub(crate) fn phrase(names: &Names, graph: &Graph, id: NodeId) -> Option<String> {
    let name = describe(names, graph, id, 0)?;
    (name.len() <= LONGEST_PHRASE && !name.starts_with(|first: char| first.is_ascii_digit())).then_some(name)
}

fn describe(names: &Names, graph: &Graph, id: NodeId, depth: u32) -> Option<String> {
    let node = graph.node(id);
    if node.name.is_some() || depth > DEEPEST {
        return node.name.clone();
    }
    let of = |id| describe(names, graph, id, depth + 1);
    Some(match node.op {
        Op::Real(bits) => number(&f64::from_bits(bits).to_string()),
        Op::Int(value) => number(&value.to_string()),
        Op::Bool(value) => value.to_string(),
        Op::Load(cell) => names.cell(cell),
        Op::Unary(op, a) => unary(op, &of(a)?),
        Op::Binary(op, a, b) => binary(op, &of(a)?, &of(b)?),
        Op::Compare(comparison, a, b) => format!("{}_{}_{}", of(a)?, compare(comparison), of(b)?),
        Op::MulAdd(a, b, c) => format!("{}_times_{}_plus_{}", of(a)?, of(b)?, of(c)?),
        Op::Select(_, then, otherwise) => format!("{}_or_{}", of(then)?, of(otherwise)?),
        Op::Clip | Op::RawGrad | Op::Input(_) | Op::Reduce(..) => return None,
        Op::Hyper(_)
        | Op::Step
        | Op::Run
        | Op::Len
        | Op::Ndim
        | Op::Dim(_)
        | Op::AllLen
        | Op::Scalar(_)
        | Op::GradScale
        | Op::ClipValue => return names.host_leaf(node.op),
    })
}

/// Expressions nested deeper than this have no name that one would want to read.
const DEEPEST: u32 = 4;
/// Longer names than this say less than a short one.
const LONGEST: usize = 44;
/// The same for values inside of a kernel.
const LONGEST_PHRASE: usize = 32;

/// A literal inside of a name: `0.5` is `0_5`.
fn number(text: &str) -> String {
    text.replace('-', "minus_").replace('.', "_")
}

fn unary(op: UnaryOp, a: &str) -> String {
    match op {
        UnaryOp::Negate => format!("minus_{a}"),
        UnaryOp::Not => format!("not_{a}"),
        UnaryOp::Abs => format!("abs_{a}"),
        UnaryOp::Sqrt => format!("sqrt_{a}"),
        UnaryOp::Sign => format!("sign_{a}"),
        UnaryOp::IsFinite => format!("{a}_is_finite"),
        UnaryOp::IsNan => format!("{a}_is_nan"),
        UnaryOp::ToReal => a.to_owned(),
        UnaryOp::Floor => format!("floor_{a}"),
        UnaryOp::Ceil => format!("ceil_{a}"),
        UnaryOp::Exp => format!("exp_{a}"),
        UnaryOp::Ln => format!("ln_{a}"),
        UnaryOp::Cbrt => format!("cbrt_{a}"),
        UnaryOp::Tanh => format!("tanh_{a}"),
    }
}

fn binary(op: BinaryOp, a: &str, b: &str) -> String {
    let a = if a == "1" { "one" } else { a };
    match op {
        BinaryOp::Add => format!("{a}_plus_{b}"),
        BinaryOp::Subtract => format!("{a}_minus_{b}"),
        BinaryOp::Multiply => format!("{a}_times_{b}"),
        BinaryOp::Divide => format!("{a}_over_{b}"),
        BinaryOp::Remainder => format!("{a}_modulo_{b}"),
        BinaryOp::Min => format!("min_{a}_{b}"),
        BinaryOp::Max => format!("max_{a}_{b}"),
        BinaryOp::Powi | BinaryOp::Powf => format!("{a}_to_{b}"),
        BinaryOp::And => format!("{a}_and_{b}"),
        BinaryOp::Or => format!("{a}_or_{b}"),
    }
}

fn compare(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "below",
        Comparison::LessEqual => "at_most",
        Comparison::Greater => "above",
        Comparison::GreaterEqual => "at_least",
        Comparison::Equal => "is",
        Comparison::NotEqual => "is_not",
    }
}
