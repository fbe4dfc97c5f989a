//! The form of a value: the sums and products that it was made by, and what reassociating them may change.
//!
//! WGSL lets an implementation reorder operations if the result is the same when computed exactly. Drivers do: NVIDIA's
//! multiplies `a·b·b` as `a·(b·b)` and divides `a·(b/c)` as `b/(c/a)`, Mesa's makes `x` of `(x − 1) + 1`. What overflows in
//! one order may be finite in another, what is flushed to 0 may not be, and 0 is NaN where it meets what overflows.

/// WGSL says nothing of division by more than this.
pub(super) const LARGEST_DIVISOR: f64 = (1_u128 << 126) as f64;

/// What one rounding is off by, relative to its result.
const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

/// The sums and products that a value was made by, multiplied out: what an implementation may reassociate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Form {
    /// What the bound owes to the values that the sums and products take.
    pub inherited: f64,
    /// How many terms there are.
    pub terms: f64,
    /// The sum of their magnitudes.
    pub weight: f64,
    /// The sum of their magnitudes, each as often as it is a product: what products round.
    pub products: f64,
    /// How many operations there are.
    pub operations: u32,
    /// How many of them round.
    pub roundings: u32,
    /// The largest magnitude that a product of some of its factors may have, at least 1: what another order overflows at.
    pub largest: f64,
    /// The smallest one, at most 1: what another order underflows at.
    pub smallest: f64,
    /// The largest magnitude that something may be divided by, 0 where nothing is: literals may move there.
    pub divisor: f64,
    /// The smallest magnitude that a product of literals among its factors may have, at most 1.
    pub literal: f64,
}

impl Form {
    /// A value that no operation reaches into.
    pub fn leaf(value: f32, bound: f64) -> Self {
        let weight = f64::from(value.abs());
        // Times 0 nothing is rounded, in whatever order.
        let smallest = if weight == 0.0 && bound == 0.0 { 1.0 } else { (weight - bound).clamp(0.0, 1.0) };
        let largest = (weight + bound).max(1.0);
        let (inherited, terms, products, operations, roundings) = (bound, 1.0, 0.0, 0, 0);
        let (divisor, literal) = (0.0, 1.0);
        Self { inherited, terms, weight, products, operations, roundings, largest, smallest, divisor, literal }
    }

    /// The same as a literal of the rule.
    pub fn as_literal(self) -> Self {
        let literal = if self.weight > 0.0 { self.weight.min(1.0) } else { 1.0 };
        Self { literal, ..self }
    }

    /// Whether no order of its terms and factors overflows, or divides by what WGSL says nothing of.
    pub fn is_known(&self) -> bool {
        let most = f64::from(f32::MAX);
        self.operations <= 1 || (self.weight <= most && self.largest <= most && self.divisor <= LARGEST_DIVISOR)
    }

    /// With what may be lost where a product of some of its factors, but not all, is below this. A 0 has nothing to lose.
    pub fn flushed_below(self, least: f64) -> Self {
        let is_zero = self.weight == 0.0 && self.inherited == 0.0;
        let lost = if self.operations > 1 && self.smallest < least && !is_zero { least * self.largest } else { 0.0 };
        Self { inherited: self.inherited + lost, ..self }
    }

    /// How far another implementation's result may be.
    pub fn bound(&self) -> f64 {
        self.inherited + self.reassociated()
    }

    /// What reassociation may move the value by. Either result takes one rounding for each addition, of at most the
    /// weight, and one for each product. A single operation on what everybody agrees on is the same everywhere.
    fn reassociated(&self) -> f64 {
        if self.roundings <= 1 && self.inherited == 0.0 {
            return 0.0;
        }
        2.0 * ROUNDING * ((self.terms - 1.0) * self.weight + self.products)
    }

    pub fn plus(self, other: Self) -> Self {
        let weight = self.weight + other.weight;
        Self {
            inherited: self.inherited + other.inherited,
            terms: self.terms + other.terms,
            weight,
            products: self.products + other.products,
            operations: self.operations.saturating_add(other.operations).saturating_add(1),
            roundings: self.roundings.saturating_add(other.roundings).saturating_add(1),
            // The sum is a factor where its terms are none.
            largest: self.largest.max(other.largest).max(weight),
            smallest: self.smallest.min(other.smallest),
            divisor: self.divisor.max(other.divisor),
            literal: self.literal.min(other.literal),
        }
    }

    /// With a 0 among its terms, which changes nothing unless another order makes it something else.
    pub fn plus_zero(self, zero: Self) -> Self {
        Self {
            operations: self.operations.saturating_add(zero.operations),
            largest: self.largest.max(zero.largest),
            smallest: self.smallest.min(zero.smallest),
            divisor: self.divisor.max(zero.divisor),
            literal: self.literal.min(zero.literal),
            ..self
        }
    }

    /// The product of values of these magnitudes.
    pub fn times(self, other: Self, magnitude: f64, other_magnitude: f64) -> Self {
        let (mine, theirs) = (self.bound(), other.bound());
        let linear = magnitude * other.inherited + other_magnitude * self.inherited;
        let weight = self.weight * other.weight;
        Self {
            inherited: if self.inherited + other.inherited == 0.0 { 0.0 } else { linear + mine * theirs },
            terms: self.terms * other.terms,
            weight,
            products: self.products * other.weight + other.products * self.weight + weight,
            operations: self.operations.saturating_add(other.operations).saturating_add(1),
            roundings: self.roundings.saturating_add(other.roundings).saturating_add(1),
            largest: self.largest * other.largest,
            smallest: self.smallest * other.smallest,
            divisor: (self.divisor / other.literal).max(other.divisor / self.literal),
            literal: self.literal * other.literal,
        }
    }

    /// Times what is known exactly and rounds nothing.
    pub fn scaled(self, factor: Self) -> Self {
        let by = factor.weight;
        Self {
            inherited: self.inherited * by,
            weight: self.weight * by,
            products: self.products * by,
            operations: self.operations.saturating_add(u32::from(by != 1.0)),
            largest: self.largest * by.max(1.0),
            smallest: self.smallest * by.min(1.0),
            divisor: self.divisor / factor.literal,
            literal: self.literal * factor.literal,
            ..self
        }
    }

    /// The quotient by what is between these; its own rounding is left to the caller.
    pub fn divided(self, least: f64, greatest: f64) -> Self {
        Self {
            inherited: self.inherited / least,
            weight: self.weight / least,
            products: self.products / least,
            operations: self.operations.saturating_add(1),
            roundings: self.roundings.saturating_add(1),
            largest: self.largest / least.min(1.0),
            smallest: self.smallest / least.max(1.0),
            divisor: (greatest / self.literal).max(self.divisor * greatest.max(1.0)),
            ..self
        }
    }

    /// The wider of both in every respect.
    pub fn or(self, other: Self) -> Self {
        Self {
            inherited: self.inherited.max(other.inherited),
            terms: self.terms.max(other.terms),
            weight: self.weight.max(other.weight),
            products: self.products.max(other.products),
            operations: self.operations.max(other.operations),
            roundings: self.roundings.max(other.roundings),
            largest: self.largest.max(other.largest),
            smallest: self.smallest.min(other.smallest),
            divisor: self.divisor.max(other.divisor),
            literal: self.literal.min(other.literal),
        }
    }
}
