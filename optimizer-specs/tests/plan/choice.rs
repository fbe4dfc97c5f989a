//! What the planner chooses.

use optimizer_specs::ir::{Cell, KernelKind, Op};
use optimizer_specs::plan::{self, Plan};

use crate::rules;
use crate::write::{PARAM, Sheet};

/// Name, bytes per element, passes.
const EXPECTED: [(&str, u32, usize); 11] = [
    ("sgd", 12, 1),
    ("momentum", 20, 1),
    ("adam", 28, 1),
    ("lamb", 40, 2),
    ("lamb_apex", 44, 3),
    ("prodigy", 48, 2),
    ("novograd", 24, 2),
    ("cautious by m", 36, 2),
    ("cautious by u", 40, 2),
    ("lion_trust", 32, 2),
    ("stable_spam", 36, 3),
];

#[test]
fn bytes_and_passes_of_published_rules() {
    let planned = rules::all().into_iter().map(|(name, (graph, context))| {
        let program = plan::plan(graph, &context);
        let passes = program.kernels.iter().filter(|kernel| kernel.kind == KernelKind::Pass).count();
        (name, program.bytes_per_element, passes)
    });
    assert_eq!(planned.collect::<Vec<_>>(), EXPECTED);
}

#[test]
fn every_legal_plan_of_every_rule_verifies() {
    for (name, (graph, _)) in rules::all() {
        let context = plan::Context::of(&graph);
        let programs = plan::all_plans(&graph);
        assert_eq!(programs.len(), programs[0].plan.legal, "{name}");
        for program in programs {
            let (all, tensor) = plan::records(&context, std::slice::from_ref(&program));
            assert_eq!(plan::verify(&program, &all, &tensor), Ok(()), "{name}: {program:#?}");
        }
    }
}

#[test]
fn lamb_stores_its_moments_in_the_first_pass() {
    let (graph, context) = rules::lamb();
    let report = plan::plan(graph, &context).plan;
    let (m, v) = (Cell::ElementState(0), Cell::ElementState(1));
    assert_eq!(report.chosen.stores, [(Cell::Param, 1), (m, 0), (v, 0)]);
    // Storing one moment early means computing half of the update again from the other's old value and the gradient.
    let bytes = |plan: &Plan| plan.cost.bytes;
    assert_eq!((report.candidates, report.legal, bytes(&report.chosen)), (4, 4, 40));
    assert_eq!(report.runners_up.iter().map(bytes).collect::<Vec<_>>(), [44, 44, 44]);
}

#[test]
fn of_equal_bytes_the_plan_that_recomputes_less() {
    let (graph, context) = rules::cautious(rules::Mask::Moment);
    let report = plan::plan(graph, &context).plan;
    assert_eq!(report.chosen.stores, [(Cell::Param, 1), (Cell::ElementState(0), 0), (Cell::ElementState(1), 1)]);
    let second = &report.runners_up[0];
    assert_eq!((report.chosen.cost.bytes, second.cost.bytes), (36, 36));
    assert!(report.chosen.cost.recomputed < second.cost.recomputed, "{report:#?}");
}

/// A reduction that no element needs, over what the second pass computes anyway: in the first one it would be computed
/// twice, for as many bytes.
#[test]
fn what_no_element_needs_is_reduced_where_it_is_computed() {
    let s = Sheet::new(&[]);
    let direction = (s.grad() * s.grad() + s.real(1.0)).sqrt();
    let size = s.tensor("size");
    s.store(size, direction.sum());
    s.store(PARAM, s.load(PARAM) - s.grad().norm() * direction);
    let (graph, context) = s.finish();
    let report = plan::plan(graph, &context).plan;
    let cost = |plan: &Plan| (plan.cost.bytes, plan.cost.recomputed);
    assert_eq!((report.candidates, report.legal), (2, 2));
    // Either computes the two products of the prologue in both passes, one the three operations of the direction, too.
    assert_eq!((cost(&report.chosen), cost(&report.runners_up[0])), ((16, 2), (16, 5)), "{report:#?}");
}

#[test]
fn every_cell_is_tried_in_every_pass() {
    let s = Sheet::new(&[]);
    let e = s.element("e");
    s.store(PARAM, s.load(PARAM) - s.grad());
    s.store(e, s.load(e) + s.grad().norm() * s.grad());
    let (graph, context) = s.finish();
    let report = plan::plan(graph, &context).plan;
    let passes_of_param: Vec<_> =
        [&report.chosen].into_iter().chain(&report.runners_up).map(|plan| plan.stores[0]).collect();
    assert_eq!((report.candidates, report.legal), (2, 2));
    assert_eq!(passes_of_param, [(PARAM, 0), (PARAM, 1)]);
}

#[test]
fn too_many_candidates_store_everything_last() {
    // 14 cells that may each be stored in either of two passes.
    let s = Sheet::new(&[]);
    let cells: Vec<_> = (0..14).map(|i| s.element(&format!("s{i}"))).collect();
    for &cell in &cells {
        s.store(cell, s.load(cell) + s.grad());
    }
    s.store(PARAM, s.load(PARAM) - s.grad().norm() * s.load(cells[0]));
    let (graph, context) = s.finish();
    let report = plan::plan(graph, &context).plan;
    assert_eq!((report.candidates, report.legal, report.exhaustive), (1 << 14, 1, false));
    assert!(report.chosen.stores.iter().all(|&(_, pass)| pass == 1), "{report:?}");
}

#[test]
fn an_entry_that_changes_scalars_alone_has_no_pass() {
    let s = Sheet::new(&["*d0"]);
    let d = s.all("d");
    s.store(d, s.load(d).max(s.hyper("d0")));
    let (graph, context) = s.finish();
    let program = plan::plan(graph, &context);
    let kernels: Vec<_> = program.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!((kernels, program.bytes_per_element), (vec!["update_finish1_all"], 0));
}

#[test]
fn what_is_not_stored_is_not_computed() {
    let s = Sheet::new(&[]);
    let _dead = s.load(PARAM).norm();
    s.store(PARAM, s.load(PARAM) - s.grad());
    let (graph, context) = s.finish();
    let program = plan::plan(graph, &context);
    assert_eq!(program.kernels.len(), 1);
    assert!(!program.kernels[0].body.iter().any(|&id| matches!(program.graph.op(id), Op::Reduce(..))));
    assert!(program.kernels[0].accumulators.is_empty());
}
