//! Sequences written as formulas: `fraction * 2.0 + rest` adds two steps.

use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Shl, Shr, Sub};

use super::Function;
use super::sequence::{Infix, Kind, Operation, Sequence, Step, StepId};
use crate::ir::Comparison;

/// The bits of infinity: what is greater is NaN.
pub(super) const INFINITY: u32 = 0x7f80_0000;
/// The one NaN that functions give.
pub(super) const NAN: u32 = 0x7fc0_0000;
/// All bits but the sign.
pub(super) const MAGNITUDE: u32 = 0x7fff_ffff;
/// The sign.
pub(super) const SIGN: u32 = 0x8000_0000;
/// The bits of the least number that is not subnormal.
const SMALLEST_NORMAL: u32 = 0x0080_0000;

/// All but the lower half of a real's digits.
const HEAD: u32 = 0xffff_f000;
/// All but the last digit of a real.
const SETTLED: u32 = 0xffff_fffe;
/// What the exponent's place adds to the bits of a real when it is doubled.
pub(super) const OCTAVE: i32 = 0x0080_0000;

/// A sequence under construction.
#[derive(Default)]
pub(super) struct Builder {
    steps: RefCell<Vec<Step>>,
    arguments: RefCell<Vec<(&'static str, Kind)>>,
}

/// A step of a sequence under construction.
#[derive(Clone, Copy)]
pub(super) struct Term<'b> {
    builder: &'b Builder,
    id: StepId,
}

impl Builder {
    /// The next argument.
    pub fn argument(&self, name: &'static str, kind: Kind) -> Term<'_> {
        let place = self.arguments.borrow().len() as u32;
        self.arguments.borrow_mut().push((name, kind));
        self.push(Operation::Argument(place), kind).named(name)
    }

    pub fn real(&self, value: f32) -> Term<'_> {
        self.push(Operation::Real(value.to_bits()), Kind::Real)
    }

    pub fn whole(&self, value: i32) -> Term<'_> {
        self.push(Operation::Whole(value), Kind::Whole)
    }

    pub fn bits(&self, value: u32) -> Term<'_> {
        self.push(Operation::Bits(value), Kind::Bits)
    }

    /// `c₀ + x·(c₁ + x·(c₂ + …))`, in parts of a few terms, so that no line is long.
    pub fn polynomial<'b>(&'b self, x: Term<'b>, coefficients: &[f32], names: &[&'static str]) -> Term<'b> {
        let mut rest = coefficients.iter().rev();
        let mut sum = self.real(rest.next().copied().unwrap_or(0.0));
        let part = coefficients.len().saturating_sub(1).div_ceil(names.len().max(1));
        let mut names = names.iter();
        for (count, &coefficient) in rest.enumerate() {
            let product = sum * x;
            sum = if coefficient < 0.0 { product - -coefficient } else { product + coefficient };
            if (count + 1) % part == 0 || count + 2 == coefficients.len() {
                sum = names.next().map_or(sum, |name| sum.named(name));
            }
        }
        sum
    }

    /// The sequence with this result.
    pub fn finish(&self, summary: &'static str, result: Term<'_>) -> Sequence {
        Sequence { summary, arguments: self.arguments.take(), steps: self.steps.take(), result: result.id }
    }

    fn push(&self, operation: Operation, kind: Kind) -> Term<'_> {
        let mut steps = self.steps.borrow_mut();
        let id = StepId(steps.len() as u32);
        steps.push(Step { operation, kind, name: None, note: None });
        Term { builder: self, id }
    }
}

impl<'b> Term<'b> {
    fn kind(self) -> Kind {
        self.builder.steps.borrow()[self.id.0 as usize].kind
    }

    fn push(self, operation: Operation, kind: Kind) -> Self {
        self.builder.push(operation, kind)
    }

    fn infix(self, infix: Infix, other: Self) -> Self {
        self.push(Operation::Infix(infix, self.id, other.id), self.kind())
    }

    /// The same, with a name in generated code.
    pub fn named(self, name: &'static str) -> Self {
        self.builder.steps.borrow_mut()[self.id.0 as usize].name = Some(name);
        self
    }

