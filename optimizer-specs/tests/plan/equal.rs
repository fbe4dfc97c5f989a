//! All legal plans of a rule compute the same to the last bit, and the same as the graph without any plan.

use std::collections::BTreeMap;

use optimizer_specs::checked::{HyperType, HyperValue, Rule, StateKind};
use optimizer_specs::interp::{Hyper, Memory, Tensor, evaluate, execute};
use optimizer_specs::ir::Cell;
use optimizer_specs::plan::{Context, all_plans, records};

use crate::sources::every_rule;

/// A fixed sequence of numbers between 0.1 and 1.1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        0.1 + (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn take(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.next()).collect()
    }
}

/// Defaults; where the default chooses another variant, a value of this one.
fn hypers(rule: &Rule) -> Vec<Hyper> {
    let value = |(ty, default): (HyperType, &HyperValue)| match (ty, default) {
        (HyperType::F32, HyperValue::F32(0.0)) | (HyperType::OptionF32, HyperValue::NoneValue) => Hyper::Real(0.5),
        (_, HyperValue::F32(value) | HyperValue::SomeF32(value)) => Hyper::Real(*value as f32),
        (HyperType::OptionU32, HyperValue::NoneValue) => Hyper::Int(3),
        (_, HyperValue::U32(value) | HyperValue::SomeU32(value)) => Hyper::Int((*value).max(1)),
        (_, HyperValue::Bool(_) | HyperValue::NoneValue | HyperValue::Enum(_)) => Hyper::Option,
    };
    rule.hypers.iter().map(|hyper| value((hyper.ty, &hyper.default))).collect()
}

/// A memory in mid-training: every state has a value.
fn memory(rule: &Rule, lengths: &[usize], takes_grad: bool) -> Memory<f32> {
    let mut numbers = Numbers(41);
    let states = || (0..).zip(&rule.states);
    let mut tensor = |(place, &length): (usize, &usize)| {
        let mut cells = BTreeMap::from([(Cell::Param, numbers.take(length))]);
        let mut host_states = BTreeMap::new();
        for (index, state) in states() {
            match state.kind {
                StateKind::Element => _ = cells.insert(Cell::ElementState(index), numbers.take(length)),
                StateKind::Tensor => _ = cells.insert(Cell::TensorState(index), numbers.take(1)),
                StateKind::Host => _ = host_states.insert(index, f64::from(numbers.next())),
                StateKind::All => {}
            }
        }
        let grad = if takes_grad { numbers.take(length).into_iter().map(|x| x - 0.6).collect() } else { Vec::new() };
        Tensor {
            shape: vec![length],
            hypers: hypers(rule),
            step: 2 + place as u64,
            grad_scale: 0.75,
            clip_value: 0.5,
            clip: 0.5,
            grad,
            inputs: rule.inputs.iter().map(|_| numbers.take(length)).collect(),
            cells,
            host_states,
        }
    };
    let tensors = lengths.iter().enumerate().map(&mut tensor).collect();
    let all = states().filter(|(_, state)| state.kind == StateKind::All);
    let all = all.map(|(index, _)| (Cell::AllState(index), numbers.next())).collect();
    Memory { tensors, all, run: 4, scalars: numbers.take(rule.scalars.len()) }
}

fn bits(memory: &Memory<f32>) -> Vec<u32> {
    let cells = memory.tensors.iter().flat_map(|tensor| tensor.cells.values().flatten());
    cells.chain(memory.all.values()).map(|value| value.to_bits()).collect()
}

/// Rules with more programs and plans than this are run on less data.
const MANY: usize = 8;

#[test]
fn all_legal_plans_of_every_rule_are_equal_to_the_bit() {
    let mut compared = 0;
    for compiled in every_rule() {
        let rule = &compiled.rule;
        for program in compiled.variants.iter().flat_map(|variant| &variant.programs) {
            let plans = all_plans(&program.graph);
            // One length spans two chunks of a sum.
            let few = program.partial_words > 0 && compiled.variants.len() * plans.len() <= MANY;
            let lengths: &[usize] = if few { &[1, 65, 8200] } else { &[3, 70] };
            let start = memory(rule, lengths, program.graph.takes_grad);
            let mut direct = start.clone();
            evaluate(&program.graph, &mut direct).expect("a graph that can be computed");
            assert_ne!(bits(&direct), bits(&start), "{}", rule.name);
            for plan in plans {
                let (all, tensor) = records(&Context::of(&plan.graph), std::slice::from_ref(&plan));
                let mut planned = start.clone();
                execute(&plan, &all, &tensor, &mut planned).expect("a program that runs");
                assert!(bits(&planned) == bits(&direct), "{}: {:?}", rule.name, plan.plan.chosen);
                compared += 1;
            }
        }
    }
    assert!(compared > 600, "{compared}");
}
