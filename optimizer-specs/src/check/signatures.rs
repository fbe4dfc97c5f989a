//! Signatures: what the arguments of `update`, of entries and of helper functions mean.

use proc_macro2::Ident;

use super::body::{Body, Symbol};
use super::items::{Helper, Items, Parameter, unique};
use crate::ast::{self, Argument, ArgumentRole, TypeKind, text};
use crate::checked::{ExprKind, Ty};
use crate::error::code;
use crate::naming::camel_case;
use crate::nearest::{did_you_mean, nearest};

/// Whether a function is an entry: `update`, or marked so.
pub(super) fn is_entry(function: &ast::Function) -> bool {
    function.name == "update" || function.entry.is_some()
}

/// Reads the signatures of helper functions, and collects the inputs and scalars of entries.
pub(super) fn collect(items: &mut Items<'_>) {
    let rule = items.rule;
    for function in &rule.functions {
        unique(
            function.arguments.iter().map(|argument| &argument.name).filter(|name| *name != "_unused"),
            "argument",
            items.errors,
        );
    }
    for function in rule.functions.iter().filter(|function| !is_entry(function)) {
        let parameters = function.arguments.iter().map(|argument| parameter(items, argument)).collect();
        let result = function.result.as_ref().map_or(Ty::Unit, |ty| items.value_type(ty));
        items.helpers.push(Helper { function, parameters, result });
    }
    // `update` first: the order in which its inputs are bound.
    let (update, others): (Vec<_>, Vec<_>) =
        rule.functions.iter().filter(|function| is_entry(function)).partition(|function| function.name == "update");
    for argument in update.iter().chain(&others).flat_map(|function| &function.arguments) {
        let (mine, other) = match argument.role {
            ArgumentRole::Plain => continue,
            ArgumentRole::Input => (&mut items.inputs, &items.scalars),
            ArgumentRole::Scalar => (&mut items.scalars, &items.inputs),
        };
        if other.contains(&argument.name) {
            let message = format!("`{}` is an input in one place and a scalar in another", argument.name);
            let help = "`#[input]` is one value per element, `#[scalar]` one per step: rename one of them";
            items.errors.error(code::DUPLICATE, argument.name.span(), message, help);
        } else if !mine.contains(&argument.name) {
            mine.push(argument.name.clone());
        }
    }
}

fn parameter(items: &Items<'_>, argument: &Argument) -> Parameter {
    if argument.role != ArgumentRole::Plain {
        let help = "only `update` and entries have inputs and scalars: pass the value as an argument";
        let message = format!("helper argument `{}` cannot be an input or a scalar", argument.name);
        items.errors.error(code::SIGNATURE, argument.name.span(), message, help);
    }
    if let TypeKind::Reference(mutable, inner) = &argument.ty.kind
        && let TypeKind::Named(name) = &inner.kind
    {
        if is_params(items, name) && !mutable {
            return Parameter::Hyper;
        }
        if name == "State" {
            no_state(items, name);
            return Parameter::State(*mutable);
        }
    }
    if let TypeKind::Reference(true, inner) = &argument.ty.kind
        && matches!(inner.kind, TypeKind::F32)
    {
        let help = "return the new value; or make the function an entry: `update`, or one marked `#[entry]`";
        items.errors.error(code::SIGNATURE, argument.ty.span, "a helper function cannot change the parameter", help);
        return Parameter::Param;
    }
    Parameter::Value(items.value_type(&argument.ty))
}

fn is_params(items: &Items<'_>, name: &Ident) -> bool {
    super::params::main(items.rule).is_some_and(|params| params.name == *name)
}

fn no_state(items: &Items<'_>, name: &Ident) {
    if items.rule.states.is_empty() {
        let help = "add `pub struct State { … }`, or leave the argument out";
        items.errors.error(code::UNKNOWN_TYPE, name.span(), "this rule has no `State`", help);
    }
}

/// Declares the arguments of a helper function in its body.
pub(super) fn declare_helper(body: &mut Body<'_, '_>, function: &ast::Function, parameters: &[Parameter]) {
    for (argument, parameter) in function.arguments.iter().zip(parameters) {
        match parameter {
            Parameter::Hyper => body.declare(&argument.name, Symbol::Hyper),
            Parameter::Param => body.declare(&argument.name, Symbol::Param),
            Parameter::State(mutable) => body.declare(&argument.name, Symbol::State(*mutable)),
            Parameter::Value(ty) => {
                body.argument(&argument.name, ty.clone(), argument.mutable);
            }
        }
    }
}

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
    use crate::checked::Mode;
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
