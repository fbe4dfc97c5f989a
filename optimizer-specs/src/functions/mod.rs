//! The element functions of the language that no target computes alike: each is defined here once, as a [`Sequence`] of
//! operations that all targets have, and printed from there.
//!
//! Guarantees, for every argument: the same bits on the CPU, in Metal and in the f32 interpreter; at most 2 ulp from the
//! exact value on every target, however a target uses the liberties that WGSL gives it (see [`sequence`]). NaN is always
//! 0x7fc00000.

mod builder;
mod cbrt;
mod exp;
mod ln;
mod power_of_two;
mod powf;
pub mod sequence;
mod tanh;
#[cfg(test)]
pub(crate) mod tests;

use std::sync::LazyLock;

pub use self::sequence::Sequence;
use crate::ir::{BinaryOp, Op, UnaryOp};

/// An element function, or one that others are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// 2 to the power of a whole number plus a fraction; of the other functions' own.
    PowerOfTwo,
    /// e^x
    Exp,
    /// Natural logarithm.
    Ln,
    /// Cube root.
    Cbrt,
    /// Hyperbolic tangent.
    Tanh,
    /// x^y
    Powf,
}

impl Function {
    /// All of them; what is called stands before what calls it.
    pub const ALL: [Self; 6] =
        [Function::PowerOfTwo, Function::Exp, Function::Ln, Function::Cbrt, Function::Tanh, Function::Powf];

    /// Its name in generated code.
    pub fn name(self) -> &'static str {
        match self {
            Function::PowerOfTwo => "power_of_two",
            Function::Exp => "exp_of",
            Function::Ln => "ln_of",
            Function::Cbrt => "cbrt_of",
            Function::Tanh => "tanh_of",
            Function::Powf => "powf_of",
        }
    }

    /// The name of the function of four elements in shading languages.
    pub fn name_of_four(self) -> &'static str {
        match self {
            Function::PowerOfTwo => "power_of_two4",
            Function::Exp => "exp_of4",
            Function::Ln => "ln_of4",
            Function::Cbrt => "cbrt_of4",
            Function::Tanh => "tanh_of4",
            Function::Powf => "powf_of4",
        }
    }

    /// The function that computes an operation of the device, if it is one.
    pub fn of(op: Op) -> Option<Self> {
        match op {
            Op::Unary(UnaryOp::Exp, _) => Some(Function::Exp),
            Op::Unary(UnaryOp::Ln, _) => Some(Function::Ln),
            Op::Unary(UnaryOp::Cbrt, _) => Some(Function::Cbrt),
            Op::Unary(UnaryOp::Tanh, _) => Some(Function::Tanh),
            Op::Binary(BinaryOp::Powf, ..) => Some(Function::Powf),
            _ => None,
        }
    }

    /// How it is computed.
    pub fn sequence(self) -> &'static Sequence {
        static SEQUENCES: LazyLock<[Sequence; 6]> = LazyLock::new(|| {
            let (cbrt, tanh, powf) = (cbrt::sequence(), tanh::sequence(), powf::sequence());
            [power_of_two::sequence(), exp::sequence(), ln::sequence(), cbrt, tanh, powf]
        });
        &SEQUENCES[self as usize]
    }

    /// The functions that it calls, theirs included.
    pub fn calls(self) -> impl Iterator<Item = Self> {
        let sequence = self.sequence();
        Self::ALL.into_iter().filter(move |&other| {
            let mut called = sequence.calls();
            called.any(|function| function == other || function.calls().any(|inner| inner == other))
        })
    }

    /// How many operations it takes, those of the functions that it calls included.
    pub fn operations(self) -> u32 {
        let called: u32 = self.sequence().calls().map(Self::operations).sum();
        called + self.sequence().own_operations()
    }

    /// The greatest distance from the exact value, in units of its last place, of any implementation.
    pub const MOST_ULPS: f64 = 2.0;

    /// Whether an argument is one that rules keep from becoming negative: of a logarithm, the base of a power.
    pub fn is_of_positive(self, place: usize) -> bool {
        matches!(self, Function::Ln | Function::Powf) && place == 0
    }

    /// The value on the CPU and in Metal.
    pub fn value(self, arguments: &[f32]) -> f32 {
        let words: Vec<u32> = arguments.iter().map(|argument| argument.to_bits()).collect();
        f32::from_bits(self.sequence().evaluate(&words))
    }

    /// The value to which the sequence is an approximation, from the mathematical library of the platform.
    ///
    /// Of [`Function::PowerOfTwo`] the first argument is a whole number.
    pub fn reference(self, arguments: &[f64]) -> f64 {
        match (self, arguments) {
            (Function::PowerOfTwo, &[whole, fraction]) => (whole + fraction).exp2(),
            (Function::Exp, &[x]) => x.exp(),
            (Function::Ln, &[x]) => x.ln(),
            (Function::Cbrt, &[x]) => x.cbrt(),
            (Function::Tanh, &[x]) => x.tanh(),
            (Function::Powf, &[x, y]) => x.powf(y),
            _ => f64::NAN,
        }
    }
}
