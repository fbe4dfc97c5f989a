//! f32 with a bound on how far a WGSL implementation may be from it.
//!
//! The bound follows the allowance that WGSL makes per operation:
//!
//! * `+ − ×` are rounded to nearest, but sums and products may be reassociated: terms and factors taken in another order,
//!   multiplied out or factored, a product contracted with the addition that takes it. So each of their roundings may be
//!   missing, and stand elsewhere instead;
//! * division is within 2.5 ulp where the divisor is within 2⁻¹²⁶ … 2¹²⁶, `sqrt` (`1 / inverseSqrt`) within 4.5 ulp;
//! * `fma` may be fused or not;
//! * element functions are within [`Function::MOST_ULPS`] of the exact value;
//! * subnormal values may be read and written as zero.
//!
//! Errors of operands are carried by the operation's derivative, second-order terms included where they are cheap. Two
//! results that come from different operands are each rounded, which is half an ulp for either. A bound is never NaN:
//! where nothing can be said (overflow, in this order or another, a divisor that may be 0) it is infinite, and whoever compares has to say so.

use super::bounded_function;
use super::form::{Form, LARGEST_DIVISOR};
use super::number::{Count, Number, Truth, holds};
use crate::functions::Function;
use crate::ir::Comparison;

/// An f32 as the f32 interpreter computes it, and how far WGSL may be from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded {
    /// The f32 interpreter's value.
    pub value: f32,
    /// Greatest distance of a WGSL implementation's value; infinite where nothing can be said.
    pub bound: f64,
    form: Form,
}

pub(super) const SMALLEST_NORMAL: f64 = f32::MIN_POSITIVE as f64;
/// Of WGSL and of the correctly rounded quotient together.
const DIVISION_ULPS: f64 = 2.5 + 0.5;
/// Of WGSL and of the correctly rounded root together.
const ROOT_ULPS: f64 = 4.5 + 0.5;

