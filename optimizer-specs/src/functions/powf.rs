//! x^y = 2^(y·log₂|x|), as C and IEEE 754 define `pow`.
//!
//! The product reaches 150, and its fraction counts to the 24th digit, so that log₂|x| is needed to some 33 digits: it is
//! a head of 12 digits and a tail. The head's products with heads are exact.
//!
//! |x| = 2^e · m, ¼√8 ≤ m < √√8; c is 1 or √2, whichever is nearer. With s = (m − c) / (m + c)
//! log₂|x| = e + log₂c + (2 / ln 2)·(s + s³/3 + s⁵/5 + …), and |s| < 0.0865.

use super::Function;
use super::builder::{Builder, INFINITY, MAGNITUDE, NAN, OCTAVE, SIGN, Term, normalized};
use super::sequence::{Kind, Sequence};

/// The terms of (2 / ln 2)·atanh s behind the first, over s³: a series in s² for |s| < 0.0865, least greatest error, 7e-12.
const SERIES: [f32; 4] = [0.961_796_7, 0.577_078_04, 0.412_179_92, 0.324_568_12];
/// The bits of ¼√8, where m begins.
const LEAST: i32 = 0x3f57_44fd;
/// The bits of √√2, from where on c is √2.
const MIDDLE: i32 = 0x3f98_37f0;
/// m and c are whole in units of 2⁻²⁴.
const UNITS: f32 = (1 << 24) as f32;
/// √2 in these units, and by how much its logarithm is less than ½.
const ROOT_OF_TWO: (i32, f32) = (23_726_566, 2.469_067_4e-8);
/// 2 / ln 2 as a head of 12 digits and a tail.
const FACTOR: f64 = 2.0 * core::f64::consts::LOG2_E;
const FACTOR_HEAD: f32 = f32::from_bits((FACTOR as f32).to_bits() & 0xffff_f000);
const FACTOR_TAIL: f32 = (FACTOR - FACTOR_HEAD as f64) as f32;
/// Where an exponent is this large, every power but those of ±1 is infinite or 0.
const LARGEST_EXPONENT: f32 = (1_u64 << 33) as f32;
/// The exponents of 2 from which on a power is infinite or 0, whatever is added behind the head.
const OVERFLOW: f32 = 128.25;
const UNDERFLOW: f32 = 151.0;

/// A power with a real exponent.
pub(super) fn sequence() -> Sequence {
    let b = Builder::default();
    let x = b.argument("x", Kind::Real);
    let y = b.argument("y", Kind::Real);
    let (x_bits, y_bits) = (x.to_bits().named("x_bits"), y.to_bits().named("y_bits"));
    let base = (x_bits & MAGNITUDE).named("base");
    let exponent = (y_bits & MAGNITUDE).named("exponent");
    let (head, tail) = logarithm(&b, base);
    let power = power(&b, (head, tail), (exponent, y_bits & SIGN)).to_bits().named("power");

    // Infinite and 0 beside what is infinite or 0; 1 beside what is ±1.
    let is_extreme = (base.equals(0_u32) | base.equals(INFINITY) | exponent.equals(INFINITY)).named("is_extreme");
    let grows = base.greater(1.0_f32.to_bits()).equals(y_bits.less(SIGN));
    let extreme = grows.choose(INFINITY, 0_u32).named("extreme");
    let size =
        base.equals(1.0_f32.to_bits()).choose(1.0_f32.to_bits(), is_extreme.choose(extreme, power)).named("size");

    let (is_whole, is_odd) = wholeness(&b, exponent);
    let sign = is_odd.choose(x_bits & SIGN, 0_u32).named("sign");
    let is_real = x_bits.less(SIGN) | is_whole | base.equals(0_u32) | base.equals(INFINITY);
    let is_nan = (base.greater(INFINITY) | exponent.greater(INFINITY)).named("is_nan");
    let value = is_nan.choose(NAN, is_real.named("is_real").choose(size | sign, NAN)).named("value");
    let is_one = exponent.equals(0_u32) | x_bits.equals(1.0_f32.to_bits());
    b.finish("x^y, as C defines pow.", is_one.choose(1.0_f32.to_bits(), value).as_real())
}

