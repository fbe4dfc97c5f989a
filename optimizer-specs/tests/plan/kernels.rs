//! What the kernels of a plan read, compute and write.

use optimizer_specs::ir::{Cell, Comparison, Extent, FieldType, Kernel, KernelKind, LoadSource, Op, Program, Slot};
use optimizer_specs::plan;

use crate::rules::{self, Planned};
use crate::write::{PARAM, Sheet};

fn planned((graph, context): Planned) -> Program {
    plan::plan(graph, &context)
}

fn names(program: &Program) -> Vec<&str> {
    program.kernels.iter().map(|kernel| kernel.name.as_str()).collect()
}

fn kernel<'p>(program: &'p Program, name: &str) -> &'p Kernel {
    program.kernels.iter().find(|kernel| kernel.name == name).expect("a kernel of that name")
}

fn fields(program: &Program) -> Vec<&str> {
    program.row.iter().map(|field| field.name.as_str()).collect()
}

/// The slots that a kernel writes, with the rule's names of what goes there.
fn writes<'p>(program: &'p Program, name: &str) -> Vec<(Slot, &'p str)> {
    let name_of = |id| program.graph.node(id).name.as_deref().unwrap_or("");
    kernel(program, name).writes.iter().map(|write| (write.slot, name_of(write.node))).collect()
}

#[test]
fn kernels_of_each_kind_of_rule() {
    assert_eq!(names(&planned(rules::adam())), ["update_pass1"]);
    assert_eq!(names(&planned(rules::lamb())), ["update_pass1", "update_finish1_tensor", "update_pass2"]);
    // The total over all tensors goes through the tensors' own.
    let apex = planned(rules::lamb_apex());
    assert_eq!(
        names(&apex),
        [
            "update_pass1",
            "update_finish1_tensor",
            "update_finish1_all",
            "update_pass2",
            "update_finish2_tensor",
            "update_pass3"
        ]
    );
    // `d * epsilon` belongs to a tensor and needs the new `d`.
    assert_eq!(
        names(&planned(rules::prodigy())),
        ["update_pass1", "update_finish1_tensor", "update_finish1_all", "update_finish1_tensor_late", "update_pass2"]
    );
    // A state that no later pass needs is written by the finish of its own pass.
    let spam = planned(rules::stable_spam());
    assert_eq!(
        names(&spam),
        ["update_pass1", "update_finish1_tensor", "update_pass2", "update_finish2_tensor", "update_pass3"]
    );
    assert!(writes(&spam, "update_finish1_tensor").contains(&(Slot::Tensor(0), "")));
}

#[test]
fn a_host_value_is_a_field_of_the_row() {
    assert_eq!(
        fields(&planned(rules::adam())),
        [
            "grad_scale",
            "weight_decay",
            "beta1",
            "beta2",
            "one_minus_beta1",
            "one_minus_beta2",
            "bias2",
            "epsilon",
            "learning_rate_over_bias1",
        ]
    );
}

#[test]
fn lamb_keeps_what_the_second_pass_needs() {
    let lamb = planned(rules::lamb());
    // `learning_rate * trust` is computed once per tensor, not once per workgroup.
    let kept = &kernel(&lamb, "update_finish1_tensor").writes;
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].slot, Slot::Tensor(0));
    let second = kernel(&lamb, "update_pass2");
    assert!(second.reads.iter().any(|read| read.slot == Slot::Tensor(0) && read.node == kept[0].node));
    assert!(second.uniform.is_empty());
    assert_eq!(lamb.partial_words, 4);
}

#[test]
fn the_old_value_of_a_state_is_copied_before_it_is_overwritten() {
    // The state is written after pass 1, and the old one used in pass 2.
    let s = Sheet::new(&[]);
    let scale = s.tensor("scale");
    let size = s.grad().norm().named("size");
    s.store(scale, size);
    s.store(PARAM, s.load(PARAM) - s.load(scale) * (s.grad() / size));
    let program = planned(s.finish());
    let finish = kernel(&program, "update_finish1_tensor");
    let old = finish.reads[0].node;
    assert_eq!((finish.reads[0].slot, program.graph.op(old)), (Slot::Tensor(0), Op::Load(scale)));
    // The copy first, then the state.
    assert_eq!(
        (finish.writes[0].node, writes(&program, "update_finish1_tensor")),
        (old, vec![(Slot::Tensor(1), ""), (Slot::Tensor(0), "size")])
    );
    let read: Vec<_> = kernel(&program, "update_pass2").reads.iter().map(|read| read.slot).collect();
    assert_eq!(read, [Slot::Clip, Slot::Tensor(0), Slot::Tensor(1)]);
}

#[test]
fn the_finish_over_all_tensors_reads_shared_fields_alone() {
    for (name, planning) in rules::all() {
        let program = planned(planning);
        for kernel in program.kernels.iter().filter(|kernel| kernel.kind == KernelKind::FinishAll) {
            let extents =
                kernel.fields.iter().map(|&field| program.graph.node(program.row[field as usize].node).extent);
            assert!(extents.clone().all(|extent| extent == Extent::Const), "{name}");
            assert!(kernel.reads.iter().all(|read| matches!(read.slot, Slot::All(_))), "{name}");
        }
    }
}