/// The distance of neighbouring f32 values at this magnitude.
pub(super) fn ulp(magnitude: f64) -> f64 {
    if !magnitude.is_finite() {
        return f64::INFINITY;
    }
    let exponent = ((magnitude.to_bits() >> 52) as i64 - 1023).max(-126) - 23;
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Bounded {
    /// A value that every implementation agrees on.
    pub fn exact(value: f32) -> Self {
        Self::within(value, 0.0)
    }

    /// A value that an implementation may be this far from.
    pub fn within(value: f32, bound: f64) -> Self {
        let bound = if bound.is_nan() { f64::INFINITY } else { bound };
        Self { value, bound, form: Form::leaf(value, bound) }
    }

    /// Whether another implementation's value is within the bound; `None` where the bound says nothing.
    pub fn admits(self, other: f32) -> Option<bool> {
        if self.bound.is_infinite() {
            return None;
        }
        let apart = (f64::from(other) - f64::from(self.value)).abs();
        Some(other.to_bits() == self.value.to_bits() || apart <= self.bound)
    }

    /// A result with this bound, and what flushing and overflow add to it.
    pub(super) fn new(value: f32, bound: f64) -> Self {
        Self::made(value, Form::leaf(value, bound))
    }

    /// A result of sums and products, with what reassociation, flushing and overflow add to its bound.
    fn made(value: f32, form: Form) -> Self {
        let mut form = form.flushed_below(SMALLEST_NORMAL);
        let magnitude = f64::from(value.abs());
        let apart = form.bound();
        if magnitude - apart < SMALLEST_NORMAL && (magnitude > 0.0 || apart > 0.0) {
            form.inherited += SMALLEST_NORMAL;
        }
        let bound = form.bound();
        let known = magnitude + bound <= f64::from(f32::MAX) && form.is_known();
        if known { Self { value, bound, form } } else { Self::within(value, f64::INFINITY) }
    }

    /// A correctly rounded result whose exact value may be `apart` from ours.
    fn rounded(value: f32, apart: f64) -> Self {
        let roundings = if apart == 0.0 { 0.0 } else { ulp(f64::from(value.abs()) + apart) };
        Self::new(value, apart + roundings)
    }

    /// With a 0 added.
    fn beside(self, value: f32, zero: Form) -> Self {
        let form = self.form.plus_zero(zero);
        if form.is_known() { Self { value, form, ..self } } else { Self::within(value, f64::INFINITY) }
    }

    fn magnitude64(self) -> f64 {
        f64::from(self.value.abs())
    }

    fn is_exact_zero(self) -> bool {
        self.value == 0.0 && self.bound == 0.0
    }

    /// A zero that no terms cancel to.
    fn is_nothing(self) -> bool {
        self.is_exact_zero() && self.form.weight == 0.0
    }

    /// Whether multiplying by it rounds nothing, but for underflow, and it is one factor.
    fn is_power_of_two(self) -> bool {
        let is_power = self.value.is_normal() && self.value.to_bits() & 0x007f_ffff == 0;
        is_power && self.bound == 0.0 && self.form.operations == 0
    }

    fn extreme(self, other: Self, value: f32, pick: fn(f64, f64) -> f64) -> Self {
        let low = pick(f64::from(self.value) - self.bound, f64::from(other.value) - other.bound);
        let high = pick(f64::from(self.value) + self.bound, f64::from(other.value) + other.bound);
        if self.bound == 0.0 && other.bound == 0.0 && !self.value.is_nan() && !other.value.is_nan() {
            return Self::exact(value);
        }
        if self.bound.is_infinite() || other.bound.is_infinite() || value.is_nan() {
            return Self::within(value, f64::INFINITY);
        }
        Self::new(value, (high - f64::from(value)).max(f64::from(value) - low))
    }
}

impl Number for Bounded {
    fn from_f32(value: f32) -> Self {
        Self::new(value, 0.0)
    }

    fn from_host(value: f64) -> Self {
        if value.is_infinite() { Self::exact(value as f32) } else { Self::new(value as f32, 0.0) }
    }

    fn from_literal(value: f64) -> Self {
        let literal = Self::from_host(f32::from_literal(value).into());
        Self { form: literal.form.as_literal(), ..literal }
    }

    fn from_count(count: Count) -> Self {
        let value = count.value as f32;
        // Beyond 2^24 the conversion rounds, and WGSL does not say which way.
        let conversion = if count.value.unsigned_abs() < 1 << 24 { 0.0 } else { ulp(f64::from(value)) };
        if count.slack == 0 && conversion == 0.0 {
            Self::exact(value)
        } else {
            Self::rounded(value, count.slack as f64 + conversion)
        }
    }

    fn to_f32(self) -> f32 {
        self.value
    }

    fn add(self, other: Self) -> Self {
        let value = self.value + other.value;
        match (self.is_nothing(), other.is_nothing()) {
            (true, _) => other.beside(value, self.form),
            (_, true) => self.beside(value, other.form),
            _ => Self::made(value, self.form.plus(other.form)),
        }
    }

    fn subtract(self, other: Self) -> Self {
        self.add(other.negate())
    }

    fn multiply(self, other: Self) -> Self {
        let value = self.value * other.value;
        if self.bound.is_infinite() || other.bound.is_infinite() {
            // It may not be finite, and 0 times it not 0.
            return Self::within(value, f64::INFINITY);
        }
        let (magnitude, other_magnitude) = (self.magnitude64(), other.magnitude64());
        let form = match (self.is_power_of_two(), other.is_power_of_two()) {
            (true, _) => other.form.scaled(self.form),
            (_, true) => self.form.scaled(other.form),
            _ => self.form.times(other.form, magnitude, other_magnitude),
        };
        // A product too small for any f32 is not 0.
        let lost = if value == 0.0 { magnitude * other_magnitude } else { 0.0 };
        Self::made(value, Form { inherited: form.inherited + lost, ..form })
    }

    fn divide(self, other: Self) -> Self {
        let value = self.value / other.value;
        let least = other.magnitude64() - other.bound;
        if !(least >= SMALLEST_NORMAL && other.magnitude64() + other.bound <= LARGEST_DIVISOR) {
            return Self::within(value, f64::INFINITY);
        }
        let form = self.form.divided(least, other.magnitude64() + other.bound);
        // However a quotient is computed, that of 0 is 0.
        if self.is_nothing() {
            return Self::made(value, form);
        }
        let quotient = f64::from(value.abs());
        let apart = (self.form.inherited + quotient * other.bound) / least;
        let allowance = DIVISION_ULPS * ulp(quotient + (self.bound + quotient * other.bound) / least);
        Self::made(value, Form { inherited: apart + allowance, ..form })
    }

    fn negate(self) -> Self {
        Self { value: -self.value, ..self }
    }

    fn magnitude(self) -> Self {
        Self { value: self.value.abs(), ..self }
    }

    fn root(self) -> Self {
        let value = self.value.sqrt();
        if self.is_exact_zero() {
            return Self::exact(value);
        }
        let center = f64::from(self.value);
        // A rule keeps what it takes the root of from becoming negative, and rounding does not change that.
        let low = (center - self.bound).max(0.0).sqrt();
        let apart = ((center + self.bound).sqrt() - center.sqrt()).max(center.sqrt() - low);
        Self::new(value, apart + ROOT_ULPS * ulp(f64::from(value) + apart))
    }

    fn sign(self) -> Self {
        let value = self.value.sign();
        if self.is_exact_zero() || self.magnitude64() > self.bound {
            return Self::exact(value);
        }
        let bound = if self.value.is_nan() { f64::INFINITY } else { f64::from(value.abs()) + 1.0 };
        Self::within(value, bound)
    }

    fn least(self, other: Self) -> Self {
        self.extreme(other, self.value.least(other.value), f64::min)
    }

    fn greatest(self, other: Self) -> Self {
        self.extreme(other, self.value.greatest(other.value), f64::max)
    }

    fn multiply_add(self, factor: Self, term: Self) -> Self {
        let value = self.value.mul_add(factor.value, term.value);
        if self.bound.is_infinite() || factor.bound.is_infinite() {
            return Self::within(value, f64::INFINITY);
        }
        if self.is_nothing() || factor.is_nothing() {
            return self.multiply(factor).add(term);
        }
        Self::made(value, self.form.times(factor.form, self.magnitude64(), factor.magnitude64()).plus(term.form))
    }

    fn function(function: Function, arguments: &[Self]) -> Self {
        bounded_function::apply(function, arguments)
    }

    fn compare(self, comparison: Comparison, other: Self) -> Truth {
        let bound = self.bound + other.bound;
        let apart = (f64::from(self.value) - f64::from(other.value)).abs();
        Truth { value: holds(comparison, self.value, other.value), certain: bound == 0.0 || apart > bound }
    }

    fn choose(condition: Truth, then: Self, otherwise: Self) -> Self {
        let (taken, other) = if condition.value { (then, otherwise) } else { (otherwise, then) };
        if condition.certain {
            return taken;
        }
        let apart = (f64::from(taken.value) - f64::from(other.value)).abs() + other.bound;
        let bound = if apart.is_nan() { f64::INFINITY } else { taken.bound.max(apart) };
        Self::made(taken.value, Form { inherited: bound, ..taken.form.or(other.form) })
    }

    fn is_not_finite(self) -> bool {
        !self.value.is_finite()
    }

    fn finiteness(self) -> Truth {
        Truth { value: self.value.is_finite(), certain: self.bound.is_finite() }
    }

    fn settled(self) -> Self {
        Self::within(self.value, self.bound)
    }
}
