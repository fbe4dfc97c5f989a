//! What the passes of a program do with an element: `rule::Program::operations`.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::ir::{BinaryOp, Cell, Kernel, KernelKind, LoadSource, NodeId, Op, Program, UnaryOp};

/// `rule::Operation { … }`, comma separated.
pub(super) fn operations(program: &Program) -> TokenStream {
    let mut list = List::default();
    program.kernels.iter().for_each(|kernel| list.kernel(program, kernel));
    let operations = list.operations.iter().map(|(kind, operands)| {
        let kind = format_ident!("{kind}");
        let operands = operands.iter().map(|&place| Literal::usize_unsuffixed(place));
        quote!(rule::Operation { kind: rule::OperationKind::#kind, operands: &[#(#operands),*] })
    });
    quote!(#(#operations),*)
}

#[derive(Default)]
struct List {
    operations: Vec<(&'static str, Vec<usize>)>,
    /// The latest store of each cell.
    stored: BTreeMap<Cell, usize>,
}

impl List {
    fn kernel(&mut self, program: &Program, kernel: &Kernel) {
        // A pass has its own values: what it takes from an earlier one it loads or computes again.
        let mut places: BTreeMap<NodeId, usize> = BTreeMap::new();
        for load in &kernel.loads {
            let stored = match load.source {
                LoadSource::Cell(cell) => self.stored.get(&cell).copied(),
                LoadSource::Gradient | LoadSource::Input(_) => None,
            };
            places.insert(load.node, self.push("Load", stored.into_iter().collect()));
        }
        for &id in &kernel.body {
            let op = program.graph.op(id);
            let operands = op.operands().filter_map(|operand| places.get(&operand).copied()).collect();
            places.insert(id, self.push(kind(op), operands));
        }
        for (cell, value) in &kernel.stores {
            let place = self.push("Store", places.get(value).copied().into_iter().collect());
            self.stored.insert(*cell, place);
        }
        // A norm has two running values, of one reduction; a finish only adds up what a pass took in.
        let in_pass = kernel.accumulators.iter().filter(|_| kernel.kind == KernelKind::Pass);
        let reductions: BTreeSet<NodeId> = in_pass.map(|accumulator| accumulator.reduction).collect();
        for reduction in reductions {
            let operands = program.graph.op(reduction).operands();
            self.push("Reduce", operands.filter_map(|operand| places.get(&operand).copied()).collect());
        }
    }

    fn push(&mut self, kind: &'static str, operands: Vec<usize>) -> usize {
        self.operations.push((kind, operands));
        self.operations.len() - 1
    }
}

/// The name of the `rule::OperationKind`.
fn kind(op: Op) -> &'static str {
    match op {
        Op::Binary(BinaryOp::Add, ..) => "Add",
        Op::Binary(BinaryOp::Subtract, ..) => "Subtract",
        Op::Binary(BinaryOp::Multiply, ..) => "Multiply",
        Op::Binary(BinaryOp::Divide, ..) => "Divide",
        Op::MulAdd(..) => "MultiplyAdd",
        Op::Unary(UnaryOp::Tanh, _) => "Tanh",
        _ => "Other",
    }
}
