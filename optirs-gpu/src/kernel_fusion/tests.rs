//! Plans of hand-made graphs, and of random ones against all partitions there are.

mod all_partitions;

use super::{FusionGraph, FusionOp, FusionPlan, FusionPlanner, OpKind};
use crate::GpuOptimError;
use crate::rules::{AdamW, Lamb, Sgd, SgdParams};

fn chain(kinds: &[OpKind]) -> FusionGraph {
    let mut graph = FusionGraph::new();
    for (id, &kind) in kinds.iter().enumerate() {
        graph.add_op(kind, id.checked_sub(1).into_iter().collect(), vec![256], 4);
    }
    graph
}

fn plan(graph: &FusionGraph) -> FusionPlan {
    FusionPlanner::new().plan(graph).unwrap()
}

fn members(plan: &FusionPlan) -> Vec<&[usize]> {
    plan.groups.iter().map(|group| group.members.as_slice()).collect()
}

#[test]
fn a_chain_is_one_kernel_that_writes_its_end() {
    let plan = plan(&chain(&[OpKind::Relu, OpKind::Sigmoid, OpKind::Tanh]));
    let [group] = plan.groups.as_slice() else { panic!("{plan:?}") };
    assert_eq!((group.internal_intermediates.as_slice(), group.external_outputs.as_slice()), (&[0, 1][..], &[2][..]));
    assert_eq!((plan.bytes_unfused, plan.bytes_fused, plan.bytes_saved), (5 * 1024, 1024, 4 * 1024));
    assert_eq!((plan.speedup_estimate, group.is_fused(), plan.num_groups()), (5.0, true, 1));
}

#[test]
fn hundreds_of_operations_are_planned() {
    let kinds: Vec<OpKind> = (0..400).map(|id| if id % 100 == 50 { OpKind::MatMul } else { OpKind::Add }).collect();
    assert_eq!(plan(&chain(&kinds)).num_groups(), 9);
}

#[test]
fn a_barrier_stands_alone() {
    let plan = plan(&chain(&[OpKind::Relu, OpKind::Sigmoid, OpKind::MatMul, OpKind::Relu, OpKind::Tanh]));
    assert_eq!(members(&plan), [&[0, 1][..], &[2], &[3, 4]]);
}

#[test]
fn what_is_used_elsewhere_or_kept_is_written() {
    let mut graph = chain(&[OpKind::Relu, OpKind::Sigmoid, OpKind::Tanh]);
    graph.add_op(OpKind::MatMul, vec![1, 1], vec![256], 4);
    let used = plan(&graph);
    assert_eq!(used.groups[0].external_outputs, [1, 2]);
    assert_eq!((used.bytes_unfused, used.bytes_fused), (7 * 1024, 4 * 1024));
    graph.keep(0);
    assert_eq!(plan(&graph).groups[0].external_outputs, [0, 1, 2]);
}

#[test]
fn no_kernel_runs_both_before_and_after_another() {
    let mut graph = chain(&[OpKind::Relu, OpKind::Sigmoid, OpKind::MatMul]);
    graph.add_op(OpKind::Add, vec![0, 2], vec![256], 4);
    assert_eq!(members(&plan(&graph)), [&[0, 1][..], &[2], &[3]]);
}

#[test]
fn a_kernel_runs_over_one_shape() {
    let mut graph = FusionGraph::new();
    let scalar = graph.add_op(OpKind::Relu, vec![], vec![1], 4);
    graph.add_op(OpKind::Add, vec![scalar], vec![32], 4);
    assert_eq!(plan(&graph).num_groups(), 1);
    assert_eq!(FusionPlanner::default().with_broadcast(false).plan(&graph).unwrap().num_groups(), 2);
    // Two shapes that one scalar goes into are two kernels.
    graph.add_op(OpKind::Add, vec![scalar], vec![7, 5], 4);
    assert_eq!(plan(&graph).num_groups(), 2);
    // The result of 32 elements does not go into 16.
    graph.add_op(OpKind::Add, vec![1], vec![16], 4);
    assert_eq!(plan(&graph).num_groups(), 3);
}

