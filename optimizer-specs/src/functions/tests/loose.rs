//! Sequences as an implementation of WGSL might compute them: every liberty taken at random.

use crate::functions::sequence::{Infix, Kind, Operation, Sequence, Step, StepId, apply};

/// Chances, the same on every run.
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0
    }

    /// Any word.
    pub fn bits(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    /// In 0.0..1.0
    pub fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn heads(&mut self) -> bool {
        self.next() >> 63 == 1
    }

    /// In 0..end
    pub fn below(&mut self, end: usize) -> usize {
        self.bits() as usize % end
    }
}

/// The value for arguments, computed with every liberty: sums and products in any order, products seen unrounded by
/// sums, quotients off by 2.5 ulp, subnormal results 0.
pub fn evaluate(sequence: &Sequence, arguments: &[u32], dice: &mut Dice) -> u32 {
    let mut loose = Loose { sequence, dice, words: Vec::with_capacity(sequence.steps.len()) };
    for (index, step) in sequence.steps.iter().enumerate() {
        let word = loose.word(step, StepId(index as u32), arguments);
        loose.words.push(word);
    }
    loose.words[sequence.result.0 as usize]
}

struct Loose<'a> {
    sequence: &'a Sequence,
    dice: &'a mut Dice,
    words: Vec<u32>,
}

impl Loose<'_> {
    fn word(&mut self, step: &Step, id: StepId, arguments: &[u32]) -> u32 {
        let of = |id: StepId| self.words[id.0 as usize];
        match (step.operation, step.kind) {
            (Operation::Infix(Infix::Add | Infix::Subtract, ..), Kind::Real) => self.sum(id).to_bits(),
            (Operation::Infix(Infix::Multiply, ..), Kind::Real) => self.product(id).to_bits(),
            (Operation::Infix(Infix::Divide, a, b), Kind::Real) => {
                let quotient = f32::from_bits(of(a)) / f32::from_bits(of(b));
                let off = self.dice.below(5) as i32 - 2;
                if quotient == 0.0 { quotient.to_bits() } else { quotient.to_bits().wrapping_add_signed(off) }
            }
            (Operation::Call(function, a, b), _) => {
                let arguments = [of(a), b.map_or(0, of)];
                evaluate(function.sequence(), &arguments[..1 + usize::from(b.is_some())], self.dice)
            }
            (Operation::Infix(infix, a, b), kind) => apply(infix, kind, of(a), of(b)),
            _ => self.sequence.word(step, arguments, &self.words),
        }
    }

    fn real(&self, id: StepId) -> f32 {
        f32::from_bits(self.words[id.0 as usize])
    }

    fn flushed(&mut self, value: f32) -> f32 {
        if value.is_subnormal() && self.dice.heads() { 0.0 } else { value }
    }

    /// The terms of a sum, those of sums within it included at random.
    fn terms(&mut self, id: StepId, sign: f32, terms: &mut Vec<(f32, StepId)>, outermost: bool) {
        let step = *self.sequence.step(id);
        match step.operation {
            Operation::Infix(infix @ (Infix::Add | Infix::Subtract), a, b)
                if step.kind == Kind::Real && (outermost || self.dice.heads()) =>
            {
                self.terms(a, sign, terms, false);
                self.terms(b, if infix == Infix::Subtract { -sign } else { sign }, terms, false);
            }
            _ => terms.push((sign, id)),
        }
    }

    fn sum(&mut self, id: StepId) -> f32 {
        let mut terms = Vec::new();
        self.terms(id, 1.0, &mut terms, true);
        let (sign, first) = terms.swap_remove(self.dice.below(terms.len()));
        let mut sum = sign * self.real(first);
        while !terms.is_empty() {
            let (sign, term) = terms.swap_remove(self.dice.below(terms.len()));
            sum = match self.sequence.step(term).operation {
                Operation::Infix(Infix::Multiply, a, b) if self.dice.heads() => {
                    (sign * self.real(a)).mul_add(self.real(b), sum)
                }
                _ => sum + sign * self.real(term),
            };
            sum = self.flushed(sum);
        }
        sum
    }

    fn factors(&mut self, id: StepId, factors: &mut Vec<StepId>, outermost: bool) {
        let step = *self.sequence.step(id);
        match step.operation {
            Operation::Infix(Infix::Multiply, a, b) if step.kind == Kind::Real && (outermost || self.dice.heads()) => {
                self.factors(a, factors, false);
                self.factors(b, factors, false);
            }
            _ => factors.push(id),
        }
    }

    fn product(&mut self, id: StepId) -> f32 {
        let mut factors = Vec::new();
        self.factors(id, &mut factors, true);
        let mut product = 1.0;
        while !factors.is_empty() {
            let factor = factors.swap_remove(self.dice.below(factors.len()));
            product *= self.real(factor);
            product = self.flushed(product);
        }
        product
    }
}
