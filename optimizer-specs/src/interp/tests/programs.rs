//! LAMB as a program: the right plan gives the bits of direct evaluation, wrong plans do not.

use super::rules::{Lamb, M, V, lamb, training};
use super::{Random, binary, builder, memory, storing};
use crate::interp::{Error, Memory, evaluate, execute};
use crate::ir::{
    Accumulator, BinaryOp, Cell, Combine, Comparison, Extent, FieldType, Graph, Kernel, KernelKind, Load, LoadSource,
    NodeId, Op, Program, ReduceKind, RowField, Scope, Slot, SlotRead, SlotTable, SlotWrite,
};
use crate::plan::{Context, Report, all_plans, plan, records};

const TRUST: Slot = Slot::Tensor(0);
const TABLE: SlotTable = SlotTable { states: Vec::new(), words: 1 };

/// Where a host value meets a device node: the fields of the row.
fn row(lamb: &Lamb) -> Vec<RowField> {
    let graph = &lamb.graph;
    let device = graph.nodes.iter().filter(|node| !node.extent.is_host());
    let mut nodes: Vec<_> = device.flat_map(|node| node.op.operands()).collect();
    nodes.retain(|&id| graph.node(id).extent == Extent::Row);
    nodes.sort();
    nodes.dedup();
    let field = |node: NodeId| RowField { node, ty: FieldType::F32, name: format!("f{}", node.0), demand: None };
    nodes.into_iter().map(field).collect()
}

/// Element operations in order, from what is loaded to what is stored.
fn body(lamb: &Lamb, roots: &[NodeId]) -> Vec<NodeId> {
    let graph = &lamb.graph;
    let mut needed = vec![false; graph.nodes.len()];
    roots.iter().for_each(|root| needed[root.0 as usize] = true);
    for index in (0..graph.nodes.len()).rev() {
        if needed[index] && graph.nodes[index].extent == Extent::Element {
            graph.nodes[index].op.operands().for_each(|operand| needed[operand.0 as usize] = true);
        }
    }
    let operation =
        |node: &crate::ir::Node| node.extent == Extent::Element && !matches!(node.op, Op::Load(_) | Op::RawGrad);
    let ids = (0..graph.nodes.len()).filter(|&index| needed[index] && operation(&graph.nodes[index]));
    ids.map(|index| NodeId(index as u32)).collect()
}

fn node(lamb: &Lamb, op: Op) -> NodeId {
    NodeId(lamb.graph.nodes.iter().position(|node| node.op == op).unwrap() as u32)
}

/// Moments and norms, then the trust ratio, then the parameters from the same formula: `stores` says what each pass stores.
fn program(lamb: &Lamb, stores: [&[(Cell, NodeId)]; 2]) -> Program {
    let row = row(lamb);
    let loads = [LoadSource::Gradient, LoadSource::Cell(Cell::Param), LoadSource::Cell(M), LoadSource::Cell(V)];
    let loads = loads.map(|source| match source {
        LoadSource::Cell(cell) => Load { source, node: node(lamb, Op::Load(cell)) },
        _ => Load { source, node: node(lamb, Op::RawGrad) },
    });
    let accumulators = lamb.norms.iter().zip([0, 2]).flat_map(|(&reduction, partial)| {
        [(Combine::SumOfSquares, partial), (Combine::ScaledSumOfSquares, partial + 1)]
            .map(|(combine, partial)| Accumulator { reduction, combine, partial, tensor_total: None })
    });
    let accumulators: Vec<_> = accumulators.collect();
    let clip = SlotRead { slot: Slot::Clip, node: node(lamb, Op::Clip) };
    let roots = |stores: &[(Cell, NodeId)]| stores.iter().map(|&(_, value)| value).chain([lamb.u]).collect::<Vec<_>>();
    let kernel = |name: &str, kind| Kernel {
        name: name.into(),
        kind,
        pass: 0,
        fields: (0..row.len() as u32).collect(),
        reads: vec![clip],
        uniform: Vec::new(),
        loads: loads.to_vec(),
        body: Vec::new(),
        stores: Vec::new(),
        accumulators: Vec::new(),
        writes: Vec::new(),
    };
    let first = Kernel {
        body: body(lamb, &roots(stores[0])),
        stores: stores[0].to_vec(),
        accumulators: accumulators.clone(),
        ..kernel("update_pass1", KernelKind::Pass)
    };
    let tensor = |node: &crate::ir::Node| node.extent == Extent::Tensor && node.op.operands().next().is_some();
    let uniform = |id: &NodeId| tensor(lamb.graph.node(*id)) && !lamb.norms.contains(id);
    let finish = Kernel {
        uniform: (0..=lamb.trust.0).map(NodeId).filter(uniform).collect(),
        loads: Vec::new(),
        accumulators,
        writes: vec![SlotWrite { slot: TRUST, node: lamb.trust }],
        ..kernel("update_finish1_tensor", KernelKind::FinishTensor)
    };
    let second = Kernel {
        pass: 1,
        reads: vec![clip, SlotRead { slot: TRUST, node: lamb.trust }],
        uniform: (lamb.trust.0 + 1..lamb.graph.nodes.len() as u32).map(NodeId).filter(uniform).collect(),
        body: body(lamb, &roots(stores[1])),
        stores: stores[1].to_vec(),
        ..kernel("update_pass2", KernelKind::Pass)
    };
    Program {
        graph: lamb.graph.clone(),
        row,
        kernels: vec![first, finish, second],
        partial_words: 4,
        bytes_per_element: 0,
        plan: Report::default(),
    }
}

