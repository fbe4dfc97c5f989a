//! The arithmetic that the interpreter is generic over: what a device computes with.
//!
//! f32 is what generated code must reproduce to the bit, f64 the reference that has (almost) no rounding of its own, and
//! [`Bounded`](super::Bounded) an f32 with a bound on how far WGSL may be from it.

use core::fmt::Debug;

use crate::functions::Function;
use crate::ir::Comparison;

/// A truth value, and whether every conforming implementation agrees on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    /// What the f32 interpreter finds.
    pub value: bool,
    /// Whether the errors of the operands are too small to change it.
    pub certain: bool,
}

impl Truth {
    /// A value that no rounding changes.
    pub fn certain(value: bool) -> Self {
        Self { value, certain: true }
    }

    /// `self && other`: a certain `false` on either side decides.
    pub fn and(self, other: Self) -> Self {
        let decided = (self.certain && !self.value) || (other.certain && !other.value);
        Self { value: self.value && other.value, certain: decided || (self.certain && other.certain) }
    }

    /// `self || other`: a certain `true` on either side decides.
    pub fn or(self, other: Self) -> Self {
        self.negation().and(other.negation()).negation()
    }

    /// `!self`
    pub fn negation(self) -> Self {
        Self { value: !self.value, certain: self.certain }
    }

    /// Compares; `false` is less than `true`.
    pub fn compare(self, comparison: Comparison, other: Self) -> Self {
        Self { value: holds(comparison, self.value, other.value), certain: self.certain && other.certain }
    }

    /// `if self { then } else { otherwise }`: an uncertain condition matters only if the arms may differ.
    pub fn choose(self, then: Self, otherwise: Self) -> Self {
        let agreed = then == otherwise && then.certain;
        let taken = if self.value { then } else { otherwise };
        Self { value: taken.value, certain: agreed || (self.certain && taken.certain) }
    }
}

/// A whole number on the device, and how far an implementation may be from it where conditions are uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// What the f32 interpreter finds.
    pub value: i64,
    /// Greatest distance of another implementation's value.
    pub slack: i64,
}

impl Count {
    /// A number that no rounding changes.
    pub fn certain(value: i64) -> Self {
        Self { value, slack: 0 }
    }

    /// The sum of both.
    pub fn plus(self, other: Self) -> Self {
        Self { value: self.value.saturating_add(other.value), slack: self.slack.saturating_add(other.slack) }
    }

    /// Compares; uncertain where the slacks overlap.
    pub fn compare(self, comparison: Comparison, other: Self) -> Truth {
        let slack = self.slack.saturating_add(other.slack);
        let certain = slack == 0 || self.value.abs_diff(other.value) > slack.unsigned_abs();
        Truth { value: holds(comparison, self.value, other.value), certain }
    }

    /// `if condition { self } else { otherwise }`
    pub fn choose(condition: Truth, then: Self, otherwise: Self) -> Self {
        let (taken, other) = if condition.value { (then, otherwise) } else { (otherwise, then) };
        if condition.certain {
            return taken;
        }
        let apart = taken.value.saturating_sub(other.value).saturating_abs();
        Self { value: taken.value, slack: taken.slack.max(apart.saturating_add(other.slack)) }
    }
}

/// Whether a comparison holds between two values, as IEEE 754 has it for reals.
pub fn holds<T: PartialOrd>(comparison: Comparison, a: T, b: T) -> bool {
    match comparison {
        Comparison::Less => a < b,
        Comparison::LessEqual => a <= b,
        Comparison::Greater => a > b,
        Comparison::GreaterEqual => a >= b,
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
    }
}

