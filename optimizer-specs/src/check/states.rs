//! States: types, kinds, first values.

use super::body::Place;
use super::constants::{Value, folded};
use super::items::{Items, unique};
use crate::ast::{Expr, ExprKind, StateField, TypeKind, text};
use crate::checked::{HyperType, Init, State, StateKind, Ty};
use crate::error::code;
use crate::nearest::did_you_mean;

/// Checks the states and fills them in.
pub(super) fn states(items: &mut Items<'_>) {
    let Some(source) = items.rule.states.first() else { return };
    unique(source.fields().iter().map(|field| &field.name), "state", items.errors);
    for field in source.fields() {
        state_type(items, field);
        let init = init(items, field).unwrap_or(Init::Number(0.0));
        items.states.push(State {
            name: field.name.clone(),
            attributes: field.attributes.clone(),
            kind: field.kind,
            init,
            keep: field.keep,
        });
    }
}

fn state_type(items: &Items<'_>, field: &StateField) {
    let (right, expected) = match field.kind {
        StateKind::Host => (matches!(field.ty.kind, TypeKind::F64), "f64"),
        _ => (matches!(field.ty.kind, TypeKind::F32), "f32"),
    };
    if right {
        return;
    }
    let message = format!("state `{}` must be `{expected}`", field.name);
    let written = text::type_text(&field.ty);
    let help = match (&field.ty.kind, field.kind) {
        (TypeKind::F64, _) => "write `f32`, or `#[host]` above it for one value per tensor on the host".to_owned(),
        (TypeKind::F32, StateKind::Host) => "write `f64`: host states are f64".to_owned(),
        (TypeKind::U32, _) => NO_INTEGERS.to_owned(),
        (TypeKind::Refused(_), _) if written.starts_with(['i', 'u']) => NO_INTEGERS.to_owned(),
        (TypeKind::Bool, _) => format!("write `{expected}`, and store 1.0 or 0.0"),
        (TypeKind::Option(_), _) => format!("write `{expected}`: it starts at 0, or at `#[init(…)]`"),
        (TypeKind::Tuple(_), _) => format!("write one field for each value, of type `{expected}`"),
        (TypeKind::Refused(_) | TypeKind::Named(_), StateKind::Element) if !written.ends_with("f16") => {
            "write `f32`: it is one value per element".to_owned()
        }
        _ => format!("write `{expected}`"),
    };
    items.errors.error(code::STATE_KIND, field.ty.span, message, help);
}

const NO_INTEGERS: &str = "there is no integer state: write `f32`; `step` and `run` count updates";

/// `None` where there is no `#[init]`, or where it is wrong and reported.
fn init(items: &Items<'_>, field: &StateField) -> Option<Init> {
    let source = field.init.as_ref()?;
    let name = match &source.kind {
        ExprKind::Path(path) => match path.as_slice() {
            [name] if items.constant(&name.to_string()).is_none() => name,
            _ => return number(items, source),
        },
        _ => return number(items, source),
    };
    if name == "param" {
        if field.kind != StateKind::Element {
            let help = "`param` is one value per element: only a plain `f32` state can start from it";
            items.errors.error(code::INIT, name.span(), "this state is not one value per element", help);
            return None;
        }
        return Some(Init::Param);
    }
    let Some(index) = items.hypers.iter().position(|hyper| hyper.name == *name) else {
        let names: Vec<String> = items.hypers.iter().map(|hyper| hyper.name.to_string()).collect();
        let known = names.iter().map(String::as_str).chain(["param"]);
        let (message, help) = if name == "grad" {
            let help = format!("leave `#[init]` out, and write `if step == 1 {{ state.{} = grad; }}`", field.name);
            ("a state has its first value before there is a gradient".to_owned(), help)
        } else {
            let otherwise = "write a number, the name of an f32 hyper-parameter, or `param`";
            (format!("no hyper-parameter `{name}`"), did_you_mean(&name.to_string(), known, otherwise))
        };
        items.errors.error(code::INIT, name.span(), message, help);
        return None;
    };
    if items.hypers[index].ty != HyperType::F32 {
        let help = "write a number, the name of an f32 hyper-parameter, or `param`";
        items.errors.error(code::INIT, name.span(), format!("hyper-parameter `{name}` is not an f32"), help);
        return None;
    }
    Some(Init::Hyper(index as u32))
}

fn number(items: &Items<'_>, source: &Expr) -> Option<Init> {
    match folded(items, Place::Init, source, &Ty::Real)? {
        Value::Real(value) => Some(Init::Number(value)),
        Value::Int(_) | Value::Bool(_) => None,
    }
}
