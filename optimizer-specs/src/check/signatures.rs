//! Signatures of helper functions, and the inputs and scalars of all entries.

use proc_macro2::Ident;

use super::body::{Body, Symbol};
use super::items::{Helper, Items, Parameter, unique};
use crate::ast::{self, Argument, ArgumentRole, TypeKind};
use crate::checked::Ty;
use crate::error::code;

/// Whether a function is an entry: `update`, or marked so.
pub(super) fn is_entry(function: &ast::Function) -> bool {
    function.name == "update" || function.entry.is_some()
}

/// Reads the signatures of helper functions, and collects the inputs and scalars of entries.
pub(super) fn collect(items: &mut Items<'_>) {
    let rule = items.rule;
    for function in &rule.functions {
        unique(
            function
                .arguments
                .iter()
                .map(|argument| &argument.name)
                .filter(|name| *name != "_unused" && *name != "_refused"),
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

/// Whether a function takes the parameter to change it.
pub(super) fn changes_param(function: &ast::Function) -> bool {
    function.arguments.iter().any(|argument| is_param(&argument.ty.kind))
}

/// `&mut f32`
fn is_param(ty: &TypeKind) -> bool {
    matches!(ty, TypeKind::Reference(true, inner) if matches!(inner.kind, TypeKind::F32))
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
        if name == "State" || items.rule.states.first().is_some_and(|state| state.name == *name) {
            no_state(items, name);
            return Parameter::State(*mutable);
        }
    }
    if is_param(&argument.ty.kind) {
        // Without an `update` this function is meant to be it, and that is said.
        if items.rule.functions.iter().any(|function| function.name == "update") {
            let help = "return the new value; or make the function an entry: `update`, or one marked `#[entry]`";
            let message = "a helper function cannot change the parameter";
            items.errors.error(code::SIGNATURE, argument.ty.span, message, help);
        }
        return Parameter::Param;
    }
    Parameter::Value(items.value_type(&argument.ty))
}

fn is_params(items: &Items<'_>, name: &Ident) -> bool {
    super::params::main(items.rule).is_some_and(|params| params.name == *name)
}

/// Reports `state` in a rule without a `State`.
pub(super) fn no_state(items: &Items<'_>, name: &Ident) {
    if items.rule.states.is_empty() {
        let help = "add `pub struct State { … }`, or leave the argument out";
        items.errors.error(code::UNKNOWN_TYPE, name.span(), "this rule has no `State`", help);
    }
}

/// Declares the arguments of a helper function in its body.
pub(super) fn declare_helper(body: &mut Body<'_, '_>, function: &ast::Function, parameters: &[Parameter]) {
    body.declare_refused(&function.refused);
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
