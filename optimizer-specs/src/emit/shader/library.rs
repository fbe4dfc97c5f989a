//! Small functions that kernels call: operations that targets define too loosely or not at all. Only those that a
//! program uses are printed with it.

use super::function;
use super::syntax::{Syntax, Width, Word};
use crate::emit::literal;
use crate::emit::text::Text;
use crate::functions::Function;

/// A function of the library. They are printed in this order: those that others call come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Library {
    /// `x·x`
    Square,
    /// The square of x·2⁻⁹⁶.
    ScaledSquare,
    /// The root of a sum of squares, guarded against overflow.
    NormOf,
    /// The sum of a thread's four lanes.
    SumOfLanes,
    /// `if b < a { b } else { a }`
    Smaller(Width),
    /// `if a < b { b } else { a }`
    Larger(Width),
    /// 1, -1, or 0 at 0 and NaN.
    SignOf(Width),
    /// A power with a whole exponent.
    Powi(Width),
    /// The least of a thread's four lanes.
    SmallestLane,
    /// The greatest of them.
    LargestLane,
    /// An element function.
    Function(Function, Width),
}

/// 2⁻⁹⁶: squares of what it scales do not overflow.
const NORM_DOWN: f32 = f32::from_bits((127 - 96) << 23);
/// 2⁹⁶
const NORM_UP: f32 = f32::from_bits((127 + 96) << 23);

impl Library {
    /// Its name on every target.
    pub fn name(self) -> &'static str {
        match self {
            Library::Square => "square",
            Library::ScaledSquare => "scaled_square",
            Library::SumOfLanes => "sum_of_lanes",
            Library::SmallestLane => "smallest_lane",
            Library::LargestLane => "largest_lane",
            Library::NormOf => "norm_of",
            Library::Smaller(Width::One) => "smaller",
            Library::Smaller(Width::Four) => "smaller4",
            Library::Larger(Width::One) => "larger",
            Library::Larger(Width::Four) => "larger4",
            Library::SignOf(Width::One) => "sign_of",
            Library::SignOf(Width::Four) => "sign_of4",
            Library::Powi(Width::One) => "powi",
            Library::Powi(Width::Four) => "powi4",
            Library::Function(function, Width::One) => function.name(),
            Library::Function(function, Width::Four) => function.name_of_four(),
        }
    }

    /// The width of its reals.
    pub fn width(self) -> Width {
        match self {
            Library::Square | Library::ScaledSquare => Width::Four,
            Library::NormOf | Library::SumOfLanes | Library::SmallestLane | Library::LargestLane => Width::One,
            Library::Smaller(width) | Library::Larger(width) | Library::SignOf(width) | Library::Powi(width) => width,
            Library::Function(_, width) => width,
        }
    }

    /// The functions that it calls.
    pub fn calls(self) -> Vec<Self> {
        let Library::Function(function, width) = self else { return Vec::new() };
        let own = (width == Width::Four).then_some(function);
        own.into_iter().chain(function.calls()).map(|function| Library::Function(function, Width::One)).collect()
    }

    /// Prints the function.
    pub fn print(self, syntax: &dyn Syntax, text: &mut Text) {
        let width = self.width();
        let real = |literal: &str| match width {
            Width::One => literal.to_owned(),
            Width::Four => syntax.splat(Word::F32, literal),
        };
        match self {
            Library::Square => {
                text.open(syntax.function(self.name(), width, &[("x", width, Word::F32)]));
                text.line("return x * x;");
            }
            Library::ScaledSquare => {
                text.line("// The square of x times 2^-96, which does not overflow.");
                text.open(syntax.function(self.name(), width, &[("x", width, Word::F32)]));
                text.line(format!("return square({} * x);", literal::real(NORM_DOWN)));
            }
            Library::SumOfLanes => {
                text.open(syntax.function(self.name(), width, &[("x", Width::Four, Word::F32)]));
                text.line("return (x.x + x.y) + (x.z + x.w);");
            }
            Library::SmallestLane | Library::LargestLane => {
                let function = if self == Library::SmallestLane { Library::Smaller } else { Library::Larger };
                let function = function(Width::One).name();
                text.open(syntax.function(self.name(), width, &[("x", Width::Four, Word::F32)]));
                text.line(format!("return {function}({function}(x.x, x.y), {function}(x.z, x.w));"));
            }
            Library::NormOf => {
                text.line(
                    "// The root of a sum of squares; where that has overflowed, of the sum scaled by 2^-96 squared.",
                );
                text.open(syntax.function(
                    self.name(),
                    width,
                    &[("squares", width, Word::F32), ("scaled_squares", width, Word::F32)],
                ));
                let bits = syntax.bits_of_real("squares", Width::One);
                let exponent = "0x7f800000u";
                text.line(syntax.constant(
                    Word::Bool,
                    Width::One,
                    "overflowed",
                    &format!("({bits} & {exponent}) == {exponent}"),
                ));
                let (plain, scaled) = ("sqrt(squares)", format!("{} * sqrt(scaled_squares)", literal::real(NORM_UP)));
                text.line(format!("return {};", syntax.select(("overflowed", Width::One), &scaled, plain)));
            }
            Library::Smaller(_) | Library::Larger(_) => {
                let condition = if matches!(self, Library::Smaller(_)) { "b < a" } else { "a < b" };
                text.open(syntax.function(self.name(), width, &[("a", width, Word::F32), ("b", width, Word::F32)]));
                text.line(format!("return {};", syntax.select((condition, width), "b", "a")));
            }
            Library::SignOf(_) => {
                text.line("// 1 above 0, -1 below; 0 at both zeros and NaN.");
                text.open(syntax.function(self.name(), width, &[("x", width, Word::F32)]));
                let zero = real("0.0f");
                let negative = syntax.select((&format!("x < {zero}"), width), &real("-1.0f"), &zero);
                text.line(format!(
                    "return {};",
                    syntax.select((&format!("{zero} < x"), width), &real("1.0f"), &negative)
                ));
            }
            Library::Powi(_) => print_powi(self, syntax, text, &real("1.0f")),
            Library::Function(function, width) => return function::print(function, width, self.name(), syntax, text),
        }
        text.close("}");
    }
}

/// Square and multiply, from the lowest bit of the exponent.
fn print_powi(library: Library, syntax: &dyn Syntax, text: &mut Text, one: &str) {
    let width = library.width();
    text.line("// Square and multiply from the lowest bit; a negative power is the reciprocal.");
    text.open(syntax.function(library.name(), width, &[("x", width, Word::F32), ("exponent", Width::One, Word::I32)]));
    text.line(syntax.variable(Word::F32, width, "power", one));
    text.line(syntax.variable(Word::F32, width, "factor", "x"));
    let unsigned = syntax.ty(Word::U32, Width::One);
    let first = syntax.variable(Word::U32, Width::One, "bits", &format!("{unsigned}(abs(exponent))"));
    text.open(format!("for ({first} bits != 0u; bits /= 2u) {{"));
    text.open("if ((bits & 1u) == 1u) {");
    text.line("power = power * factor;");
    text.close("}");
    text.line("factor = factor * factor;");
    text.close("}");
    text.line(format!("return {};", syntax.select(("exponent < 0", Width::One), &format!("{one} / power"), "power")));
}
