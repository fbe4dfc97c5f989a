//! Rounding to a grid.

use rand::{Rng, RngExt};

/// How a value between two points of a grid goes to one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundingMode {
    /// To the nearer one, of two as near the even one. It draws no random numbers.
    Nearest,
    /// To either one, with probability 1 − distance/spacing, so that the mean over draws is the value itself: small updates
    /// are not lost but taken now and then. Each value draws one random number.
    ///
    /// Gupta, Agrawal, Gopalakrishnan & Narayanan, "Deep Learning with Limited Numerical Precision", ICML 2015, section 3.
    Stochastic,
}

impl RoundingMode {
    /// Rounds to an integer. NaN and infinities stay.
    pub(super) fn integer(self, value: f64, rng: &mut impl Rng) -> f64 {
        match self {
            RoundingMode::Nearest => value.round_ties_even(),
            RoundingMode::Stochastic => {
                let low = value.floor();
                // False where an infinity makes the difference NaN. Adding 0 would take the sign from −0.
                if rng.random::<f64>() < value - low { low + 1.0 } else { low }
            }
        }
    }
}
