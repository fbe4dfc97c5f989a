//! Values of hyper-parameters that choose a given combination of options.

use optimizer_specs::checked::{Hyper, HyperType, HyperValue, Rule};
use optimizer_specs::interp;
use optimizer_specs::options::{Choice, Combination};

use super::random::Random;

/// Values for every field: as the combination says where it is an option, else the default, something
/// near it, or 0.
pub fn values(rule: &Rule, combination: &Combination, random: &mut Random) -> Vec<HyperValue> {
    let value = |(index, hyper): (usize, &Hyper)| match (combination.choice(index as u32), hyper.ty) {
        (Some(Choice::Bool(value)), _) => HyperValue::Bool(value),
        (Some(Choice::Variant(variant)), _) => HyperValue::Enum(variant),
        (Some(Choice::Some(false)), _) => HyperValue::NoneValue,
        (Some(Choice::Some(true)), HyperType::OptionU32) => HyperValue::SomeU32(whole(hyper, random)),
        (Some(Choice::Some(true)), _) => HyperValue::SomeF32(real(hyper, random)),
        (Some(Choice::Zero(true)), HyperType::U32) => HyperValue::U32(0),
        (Some(Choice::Zero(true)), _) => HyperValue::F32(0.0),
        (None, _) if random.once_in(2) => hyper.default.clone(),
        (None, HyperType::F32) if random.once_in(8) && start(hyper) == 0.0 => HyperValue::F32(0.0),
        (_, HyperType::U32) => HyperValue::U32(whole(hyper, random)),
        (_, _) => HyperValue::F32(real(hyper, random)),
    };
    rule.hypers.iter().enumerate().map(value).collect()
}

/// The same as the interpreter takes them.
pub fn for_interpreter(values: &[HyperValue]) -> Vec<interp::Hyper> {
    let value = |value: &HyperValue| match *value {
        HyperValue::F32(value) | HyperValue::SomeF32(value) => interp::Hyper::Real(value as f32),
        HyperValue::U32(value) | HyperValue::SomeU32(value) => interp::Hyper::Int(value),
        HyperValue::Bool(_) | HyperValue::NoneValue | HyperValue::Enum(_) => interp::Hyper::Option,
    };
    values.iter().map(value).collect()
}

/// Replaces some values by others of their ranges, of any magnitude; a value that is not 0 stays so.
pub fn scatter(rule: &Rule, values: &mut [HyperValue], random: &mut Random) {
    for (hyper, value) in rule.hypers.iter().zip(values) {
        match value {
            HyperValue::F32(value) | HyperValue::SomeF32(value) if *value != 0.0 && random.once_in(2) => {
                *value = f64::from(anywhere(hyper, random));
            }
            _ => {}
        }
    }
}

/// A number of a range: near its bounds, or of a magnitude from 1e-20 to 1e20.
fn anywhere(hyper: &Hyper, random: &mut Random) -> f32 {
    let (low, high) = (start(hyper) as f32, hyper.range.as_ref().and_then(|range| range.end));
    let large = 10_f64.powf(40.0 * random.fraction() - 20.0) as f32;
    match high {
        Some(high) if random.once_in(2) => (high as f32).next_down(),
        Some(high) => low + (high as f32 - low) * random.fraction() as f32,
        None => low + large,
    }
}

fn start(hyper: &Hyper) -> f64 {
    hyper.range.as_ref().and_then(|range| range.start).unwrap_or(0.0)
}

/// A real in the range, not 0: near the default where that is not 0.
fn real(hyper: &Hyper, random: &mut Random) -> f64 {
    let default = match hyper.default {
        HyperValue::F32(value) | HyperValue::SomeF32(value) => value,
        _ => 0.0,
    };
    let fraction = random.fraction();
    let end = hyper.range.as_ref().and_then(|range| range.end);
    let near = match end {
        // Between the default and its bound, or as far below.
        Some(end) if default != 0.0 => default + (end - default) * (fraction - 0.5),
        _ if default != 0.0 => default * (0.7 + 0.6 * fraction),
        Some(end) => start(hyper) + (end - start(hyper)) * (0.1 + 0.4 * fraction),
        None => start(hyper) + 0.02 + 0.3 * fraction,
    };
    // Below the start, and so possibly 0, there is nothing to be near to.
    let value = if near < start(hyper) { default } else { near };
    f64::from(value as f32)
}

/// A whole number in the range, not 0.
fn whole(hyper: &Hyper, random: &mut Random) -> u32 {
    let default = match hyper.default {
        HyperValue::U32(value) | HyperValue::SomeU32(value) => value,
        _ => 0,
    };
    default.max(start(hyper) as u32).max(1) + random.below(4) as u32
}
