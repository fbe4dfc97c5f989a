//! Programs that compute something else than their rule: the verifier must refuse each, for the right reason.

use optimizer_specs::ir::{Cell, Kernel, LoadSource, NodeId, Op, Program, Slot, SlotRead};
use optimizer_specs::plan;

use crate::rules::{self, Planned};

struct Planning {
    program: Program,
    context: plan::Context,
}

impl Planning {
    fn new((graph, context): Planned) -> Self {
        Self { program: plan::plan(graph, &context), context }
    }

    fn kernel(&mut self, name: &str) -> &mut Kernel {
        self.program.kernels.iter_mut().find(|kernel| kernel.name == name).expect("a kernel of that name")
    }

    fn node(&self, op: Op) -> NodeId {
        let index = self.program.graph.nodes.iter().position(|node| node.op == op).expect("such a node");
        NodeId(index as u32)
    }

    /// The node and all that it is computed from.
    fn made_of(&self, id: NodeId) -> Vec<NodeId> {
        let operands = self.program.graph.op(id).operands();
        operands.flat_map(|operand| self.made_of(operand)).chain([id]).collect()
    }

    fn verify(&self) -> Result<(), String> {
        let unharmed = plan::plan(self.program.graph.clone(), &self.context);
        let (all, tensor) = plan::records(&self.context, &[unharmed]);
        plan::verify(&self.program, &all, &tensor)
    }
}

fn merge(into: &mut Vec<NodeId>, from: &[NodeId]) {
    into.extend(from);
    into.sort();
    into.dedup();
}

#[test]
fn lamb_that_runs_its_moment_update_again_in_the_second_pass() {
    let mut lamb = Planning::new(rules::lamb());
    let old = lamb.node(Op::Load(Cell::ElementState(0)));
    let first = lamb.kernel("update_pass1").clone();
    let second = lamb.kernel("update_pass2");
    // Cut at the reductions: the second pass does all over again what the first has done and stored.
    second.loads.clone_from(&first.loads);
    second.fields.extend(&first.fields);
    second.fields.sort();
    second.fields.dedup();
    merge(&mut second.body, &first.body);
    assert_eq!(lamb.verify(), Err(format!("update_pass2: Cell(ElementState(0)) does not hold node {} here", old.0)));
}

#[test]
fn a_trust_ratio_over_lion_whose_old_moment_is_overwritten() {
    let mut lion = Planning::new(rules::lion_trust());
    let m = Cell::ElementState(0);
    let old = lion.node(Op::Load(m));
    // The first pass stores the new moment; the second still computes the sign from the old one.
    let second = lion.kernel("update_pass2");
    let place = second.stores.iter().position(|store| store.0 == m).expect("the second pass stores m");
    let stored = second.stores.remove(place);
    let (fields, body) = (second.fields.clone(), second.body.clone());
    let made_of = lion.made_of(stored.1);
    let first = lion.kernel("update_pass1");
    first.stores.push(stored);
    first.fields = fields;
    merge(&mut first.body, &body.into_iter().filter(|id| made_of.contains(id)).collect::<Vec<_>>());
    assert_eq!(lion.verify(), Err(format!("update_pass2: Cell(ElementState(0)) does not hold node {} here", old.0)));
}

#[test]
fn prodigy_whose_distance_is_overwritten_before_the_second_pass_reads_it() {
    let mut prodigy = Planning::new(rules::prodigy());
    let old = prodigy.node(Op::Load(Cell::AllState(4)));
    prodigy.kernel("update_pass2").reads.push(SlotRead { slot: Slot::All(0), node: old });
    assert_eq!(prodigy.verify(), Err(format!("update_pass2: All(0) does not hold node {} here", old.0)));
}

/// A way to break a program, and what the verifier says to it.
type Harm = (&'static str, fn(&mut Planning), &'static str);

const HARMS: [Harm; 12] = [
    ("a store is missing", |p| _ = p.kernel("update_pass2").stores.pop(), "ElementState(0) does not end with"),
    (
        "a store is done twice",
        |p| {
            let store = p.kernel("update_pass2").stores[0];
            p.kernel("update_pass2").stores.push(store);
        },
        "update_pass2: Param is stored twice",
    ),
    (
        "a store of something else",
        |p| {
            let param = p.node(Op::Load(Cell::Param));
            p.kernel("update_pass2").stores[0].1 = param;
        },
        "does not end with its final value",
    ),
    ("a field is missing", |p| _ = p.kernel("update_pass1").fields.pop(), "is used and not defined"),
    ("an operation is missing", |p| _ = p.kernel("update_pass2").body.remove(0), "is used and not defined"),
    ("operations in another order", |p| p.kernel("update_pass2").body.reverse(), "is used and not defined"),
    ("an accumulator is missing", |p| _ = p.kernel("update_pass1").accumulators.pop(), "totals are not those"),
    ("a total is missing", |p| _ = p.kernel("update_finish1_tensor").accumulators.pop(), "totals are not those"),
    (
        "a word beyond the record",
        |p| {
            p.kernel("update_finish1_tensor").writes[0].slot = Slot::Tensor(9);
        },
        "Tensor(9) cannot be written here",
    ),
    (
        "a word of another record",
        |p| {
            p.kernel("update_finish1_tensor").writes[0].slot = Slot::All(0);
        },
        "All(0) cannot be written here",
    ),
    ("a scalar that nobody wrote", |p| _ = p.kernel("update_finish1_tensor").writes.remove(0), "does not hold"),
    ("a finish before its pass", |p| p.program.kernels.swap(0, 1), "its totals are not those of its pass"),
];

#[test]
fn every_harm_is_found() {
    for (name, harm, expected) in HARMS {
        let mut novograd = Planning::new(rules::novograd());
        assert_eq!(novograd.verify(), Ok(()));
        harm(&mut novograd);
        let message = novograd.verify().expect_err(name);
        assert!(message.contains(expected), "{name}: {message}");
    }
}

#[test]
fn two_loads_that_are_swapped() {
    let mut adam = Planning::new(rules::adam());
    let pass = adam.kernel("update_pass1");
    let of_cell = |cell| move |load: &&mut optimizer_specs::ir::Load| load.source == LoadSource::Cell(cell);
    let m = pass.loads.iter_mut().find(of_cell(Cell::ElementState(0))).expect("m is loaded");
    m.source = LoadSource::Cell(Cell::ElementState(1));
    let message = adam.verify().expect_err("v is loaded for m");
    assert!(message.contains("Cell(ElementState(1)) does not hold"), "{message}");
}
