//! The three ways to cut a rule at its reductions that look right and are not: each computes something else, by far
//! more than rounding, and the verifier refuses each.

use optimizer_specs::checked::HyperValue;
use optimizer_specs::compile::Compiled;
use optimizer_specs::ir::{Cell, Extent, Graph, Kernel, NodeId, Op, Program, Slot, SlotRead, SlotTable};
use optimizer_specs::plan;
use optirs_gpu_tests::compiled::rules;
use optirs_gpu_tests::parity::model::{How, StepInputs};
use optirs_gpu_tests::parity::{Data, Model};

struct Staging {
    compiled: Compiled,
    program: Program,
}

impl Staging {
    /// The plan of `update` with the default hyper-parameters, to be harmed.
    fn of(name: &str) -> Self {
        let compiled = rules().into_iter().find(|rule| rule.name() == name).expect("a rule of that name").compiled;
        let program = compiled.variants[compiled.default_variant].programs[0].clone();
        Self { compiled, program }
    }

    fn kernel(&mut self, name: &str) -> &mut Kernel {
        self.program.kernels.iter_mut().find(|kernel| kernel.name == name).expect("a kernel of that name")
    }

    fn state(&self, name: &str) -> u32 {
        let states = &self.compiled.rule.states;
        states.iter().position(|state| state.name == name).expect("a state of that name") as u32
    }

    fn node(&self, op: Op) -> NodeId {
        let place = self.program.graph.nodes.iter().position(|node| node.op == op);
        NodeId(place.expect("such a node") as u32)
    }

    fn records(&self) -> (&SlotTable, &SlotTable) {
        let variant = &self.compiled.variants[self.compiled.default_variant];
        (&variant.all, &variant.tensor)
    }

    fn refusal(&self) -> String {
        let (all, tensor) = self.records();
        plan::verify(&self.program, all, tensor).expect_err("the verifier accepts a wrong staging")
    }

    /// The greatest difference of a parameter to the rule as it stands, after ten steps on these gradients.
    fn difference(&self, change: impl Fn(&str, &mut HyperValue), gradient: fn(f32) -> f32) -> f32 {
        let rule = &self.compiled.rule;
        let variant = &self.compiled.variants[self.compiled.default_variant];
        let mut values: Vec<_> = rule.hypers.iter().map(|hyper| hyper.default.clone()).collect();
        for (value, hyper) in values.iter_mut().zip(&rule.hypers) {
            change(&hyper.name.to_string(), value);
        }
        let mut data = Data::new(&[100, 3, 9000], 2);
        let (shapes, params) = (data.shapes(), data.params());
        let mut right = Model::<f32>::new(rule, variant, &values, &shapes, &params);
        let mut wrong = right.clone();
        let (all, tensor) = self.records();
        for _ in 0..10 {
            let mut inputs = StepInputs::next(rule, &mut data);
            inputs.gradients.iter_mut().flatten().for_each(|value| *value = gradient(*value));
            right.run(&variant.programs[0], How::Direct, &inputs).expect("the rule steps");
            wrong.run(&self.program, How::Planned(all, tensor), &inputs).expect("the wrong staging steps");
        }
        let param = |model: &Model<f32>| -> Vec<f32> {
            model.memory.tensors.iter().flat_map(|tensor| tensor.cells[&Cell::Param].clone()).collect()
        };
        let pairs = param(&right).into_iter().zip(param(&wrong));
        pairs.map(|(right, wrong)| (right - wrong).abs()).fold(0.0, f32::max)
    }
}

fn merge<T: Ord + Copy>(into: &mut Vec<T>, from: &[T]) {
    into.extend(from);
    into.sort();
    into.dedup();
}

/// Sets one hyper-parameter.
fn set(field: &str, to: f64) -> impl Fn(&str, &mut HyperValue) {
    move |name, value| {
        if name == field {
            *value = HyperValue::F32(to);
        }
    }
}

