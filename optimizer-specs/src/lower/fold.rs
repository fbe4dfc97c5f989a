//! Folding: an operation on literals alone becomes a literal, computed in f64 and i64 as the host would.
//!
//! Beside literals only truth values are simplified, so that what options decide disappears, and comparisons that every
//! count answers alike, or every value with itself, of which compilers of shaders warn. Arithmetic on reals is left as written: `x * 1.0` stays.

use std::cmp::Ordering;

use crate::ir::{BinaryOp, Comparison, Graph, NodeId, Op, ReduceKind, Type, UnaryOp};

/// What an operation folds to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Folded {
    /// A literal.
    Literal(Op),
    /// A node that is already there.
    Same(NodeId),
}

/// The literal of a real, which must be finite; `text` is the expression that gave it.
fn real(value: f64, text: impl FnOnce() -> String) -> Result<Option<Folded>, String> {
    if value.is_finite() { Ok(Some(Folded::Literal(Op::Real(value.to_bits())))) } else { Err(text()) }
}

fn literal(op: Op) -> Result<Option<Folded>, String> {
    Ok(Some(Folded::Literal(op)))
}

/// Folds an operation, if it can be. `Err` holds the text of an expression that has no finite value.
pub(super) fn fold(graph: &Graph, op: Op) -> Result<Option<Folded>, String> {
    match op {
        Op::Unary(function, a) => unary(function, graph.op(a)),
        Op::Binary(BinaryOp::And, a, b) => Ok(truth(graph, a, b, false)),
        Op::Binary(BinaryOp::Or, a, b) => Ok(truth(graph, a, b, true)),
        Op::Binary(function, a, b) => binary(function, graph.op(a), graph.op(b)),
        Op::Compare(comparison, a, b) => Ok(compare(comparison, graph.op(a), graph.op(b))
            .or_else(|| count_at_bound(graph, comparison, a, b))
            .or_else(|| with_itself(graph, comparison, a, b))
            .map(|holds| Folded::Literal(Op::Bool(holds)))),
        Op::MulAdd(a, b, c) => match (graph.op(a), graph.op(b), graph.op(c)) {
            (Op::Real(a), Op::Real(b), Op::Real(c)) => {
                let (a, b, c) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
                real(a.mul_add(b, c), || format!("{a:?}.mul_add({b:?}, {c:?})"))
            }
            _ => Ok(None),
        },
        Op::Select(condition, then, otherwise) => Ok(match graph.op(condition) {
            Op::Bool(true) => Some(Folded::Same(then)),
            Op::Bool(false) => Some(Folded::Same(otherwise)),
            _ => (then == otherwise).then_some(Folded::Same(then)),
        }),
        _ => Ok(None),
    }
}

/// `a && b`, `a || b`: `deciding` is the literal that settles it, the other literal leaves the other operand.
fn truth(graph: &Graph, a: NodeId, b: NodeId, deciding: bool) -> Option<Folded> {
    match (graph.op(a), graph.op(b)) {
        (Op::Bool(value), _) => Some(Folded::Same(if value == deciding { a } else { b })),
        (_, Op::Bool(value)) => Some(Folded::Same(if value == deciding { b } else { a })),
        _ => None,
    }
}

fn unary(function: UnaryOp, a: Op) -> Result<Option<Folded>, String> {
    match a {
        Op::Real(bits) => {
            let x = f64::from_bits(bits);
            let (value, name) = match function {
                UnaryOp::IsFinite => return literal(Op::Bool(x.is_finite())),
                UnaryOp::IsNan => return literal(Op::Bool(x.is_nan())),
                UnaryOp::Negate => (-x, "-"),
                UnaryOp::Abs => (x.abs(), "abs"),
                UnaryOp::Sqrt => (x.sqrt(), "sqrt"),
                UnaryOp::Sign => (sign(x), "sign"),
                UnaryOp::Floor => (x.floor(), "floor"),
                UnaryOp::Ceil => (x.ceil(), "ceil"),
                UnaryOp::Exp => (x.exp(), "exp"),
                UnaryOp::Ln => (x.ln(), "ln"),
                UnaryOp::Cbrt => (x.cbrt(), "cbrt"),
                UnaryOp::Tanh => (x.tanh(), "tanh"),
                UnaryOp::Not | UnaryOp::ToReal => return Ok(None),
            };
            real(value, || format!("({x:?}).{name}()"))
        }
        Op::Int(x) => match function {
            UnaryOp::Negate => literal(Op::Int(x.saturating_neg())),
            UnaryOp::Abs => literal(Op::Int(x.saturating_abs())),
            UnaryOp::ToReal => real(x as f64, || x.to_string()),
            _ => Ok(None),
        },
        Op::Bool(x) if function == UnaryOp::Not => literal(Op::Bool(!x)),
        _ => Ok(None),
    }
}

