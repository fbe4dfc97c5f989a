//! Plans in the program interpreter: every legal one gives the bits of the graph evaluated as it stands.

use std::slice::from_ref;

use optimizer_specs::interp::execute;
use optimizer_specs::ir::{Program, SlotTable};
use optimizer_specs::plan::{Context, all_plans, records};

use super::at;
use crate::kernels::step::{Step, difference};
use crate::random::subject::Subject;

/// Of more legal plans than this, as many are run, evenly spread.
const MOST_PLANS: usize = 400;

/// Lengths for plans that are not chosen: which plan is taken decides nothing that depends on the length.
const SHORT: [usize; 2] = [3, 66];

/// Runs the chosen plan of every variant on all lengths, every other plan on short tensors.
pub fn check(subject: &Subject) -> Result<(), String> {
    let lengths = subject.lengths();
    for (place, variant) in subject.compiled.variants.iter().enumerate() {
        for (number, step) in subject.steps(place, &lengths).iter().enumerate() {
            run(step, step.case.program, &variant.all, &variant.tensor).map_err(|what| at(step, number, &what))?;
        }
        let mut seen = Vec::new();
        for (number, step) in subject.steps(place, &SHORT).iter().enumerate() {
            let name = &step.case.program.graph.name;
            if seen.contains(name) {
                continue;
            }
            seen.push(name.clone());
            let plans = all_plans(&step.case.program.graph);
            for plan in plans.iter().step_by(plans.len().div_ceil(MOST_PLANS).max(1)) {
                let (all, tensor) = records(&Context::of(&plan.graph), from_ref(plan));
                let chosen = &plan.plan.chosen;
                run(step, plan, &all, &tensor).map_err(|what| at(step, number, &format!("{what}; plan {chosen:?}")))?;
            }
        }
    }
    Ok(())
}

fn run(step: &Step<'_>, program: &Program, all: &SlotTable, tensor: &SlotTable) -> Result<(), String> {
    let mut memory = step.before.clone();
    match (execute(program, all, tensor, &mut memory), &step.after) {
        (Ok(()), Ok(after)) => difference(&memory, after).map_or(Ok(()), Err),
        (Err(_), Err(_)) => difference(&memory, &step.before).map_or(Ok(()), Err),
        (Err(error), Ok(_)) => Err(format!("the plan fails: {error}")),
        (Ok(()), Err(error)) => Err(format!("the plan runs, the graph does not: {error}")),
    }
}