#[test]
fn a_reduction_ends_a_kernel_with_several_outputs() {
    let mut graph = FusionGraph::new();
    let x = graph.add_op(OpKind::Load, vec![], vec![256], 4);
    let square = graph.add_op(OpKind::Mul, vec![x, x], vec![256], 4);
    let sum = graph.add_op(OpKind::Reduce, vec![square], vec![], 4);
    let maximum = graph.add_op(OpKind::Reduce, vec![x], vec![], 4);
    let scaled = graph.add_op(OpKind::Div, vec![x, sum], vec![256], 4);
    let planner = FusionPlanner::new().with_multi_output(true);
    let plan = planner.plan(&graph).unwrap();
    // The maximum could as well be taken by the kernel that scales.
    assert_eq!(members(&plan), [&[square, sum, maximum][..], &[scaled]]);
    assert_eq!(plan.bytes_fused, (1024 + 4 + 4) + (1024 + 4 + 1024));
    assert_eq!(FusionPlanner::new().plan(&graph).unwrap().num_groups(), 4);
}

#[test]
fn a_graph_that_cannot_be_is_refused_with_the_operation() {
    let refused = |build: &dyn Fn(&mut FusionGraph)| {
        let mut graph = chain(&[OpKind::Relu, OpKind::Relu]);
        build(&mut graph);
        FusionPlanner::new().plan(&graph).unwrap_err().to_string()
    };
    let add = |graph: &mut FusionGraph, inputs: &[usize], shape: &[usize], bytes| {
        graph.add_op(OpKind::Add, inputs.to_vec(), shape.to_vec(), bytes)
    };
    assert!(refused(&|graph| _ = add(graph, &[9], &[1], 4)).contains("operation 2 takes 9, but there are 3"));
    assert!(refused(&|graph| _ = add(graph, &[2], &[1], 4)).contains("operation 2 waits for itself"));
    assert!(refused(&|graph| _ = add(graph, &[0], &[1], 0)).contains("operation 2 has elements of 0 bytes"));
    assert!(refused(&|graph| graph.keep(7)).contains("keeps operation 7"));
    let huge = 1 << 32;
    assert!(refused(&|graph| _ = add(graph, &[0], &[huge, huge], 1)).contains("operation 2, of shape [4294967296"));
    assert!(refused(&|graph| _ = add(graph, &[0], &[huge, huge / 4], 4)).contains("more bytes than 64 bits"));
    assert!(
        refused(&|graph| {
            let first = add(graph, &[], &[huge, huge / 8], 4);
            add(graph, &[first], &[huge, huge / 8], 4);
        })
        .contains("all bytes moved")
    );
}

#[test]
fn nothing_is_planned_for_nothing() {
    let plan = plan(&FusionGraph::new());
    assert_eq!((plan.num_groups(), plan.bytes_unfused, plan.speedup_estimate), (0, 0, 1.0));
    assert!(FusionGraph::new().is_empty());
}

#[test]
fn a_rule_is_one_kernel_a_pass() {
    let planner = FusionPlanner::new().with_multi_output(true);
    let groups = |graph: FusionGraph| planner.plan(&graph).unwrap().num_groups();
    assert_eq!(groups(FusionGraph::from_rule::<AdamW>().unwrap()), 1);
    assert_eq!(groups(FusionGraph::from_rule::<Lamb>().unwrap()), 2);
    // What LAMB's second pass loads waits for the norms that the first one ends with.
    let lamb = FusionGraph::from_rule::<Lamb>().unwrap();
    let reductions: Vec<usize> = lamb.ops().iter().filter(|op| op.kind == OpKind::Reduce).map(|op| op.id).collect();
    let is_late = |op: &&FusionOp| op.kind == OpKind::Load && op.id > reductions[0];
    let late: Vec<&FusionOp> = lamb.ops().iter().filter(is_late).collect();
    assert!(late.len() >= 2 && late.iter().all(|load| load.inputs.ends_with(&reductions)), "{late:?}");
    let bytes = |momentum| {
        let params = SgdParams { momentum, ..SgdParams::default() };
        planner.plan(&FusionGraph::from_update::<Sgd>(&params, 1000).unwrap()).unwrap().bytes_fused
    };
    assert_eq!((bytes(0.0), bytes(0.9)), (12_000, 20_000));
    let wrong = SgdParams { momentum: -1.0, ..SgdParams::default() };
    assert!(FusionGraph::from_update::<Sgd>(&wrong, 1).is_err());
}

#[test]
fn a_plan_takes_as_long_as_its_bytes() {
    let plan = plan(&chain(&[OpKind::Load, OpKind::Relu]));
    assert_eq!(plan.seconds_at(1e3).unwrap(), plan.bytes_fused as f64 / 1e3);
    assert!(plan.bytes_fused > 0);
    for bandwidth in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let error = plan.seconds_at(bandwidth).unwrap_err();
        assert!(matches!(error, GpuOptimError::OutOfRange { field: "bandwidth", .. }), "{error}");
    }
}
