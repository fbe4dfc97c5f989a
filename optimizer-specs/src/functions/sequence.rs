//! A function as a sequence of operations on 32-bit words, free of any target.
//!
//! What WGSL lets an implementation do with floats decides how the sequences are written:
//!
//! * products may be fused with sums, and sums and products taken in another order. So no sum of a sequence needs its
//!   terms added in one order: where bits must cancel, that is done on whole numbers, or the terms are kept apart by an
//!   operation on bits, across which nothing is reordered;
//! * infinities and NaN may be assumed absent. So they are found and made as bits;
//! * a division may be off by 2.5 ulp, a subnormal number may be 0. So quotients are used where that much does no harm,
//!   and nothing subnormal is computed with, but for the last scaling of a result.
//!
//! Whole numbers stay in their range for every argument, NaN included: no target says the same of overflow.

use super::Function;
use crate::ir::Comparison;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An f32.
    Real,
    /// An i32.
    Whole,
    /// A u32.
    Bits,
    /// A truth value.
    Truth,
}

/// Index of a step; what a step reads stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(pub u32);

/// Operations with two operands of one kind, which is that of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infix {
    /// `a + b` (Real, Whole, Bits).
    Add,
    /// `a - b` (Real, Whole, Bits).
    Subtract,
    /// `a * b` (Real, Whole, Bits).
    Multiply,
    /// `a / b` (Real).
    Divide,
    /// `a & b` (Bits), both (Truth).
    And,
    /// `a | b` (Bits), either (Truth).
    Or,
    /// `a << b` (Bits).
    ShiftLeft,
    /// `a >> b` (Bits; Whole by Bits: rounds down).
    ShiftRight,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// An argument of the function, by place.
    Argument(u32),
    /// The bits of an f32 literal; finite.
    Real(u32),
    /// A whole literal.
    Whole(i32),
    /// A literal of bits.
    Bits(u32),
    /// Two operands.
    Infix(Infix, StepId, StepId),
    /// Truth from two operands of one kind, Whole or Bits.
    Compare(Comparison, StepId, StepId),
    /// `if condition { then } else { otherwise }`, both evaluated.
    Select(StepId, StepId, StepId),
    /// The same number in another kind: Real from Whole (to nearest), Whole from Real (towards zero), Whole from Bits and
    /// back (modulo 2³²).
    Convert(StepId),
    /// The same bits in another kind: Real from Bits and back.
    Reinterpret(StepId),
    /// Another function.
    Call(Function, StepId, Option<StepId>),
}

impl Operation {
    /// The operands, in order.
    pub fn operands(self) -> impl Iterator<Item = StepId> {
        let three = match self {
            Operation::Argument(_) | Operation::Real(_) | Operation::Whole(_) | Operation::Bits(_) => {
                [None, None, None]
            }
            Operation::Convert(a) | Operation::Reinterpret(a) => [Some(a), None, None],
            Operation::Infix(_, a, b) | Operation::Compare(_, a, b) => [Some(a), Some(b), None],
            Operation::Select(a, b, c) => [Some(a), Some(b), Some(c)],
            Operation::Call(_, a, b) => [Some(a), b, None],
        };
        three.into_iter().flatten()
    }
}

/// An operation, and what is known of its result.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// What is computed.
    pub operation: Operation,
    /// What it gives.
    pub kind: Kind,
    /// Its name in generated code; without one it is printed where it is used, which is once.
    pub name: Option<&'static str>,
    /// What it does it for, for a comment above it.
    pub note: Option<&'static str>,
}

/// A function.
#[derive(Debug)]
pub struct Sequence {
    /// What it computes, for a comment above it.
    pub summary: &'static str,
    /// Names and kinds of the arguments.
    pub arguments: Vec<(&'static str, Kind)>,
    /// The operations, in order.
    pub steps: Vec<Step>,
    /// The step whose value is that of the function; Real.
    pub result: StepId,
}

impl Sequence {
    /// The step behind an id.
    pub fn step(&self, id: StepId) -> &Step {
        &self.steps[id.0 as usize]
    }

    /// The functions that it calls, each as often as it is called.
    pub fn calls(&self) -> impl Iterator<Item = Function> {
        self.steps.iter().filter_map(|step| match step.operation {
            Operation::Call(function, ..) => Some(function),
            _ => None,
        })
    }