fn binary(function: BinaryOp, a: Op, b: Op) -> Result<Option<Folded>, String> {
    match (a, b) {
        (Op::Real(a), Op::Real(b)) => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            let (value, text) = match function {
                BinaryOp::Add => (a + b, "+"),
                BinaryOp::Subtract => (a - b, "-"),
                BinaryOp::Multiply => (a * b, "*"),
                BinaryOp::Divide => (a / b, "/"),
                BinaryOp::Remainder => (a % b, "%"),
                BinaryOp::Min => (if b < a { b } else { a }, "min"),
                BinaryOp::Max => (if a < b { b } else { a }, "max"),
                BinaryOp::Powf => (a.powf(b), "powf"),
                BinaryOp::Powi | BinaryOp::And | BinaryOp::Or => return Ok(None),
            };
            real(value, || match function {
                BinaryOp::Powf => format!("({a:?}).powf({b:?})"),
                _ => format!("{a:?} {text} {b:?}"),
            })
        }
        (Op::Real(x), Op::Int(n)) if function == BinaryOp::Powi => {
            let x = f64::from_bits(x);
            real(powi(x, n), || format!("({x:?}).powi({n})"))
        }
        (Op::Int(a), Op::Int(b)) => {
            let value = match function {
                BinaryOp::Add => a.saturating_add(b),
                BinaryOp::Subtract => a.saturating_sub(b),
                BinaryOp::Multiply => a.saturating_mul(b),
                BinaryOp::Divide if b == 0 => return Err(format!("{a} / 0")),
                BinaryOp::Divide => a.saturating_div(b),
                BinaryOp::Remainder if b == 0 => return Err(format!("{a} % 0")),
                BinaryOp::Remainder => a.wrapping_rem(b),
                BinaryOp::Min => a.min(b),
                BinaryOp::Max => a.max(b),
                _ => return Ok(None),
            };
            literal(Op::Int(value))
        }
        _ => Ok(None),
    }
}

fn compare(comparison: Comparison, a: Op, b: Op) -> Option<bool> {
    match (a, b) {
        (Op::Real(a), Op::Real(b)) => Some(ordered(comparison, &f64::from_bits(a), &f64::from_bits(b))),
        (Op::Int(a), Op::Int(b)) => Some(ordered(comparison, &a, &b)),
        (Op::Bool(a), Op::Bool(b)) => Some(ordered(comparison, &a, &b)),
        _ => None,
    }
}

/// `count(…) >= 0` and the like, which hold for every count or for none.
fn count_at_bound(graph: &Graph, comparison: Comparison, a: NodeId, b: NodeId) -> Option<bool> {
    let beyond = match (graph.op(a), graph.op(b)) {
        (_, Op::Int(0)) if is_count(graph, a) => Ordering::Greater,
        (Op::Int(0), _) if is_count(graph, b) => Ordering::Less,
        (_, Op::Int(LARGEST_COUNT)) if is_count(graph, a) => Ordering::Less,
        (Op::Int(LARGEST_COUNT), _) if is_count(graph, b) => Ordering::Greater,
        _ => return None,
    };
    let [beyond, equal] = [beyond, Ordering::Equal].map(|order| ordered(comparison, &order, &Ordering::Equal));
    (beyond == equal).then_some(equal)
}

/// A value is equal to itself, unless it is a real, which may be NaN.
fn with_itself(graph: &Graph, comparison: Comparison, a: NodeId, b: NodeId) -> Option<bool> {
    (a == b && graph.node(a).ty != Type::Real).then(|| ordered(comparison, &0, &0))
}

const LARGEST_COUNT: i64 = u32::MAX as i64;

fn is_count(graph: &Graph, id: NodeId) -> bool {
    matches!(graph.op(id), Op::Reduce(ReduceKind::Count, ..))
}

fn ordered<T: PartialOrd>(comparison: Comparison, a: &T, b: &T) -> bool {
    match comparison {
        Comparison::Less => a < b,
        Comparison::LessEqual => a <= b,
        Comparison::Greater => a > b,
        Comparison::GreaterEqual => a >= b,
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
    }
}

