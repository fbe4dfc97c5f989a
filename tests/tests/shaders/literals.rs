//! Float literals: what is printed is read back to the same bits.

use naga::{Expression, Literal};
use optimizer_specs::emit::{literal, wgsl};
use optirs_gpu_tests::compiled::rules;
use proptest::prelude::*;

/// The f32 that naga reads.
fn read_by_naga(text: &str) -> f32 {
    let module = naga::front::wgsl::parse_str(&format!("const x = {text};")).unwrap();
    let (_, constant) = module.constants.iter().next().unwrap();
    match module.global_expressions[constant.init] {
        Expression::Literal(Literal::F32(value)) => value,
        ref other => panic!("{text} became {other:?}"),
    }
}

#[test]
fn the_edges_of_f32_survive() {
    for value in [0.0, -0.0, 1.0, 0.1, 1e-8, 0.999, f32::MAX, f32::MIN, f32::MIN_POSITIVE, f32::EPSILON, 16_777_217.0] {
        assert_eq!(read_by_naga(&literal::real(value)).to_bits(), value.to_bits(), "{value:?}");
    }
}

/// Norms are scaled by 2^-96 and back: both must be that exactly.
#[test]
fn the_scales_of_norms_are_powers_of_two() {
    let rules = rules();
    let lamb = rules.iter().find(|rule| rule.name() == "lamb").unwrap();
    let case = lamb.cases().next().unwrap();
    let source = wgsl::program(case.rule, case.variant, case.program);
    for (before, after, bits) in
        [("return square(", " * x", (127 - 96) << 23), ("select(sqrt(squares), ", " * sqrt", (127 + 96) << 23)]
    {
        let printed = source.split_once(before).and_then(|(_, rest)| rest.split_once(after)).unwrap().0;
        assert_eq!(read_by_naga(printed).to_bits(), bits, "{printed}");
    }
}

proptest! {
    #[test]
    fn every_normal_number_survives(bits in any::<u32>()) {
        let value = f32::from_bits(bits);
        prop_assume!(value.is_normal());
        prop_assert_eq!(read_by_naga(&literal::real(value)).to_bits(), bits);
    }

    #[test]
    fn a_decimal_is_rounded_once(digits in 1u64..1_000_000_000, exponent in -30i32..20) {
        let decimal = format!("{digits}e{exponent}");
        let rounded: f32 = decimal.parse().unwrap();
        prop_assert_eq!(literal::device_real(decimal.parse().unwrap()).to_bits(), rounded.to_bits());
    }
}
