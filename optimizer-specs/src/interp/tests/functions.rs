//! The bound of element functions: what WGSL may make of them is inside, what is farther off is not.

use super::Random;
use super::sloppy::{self, Sloppy};
use crate::functions::Function;
use crate::interp::{Bounded, Number};

const FUNCTIONS: [Function; 5] = [Function::Exp, Function::Ln, Function::Cbrt, Function::Tanh, Function::Powf];

/// As many arguments as the function takes, each off by up to a part of it.
fn arguments(function: Function, random: &mut Random) -> Vec<Bounded> {
    let argument = |random: &mut Random| {
        let value = random.real() * 10_f32.powi((random.bits() % 6) as i32 - 3);
        let bound = f64::from(value.abs()) * [0.0, 1e-7, 1e-3][random.bits() as usize % 3];
        Bounded::within(value, bound)
    };
    let count = function.sequence().arguments.len();
    let mut arguments: Vec<_> = (0..count).map(|_| argument(random)).collect();
    if function.is_of_positive(0) {
        arguments[0] = arguments[0].magnitude();
    }
    arguments
}

#[test]
fn sloppy_functions_of_sloppy_arguments_stay_inside() {
    let mut random = Random(3);
    let (mut inside, mut unbounded) = (0, 0);
    for round in 0..20_000 {
        sloppy::seed(round);
        let function = FUNCTIONS[round as usize % FUNCTIONS.len()];
        let arguments = arguments(function, &mut random);
        let bounded = Bounded::function(function, &arguments);
        let moved = arguments.iter().map(|argument| {
            let value = f64::from(argument.value) + argument.bound * f64::from(random.real());
            // Rounding may lead out of the bound.
            let value = if argument.admits(value as f32) == Some(true) { value as f32 } else { argument.value };
            Sloppy::from_f32(value)
        });
        let moved: Vec<_> = moved.collect();
        match bounded.admits(Sloppy::function(function, &moved).value) {
            None => unbounded += 1,
            Some(is_inside) => {
                assert!(is_inside, "{function:?} of {arguments:?}: {moved:?} leaves {bounded:?}");
                inside += 1;
            }
        }
    }
    assert!(inside > 19_000, "{unbounded} of 20000 have no bound");
}

#[test]
fn a_value_five_places_off_leaves_the_bound() {
    let mut random = Random(4);
    for round in 0..5000 {
        let function = FUNCTIONS[round % FUNCTIONS.len()];
        let arguments: Vec<_> =
            arguments(function, &mut random).iter().map(|argument| Bounded::exact(argument.value)).collect();
        let bounded = Bounded::function(function, &arguments);
        let value = bounded.value;
        if value.is_normal() && value.abs() > 1e-37 && value != 1.0 {
            let off = f32::from_bits(value.to_bits() + 5);
            assert_eq!(bounded.admits(off), Some(false), "{function:?} of {arguments:?}: {bounded:?}");
        }
    }
}

#[test]
fn where_nothing_can_be_said_the_bound_is_infinite() {
    let of = |function, arguments: &[Bounded]| Bounded::function(function, arguments).bound;
    // It may be 0, or less.
    assert_eq!(of(Function::Ln, &[Bounded::within(1e-3, 2e-3)]), f64::INFINITY);
    assert_eq!(of(Function::Ln, &[Bounded::exact(1e-40)]), f64::INFINITY);
    assert_eq!(of(Function::Exp, &[Bounded::within(88.0, 1.0)]), f64::INFINITY);
    assert_eq!(of(Function::Powf, &[Bounded::exact(-2.0), Bounded::within(2.0, 1e-6)]), f64::INFINITY);
    assert_eq!(of(Function::Powf, &[Bounded::within(1e-3, 2e-3), Bounded::exact(-1.0)]), f64::INFINITY);
    assert_eq!(of(Function::Exp, &[Bounded::within(0.0, f64::INFINITY)]), f64::INFINITY);
    for unknown in [f32::NAN, f32::INFINITY].map(Bounded::from_f32) {
        assert_eq!(of(Function::Ln, &[unknown]), f64::INFINITY);
        assert_eq!(of(Function::Powf, &[unknown, Bounded::exact(1.0)]), f64::INFINITY);
    }
    // What rounding does not make is agreed upon.
    assert_eq!(Bounded::function(Function::Ln, &[Bounded::exact(0.0)]), Bounded::exact(f32::NEG_INFINITY));
    assert_eq!(Bounded::function(Function::Ln, &[Bounded::exact(1.0)]), Bounded::exact(0.0));
    assert_eq!(of(Function::Exp, &[Bounded::exact(f32::NEG_INFINITY)]), 0.0);
    assert_eq!(of(Function::Exp, &[Bounded::within(90.0, 1.0)]), 0.0);
    assert!(of(Function::Powf, &[Bounded::within(1e-3, 2e-3), Bounded::exact(2.0)]) < 1e-5);
}
