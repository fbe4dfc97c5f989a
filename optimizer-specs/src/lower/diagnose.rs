//! The errors that only lowering can find, because they need the extent of values: one function per rule.

use proc_macro2::Span;

use super::context::Lowerer;
use crate::error::{Diagnostic, code};
use crate::ir::build::Derived;
use crate::ir::{BinaryOp, Cell, Extent, NodeId, Op, ReduceKind, Scope, Type, UnaryOp};

fn error(code: &'static str, span: Span, message: String, help: &str) -> Option<Diagnostic> {
    Some(Diagnostic::new(code, span, message).help(help))
}

/// Over what a value varies, as the end of "it has …".
fn extent_text(lowerer: &Lowerer<'_>, id: NodeId) -> &'static str {
    let node = lowerer.graph().node(id);
    match node.extent {
        _ if matches!(node.op, Op::Hyper(_)) => "one value per parameter group",
        Extent::Const | Extent::Row => "one value per tensor, made on the host",
        Extent::All => "one value for all tensors, made on the device",
        Extent::Tensor => "one value per tensor, made on the device",
        Extent::Element => "one value per element",
    }
}

/// Arithmetic on literals without a finite value.
pub(super) fn not_finite(text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(code::NOT_FINITE, span, format!("`{text}` has no finite value"))
        .help("no value may be infinite or NaN: guard it with `if`")
}

/// An entry that comes to more than the compiler follows.
pub(super) fn too_long(entry: &str, most: usize, span: Span) -> Diagnostic {
    let message =
        format!("`{entry}` comes to more than {most} expressions, those of the helpers that it calls included");
    Diagnostic::new(code::TOO_LONG, span, message)
        .help("a helper counts anew at each call: keep what it returns in a variable instead of calling it again")
}

/// An `Option` or enum that is chosen by something other than options.
pub(super) fn choice_at_run_time(span: Span) -> Diagnostic {
    let message = "an `Option` or enum value may depend on options only, and this condition is known at run time";
    Diagnostic::new(code::CHOICE_AT_RUN_TIME, span, message).help("choose between the numbers that it leads to instead")
}

/// Whether an operation is allowed where it would be computed.
pub(super) fn operation(lowerer: &Lowerer<'_>, op: Op, derived: Derived, span: Span) -> Option<Diagnostic> {
    if derived.extent.is_host() {
        return None;
    }
    host_only(op, span)
        .or_else(|| device_integer(lowerer, op, derived, span))
        .or_else(|| count_range(lowerer, op, span))
        .or_else(|| op.operands().find_map(|id| device_literal(lowerer, id, span)))
        .or_else(|| reduction(lowerer, op, span))
}

fn host_only(op: Op, span: Span) -> Option<Diagnostic> {
    let name = match op {
        Op::Unary(UnaryOp::Floor, _) => "floor",
        Op::Unary(UnaryOp::Ceil, _) => "ceil",
        Op::Binary(BinaryOp::Remainder, ..) => "%",
        _ => return None,
    };
    error(
        code::HOST_ONLY,
        span,
        format!("`{name}` is for host values only"),
        "host values are made of hyper-parameters, `step`, `run`, shape and host states",
    )
}

/// Whole numbers on the device: only a count, to compare or to take `as f32`.
fn device_integer(lowerer: &Lowerer<'_>, op: Op, derived: Derived, span: Span) -> Option<Diagnostic> {
    let (message, help) = match op {
        Op::Select(..) if derived.ty == Type::Int => (
            "the device would choose between two whole numbers, which it does not have",
            "take them `as f32` in both arms",
        ),
        Op::Binary(BinaryOp::Powi, _, exponent) if !lowerer.graph().node(exponent).extent.is_host() => {
            ("the power of `powi` is made on the device", "use a whole number of the host")
        }
        Op::Unary(..) | Op::Binary(..) if derived.ty == Type::Int => (
            "a count can be compared and taken `as f32`; other arithmetic on whole numbers is for the host",
            "write `count(…) as f32` and go on with reals",
        ),
        _ => return None,
    };
    error(code::DEVICE_INTEGER, span, message.to_owned(), help)
}

/// A literal that a count is compared with must be a u32.
fn count_range(lowerer: &Lowerer<'_>, op: Op, span: Span) -> Option<Diagnostic> {
    let Op::Compare(_, a, b) = op else { return None };
    [a, b].into_iter().find_map(|id| match lowerer.graph().op(id) {
        Op::Int(value) if u32::try_from(value).is_err() => {
            let message = format!("a count is never compared with {value}: it lies in 0..=4294967295");
            error(code::COUNT_RANGE, span, message, "compare it with a whole number of that range")
        }
        _ => None,
    })
}

/// A literal that the device uses is rounded to f32, which must not take it to infinity.
pub(super) fn device_literal(lowerer: &Lowerer<'_>, id: NodeId, span: Span) -> Option<Diagnostic> {
    let Op::Real(bits) = lowerer.graph().op(id) else { return None };
    let value = f64::from_bits(bits);
    if (value as f32).is_finite() {
        return None;
    }
    let message = format!("{value:?} is used on the device, where numbers are f32, and does not fit");
    error(code::LITERAL, span, message, "the greatest number is `f32::MAX`, about 3.4e38")
}

fn reduction(lowerer: &Lowerer<'_>, op: Op, span: Span) -> Option<Diagnostic> {
    let Op::Reduce(kind, scope, argument) = op else { return None };
    if lowerer.graph().node(argument).extent != Extent::Element {
        let argument = describe(lowerer, argument);
        let message =
            format!("a reduction goes over the elements of a tensor, but {argument} is the same for all of them");
        let help = match (kind, scope) {
            (ReduceKind::Sum | ReduceKind::Count, Scope::Tensor) => "how many elements there are is `len()`",
            (ReduceKind::Sum | ReduceKind::Count, Scope::All) => "how many elements there are is `all::len()`",
            _ => "use the value itself",
        };
        return error(code::REDUCTION_ARGUMENT, span, message, help);
    }
    let leaf = lowerer.conditions.iter().find_map(|&condition| culprit(lowerer, condition, Extent::Tensor))?;
    let message = format!(
        "a reduction goes over all elements, but it stands under a condition that reads {}, which has {}",
        describe(lowerer, leaf),
        extent_text(lowerer, leaf)
    );
    let help = "compute it before the `if`; to leave elements out, reduce `if … { x } else { 0.0 }`";
    error(code::REDUCTION_CONDITION, span, message, help)
}

/// Whether a state may take a value here.
pub(super) fn assignment(lowerer: &Lowerer<'_>, cell: Cell, value: NodeId, span: Span) -> Option<Diagnostic> {
    let target = cell.extent();
    if !target.is_host()
        && let Some(found) = device_literal(lowerer, value, span)
    {
        return Some(found);
    }
    let has = format!("{} has {}", cell_text(lowerer, cell), cell_extent_text(cell));
    if let Some(leaf) = culprit(lowerer, value, target) {
        let (value, read) = (describe(lowerer, value), describe(lowerer, leaf));
        let reads = if value == read { String::new() } else { format!(" reads {read}, which") };
        let message = format!("{has}, but {value}{reads} has {}", extent_text(lowerer, leaf));
        return error(code::STATE_EXTENT, span, message, remedy(lowerer, cell, leaf));
    }
    let leaf = lowerer.conditions.iter().find_map(|&condition| culprit(lowerer, condition, target))?;
    let read = describe(lowerer, leaf);
    let message = format!(
        "{has}, but it is assigned under a condition that reads {read}, which has {}",
        extent_text(lowerer, leaf)
    );
    error(code::CONDITION_EXTENT, span, message, remedy(lowerer, cell, leaf))
}

/// The first value on the way to `id` that varies over more than `target`, while what it is made of does not.
fn culprit(lowerer: &Lowerer<'_>, id: NodeId, target: Extent) -> Option<NodeId> {
    let node = lowerer.graph().node(id);
    if node.extent.fits(target) {
        return None;
    }
    if matches!(node.op, Op::Reduce(..)) {
        return Some(id);
    }
    Some(node.op.operands().find_map(|operand| culprit(lowerer, operand, target)).unwrap_or(id))
}

/// What to do about a state that takes, or is assigned under, a value that varies over too much.
fn remedy(lowerer: &Lowerer<'_>, cell: Cell, leaf: NodeId) -> &'static str {
    let node = lowerer.graph().node(leaf);
    match (cell, node.op) {
        (Cell::HostState(_), _) => {
            "the host never waits for the device: make it a `#[tensor]` state or leave out what the device makes"
        }
        (Cell::AllState(_), Op::Hyper(_)) => "mark the hyper-parameter `shared`: one value for all parameter groups",
        (Cell::AllState(_), Op::Step) => "`step` counts the updates of one tensor: use `run`",
        (Cell::AllState(_), Op::Reduce(..)) => "reduce over all tensors: `all::sum(…)`, `all::norm(…)`, …",
        (Cell::AllState(_), _) if node.extent == Extent::Element => {
            "reduce it over all tensors, `all::mean(…)`, or make the state per element: leave out `#[all]`"
        }
        (Cell::AllState(_), _) => {
            "an `#[all]` state reads only `run`, shared hyper-parameters and reductions over all tensors"
        }
        _ => "reduce it, `mean(…)`, `norm(…)`, or make the state per element: leave out `#[tensor]`",
    }
}

fn cell_text(lowerer: &Lowerer<'_>, cell: Cell) -> String {
    match cell.state() {
        None => "`param`".to_owned(),
        Some(state) => format!("`state.{}`", lowerer.rule.states[state as usize].name),
    }
}

fn cell_extent_text(cell: Cell) -> &'static str {
    match cell {
        Cell::HostState(_) => "one value per tensor, kept on the host",
        Cell::TensorState(_) => "one value per tensor",
        Cell::AllState(_) => "one value for all tensors",
        Cell::Param | Cell::ElementState(_) => "one value per element",
    }
}

/// A value, by the name that the rule's author knows it by.
fn describe(lowerer: &Lowerer<'_>, id: NodeId) -> String {
    let node = lowerer.graph().node(id);
    let name = match node.op {
        Op::Hyper(index) => format!("hyper.{}", lowerer.rule.hypers[index as usize].name),
        Op::Load(cell) => return cell_text(lowerer, cell),
        Op::Input(index) => lowerer.rule.inputs[index as usize].to_string(),
        Op::Scalar(index) => lowerer.rule.scalars[index as usize].to_string(),
        Op::Step => "step".to_owned(),
        Op::Run => "run".to_owned(),
        Op::RawGrad | Op::GradScale | Op::ClipValue | Op::Clip => "grad".to_owned(),
        Op::Len => "len()".to_owned(),
        Op::AllLen => "all::len()".to_owned(),
        Op::Ndim => "ndim()".to_owned(),
        Op::Dim(index) => format!("dim({index})"),
        Op::Real(bits) => format!("{:?}", f64::from_bits(bits)),
        Op::Int(value) => value.to_string(),
        Op::Bool(value) => value.to_string(),
        Op::Reduce(_, Scope::Tensor, _) if node.name.is_none() => return "a reduction over one tensor".to_owned(),
        Op::Reduce(_, Scope::All, _) if node.name.is_none() => return "a reduction over all tensors".to_owned(),
        _ => match &node.name {
            Some(name) => name.clone(),
            None => return "the value".to_owned(),
        },
    };
    format!("`{name}`")
}
