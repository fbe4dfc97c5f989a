//! Sequences are well formed: what they print compiles on every target.

use std::collections::BTreeSet;

use crate::emit::keywords::is_reserved;
use crate::functions::Function;
use crate::functions::sequence::{Infix, Kind, Operation, Sequence, Step, StepId};

fn kinds_fit(sequence: &Sequence, step: &Step) -> bool {
    let kind = |id: StepId| sequence.step(id).kind;
    match step.operation {
        Operation::Argument(place) => sequence.arguments[place as usize].1 == step.kind,
        Operation::Real(bits) => step.kind == Kind::Real && f32::from_bits(bits).is_finite(),
        Operation::Whole(_) => step.kind == Kind::Whole,
        Operation::Bits(_) => step.kind == Kind::Bits,
        Operation::Infix(infix, a, b) => {
            let allowed: &[Kind] = match infix {
                Infix::Add | Infix::Subtract | Infix::Multiply => &[Kind::Real, Kind::Whole, Kind::Bits],
                Infix::Divide => &[Kind::Real],
                Infix::And | Infix::Or => &[Kind::Bits, Kind::Truth],
                Infix::ShiftLeft => &[Kind::Bits],
                Infix::ShiftRight => &[Kind::Whole, Kind::Bits],
            };
            let right = if infix == Infix::ShiftRight { Kind::Bits } else { step.kind };
            allowed.contains(&step.kind) && kind(a) == step.kind && kind(b) == right
        }
        Operation::Compare(_, a, b) => {
            step.kind == Kind::Truth && kind(a) == kind(b) && [Kind::Whole, Kind::Bits, Kind::Truth].contains(&kind(a))
        }
        Operation::Select(condition, then, otherwise) => {
            kind(condition) == Kind::Truth && kind(then) == step.kind && kind(otherwise) == step.kind
        }
        Operation::Convert(a) => matches!(
            (kind(a), step.kind),
            (Kind::Real | Kind::Bits, Kind::Whole) | (Kind::Whole, Kind::Real | Kind::Bits)
        ),
        Operation::Reinterpret(a) => {
            matches!((kind(a), step.kind), (Kind::Real, Kind::Bits) | (Kind::Bits, Kind::Real))
        }
        Operation::Call(function, a, b) => {
            let passed: Vec<_> = [Some(a), b].into_iter().flatten().map(kind).collect();
            let taken: Vec<_> = function.sequence().arguments.iter().map(|argument| argument.1).collect();
            step.kind == Kind::Real && passed == taken
        }
    }
}

#[test]
fn operands_are_of_the_kinds_that_operations_take() {
    for function in Function::ALL {
        let sequence = function.sequence();
        for (index, step) in sequence.steps.iter().enumerate() {
            assert!(kinds_fit(sequence, step), "{function:?}, step {index}: {step:?}");
            assert!(step.operation.operands().all(|operand| (operand.0 as usize) < index));
        }
        assert_eq!(sequence.step(sequence.result).kind, Kind::Real);
    }
}

#[test]
fn names_are_free_and_given_once_and_what_is_used_twice_has_one() {
    for function in Function::ALL {
        let sequence = function.sequence();
        let mut names = BTreeSet::new();
        for name in sequence.steps.iter().filter_map(|step| step.name) {
            assert!(names.insert(name), "{function:?} has two steps named `{name}`");
            assert!(!is_reserved(name), "{function:?}: `{name}` is reserved");
        }
        for (index, step) in sequence.steps.iter().enumerate() {
            let operands = sequence.steps.iter().flat_map(|step| step.operation.operands());
            let uses = operands.chain([sequence.result]).filter(|id| id.0 as usize == index).count();
            let is_literal = step.operation.operands().next().is_none();
            assert!(
                uses == 1 || step.name.is_some() || is_literal,
                "{function:?}, step {index}: {step:?}: {uses} uses"
            );
            assert!(uses > 0, "{function:?}, step {index}: {step:?} is used nowhere");
        }
    }
}

#[test]
fn each_function_has_its_names_reserved_and_stands_behind_what_it_calls() {
    for (place, function) in Function::ALL.into_iter().enumerate() {
        assert!(is_reserved(function.name()) && is_reserved(function.name_of_four()), "{function:?}");
        assert_eq!(function as usize, place);
        assert!(function.calls().all(|called| called < function), "{function:?}");
    }
    assert_eq!(Function::Tanh.calls().collect::<Vec<_>>(), [Function::PowerOfTwo, Function::Exp]);
}