    /// The same, with a name and a comment above it.
    pub fn noted(self, name: &'static str, note: &'static str) -> Self {
        self.builder.steps.borrow_mut()[self.id.0 as usize].note = Some(note);
        self.named(name)
    }

    fn compare(self, comparison: Comparison, other: Self) -> Self {
        self.push(Operation::Compare(comparison, self.id, other.id), Kind::Truth)
    }

    pub fn less(self, other: impl Operand<'b>) -> Self {
        self.compare(Comparison::Less, other.term(self.builder))
    }

    pub fn greater(self, other: impl Operand<'b>) -> Self {
        self.compare(Comparison::Greater, other.term(self.builder))
    }

    pub fn equals(self, other: impl Operand<'b>) -> Self {
        self.compare(Comparison::Equal, other.term(self.builder))
    }

    /// `if self { then } else { otherwise }`
    pub fn choose(self, then: impl Operand<'b>, otherwise: impl Operand<'b>) -> Self {
        let (then, otherwise) = (then.term(self.builder), otherwise.term(self.builder));
        self.push(Operation::Select(self.id, then.id, otherwise.id), then.kind())
    }

    /// The same bits as a u32.
    pub fn to_bits(self) -> Self {
        self.push(Operation::Reinterpret(self.id), Kind::Bits)
    }

    /// The real with these bits.
    pub fn as_real(self) -> Self {
        self.push(Operation::Reinterpret(self.id), Kind::Real)
    }

    /// The real that is this whole number, rounded to nearest.
    pub fn to_real(self) -> Self {
        self.push(Operation::Convert(self.id), Kind::Real)
    }

    /// The whole number: of a real towards zero, of bits modulo 2³².
    pub fn to_whole(self) -> Self {
        self.push(Operation::Convert(self.id), Kind::Whole)
    }

    /// The whole number's bits.
    pub fn to_word(self) -> Self {
        self.push(Operation::Convert(self.id), Kind::Bits)
    }

    /// This real with the lower half of its digits cleared: 12 are left, and products of two such are exact.
    pub fn head(self) -> Self {
        (self.to_bits() & HEAD).as_real()
    }

    /// This real with its last digit cleared: a sum that what is added later is not reordered into.
    pub fn settled(self) -> Self {
        (self.to_bits() & SETTLED).as_real()
    }

    /// Another function.
    pub fn call(self, function: Function, second: Option<Self>) -> Self {
        self.push(Operation::Call(function, self.id, second.map(|term| term.id)), Kind::Real)
    }
}

/// A magnitude's bits as those of a real that is not subnormal, and by how many octaves it is larger.
pub(super) fn normalized<'b>(magnitude: Term<'b>, note: &'static str) -> (Term<'b>, Term<'b>) {
    let is_subnormal = magnitude.less(SMALLEST_NORMAL).noted("is_subnormal", note);
    let of_bits = magnitude.to_whole().to_real().to_bits();
    (is_subnormal.choose(of_bits, magnitude).to_whole().named("scaled"), is_subnormal.choose(149, 0))
}

/// A term, or a literal beside one.
pub(super) trait Operand<'b> {
    fn term(self, builder: &'b Builder) -> Term<'b>;
}

impl<'b> Operand<'b> for Term<'b> {
    fn term(self, _: &'b Builder) -> Term<'b> {
        self
    }
}

impl<'b> Operand<'b> for f32 {
    fn term(self, builder: &'b Builder) -> Term<'b> {
        builder.real(self)
    }
}

impl<'b> Operand<'b> for i32 {
    fn term(self, builder: &'b Builder) -> Term<'b> {
        builder.whole(self)
    }
}

impl<'b> Operand<'b> for u32 {
    fn term(self, builder: &'b Builder) -> Term<'b> {
        builder.bits(self)
    }
}

macro_rules! operator {
    ($($operator:ident $method:ident $infix:ident),*) => {
        $(impl<'b, T: Operand<'b>> $operator<T> for Term<'b> {
            type Output = Self;

            fn $method(self, other: T) -> Self {
                self.infix(Infix::$infix, other.term(self.builder))
            }
        })*
    };
}

operator! {
    Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, BitAnd bitand And, BitOr bitor Or,
    Shl shl ShiftLeft, Shr shr ShiftRight
}