fn bits(memory: &Memory<f32>) -> Vec<u32> {
    let cells = memory.tensors.iter().flat_map(|tensor| tensor.cells.values().flatten());
    cells.map(|value| value.to_bits()).collect()
}

fn run(program: &Program, lengths: &[usize]) -> (Vec<u32>, Result<Vec<u32>, Error>) {
    let start: Memory<f32> = training(lengths, 7);
    let (mut direct, mut planned) = (start.clone(), start);
    evaluate(&program.graph, &mut direct).unwrap();
    let outcome = execute(program, &SlotTable::default(), &TABLE, &mut planned);
    (bits(&direct), outcome.map(|()| bits(&planned)))
}

const LENGTHS: [usize; 7] = [1, 63, 64, 65, 4096, 4097, 20_000];

#[test]
fn storing_all_in_the_last_pass_gives_the_bits_of_direct_evaluation() {
    let lamb = lamb();
    let program = program(&lamb, [&[], &[(Cell::Param, lamb.next), (M, lamb.m), (V, lamb.v)]]);
    let (direct, planned) = run(&program, &LENGTHS);
    assert_eq!(Ok(direct), planned);
}

#[test]
fn every_plan_gives_the_bits_of_direct_evaluation() {
    let plans = all_plans(&lamb().graph);
    assert!(plans.len() > 1);
    for program in plans {
        let (all, tensor) = records(&Context::of(&program.graph), core::slice::from_ref(&program));
        let (mut direct, mut planned) = (training(&LENGTHS, 7), training(&LENGTHS, 7));
        evaluate(&program.graph, &mut direct).unwrap();
        execute(&program, &all, &tensor, &mut planned).unwrap();
        assert_eq!(bits(&direct), bits(&planned), "{:?}", program.plan);
    }
}

#[test]
fn moments_updated_in_both_passes_are_caught() {
    let lamb = lamb();
    let program = program(&lamb, [&[(M, lamb.m), (V, lamb.v)], &[(Cell::Param, lamb.next), (M, lamb.m), (V, lamb.v)]]);
    let (direct, planned) = run(&program, &LENGTHS);
    let planned = planned.unwrap();
    let changed = direct.iter().zip(&planned).filter(|(a, b)| a != b).count();
    assert!(changed > direct.len() / 2, "{changed} of {}", direct.len());
}

#[test]
fn what_no_kernel_defines_is_an_error() {
    let lamb = lamb();
    let mut program = program(&lamb, [&[], &[(Cell::Param, lamb.next), (M, lamb.m), (V, lamb.v)]]);
    program.kernels[2].reads.pop();
    let (_, planned) = run(&program, &[5]);
    let Err(Error::Malformed(what)) = planned else { panic!("no error") };
    assert!(what.contains("Select") && what.ends_with("is used and not defined"), "{what}");
    program.kernels.remove(1);
    program.kernels[1].reads.push(SlotRead { slot: TRUST, node: lamb.trust });
    let (_, planned) = run(&program, &[5]);
    assert_eq!(planned, Err(Error::Malformed("Tensor(0) is read before it is written".into())));
}

/// `param = if step > 2 { all::sum(grad · hyper) } else { param }`
fn conditional_total() -> Graph {
    let mut graph = builder(1);
    let (step, two) = (graph.push(Op::Step), graph.push(Op::Int(2)));
    let late = graph.push(Op::Compare(Comparison::Greater, step, two));
    let (grad, factor) = (graph.push(Op::RawGrad), graph.push(Op::Hyper(0)));
    let product = binary(&mut graph, BinaryOp::Multiply, grad, factor);
    let total = graph.push(Op::Reduce(ReduceKind::Sum, Scope::All, product));
    let param = graph.push(Op::Load(Cell::Param));
    let next = graph.push(Op::Select(late, total, param));
    storing(graph, &[(Cell::Param, next)])
}

#[test]
fn a_total_over_all_tensors_takes_in_those_that_do_not_use_it() {
    let graph = conditional_total();
    let mut direct: Memory<f32> = memory(&[2, 3], &[0.5], &mut Random(1));
    for (tensor, step) in direct.tensors.iter_mut().zip([1, 5]) {
        tensor.step = step;
        tensor.grad.fill(4.0);
        tensor.cells.insert(Cell::Param, vec![-1.0; tensor.grad.len()]);
    }
    let mut planned = direct.clone();
    evaluate(&graph, &mut direct).unwrap();
    assert_eq!(direct.tensors[0].cells[&Cell::Param], [-1.0; 2]);
    assert_eq!(direct.tensors[1].cells[&Cell::Param], [10.0; 3]);
    let program = plan(graph.clone(), &Context::of(&graph));
    let (all, tensor) = records(&Context::of(&graph), core::slice::from_ref(&program));
    execute(&program, &all, &tensor, &mut planned).unwrap();
    assert_eq!(bits(&direct), bits(&planned));
}
