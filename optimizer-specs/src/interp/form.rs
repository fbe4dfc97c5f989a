//! The form of a value: the sums and products that it was made by, and what reassociating them may change.
//!
//! WGSL lets an implementation reorder operations if the result is the same when computed exactly. Drivers do: NVIDIA's
//! multiplies `a·b·b` as `a·(b·b)`, Mesa's makes `x` of `(x − 1) + 1`. What overflows in one order may be finite in another,
//! and what is flushed to 0 may not be.

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
    /// The largest magnitude that a product of some of its factors may have, at least 1: what another order overflows at.
    pub largest: f64,
    /// The smallest one, at most 1: what another order underflows at.
    pub smallest: f64,
}

impl Form {
    /// A value that no operation reaches into.
    pub fn leaf(value: f32, bound: f64) -> Self {
        let weight = f64::from(value.abs());
        // Times 0 nothing is rounded, in whatever order.
        let smallest = if weight == 0.0 && bound == 0.0 { 1.0 } else { (weight - bound).clamp(0.0, 1.0) };
        let largest = (weight + bound).max(1.0);
        Self { inherited: bound, terms: 1.0, weight, products: 0.0, operations: 0, largest, smallest }
    }

    /// Whether no order of its terms and factors overflows.
    pub fn stays_finite(&self) -> bool {
        let most = f64::from(f32::MAX);
        self.operations <= 1 || (self.weight <= most && self.largest <= most)
    }

    /// With what may be lost where a product of some of its factors, but not all, is below this.
    pub fn flushed_below(self, least: f64) -> Self {
        let lost = if self.operations > 1 && self.smallest < least { least * self.largest } else { 0.0 };
        Self { inherited: self.inherited + lost, ..self }
    }

    /// How far another implementation's result may be.
    pub fn bound(&self) -> f64 {
        self.inherited + self.reassociated()
    }

    /// What reassociation may move the value by. Either result takes one rounding for each addition, of at most the
    /// weight, and one for each product. A single operation on what everybody agrees on is the same everywhere.
    fn reassociated(&self) -> f64 {
        if self.operations <= 1 && self.inherited == 0.0 {
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
            // The sum is a factor where its terms are none.
            largest: self.largest.max(other.largest).max(weight),
            smallest: self.smallest.min(other.smallest),
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
            largest: self.largest * other.largest,
            smallest: self.smallest * other.smallest,
        }
    }

    /// Times what is known exactly and rounds nothing.
    pub fn scaled(self, by: f64) -> Self {
        Self {
            inherited: self.inherited * by,
            weight: self.weight * by,
            products: self.products * by,
            largest: self.largest * by.max(1.0),
            smallest: self.smallest * by.min(1.0),
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
            largest: self.largest.max(other.largest),
            smallest: self.smallest.min(other.smallest),
        }
    }
}
