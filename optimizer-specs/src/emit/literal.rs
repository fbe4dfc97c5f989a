//! How literals print: the same digits on every target, and exactly the value that the interpreter computes with.

/// The f32 that a real literal is on the device: its decimal, rounded once. Going through the shortest decimal form of
/// the f64 avoids rounding twice.
pub fn device_real(value: f64) -> f32 {
    format!("{value:?}").parse().unwrap_or(value as f32)
}

/// A real literal: the shortest decimal that is this f32 and no other, with the suffix that the shading languages share.
///
/// That of the largest f32 is larger than it by a part of an ulp, which WGSL's compilers may refuse: it gets more digits.
pub fn real(value: f32) -> String {
    if value.abs() == f32::MAX { format!("{:?}f", f64::from(value)) } else { format!("{value:?}f") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::rust_expression::{Dialect, Printer};
    use crate::interp::{Bounded, Number};
    use crate::ir::Names;
    use crate::ir::build::GraphBuilder;

    #[test]
    fn reals_print_exactly() {
        for (value, printed) in [
            (0.0, "0.0f"),
            (1.0, "1.0f"),
            (-1.0, "-1.0f"),
            (1e-8, "1e-8f"),
            (0.1, "0.1f"),
            (16_777_216.0, "16777216.0f"),
            (f32::MAX, "3.4028234663852886e38f"),
            (f32::MIN, "-3.4028234663852886e38f"),
            (f32::MAX.next_down(), "3.4028233e38f"),
            (f32::MIN_POSITIVE, "1.1754944e-38f"),
        ] {
            assert_eq!(real(value), printed);
        }
    }

    #[test]
    fn a_literal_is_rounded_once() {
        // Between two f32, nearest to the upper; as an f64 it lies exactly in the middle and would go to the even one.
        let literal = 1.000_000_059_604_644_8;
        assert_eq!(device_real(literal).to_bits(), "1.0000000596046448".parse::<f32>().unwrap().to_bits());
        assert_eq!(device_real(0.999), 0.999_f32);
    }

    /// The emitters and the interpreter mean the same number by it.
    #[test]
    fn a_literal_is_the_same_everywhere() {
        let mut builder = GraphBuilder::new("update", vec![]);
        let literal = builder.real(1.000_000_059_604_644_8);
        let (labels, name) = (Names::default(), |_| None);
        let printer = |dialect| Printer { labels: &labels, graph: builder.graph(), dialect, name: &name };
        assert_eq!(printer(Dialect::Device).value(literal), "1.0000001");
        assert_eq!(printer(Dialect::Host).value(literal), "1.0000000596046448");
        assert_eq!(real(device_real(1.000_000_059_604_644_8)), "1.0000001f");
        assert_eq!(f32::from_literal(1.000_000_059_604_644_8), 1.000_000_1);
        assert_eq!(f64::from_literal(1.000_000_059_604_644_8), 1.000_000_059_604_644_8);
        assert_eq!(Bounded::from_literal(1.000_000_059_604_644_8).to_f32(), 1.000_000_1);
    }
}