/// A real number of the device.
pub trait Number: Copy + Debug + 'static {
    /// A value read from a buffer.
    fn from_f32(value: f32) -> Self;
    /// A host value where it meets the device: rounded once, in f64 not at all.
    fn from_host(value: f64) -> Self;
    /// A literal of the rule where the device uses it: its decimal, rounded once.
    fn from_literal(value: f64) -> Self {
        Self::from_host(f32::from_literal(value).into())
    }
    /// A count `as f32`.
    fn from_count(count: Count) -> Self;
    /// The value as f32; of f64 the nearest.
    fn to_f32(self) -> f32;
    /// `a + b`
    fn add(self, other: Self) -> Self;
    /// `a - b`
    fn subtract(self, other: Self) -> Self;
    /// `a * b`
    fn multiply(self, other: Self) -> Self;
    /// `a / b`
    fn divide(self, other: Self) -> Self;
    /// `-a`
    fn negate(self) -> Self;
    /// `|a|`
    fn magnitude(self) -> Self;
    /// `sqrt(a)`
    fn root(self) -> Self;
    /// 1, -1, or +0 at ±0 and NaN.
    fn sign(self) -> Self;
    /// `if b < a { b } else { a }`
    fn least(self, other: Self) -> Self;
    /// `if a < b { b } else { a }`
    fn greatest(self, other: Self) -> Self;
    /// `a * b + c`, rounded once.
    fn multiply_add(self, factor: Self, term: Self) -> Self;
    /// An element function.
    fn function(function: Function, arguments: &[Self]) -> Self;
    /// Compares as IEEE 754.
    fn compare(self, comparison: Comparison, other: Self) -> Truth;
    /// `if condition { then } else { otherwise }`
    fn choose(condition: Truth, then: Self, otherwise: Self) -> Self;
    /// Whether all exponent bits are ones: infinite or NaN.
    fn is_not_finite(self) -> bool;
    /// Whether it is finite, as far as implementations agree on it.
    fn finiteness(self) -> Truth {
        Truth::certain(!self.is_not_finite())
    }
    /// The value as memory holds it: no operation that takes it reaches into how it was made.
    fn settled(self) -> Self {
        self
    }
}

macro_rules! plain_number {
    ($float:ty, $function:expr) => {
        impl Number for $float {
            fn from_f32(value: f32) -> Self {
                value.into()
            }
            fn from_host(value: f64) -> Self {
                value as $float
            }
            fn from_literal(value: f64) -> Self {
                // Through the decimal: what an f64 holds of it may lie in the middle between two f32.
                format!("{value:?}").parse().unwrap_or(value as $float)
            }
            fn from_count(count: Count) -> Self {
                count.value as $float
            }
            fn to_f32(self) -> f32 {
                self as f32
            }
            fn add(self, other: Self) -> Self {
                self + other
            }
            fn subtract(self, other: Self) -> Self {
                self - other
            }
            fn multiply(self, other: Self) -> Self {
                self * other
            }
            fn divide(self, other: Self) -> Self {
                self / other
            }
            fn negate(self) -> Self {
                -self
            }
            fn magnitude(self) -> Self {
                self.abs()
            }
            fn root(self) -> Self {
                self.sqrt()
            }
            fn sign(self) -> Self {
                if self > 0.0 {
                    1.0
                } else if self < 0.0 {
                    -1.0
                } else {
                    0.0
                }
            }
            fn least(self, other: Self) -> Self {
                if other < self { other } else { self }
            }
            fn greatest(self, other: Self) -> Self {
                if self < other { other } else { self }
            }
            fn multiply_add(self, factor: Self, term: Self) -> Self {
                self.mul_add(factor, term)
            }
            fn function(function: Function, arguments: &[Self]) -> Self {
                $function(function, arguments)
            }
            fn compare(self, comparison: Comparison, other: Self) -> Truth {
                Truth::certain(holds(comparison, self, other))
            }
            fn choose(condition: Truth, then: Self, otherwise: Self) -> Self {
                if condition.value { then } else { otherwise }
            }
            fn is_not_finite(self) -> bool {
                !self.is_finite()
            }
        }
    };
}

plain_number!(f32, Function::value);
plain_number!(f64, Function::reference);
