//! f32 as a WGSL implementation might compute it: every allowance taken at random. Bounds are tested against it.

use core::cell::Cell;

use crate::functions::Function;
use crate::functions::tests::loose::{self, Dice};
use crate::interp::number::{Count, Number, Truth, holds};
use crate::ir::Comparison;

/// An f32 of an implementation that takes every allowance at random.
#[derive(Clone, Copy, Debug)]
pub struct Sloppy {
    pub value: f32,
    made: Made,
}

/// What a value was made by: another operation may reach into it.
#[derive(Clone, Copy, Debug)]
enum Made {
    Otherwise,
    Sum(f32, f32),
    Product(f32, f32),
}

thread_local! {
    static DICE: Cell<u64> = const { Cell::new(1) };
}

/// Another sequence of choices.
pub fn seed(seed: u64) {
    DICE.set(seed);
}

/// In 0.0..1.0
fn dice() -> f64 {
    let next = DICE.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    DICE.set(next);
    (next >> 11) as f64 / (1_u64 << 53) as f64
}

fn flushed(value: f32) -> Sloppy {
    let value = if value.is_subnormal() && dice() < 0.5 { 0.0 } else { value };
    Sloppy { value, made: Made::Otherwise }
}

/// Off by up to so many ulp.
fn off(exact: f64, ulps: f64) -> Sloppy {
    let ulp = f64::from((exact as f32).abs().next_up()) - f64::from((exact as f32).abs());
    flushed((exact + (2.0 * dice() - 1.0) * (ulps - 0.5) * ulp) as f32)
}

impl Number for Sloppy {
    fn from_f32(value: f32) -> Self {
        flushed(value)
    }
    fn from_host(value: f64) -> Self {
        flushed(value as f32)
    }
    fn from_count(count: Count) -> Self {
        flushed(count.value as f32)
    }
    fn to_f32(self) -> f32 {
        self.value
    }
    fn add(self, other: Self) -> Self {
        let (a, b) = if dice() < 0.5 { (self, other) } else { (other, self) };
        let (x, y) = match a.made {
            _ if dice() < 0.5 => (a.value, b.value),
            // Contracted.
            Made::Product(x, y) => {
                return flushed((f64::from(x) * f64::from(y) + f64::from(b.value)) as f32);
            }
            Made::Sum(x, y) => (x, flushed(y + b.value).value),
            Made::Otherwise => (a.value, b.value),
        };
        Self { made: Made::Sum(x, y), ..flushed(x + y) }
    }
    fn subtract(self, other: Self) -> Self {
        self.add(other.negate())
    }
    fn multiply(self, other: Self) -> Self {
        let (a, b) = if dice() < 0.5 { (self, other) } else { (other, self) };
        let (x, y) = match a.made {
            _ if dice() < 0.5 => (a.value, b.value),
            Made::Product(x, y) => (x, flushed(y * b.value).value),
            // Multiplied out.
            Made::Sum(x, y) => {
                let (x, y) = (flushed(x * b.value).value, flushed(y * b.value).value);
                return Self { made: Made::Sum(x, y), ..flushed(x + y) };
            }
            Made::Otherwise => (a.value, b.value),
        };
        Self { made: Made::Product(x, y), ..flushed(x * y) }
    }
    fn divide(self, other: Self) -> Self {
        off(f64::from(self.value) / f64::from(other.value), 2.5)
    }
    fn negate(self) -> Self {
        let made = match self.made {
            Made::Otherwise => Made::Otherwise,
            Made::Sum(x, y) => Made::Sum(-x, -y),
            Made::Product(x, y) => Made::Product(-x, y),
        };
        Self { value: -self.value, made }
    }
    fn magnitude(self) -> Self {
        flushed(self.value.abs())
    }
    fn root(self) -> Self {
        off(f64::from(self.value).sqrt(), 4.5)
    }
    fn sign(self) -> Self {
        flushed(self.value.sign())
    }
    fn least(self, other: Self) -> Self {
        flushed(self.value.least(other.value))
    }
    fn greatest(self, other: Self) -> Self {
        flushed(self.value.greatest(other.value))
    }
    fn multiply_add(self, factor: Self, term: Self) -> Self {
        if dice() < 0.5 {
            return flushed(self.value.mul_add(factor.value, term.value));
        }
        flushed(self.value * factor.value + term.value)
    }
    fn function(function: Function, arguments: &[Self]) -> Self {
        let words: Vec<u32> = arguments.iter().map(|argument| argument.value.to_bits()).collect();
        let mut chances = Dice(DICE.get());
        let word = loose::evaluate(function.sequence(), &words, &mut chances);
        DICE.set(chances.0);
        flushed(f32::from_bits(word))
    }
    fn compare(self, comparison: Comparison, other: Self) -> Truth {
        Truth::certain(holds(comparison, self.value, other.value))
    }
    fn choose(condition: Truth, then: Self, otherwise: Self) -> Self {
        if condition.value { then } else { otherwise }
    }
    fn is_not_finite(self) -> bool {
        !self.value.is_finite()
    }
}