#[test]
fn lamb_that_updates_its_moments_in_both_passes() {
    let mut lamb = Staging::of("lamb");
    let first = lamb.kernel("update_pass1").clone();
    let second = lamb.kernel("update_pass2");
    // Cut at the reductions: the second pass does all over again what the first has done and stored.
    second.loads.clone_from(&first.loads);
    second.stores.extend(&first.stores);
    merge(&mut second.fields, &first.fields);
    let missing = first.reads.iter().filter(|read| !second.reads.contains(read)).copied().collect::<Vec<_>>();
    second.reads.extend(missing);
    merge(&mut second.uniform, &first.uniform);
    merge(&mut second.body, &first.body);
    assert!(lamb.refusal().contains("does not hold"), "{}", lamb.refusal());
    let difference = lamb.difference(set("learning_rate", 0.1), |g| g);
    assert!(difference > 0.01, "{difference}");
}

#[test]
fn a_trust_ratio_over_lion_whose_old_moment_is_overwritten() {
    let mut lion = Staging::of("lion_trust");
    let m = Cell::ElementState(lion.state("m"));
    let second = lion.kernel("update_pass2").clone();
    let stored = *second.stores.iter().find(|store| store.0 == m).expect("the second pass stores m");
    let graph = lion.program.graph.clone();
    // What the new moment needs and the first pass can compute.
    let mut needed = vec![stored.1];
    for id in (0..=stored.1.0).rev().map(NodeId) {
        if needed.contains(&id) {
            let elements = graph.op(id).operands().filter(|&id| graph.node(id).extent == Extent::Element);
            needed.extend(elements.filter(|&id| graph.op(id).operands().next().is_some()));
        }
    }
    let first = lion.kernel("update_pass1");
    first.stores.push(stored);
    merge(&mut first.fields, &second.fields);
    merge(&mut first.body, &needed);
    lion.kernel("update_pass2").stores.retain(|store| store.0 != m);
    assert!(lion.refusal().contains("does not hold"), "{}", lion.refusal());
    let difference = lion.difference(set("learning_rate", 0.01), |g| g);
    assert!(difference > 0.01, "{difference}");
}

#[test]
fn prodigy_whose_distance_is_overwritten_before_the_second_pass_reads_it() {
    let mut prodigy = Staging::of("prodigy");
    let d = Cell::AllState(prodigy.state("d"));
    let old = prodigy.node(Op::Load(d));
    let graph = prodigy.program.graph.clone();
    let row = prodigy.program.row.iter().map(|field| field.node).collect::<Vec<_>>();
    // The second pass computes from the state what the first finish has left it in slots of their own.
    let second = prodigy.kernel("update_pass2");
    let slots = std::mem::take(&mut second.reads);
    let (again, kept): (Vec<_>, Vec<_>) =
        slots.into_iter().partition(|read| graph.op(read.node) != Op::Clip && comes_from(&graph, read.node, old));
    assert!(again.len() >= 3, "{again:?}");
    second.reads = kept;
    second.reads.push(SlotRead { slot: Slot::All(0), node: old });
    let mut needed: Vec<_> = again.iter().map(|read| read.node).collect();
    for id in (0..graph.nodes.len() as u32).rev().map(NodeId) {
        if id == old || !needed.contains(&id) {
            continue;
        }
        if !graph.node(id).extent.is_host() {
            second.uniform.push(id);
            needed.extend(graph.op(id).operands());
        } else if let Some(field) = row.iter().position(|&node| node == id) {
            merge(&mut second.fields, &[field as u32]);
        }
    }
    second.uniform.sort();
    assert!(prodigy.refusal().contains("does not hold"), "{}", prodigy.refusal());
    // Gradients of one sign: the distance grows.
    let difference = prodigy.difference(set("d0", 1e-3), f32::abs);
    assert!(difference > 1e-4, "{difference}");
}

/// Whether a value is computed from this load and host values alone.
fn comes_from(graph: &Graph, id: NodeId, load: NodeId) -> bool {
    let node = graph.node(id);
    let mut operands = node.op.operands().peekable();
    let computed = operands.peek().is_some() && !matches!(node.op, Op::Reduce(..));
    id == load || node.extent.is_host() || (computed && operands.all(|operand| comes_from(graph, operand, load)))
}
