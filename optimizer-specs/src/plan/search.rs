//! Looks through all plans of a graph for the best. The result depends on the graph alone.

use super::facts::Facts;
use super::passes::{Assignment, Passes};
use super::report::{Plan, Report};

/// More candidates than this are not looked through.
const CANDIDATES: u64 = 10_000;

/// All legal plans, best first; the report is about the first. Never empty: to store every cell in the last pass is
/// always legal. Above the limit of candidates that one plan is the only one.
pub(super) fn search(facts: &Facts<'_>) -> (Vec<(Assignment, Passes)>, Report) {
    let ranges = facts.element_stores.iter().map(|&store| facts.store_passes(store));
    let ranges: Vec<_> = ranges.chain(facts.reductions.iter().map(|&id| facts.reduction_passes(id))).collect();
    let candidates = ranges.iter().fold(1_u64, |product, range| product.saturating_mul(range.clone().count() as u64));
    let exhaustive = candidates <= CANDIDATES;
    let cells = facts.element_stores.len();
    let mut legal = Vec::new();
    let mut consider = |passes: &[u32]| {
        let (stores, reductions) = passes.split_at(cells);
        let assignment = Assignment { stores: stores.to_vec(), reductions: reductions.to_vec() };
        if let Some(passes) = Passes::new(facts, &assignment) {
            legal.push((assignment, passes));
        }
    };
    if exhaustive {
        let first: Vec<u32> = ranges.iter().map(|range| *range.start()).collect();
        let mut current = first.clone();
        loop {
            consider(&current);
            // Count up, the last digit fastest.
            let Some(digit) = (0..ranges.len()).rev().find(|&i| current[i] < *ranges[i].end()) else { break };
            current[digit] += 1;
            current[digit + 1..].copy_from_slice(&first[digit + 1..]);
        }
    } else {
        let stores = ranges[..cells].iter().map(|range| *range.end());
        let reductions = ranges[cells..].iter().map(|range| *range.start());
        consider(&stores.chain(reductions).collect::<Vec<_>>());
    }
    // Of equal costs the earliest.
    legal.sort_by(|(a, a_passes), (b, b_passes)| (a_passes.cost, a).cmp(&(b_passes.cost, b)));
    let described: Vec<Plan> =
        legal.iter().take(1 + Report::RUNNERS_UP).map(|(at, passes)| describe(facts, at, passes)).collect();
    let mut described = described.into_iter();
    let report = Report {
        chosen: described.next().unwrap_or_default(),
        candidates,
        legal: legal.len(),
        exhaustive,
        runners_up: described.collect(),
    };
    (legal, report)
}

fn describe(facts: &Facts<'_>, assignment: &Assignment, passes: &Passes) -> Plan {
    let cells = facts.element_stores.iter().map(|store| store.cell);
    let reductions = facts.reductions.iter().copied();
    Plan {
        stores: cells.zip(assignment.stores.iter().copied()).collect(),
        reductions: reductions.zip(assignment.reductions.iter().copied()).collect(),
        cost: passes.cost,
    }
}
