//! Adam and LAMB as graphs, with the mistakes that a bound must notice.

use super::{Random, binary, builder, memory, root, storing};
use crate::interp::{Memory, Number};
use crate::ir::{BinaryOp, Cell, Comparison, Graph, NodeId, Op, ReduceKind, Scope};

pub const M: Cell = Cell::ElementState(0);
pub const V: Cell = Cell::ElementState(1);
/// learning_rate, beta1, beta2, epsilon, weight_decay.
pub const HYPERS: [f32; 5] = [1e-3, 0.9, 0.999, 1e-8, 0.01];

/// Nodes that tests build upon.
pub struct Moments {
    pub graph: crate::ir::build::GraphBuilder,
    pub m: NodeId,
    pub v: NodeId,
    pub param: NodeId,
}

/// The moments of Adam: m and v after the update. `beta1` and `beta2` are indices of hyper-parameters.
pub fn moments(beta1: u32, beta2: u32) -> Moments {
    let mut graph = builder(HYPERS.len());
    let raw = graph.push(Op::RawGrad);
    let (scale, clip) = (graph.push(Op::GradScale), graph.push(Op::Clip));
    let scaled = binary(&mut graph, BinaryOp::Multiply, raw, scale);
    let grad = binary(&mut graph, BinaryOp::Multiply, scaled, clip);
    let param = graph.push(Op::Load(Cell::Param));
    let one = graph.real(1.0);
    let mut average = |cell, beta, squared| {
        let (beta, old) = (graph.push(Op::Hyper(beta)), graph.push(Op::Load(cell)));
        let rest = binary(&mut graph, BinaryOp::Subtract, one, beta);
        let kept = binary(&mut graph, BinaryOp::Multiply, beta, old);
        let mut added = binary(&mut graph, BinaryOp::Multiply, rest, grad);
        if squared {
            added = binary(&mut graph, BinaryOp::Multiply, added, grad);
        }
        binary(&mut graph, BinaryOp::Add, kept, added)
    };
    let (m, v) = (average(M, beta1, false), average(V, beta2, true));
    Moments { graph, m, v, param }
}

fn debiased(graph: &mut crate::ir::build::GraphBuilder, value: NodeId, beta: u32) -> NodeId {
    let (one, beta, step) = (graph.real(1.0), graph.push(Op::Hyper(beta)), graph.push(Op::Step));
    let power = binary(graph, BinaryOp::Powi, beta, step);
    let bias = binary(graph, BinaryOp::Subtract, one, power);
    binary(graph, BinaryOp::Divide, value, bias)
}

/// m̂ / (sqrt(v̂) + ε)
fn direction(moments: &mut Moments, beta1: u32, beta2: u32) -> NodeId {
    let m_hat = debiased(&mut moments.graph, moments.m, beta1);
    let v_hat = debiased(&mut moments.graph, moments.v, beta2);
    let spread = root(&mut moments.graph, v_hat);
    let epsilon = moments.graph.push(Op::Hyper(3));
    let denominator = binary(&mut moments.graph, BinaryOp::Add, spread, epsilon);
    binary(&mut moments.graph, BinaryOp::Divide, m_hat, denominator)
}

/// Adam with the given indices of beta1 and beta2: (1, 2) is right.
pub fn adam(beta1: u32, beta2: u32) -> Graph {
    let mut moments = moments(beta1, beta2);
    let u = direction(&mut moments, beta1, beta2);
    let Moments { mut graph, m, v, param } = moments;
    let rate = graph.push(Op::Hyper(0));
    let change = binary(&mut graph, BinaryOp::Multiply, rate, u);
    let next = binary(&mut graph, BinaryOp::Subtract, param, change);
    storing(graph, &[(Cell::Param, next), (M, m), (V, v)])
}

/// The nodes of LAMB that a plan speaks of.
pub struct Lamb {
    pub graph: Graph,
    pub m: NodeId,
    pub v: NodeId,
    pub u: NodeId,
    pub norms: [NodeId; 2],
    pub trust: NodeId,
    pub next: NodeId,
}

/// LAMB as in its paper.
pub fn lamb() -> Lamb {
    let mut moments = moments(1, 2);
    let adam = direction(&mut moments, 1, 2);
    let Moments { mut graph, m, v, param } = moments;
    let decay = graph.push(Op::Hyper(4));
    let pull = binary(&mut graph, BinaryOp::Multiply, decay, param);
    let u = binary(&mut graph, BinaryOp::Add, adam, pull);
    let norms = [param, u].map(|operand| graph.push(Op::Reduce(ReduceKind::Norm, Scope::Tensor, operand)));
    let (zero, one) = (graph.real(0.0), graph.real(1.0));
    let positive = norms.map(|norm| graph.push(Op::Compare(Comparison::Greater, norm, zero)));
    let both = binary(&mut graph, BinaryOp::And, positive[0], positive[1]);
    let ratio = binary(&mut graph, BinaryOp::Divide, norms[0], norms[1]);
    let trust = graph.push(Op::Select(both, ratio, one));
    let rate = graph.push(Op::Hyper(0));
    let factor = binary(&mut graph, BinaryOp::Multiply, rate, trust);
    let change = binary(&mut graph, BinaryOp::Multiply, factor, u);
    let next = binary(&mut graph, BinaryOp::Subtract, param, change);
    Lamb { graph: storing(graph, &[(Cell::Param, next), (M, m), (V, v)]), m, v, u, norms, trust, next }
}

/// Tensors of these lengths as Adam and LAMB know them, the moments random (the second not negative).
pub fn training<N: Number>(lengths: &[usize], seed: u64) -> Memory<N> {
    let mut random = Random(seed);
    let mut memory = memory::<N>(lengths, &HYPERS, &mut random);
    for tensor in &mut memory.tensors {
        let count = tensor.len();
        tensor.cells.insert(M, random.reals(count));
        tensor.cells.insert(V, random.reals::<N>(count).into_iter().map(Number::magnitude).collect());
    }
    memory
}
