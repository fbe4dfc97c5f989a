//! `update` and entries: what their arguments mean, and which there must be.

use super::body::{Body, Symbol};
use super::items::Items;
use super::signatures::{is_entry, no_state};
use crate::ast::{self, Argument, ArgumentRole, TypeKind, text};
use crate::checked::{ExprKind, Mode, Ty};
use crate::error::code;
use crate::naming::camel_case;
use crate::nearest::{did_you_mean, nearest};

/// The arguments of `update` and entries: name, type, meaning.
const ARGUMENTS: [(&str, &str); 6] = [
    ("param", "&mut f32"),
    ("grad", "f32"),
    ("state", "&mut State"),
    ("hyper", "&…Params"),
    ("step", "u32"),
    ("run", "u32"),
];

/// Checks and declares the arguments of `update` or an entry.
pub(super) fn declare_entry(body: &mut Body<'_, '_>, items: &Items<'_>, function: &ast::Function) {
    for argument in &function.arguments {
        if argument.mutable {
            let message = format!("argument `{}` cannot be `mut`", argument.name);
            let help = format!("write `let mut copy = {};` in the body", argument.name);
            items.errors.error(code::SIGNATURE, argument.name.span(), message, help);
        }
        let symbol = match argument.role {
            ArgumentRole::Plain => named_argument(items, argument),
            ArgumentRole::Input | ArgumentRole::Scalar => extra_argument(items, argument),
        };
        body.declare(&argument.name, symbol);
    }
    if let Some(result) = &function.result {
        let message = format!("`{}` has no result", function.name);
        let help = "remove `-> …`: it assigns to `*param` and `state`";
        items.errors.error(code::SIGNATURE, result.span, message, help);
    }
}

fn named_argument(items: &Items<'_>, argument: &Argument) -> Symbol {
    let name = argument.name.to_string();
    if name == "_unused" {
        if contains_error(&argument.ty) {
            return Symbol::Value(ExprKind::Error, Ty::Error);
        }
        let help = "leave the argument out: unused ones need not be there";
        items.errors.error(code::SIGNATURE, argument.name.span(), "an argument without a name", help);
        return Symbol::Value(ExprKind::Error, Ty::Error);
    }
    let Some((_, expected)) = ARGUMENTS.iter().find(|(known, _)| *known == name) else {
        let help = did_you_mean(
            &name,
            ARGUMENTS.iter().map(|(known, _)| *known),
            "the arguments are param, grad, state, hyper, step and run; mark others `#[input]` (one value per element) \
             or `#[scalar]` (one per step)",
        );
        items.errors.error(
            code::SIGNATURE,
            argument.name.span(),
            format!("`{name}` is not an argument of a rule"),
            help,
        );
        return Symbol::Value(ExprKind::Error, Ty::Error);
    };
    let params = super::params::main(items.rule);
    let expected = match (name.as_str(), params) {
        ("hyper", Some(params)) => format!("&{}", params.name),
        _ => (*expected).to_owned(),
    };
    let written = text::type_text(&argument.ty);
    if written != expected && !contains_error(&argument.ty) && !(name == "hyper" && params.is_none()) {
        let message = format!("`{name}` is `{expected}`, not `{written}`");
        items.errors.error(code::SIGNATURE, argument.ty.span, message, format!("write `{name}: {expected}`"));
    }
    match name.as_str() {
        "param" => Symbol::Param,
        "grad" => Symbol::Value(ExprKind::Grad, Ty::Real),
        "state" => {
            no_state(items, &argument.name);
            Symbol::State(true)
        }
        "hyper" => Symbol::Hyper,
        "step" => Symbol::Value(ExprKind::Step, Ty::Int),
        _ => Symbol::Value(ExprKind::Run, Ty::Int),
    }
}

fn contains_error(ty: &ast::Type) -> bool {
    match &ty.kind {
        TypeKind::Error => true,
        TypeKind::Reference(_, inner) | TypeKind::Option(inner) => contains_error(inner),
        TypeKind::Tuple(types) => types.iter().any(contains_error),
        TypeKind::F32 | TypeKind::F64 | TypeKind::U32 | TypeKind::Bool | TypeKind::Named(_) => false,
    }
}

fn extra_argument(items: &Items<'_>, argument: &Argument) -> Symbol {
    let name = &argument.name;
    if ARGUMENTS.iter().any(|(known, _)| name == known) {
        let message = format!("`{name}` is an argument of every rule");
        items.errors.error(code::SIGNATURE, name.span(), message, "remove the attribute, or choose another name");
    }
    if !matches!(argument.ty.kind, TypeKind::F32 | TypeKind::Error) {
        let message = format!("`{name}` is `f32`, not `{}`", text::type_text(&argument.ty));
        items.errors.error(code::SIGNATURE, argument.ty.span, message, format!("write `{name}: f32`"));
    }
    let (known, kind): (_, fn(u32) -> ExprKind) = match argument.role {
        ArgumentRole::Input => (&items.inputs, ExprKind::Input),
        ArgumentRole::Plain | ArgumentRole::Scalar => (&items.scalars, ExprKind::Scalar),
    };
    match known.iter().position(|known| known == name) {
        Some(index) => Symbol::Value(kind(index as u32), Ty::Real),
        None => Symbol::Value(ExprKind::Error, Ty::Error),
    }
}

/// Checks what entries there are: one `update`, modes in pairs.
pub(super) fn entries(items: &Items<'_>) {
    let rule = items.rule;
    let entries: Vec<_> = rule.functions.iter().filter(|function| is_entry(function)).collect();
    let mut found = false;
    for function in &entries {
        let Some(entry) = &function.entry else {
            found = true;
            continue;
        };
        if function.name == "update" {
            found = true;
            let help = "remove `#[entry]`: `update` is always there";
            items.errors.error(code::ENTRY, entry.span, "`update` is no additional entry", help);
        }
        let has = |mode| entries.iter().any(|other| other.entry.as_ref().is_some_and(|entry| entry.mode == Some(mode)));
        let (mine, other) = match entry.mode {
            Some(Mode::Eval) if !has(Mode::Train) => ("eval", "train"),
            Some(Mode::Train) if !has(Mode::Eval) => ("train", "eval"),
            _ => continue,
        };
        let message = format!("an entry of mode `{mine}` without one of mode `{other}`");
        let help = format!("add the way back: `#[entry(mode = {other})] fn {other}(…) {{ … }}`");
        items.errors.error(code::ENTRY, entry.span, message, help);
    }
    if !found {
        let names: Vec<String> = rule.functions.iter().map(|function| function.name.to_string()).collect();
        if let Some(close) = nearest("update", names.iter().map(String::as_str)) {
            let span =
                rule.functions.iter().find(|function| function.name == close).map(|function| function.name.span());
            let help = format!("rename `{close}` to `update`");
            items.errors.error(code::NO_UPDATE, span.unwrap_or(rule.name.span()), "the rule has no `fn update`", help);
            return;
        }
        let message = "the rule has no `fn update`";
        let name = super::params::main(rule)
            .map_or_else(|| format!("{}Params", camel_case(&rule.name.to_string())), |params| params.name.to_string());
        let help = format!(
            "add `fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &{name}, step: u32) {{ … }}`"
        );
        items.errors.error(code::NO_UPDATE, rule.name.span(), message, help);
    }
}
