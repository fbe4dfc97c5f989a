//! Random graphs, small enough that every partition can be tried, with legality and bytes written down a second time.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::super::{FusionGraph, FusionPlanner, OpKind};

const KINDS: [OpKind; 6] =
    [OpKind::Add, OpKind::Mul, OpKind::Elementwise, OpKind::MatMul, OpKind::Reduce, OpKind::Load];
const SHAPES: [&[usize]; 5] = [&[4, 6], &[4, 6], &[6], &[1], &[4, 1]];

/// An operation: kind, shape, which of those before it it takes, whether it is kept.
type Draw = (usize, usize, Vec<bool>, bool);

fn graphs() -> impl Strategy<Value = Vec<Draw>> {
    proptest::collection::vec(
        (0..9usize, 0..5usize, proptest::collection::vec(prop::bool::weighted(0.4), 6), any::<bool>()),
        1..=7,
    )
}

fn build(draws: &[Draw]) -> FusionGraph {
    let mut graph = FusionGraph::new();
    for (id, (kind, shape, takes, kept)) in draws.iter().enumerate() {
        // Elementwise ones twice as often as the others.
        let kind = KINDS[if *kind < 6 { *kind } else { *kind - 6 }];
        let inputs: Vec<usize> = (0..id).filter(|&input| takes[input]).collect();
        let shape: &[usize] = if kind == OpKind::Reduce { &[] } else { SHAPES[*shape] };
        graph.add_op(kind, inputs, shape.to_vec(), 4);
        if *kept && kind != OpKind::Load {
            graph.keep(id);
        }
    }
    graph
}

/// Where the elements of one shape go in another, if they do.
fn broadcasts(from: &[usize], to: &[usize], allowed: bool) -> bool {
    if from == to {
        return true;
    }
    let padded = |shape: &[usize]| [vec![1; 4 - shape.len()], shape.to_vec()].concat();
    allowed && from.len() <= to.len() && padded(from).iter().zip(padded(to)).all(|(&a, b)| a == 1 || a == b)
}

fn runs_over(graph: &FusionGraph, id: usize) -> Vec<usize> {
    let op = &graph.ops()[id];
    let of = if op.kind == OpKind::Reduce { op.inputs.first().copied().unwrap_or(id) } else { id };
    graph.ops()[of].output_shape.clone()
}

fn legal(graph: &FusionGraph, label: &[usize], broadcast: bool, multi: bool) -> bool {
    let ops = graph.ops();
    let groups = 1 + label.iter().max().unwrap();
    let edges: Vec<(usize, usize)> = ops.iter().flat_map(|op| op.inputs.iter().map(|&input| (input, op.id))).collect();
    for group in 0..groups {
        let members: Vec<usize> = (0..ops.len()).filter(|&id| label[id] == group).collect();
        if members.len() < 2 {
            continue;
        }
        let joins = |id: usize| ops[id].kind.is_fusible() || (multi && ops[id].kind == OpKind::Reduce);
        let inner = || edges.iter().filter(|&&(a, b)| label[a] == group && label[b] == group);
        let good_edge = |&(a, b): &(usize, usize)| {
            ops[a].kind != OpKind::Reduce && broadcasts(&ops[a].output_shape, &runs_over(graph, b), broadcast)
        };
        let one_space = members.iter().any(|&space| {
            members.iter().all(|&id| broadcasts(&runs_over(graph, id), &runs_over(graph, space), broadcast))
        });
        // Connected: from the first member along edges, and between readers of one tensor.
        let tied = |a: usize, b: usize| {
            let edge = edges.contains(&(a, b)) || edges.contains(&(b, a));
            edge || (multi && ops[a].inputs.iter().any(|input| ops[b].inputs.contains(input)))
        };
        let mut reached = vec![members[0]];
        while let Some(&next) =
            members.iter().find(|&&id| !reached.contains(&id) && reached.iter().any(|&r| tied(r, id)))
        {
            reached.push(next);
        }
        let connected = reached.len() == members.len();
        if !(members.iter().all(|&id| joins(id)) && inner().all(good_edge) && one_space && connected) {
            return false;
        }
    }
    // An order of kernels: take away those that wait for none, until none is left.
    let mut left: Vec<usize> = (0..groups).collect();
    while !left.is_empty() {
        let waits = |group: usize| {
            edges.iter().any(|&(a, b)| label[b] == group && label[a] != group && left.contains(&label[a]))
        };
        let Some(place) = left.iter().position(|&group| !waits(group)) else { return false };
        left.remove(place);
    }
    true
}