#[test]
fn a_moved_value_is_reloaded_from_where_it_went() {
    // Once `param` is stored, its old value lives on in `previous`.
    let s = Sheet::new(&[]);
    let previous = s.element("previous");
    let old = s.load(PARAM);
    s.store(previous, old);
    s.store(PARAM, old - s.grad());
    s.store(s.element("scaled"), old * s.grad().norm());
    let program = planned(s.finish());
    let second = kernel(&program, "update_pass2");
    let loads: Vec<_> = second.loads.iter().map(|load| (load.source, program.graph.op(load.node))).collect();
    assert_eq!(loads, [(LoadSource::Cell(previous), Op::Load(Cell::Param))]);
    assert_eq!((second.stores.len(), program.bytes_per_element), (1, 24));
}

#[test]
fn fields_of_an_arm_that_is_not_taken_are_not_demanded() {
    // RAdam: the root is of a negative number in the first steps.
    let s = Sheet::new(&["learning_rate", "rho"]);
    let (rho, five) = (s.hyper("rho"), s.real(5.0));
    let rectified = rho.above(five);
    let root = (rho - five).sqrt().named("root");
    let both = s.hyper("learning_rate");
    let g = s.grad();
    s.store(PARAM, s.load(PARAM) - rectified.then(root * g * both, g * both));
    let program = planned(s.finish());
    let demand = |name: &str| program.row.iter().find(|field| field.name == name).map(|field| field.demand);
    assert_eq!(demand("root"), Some(Some(rectified_node(&program))));
    assert_eq!(demand("learning_rate"), Some(None));
    assert_eq!(demand("rho_above_5"), Some(None));
    assert_eq!(demand("grad_scale"), Some(None));
}

fn rectified_node(program: &Program) -> optimizer_specs::ir::NodeId {
    program.row.iter().find(|field| field.ty == FieldType::U32).expect("the condition").node
}

#[test]
fn demands_of_nested_arms() {
    let s = Sheet::new(&["a", "b", "x", "y"]);
    let zero = s.real(0.0);
    let (a, b) = (s.hyper("a").above(zero), s.hyper("b").above(zero));
    let (x, y, g) = (s.hyper("x"), s.hyper("y"), s.grad());
    // x under a && b or under !a; y under a && !b.
    s.store(PARAM, a.then(b.then(x * g, y * g), x + g));
    let program = planned(s.finish());
    let op = |name: &str| {
        let field = program.row.iter().find(|field| field.name == name).expect("a field of that name");
        field.demand.map(|demand| text(&program, demand))
    };
    assert_eq!(op("x"), Some("(!a | b)".to_owned()));
    assert_eq!(op("y"), Some("(a & !b)".to_owned()));
    assert_eq!((op("a_above_0"), op("b_above_0")), (None, Some("a".to_owned())));
}

fn text(program: &Program, id: optimizer_specs::ir::NodeId) -> String {
    use optimizer_specs::ir::{BinaryOp, UnaryOp};
    match program.graph.op(id) {
        Op::Unary(UnaryOp::Not, inner) => format!("!{}", text(program, inner)),
        Op::Binary(BinaryOp::And, left, right) => format!("({} & {})", text(program, left), text(program, right)),
        Op::Binary(BinaryOp::Or, left, right) => format!("({} | {})", text(program, left), text(program, right)),
        Op::Compare(_, left, _) if program.graph.op(left) == Op::Hyper(0) => "a".to_owned(),
        Op::Compare(..) => "b".to_owned(),
        other => format!("{other:?}"),
    }
}

#[test]
fn names_of_fields_are_unique_and_legal() {
    let s = Sheet::new(&["kernel", "beta"]);
    let one = s.real(1.0);
    let (first, second) = ((one - s.hyper("beta")).named("weight"), s.hyper("beta").sqrt().named("weight"));
    let g = s.grad();
    s.store(PARAM, s.load(PARAM) - (s.hyper("kernel") * g + first * (g + second * (g - s.real(0.5)))));
    let program = planned(s.finish());
    assert_eq!(fields(&program), ["weight", "weight_2", "grad_scale", "kernel_"]);
    assert!(program.row.iter().all(|field| field.ty == FieldType::F32));
    let cells: Vec<_> = program.kernels[0].stores.iter().map(|store| store.0).collect();
    assert_eq!(cells, [Cell::Param]);
}

#[test]
fn an_exponent_that_is_also_compared_with_a_count_has_a_field_of_its_own() {
    let s = Sheet::new(&["learning_rate"]);
    let step = s.op(Op::Step);
    let g = s.grad();
    let many = s.op(Op::Compare(Comparison::Greater, g.above(s.real(0.0)).count().id, step.id));
    s.store(PARAM, s.load(PARAM) - many.then(g, g.powi(step)));
    let program = planned(s.finish());
    let typed: Vec<_> = program.row.iter().map(|field| (field.name.as_str(), field.ty)).collect();
    assert_eq!(typed, [("step", FieldType::U32), ("grad_scale", FieldType::F32), ("exponent", FieldType::I32)]);
}
