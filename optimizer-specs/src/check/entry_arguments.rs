//! The arguments of `update` and entries: what each means, and what was meant by those of other names.

use proc_macro2::Ident;

use super::body::{Body, Symbol};
use super::items::Items;
use super::signatures::no_state;
use crate::ast::{self, Argument, ArgumentRole, Type, TypeKind, text};
use crate::checked::{ExprKind, Ty};
use crate::error::code;
use crate::nearest::{nearest, spelt_out};

/// The arguments of `update` and entries: name and type.
pub(super) const ARGUMENTS: [(&str, &str); 6] = [
    ("param", "&mut f32"),
    ("grad", "f32"),
    ("state", "&mut State"),
    ("hyper", "&…Params"),
    ("step", "u32"),
    ("run", "u32"),
];

/// Other names for them.
const MEANT: [(&str, &[&str]); 5] = [
    ("param", &["p", "x", "w", "theta", "weight", "weights", "value"]),
    ("grad", &["g", "gradient", "gradients", "dw", "dx", "d_p"]),
    ("state", &["s", "buffers", "states"]),
    ("hyper", &["params", "config", "options", "hypers", "hp"]),
    ("step", &["t", "iteration", "steps", "epoch"]),
];

const ALL: &str = "arguments are param, grad, state, hyper, step and run";

/// Checks and declares the arguments of `update` or an entry.
pub(super) fn declare(body: &mut Body<'_, '_>, items: &Items<'_>, function: &ast::Function) {
    body.declare_refused(&function.refused);
    for argument in &function.arguments {
        if argument.mutable {
            let message = format!("argument `{}` cannot be `mut`", argument.name);
            let help = format!("write `let mut copy = {};` in the body", argument.name);
            items.errors.error(code::SIGNATURE, argument.name.span(), message, help);
        }
        let symbol = match argument.role {
            ArgumentRole::Plain => plain(items, argument),
            ArgumentRole::Input | ArgumentRole::Scalar => extra(items, argument),
        };
        body.declare(&argument.name, symbol);
    }
    if let Some(result) = &function.result {
        let message = format!("`{}` has no result", function.name);
        let help = "remove `-> …`, and assign: `*param = …;`, `state.field = …;`";
        items.errors.error(code::SIGNATURE, result.span, message, help);
    }
}

fn plain(items: &Items<'_>, argument: &Argument) -> Symbol {
    let name = argument.name.to_string();
    if name == "_refused" {
        return unknown();
    }
    if name == "_unused" {
        let help = "leave the argument out: unused ones need not be there";
        items.errors.error(code::SIGNATURE, argument.name.span(), "an argument without a name", help);
        return unknown();
    }
    let Some(expected) = expected(items, &name) else { return other(items, argument) };
    let written = text::type_text(&argument.ty);
    let stands_for_state = name == "state" && is_state(items, &argument.ty);
    if written != expected && !stands_for_state && !(name == "hyper" && super::params::main(items.rule).is_none()) {
        let message = format!("`{name}` is `{expected}`, not `{written}`");
        let why = match (name.as_str(), &argument.ty.kind) {
            ("param" | "grad", TypeKind::Refused(_) | TypeKind::Named(_)) => ": a rule is written for one element",
            _ => "",
        };
        items.errors.error(code::SIGNATURE, argument.ty.span, message, format!("write `{name}: {expected}`{why}"));
    }
    if name == "state" {
        no_state(items, &argument.name);
    }
    symbol(&name)
}

/// The type of an argument of that name, if there is one.
fn expected(items: &Items<'_>, name: &str) -> Option<String> {
    let (_, ty) = ARGUMENTS.iter().find(|(known, _)| *known == name)?;
    Some(match super::params::main(items.rule) {
        Some(params) if name == "hyper" => format!("&{}", params.name),
        _ => (*ty).to_owned(),
    })
}