fn bytes(graph: &FusionGraph, label: &[usize]) -> u64 {
    let size = |id: usize| graph.ops()[id].output_bytes().unwrap();
    let is_load = |id: usize| graph.ops()[id].kind == OpKind::Load;
    let mut total = 0;
    for (id, &group) in label.iter().enumerate() {
        let users: Vec<usize> = (0..label.len()).filter(|&user| graph.ops()[user].inputs.contains(&id)).collect();
        let mut readers: Vec<usize> = users.iter().filter(|&&user| !is_load(user)).map(|&user| label[user]).collect();
        readers.sort_unstable();
        readers.dedup();
        total += size(id) * readers.iter().filter(|&&reader| reader != group).count() as u64;
        let written = users.is_empty() || graph.is_kept(id) || users.iter().any(|&user| label[user] != group);
        total += if written && !is_load(id) { size(id) } else { 0 };
    }
    total
}

/// Every partition, as restricted growth strings.
fn partitions(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for _ in 0..count {
        let grow = |label: Vec<usize>| {
            let groups = label.iter().max().map_or(0, |most| most + 1);
            (0..=groups).map(move |group| [label.clone(), vec![group]].concat())
        };
        all = all.into_iter().flat_map(grow).collect();
    }
    all
}

/// Merging along edges in the order of ids, which is topological here.
fn greedy(graph: &FusionGraph, broadcast: bool, multi: bool) -> Vec<usize> {
    let mut label: Vec<usize> = (0..graph.num_ops()).collect();
    for op in graph.ops() {
        for &input in &op.inputs {
            let (into, from) = (label[input], label[op.id]);
            let merged: Vec<usize> = label.iter().map(|&group| if group == from { into } else { group }).collect();
            if legal(graph, &merged, broadcast, multi) {
                label = merged;
            }
        }
    }
    label
}

#[test]
fn plans_are_legal_maximal_and_no_worse_than_greedy() {
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 400, ..Config::default() },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let tried = std::cell::Cell::new((0u32, 0u32));
    let outcome = runner.run(&(graphs(), any::<bool>(), any::<bool>()), |(draws, broadcast, multi)| {
        let graph = build(&draws);
        let planner = FusionPlanner::new().with_broadcast(broadcast).with_multi_output(multi);
        let plan = planner.plan(&graph).unwrap();
        let mut label = vec![usize::MAX; graph.num_ops()];
        for (number, group) in plan.groups.iter().enumerate() {
            group.members.iter().for_each(|&id| label[id] = number);
        }
        for (offset, id) in (0..graph.num_ops()).filter(|&id| graph.ops()[id].kind == OpKind::Load).enumerate() {
            prop_assert_eq!(label[id], usize::MAX, "a load is in no kernel");
            label[id] = plan.num_groups() + offset;
        }
        prop_assert!(!label.contains(&usize::MAX), "every operation is in a kernel");
        prop_assert!(legal(&graph, &label, broadcast, multi), "{:?}", label);
        prop_assert_eq!(plan.bytes_fused, bytes(&graph, &label));
        let singles: Vec<usize> = (0..graph.num_ops()).collect();
        prop_assert_eq!(plan.bytes_unfused, bytes(&graph, &singles));
        prop_assert!(plan.bytes_fused <= bytes(&graph, &greedy(&graph, broadcast, multi)));
        for a in 0..plan.num_groups() {
            for b in 0..a {
                let merged: Vec<usize> = label.iter().map(|&group| if group == a { b } else { group }).collect();
                prop_assert!(!relabelled(&merged).is_some_and(|merged| legal(&graph, &merged, broadcast, multi)));
            }
        }
        let every = partitions(graph.num_ops());
        let least =
            every.iter().filter(|label| legal(&graph, label, broadcast, multi)).map(|label| bytes(&graph, label)).min();
        prop_assert!(Some(plan.bytes_fused) >= least);
        let (cases, least_ones) = tried.get();
        tried.set((cases + 1, least_ones + u32::from(Some(plan.bytes_fused) == least)));
        Ok(())
    });
    outcome.unwrap();
    let (cases, least_ones) = tried.get();
    assert_eq!(cases, 400);
    assert!(least_ones >= 392, "of 400 plans only {least_ones} are the best there is");
}

/// The same partition with numbers without gaps.
fn relabelled(label: &[usize]) -> Option<Vec<usize>> {
    let mut numbers: Vec<usize> = label.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    label.iter().map(|group| numbers.binary_search(group).ok()).collect()
}
