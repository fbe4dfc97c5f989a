//! The form of a value: the sums and products that it was made by, and what reassociating them may change.
//!
//! WGSL lets an implementation reorder operations if the result is the same when computed exactly. Drivers do: NVIDIA's
//! multiplies `a·b·b` as `a·(b·b)`, Mesa's makes `x` of `(x − 1) + 1`.

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
}

impl Form {
    /// A value that no operation reaches into.
    pub fn leaf(value: f32, bound: f64) -> Self {
        Self { inherited: bound, terms: 1.0, weight: value.abs().into(), products: 0.0, operations: 0 }
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
        Self {
            inherited: self.inherited + other.inherited,
            terms: self.terms + other.terms,
            weight: self.weight + other.weight,
            products: self.products + other.products,
            operations: self.operations.saturating_add(other.operations).saturating_add(1),
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
        }
    }

    /// Times what is known exactly and rounds nothing.
    pub fn scaled(self, by: f64) -> Self {
        let Self { inherited, weight, products, .. } = self;
        Self { inherited: inherited * by, weight: weight * by, products: products * by, ..self }
    }

    /// The wider of both in every respect.
    pub fn or(self, other: Self) -> Self {
        Self {
            inherited: self.inherited.max(other.inherited),
            terms: self.terms.max(other.terms),
            weight: self.weight.max(other.weight),
            products: self.products.max(other.products),
            operations: self.operations.max(other.operations),
        }
    }
}
