//! Float literals: Tint reads the bits that are meant.

use optimizer_specs::emit::literal;
use optirs_gpu_tests::browser::in_browser;
use optirs_gpu_tests::parity::Random;

/// A source that is refused where the literal is read as other bits.
fn assertion(value: f32) -> String {
    format!("const_assert bitcast<u32>({}) == {}u;\n", literal::real(value), value.to_bits())
}

#[test]
fn literals_are_read_as_the_bits_that_are_meant() {
    let mut random = Random::new(1);
    let drawn = (0..4000).map(|_| f32::from_bits(random.below(1 << 32) as u32)).filter(|value| value.is_normal());
    // Without −0: WGSL lets the sign of a zero be ignored, and Tint does.
    let edges = [0.0, 1.0, 0.1, 1e-8, 0.999, f32::MAX, f32::MIN, f32::MIN_POSITIVE, f32::EPSILON, 16_777_217.0];
    let source: String = edges.into_iter().chain(drawn).map(assertion).collect();
    in_browser(|browser| {
        assert_eq!(browser.read(&source), [""; 0]);
        let other = assertion(0.1).replace("0.1f", "0.10000001f");
        assert!(browser.read(&other)[0].contains("assertion failed"));
    });
}