/// 1, -1, or +0 at ±0 and NaN.
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// Square-and-multiply from the lowest bit, as the language defines `powi`: the standard library's may differ by
/// platform.
fn powi(x: f64, exponent: i64) -> f64 {
    let mut remaining = exponent.unsigned_abs();
    let mut square = x;
    let mut product = 1.0;
    while remaining > 0 {
        if remaining & 1 == 1 {
            product *= square;
        }
        square *= square;
        remaining >>= 1;
    }
    if exponent < 0 { 1.0 / product } else { product }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::build::GraphBuilder;

    fn folded(build: impl FnOnce(&mut GraphBuilder) -> Op) -> Result<Option<Folded>, String> {
        let mut builder = GraphBuilder::new("test", vec![]);
        let op = build(&mut builder);
        fold(builder.graph(), op)
    }

    fn binary_of(function: BinaryOp, a: f64, b: f64) -> Result<Option<Folded>, String> {
        folded(|graph| Op::Binary(function, graph.real(a), graph.real(b)))
    }

    #[test]
    fn arithmetic_is_in_f64() {
        let expected = Folded::Literal(Op::Real(0.30000000000000004_f64.to_bits()));
        assert_eq!(binary_of(BinaryOp::Add, 0.1, 0.2), Ok(Some(expected)));
        assert_eq!(binary_of(BinaryOp::Divide, 1.0, 0.0), Err("1.0 / 0.0".to_owned()));
        assert_eq!(folded(|g| Op::Unary(UnaryOp::Sqrt, g.real(-4.0))), Err("(-4.0).sqrt()".to_owned()));
    }

    #[test]
    fn whole_numbers_saturate() {
        let sum = folded(|g| Op::Binary(BinaryOp::Add, g.push(Op::Int(i64::MAX)), g.push(Op::Int(1))));
        assert_eq!(sum, Ok(Some(Folded::Literal(Op::Int(i64::MAX)))));
        let quotient = folded(|g| Op::Binary(BinaryOp::Divide, g.push(Op::Int(-7)), g.push(Op::Int(2))));
        assert_eq!(quotient, Ok(Some(Folded::Literal(Op::Int(-3)))));
        let zero = folded(|g| Op::Binary(BinaryOp::Remainder, g.push(Op::Int(7)), g.push(Op::Int(0))));
        assert_eq!(zero, Err("7 % 0".to_owned()));
    }

    #[test]
    fn comparisons_of_literals_fold() {
        use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        for (comparison, below, equal, above) in [
            (Less, true, false, false),
            (LessEqual, true, true, false),
            (Greater, false, false, true),
            (GreaterEqual, false, true, true),
            (Equal, false, true, false),
            (NotEqual, true, false, true),
        ] {
            for (a, expected) in [(1, below), (2, equal), (3, above)] {
                let whole = folded(|g| Op::Compare(comparison, g.push(Op::Int(a)), g.push(Op::Int(2))));
                let real = folded(|g| Op::Compare(comparison, g.real(a as f64), g.real(2.0)));
                let expected = Ok(Some(Folded::Literal(Op::Bool(expected))));
                assert_eq!((whole, real), (expected.clone(), expected), "{a} {comparison:?} 2");
            }
        }
    }

    #[test]
    fn powers_multiply_from_the_lowest_bit() {
        assert_eq!(powi(0.9, 3), 0.9 * (0.9 * 0.9));
        assert_eq!(powi(2.0, -2), 0.25);
        assert_eq!(powi(0.0, 0), 1.0);
    }

    #[test]
    fn truth_values_simplify_and_reals_do_not() {
        let mut builder = GraphBuilder::new("test", vec![]);
        let (x, one, yes) = (builder.push(Op::RawGrad), builder.real(1.0), builder.push(Op::Bool(true)));
        let positive = builder.push(Op::Compare(Comparison::Greater, x, one));
        let and = Op::Binary(BinaryOp::And, positive, yes);
        assert_eq!(fold(builder.graph(), and), Ok(Some(Folded::Same(positive))));
        let or = Op::Binary(BinaryOp::Or, positive, yes);
        assert_eq!(fold(builder.graph(), or), Ok(Some(Folded::Same(yes))));
        assert_eq!(fold(builder.graph(), Op::Binary(BinaryOp::Multiply, x, one)), Ok(None));
        assert_eq!(fold(builder.graph(), Op::Select(positive, x, x)), Ok(Some(Folded::Same(x))));
        assert_eq!(fold(builder.graph(), Op::Select(yes, one, x)), Ok(Some(Folded::Same(one))));
    }
}