    /// How many operations it has, calls and literals not counted.
    pub fn own_operations(&self) -> u32 {
        let operations = self.steps.iter().map(|step| step.operation);
        operations
            .filter(|operation| !matches!(operation, Operation::Call(..)) && operation.operands().next().is_some())
            .count() as u32
    }

    /// The value for arguments, each a word of its kind: what the CPU and Metal compute, bit for bit.
    pub fn evaluate(&self, arguments: &[u32]) -> u32 {
        let mut words = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            words.push(self.word(step, arguments, &words));
        }
        words[self.result.0 as usize]
    }

    pub(super) fn word(&self, step: &Step, arguments: &[u32], words: &[u32]) -> u32 {
        let of = |id: StepId| words[id.0 as usize];
        match step.operation {
            Operation::Argument(place) => arguments[place as usize],
            Operation::Real(bits) | Operation::Bits(bits) => bits,
            Operation::Whole(value) => value as u32,
            Operation::Infix(infix, a, b) => apply(infix, step.kind, of(a), of(b)),
            Operation::Compare(comparison, a, b) => compare(comparison, self.step(a).kind, of(a), of(b)).into(),
            Operation::Select(condition, then, otherwise) => of(if of(condition) != 0 { then } else { otherwise }),
            Operation::Convert(a) => convert(self.step(a).kind, step.kind, of(a)),
            Operation::Reinterpret(a) => of(a),
            Operation::Call(function, a, b) => {
                let arguments = [of(a), b.map_or(0, of)];
                function.sequence().evaluate(&arguments[..1 + usize::from(b.is_some())])
            }
        }
    }
}

/// An operation with two operands.
pub(super) fn apply(infix: Infix, kind: Kind, a: u32, b: u32) -> u32 {
    match kind {
        Kind::Real => {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            let value = match infix {
                Infix::Add => a + b,
                Infix::Subtract => a - b,
                Infix::Multiply => a * b,
                Infix::Divide => a / b,
                Infix::And | Infix::Or | Infix::ShiftLeft | Infix::ShiftRight => f32::NAN,
            };
            value.to_bits()
        }
        Kind::Whole => {
            let (a, b) = (a as i32, b as i32);
            let value = match infix {
                Infix::Add => a.checked_add(b),
                Infix::Subtract => a.checked_sub(b),
                Infix::Multiply => a.checked_mul(b),
                Infix::ShiftRight => a.checked_shr(b as u32),
                Infix::Divide | Infix::And | Infix::Or | Infix::ShiftLeft => None,
            };
            in_range(value) as u32
        }
        Kind::Bits | Kind::Truth => in_range(match infix {
            Infix::Add => a.checked_add(b),
            Infix::Subtract => a.checked_sub(b),
            Infix::Multiply => a.checked_mul(b),
            Infix::Divide => None,
            Infix::And => Some(a & b),
            Infix::Or => Some(a | b),
            Infix::ShiftLeft => a.checked_shl(b),
            Infix::ShiftRight => a.checked_shr(b),
        }),
    }
}

/// A whole number that must exist. The tests find sequences that leave the range of whole numbers.
fn in_range<T: Default>(value: Option<T>) -> T {
    debug_assert!(value.is_some(), "a whole number leaves its range");
    value.unwrap_or_default()
}

fn compare(comparison: Comparison, kind: Kind, a: u32, b: u32) -> bool {
    let order = match kind {
        Kind::Whole => (a as i32).cmp(&(b as i32)),
        Kind::Real | Kind::Bits | Kind::Truth => a.cmp(&b),
    };
    match comparison {
        Comparison::Less => order.is_lt(),
        Comparison::LessEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterEqual => order.is_ge(),
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
    }
}

/// The same number in another kind.
fn convert(from: Kind, to: Kind, word: u32) -> u32 {
    match (from, to) {
        (Kind::Real, Kind::Whole) => {
            let real = f32::from_bits(word);
            in_range((real.abs() < 2_147_483_648.0).then_some(real as i32)) as u32
        }
        (Kind::Whole, Kind::Real) => (word as i32 as f32).to_bits(),
        _ => word,
    }
}
