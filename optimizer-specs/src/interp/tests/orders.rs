//! The bound of WGSL where an implementation may take terms and factors in another order.

use crate::interp::{Bounded, Number};
use crate::ir::Comparison;

#[test]
fn sums_and_products_may_be_reassociated() {
    let [one, third, large] = [1.0, 1.0 / 3.0, 1e6_f32].map(Bounded::exact);
    // As Mesa's compiler has it: x.
    let sum = third.subtract(one).add(one);
    assert_ne!(sum.value, third.value);
    assert_eq!(sum.admits(third.value), Some(true));
    assert_eq!(sum.admits(third.value + 1e-6), Some(false));
    let product = third.multiply(third).multiply(large);
    assert_eq!(product.admits(third.value * (third.value * 1e6)), Some(true));
    let factored = third.multiply(large).add(one.multiply(large).negate());
    assert_eq!(factored.admits((third.value - 1.0) * 1e6), Some(true));
    // Terms that cancel are there all the same: 1 + (−1 − 0.1) is not −0.1.
    let cancelled = one.subtract(one).subtract(Bounded::exact(0.1));
    assert_eq!(cancelled.value, -0.1);
    assert_eq!(cancelled.admits(1.0 + (-1.0 - 0.1)), Some(true));
    // What memory holds is not reached into, and one operation has one result.
    assert_eq!(third.subtract(one).settled().add(one).bound, 0.0);
    assert_eq!(third.multiply(third).bound, 0.0);
}

#[test]
fn another_order_may_overflow_or_underflow() {
    let [small, large, tiny, huge] = [1e-3, 1e20_f32, 1e-25, 1e30].map(Bounded::exact);
    // As NVIDIA's compiler has it: infinite.
    let square = small.multiply(large).multiply(large);
    assert!(square.value.is_finite() && (large.value * large.value).is_infinite());
    assert_eq!(square.admits(f32::INFINITY), None);
    assert_eq!(small.multiply(large).multiply(small).admits(1e14), Some(true));
    let sum = Bounded::exact(1.3e19).add(Bounded::exact(1.2e19));
    assert_eq!(small.multiply(sum).multiply(sum).admits(f32::INFINITY), None);
    let scaled = huge.multiply(tiny).multiply(tiny);
    assert!(scaled.value > 0.0 && scaled.bound.is_finite());
    assert_eq!(scaled.admits(0.0), Some(true));
    // What memory holds is one factor.
    assert!(small.multiply(large).settled().multiply(small).bound.is_finite());
    assert_eq!(large.add(Bounded::exact(3e38)).add(Bounded::exact(-3e38)).admits(f32::INFINITY), None);
    let within = Bounded::exact(1e38);
    assert!(within.add(within).add(within.negate()).bound.is_finite());
}

#[test]
fn zero_times_what_may_not_be_finite_is_unknown() {
    let [zero, one, unknown] = [0.0, 1.0, 1.0 / 0.0].map(Bounded::from_f32);
    assert_eq!(zero.multiply(unknown).admits(0.0), None);
    assert_eq!(unknown.multiply(zero).admits(f32::NAN), None);
    assert_eq!(zero.multiply_add(unknown, one).admits(1.0), None);
    let either = Bounded::choose(unknown.compare(Comparison::Equal, one), one, unknown);
    assert_eq!(either.multiply(zero).admits(f32::NAN), None);
}

#[test]
fn powers_of_two_are_factors_too() {
    let [scale, half, value, smallest] = [0.25, 0.5, 8.4, f32::MIN_POSITIVE].map(Bounded::from_f32);
    // As NVIDIA's compiler has it: 8.4 * (0.25 * 0.5 * smallest), which is flushed.
    let product = value.multiply(scale).multiply(half).multiply(smallest);
    assert!(product.value.is_normal());
    assert_eq!(product.admits(0.0), Some(true));
    assert_eq!(product.sign().admits(0.0), Some(true));
    let [small, large] = [-120, 100].map(|power| Bounded::exact(2_f32.powi(power)));
    assert_eq!(small.multiply(large).multiply(large).admits(f32::INFINITY), None);
    // What rounds nothing is the same in every order.
    let product = Bounded::exact(1.0 / 3.0).multiply(Bounded::exact(0.1));
    assert_eq!(product.multiply(half).multiply(scale).bound, 0.0);
}

#[test]
fn a_product_that_is_too_small_is_not_zero() {
    let small = Bounded::exact(1e-30);
    let product = small.multiply(small);
    assert_eq!((product.value, product.admits(1e-45)), (0.0, Some(true)));
    assert_eq!(product.sign().admits(1.0), Some(true));
    let scaled = Bounded::exact(1e-10).multiply(Bounded::exact(2_f32.powi(-120)));
    assert_eq!((scaled.value, scaled.admits(1e-45)), (0.0, Some(true)));
    let zero = small.multiply(Bounded::exact(0.0));
    assert_eq!((zero.bound, zero.sign().bound), (0.0, 0.0));
}

#[test]
fn zero_is_nan_where_it_meets_what_overflows() {
    let [zero, one, large] = [0.0, 1.0, 1e30].map(Bounded::from_f32);
    // As NVIDIA's compiler has it: 0 * (large * large).
    let product = zero.multiply(large);
    assert_eq!(product.admits(f32::NAN), Some(false));
    assert_eq!(product.multiply(large).admits(f32::NAN), None);
    assert_eq!(large.multiply(product).admits(f32::NAN), None);
    assert_eq!(product.add(one).multiply(large).admits(1e30), None);
    assert_eq!(zero.multiply_add(large, one).multiply(large).admits(1e30), None);
    assert_eq!(zero.divide(Bounded::exact(1e-30)).multiply(large).admits(f32::NAN), None);
    // Beside a 0 nothing else changes.
    assert_eq!(product.add(one).bound, 0.0);
    assert_eq!(product.settled().multiply(large).bound, 0.0);
}

#[test]
fn a_literal_may_be_moved_into_a_divisor() {
    let smallest = Bounded::from_literal(f32::MIN_POSITIVE.into());
    let [zero, one, host] = [0.0, 1.0, f32::MIN_POSITIVE].map(Bounded::from_f32);
    let three = Bounded::from_literal(3.0);
    for value in [zero, one] {
        // As NVIDIA's compiler has it: value / (3 / smallest), which WGSL says nothing of.
        assert_eq!(smallest.multiply(value.divide(three)).admits(1.0), None);
        assert_eq!(smallest.multiply(value).divide(three).admits(1.0), None);
        assert_eq!(value.divide(three).multiply(host).admits(1.0), Some(false));
    }
}