fn symbol(name: &str) -> Symbol {
    match name {
        "param" => Symbol::Param,
        "grad" => Symbol::Value(ExprKind::Grad, Ty::Real),
        "state" => Symbol::State(true),
        "hyper" => Symbol::Hyper,
        "step" => Symbol::Value(ExprKind::Step, Ty::Int),
        _ => Symbol::Value(ExprKind::Run, Ty::Int),
    }
}

fn unknown() -> Symbol {
    Symbol::Value(ExprKind::Error, Ty::Error)
}

/// `&mut State`, or the struct that is taken for it.
fn is_state(items: &Items<'_>, ty: &Type) -> bool {
    let state = items.rule.states.first();
    matches!(&ty.kind, TypeKind::Reference(true, inner)
        if matches!(&inner.kind, TypeKind::Named(name) if state.is_some_and(|state| state.name == *name)))
}

/// An argument of another name: reported, and taken for what it probably is.
fn other(items: &Items<'_>, argument: &Argument) -> Symbol {
    let name = argument.name.to_string();
    let message = format!("`{name}` is not an argument of a rule");
    let meant = meant(items, argument);
    let help = match meant.and_then(|meant| Some((meant, expected(items, meant)?))) {
        Some((meant, expected)) => format!("did you mean `{meant}: {expected}`? The {ALL}"),
        None => match hyper(items, &name) {
            Some(hyper) => format!("write `hyper.{hyper}` in the body; the {ALL}"),
            None => format!("the {ALL}; mark others `#[input]` (one value per element) or `#[scalar]` (one per step)"),
        },
    };
    items.errors.error(code::SIGNATURE, argument.name.span(), message, help);
    meant.map_or_else(unknown, symbol)
}

fn meant(items: &Items<'_>, argument: &Argument) -> Option<&'static str> {
    if let TypeKind::Reference(mutable, inner) = &argument.ty.kind {
        match &inner.kind {
            TypeKind::F32 if *mutable => return Some("param"),
            TypeKind::Named(name) if super::params::main(items.rule).is_some_and(|params| params.name == *name) => {
                return Some("hyper");
            }
            TypeKind::Named(_) if is_state(items, &argument.ty) => return Some("state"),
            _ => {}
        }
    }
    let name = argument.name.to_string();
    let known = MEANT.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(meant, _)| *meant);
    let close = || nearest(&name, ARGUMENTS.iter().map(|(known, _)| *known));
    known.or_else(|| if hyper(items, &name).is_none() { close() } else { None })
}

/// The hyper-parameter of that name, or of one that it is short for.
fn hyper<'i>(items: &'i Items<'_>, name: &str) -> Option<&'i Ident> {
    let names: Vec<String> = items.hypers.iter().map(|hyper| hyper.name.to_string()).collect();
    let known = names.iter().map(String::as_str);
    let meant = known.clone().find(|known| *known == name);
    let meant = meant.or_else(|| nearest(name, known.clone())).or_else(|| spelt_out(name, known))?;
    items.hypers.iter().map(|hyper| &hyper.name).find(|hyper| *hyper == meant)
}

fn extra(items: &Items<'_>, argument: &Argument) -> Symbol {
    let name = &argument.name;
    if ARGUMENTS.iter().any(|(known, _)| name == known) {
        let message = format!("`{name}` is an argument of every rule");
        items.errors.error(code::SIGNATURE, name.span(), message, "remove the attribute, or choose another name");
    }
    if !matches!(argument.ty.kind, TypeKind::F32) {
        let message = format!("`{name}` is `f32`, not `{}`", text::type_text(&argument.ty));
        items.errors.error(code::SIGNATURE, argument.ty.span, message, format!("write `{name}: f32`"));
    }
    let (known, kind): (_, fn(u32) -> ExprKind) = match argument.role {
        ArgumentRole::Input => (&items.inputs, ExprKind::Input),
        ArgumentRole::Plain | ArgumentRole::Scalar => (&items.scalars, ExprKind::Scalar),
    };
    match known.iter().position(|known| known == name) {
        Some(index) => Symbol::Value(kind(index as u32), Ty::Real),
        None => unknown(),
    }
}