/// log₂ of a positive real as head and tail.
fn logarithm<'b>(b: &'b Builder, base: Term<'b>) -> (Term<'b>, Term<'b>) {
    let (scaled, shift) = normalized(base, "|x| = 2^octaves * m. A subnormal x is its bits times 2^-149.");
    let octave = ((scaled - LEAST) >> 23_u32).named("octave");
    let mantissa = (scaled - octave * OCTAVE).named("mantissa");
    let is_upper = mantissa.greater(MIDDLE).noted("is_upper", "m, and c = 1 or the root of 2, in units of 2^-24.");
    let m = (mantissa.to_word().as_real() * UNITS).to_whole().named("m");
    let c = is_upper.choose(ROOT_OF_TWO.0, UNITS as i32).named("c");
    let difference = (m - c).to_real().named("difference");
    let sum = (m + c).named("sum");
    let sum_head = (sum.to_word() & 0xffff_c000_u32).to_whole().to_real().named("sum_head");
    let sum_tail = (sum.to_word() & 0x3fff_u32).to_whole().to_real().named("sum_tail");
    let inverse = (b.real(1.0) / sum.to_real()).named("inverse");
    let s_head =
        (difference * inverse).head().noted("s_head", "s = difference / sum as a head of 12 digits and a tail.");
    let lacking = (difference - s_head * sum_head).settled().named("lacking");
    let s_tail = ((lacking - s_head * sum_tail) * inverse).named("s_tail");
    let s = (s_head + s_tail).named("s");
    let square = (s * s).named("squared");
    let series = b.polynomial(square, &SERIES, &["series"]);

    let halves = (octave - shift) * 2 + is_upper.choose(1, 0);
    let octaves = (halves.to_real() * 0.5).noted("octaves", "log2|x| as a head of 12 digits and a tail.");
    let exact = (s_head * FACTOR_HEAD).named("exact");
    let rest = (s_head * FACTOR_TAIL + (s_tail * FACTOR as f32 + s * square * series)
        - is_upper.choose(ROOT_OF_TWO.1, 0.0))
    .named("rest");
    let head = (octaves + exact + rest).head().named("log_head");
    let left = ((octaves - head).settled() + exact).settled().named("left");
    (head, (left + rest).named("log_tail"))
}

/// 2^(logarithm · exponent), the exponent as its magnitude and sign.
fn power<'b>(
    b: &'b Builder,
    (log_head, log_tail): (Term<'b>, Term<'b>),
    (exponent, sign): (Term<'b>, Term<'b>),
) -> Term<'b> {
    let largest = LARGEST_EXPONENT.to_bits();
    let bounded = exponent.less(largest).choose(exponent, largest);
    let y = (bounded | sign).as_real().noted("bounded", "y * log2|x| as an exact product of heads, and the rest.");
    let y_head = y.head().named("y_head");
    let y_tail = (y - y_head).head().named("y_tail");
    let product = (y_head * log_head).to_bits().named("product");
    let behind = (y_tail * log_head + y * log_tail).named("behind");

    let product_sign = (product & SIGN).named("product_sign");
    let limit = product_sign.equals(0_u32).choose(OVERFLOW.to_bits(), UNDERFLOW.to_bits());
    let limit = limit.noted("limit", "From here on the result is infinite or 0.");
    let is_inside = (product & MAGNITUDE).less(limit).named("is_inside");
    let turns = is_inside.choose(product, limit | product_sign).as_real().named("turns");
    let half = (product_sign | 0.5_f32.to_bits()).as_real();
    let whole = (turns + half).to_whole().named("whole");
    // Of a product below one half all digits are needed, and nothing is taken away.
    let remainder = (turns - whole.to_real()).settled();
    let part = whole.equals(0).choose(turns, remainder).named("part");
    let fraction = (part + is_inside.choose(behind, b.real(0.0))).named("fraction");
    whole.call(Function::PowerOfTwo, Some(fraction))
}

/// Whether a number of this magnitude is whole, and whether it is odd.
fn wholeness<'b>(b: &'b Builder, magnitude: Term<'b>) -> (Term<'b>, Term<'b>) {
    let biased = (magnitude >> 23_u32).named("biased");
    let raised = biased.less(126_u32).choose(126_u32, biased).named("raised");
    let held = raised.greater(150_u32).choose(150_u32, raised);
    let places = (b.bits(150) - held).noted("places", "How many digits of y stand behind the point, 24 at most.");
    let digits = ((magnitude & 0x007f_ffff_u32) | 0x0080_0000_u32).named("digits");
    let is_whole = (digits & ((b.bits(1) << places) - 1_u32)).equals(0_u32).named("is_whole");
    let last_digit = (digits >> places) & 1_u32;
    let is_odd = (is_whole & last_digit.equals(1_u32)) & biased.less(151_u32);
    (is_whole, is_odd.named("is_odd"))
}
