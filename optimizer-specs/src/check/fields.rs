//! Fields: of `hyper` and of `state`; nothing else has any.

use proc_macro2::Ident;

use super::body::{Body, Symbol};
use super::types::operand;
use super::{foreign, methods};
use crate::ast::{self, text};
use crate::checked::{ExprKind, Ty};
use crate::error::code;
use crate::nearest::{did_you_mean, spelt_out};

impl Body<'_, '_> {
    /// `base.name`
    pub(super) fn field(&mut self, base: &ast::Expr, name: &Ident) -> (ExprKind, Ty) {
        match self.symbol_of(base) {
            Some(Symbol::Hyper) => self.hyper(name),
            Some(Symbol::State(_)) => match self.state_index(name) {
                Some(index) => {
                    self.uses.reads.push((index, name.span()));
                    (ExprKind::State(index), Ty::Real)
                }
                None => (ExprKind::Error, Ty::Error),
            },
            symbol => {
                if let Some(unknown) = self.unknown_base(base) {
                    self.unknown_base_of_field(unknown, name);
                } else if matches!(symbol, Some(Symbol::Param)) || self.expr(base).ty != Ty::Error {
                    let help = self.instead_of_field(base, name);
                    let message = format!("`{}` has no fields", text::expr(base));
                    self.error(code::TYPE, name.span(), message, help);
                }
                (ExprKind::Error, Ty::Error)
            }
        }
    }

    fn instead_of_field(&self, base: &ast::Expr, name: &Ident) -> String {
        let called = name.to_string();
        if let Some(help) = self.place_of(name) {
            return help;
        }
        if methods::is_method(&called) {
            return format!("write `{}.{name}()`", operand(base));
        }
        match foreign::explain(&called) {
            Some((_, _, help)) => help,
            None => "only `hyper` and `state` have fields".to_owned(),
        }
    }

    fn hyper(&mut self, name: &Ident) -> (ExprKind, Ty) {
        let Some(index) = self.items.hypers.iter().position(|hyper| hyper.name == *name) else {
            // Without a parameter struct, or without its fields, that is already reported.
            if let Some(params) = super::params::main(self.items.rule).filter(|params| params.fields.is_some()) {
                let known: Vec<String> = self.items.hypers.iter().map(|hyper| hyper.name.to_string()).collect();
                let known = known.iter().map(String::as_str);
                let help = match spelt_out(&name.to_string(), known.clone()) {
                    Some(field) => format!("did you mean `{field}`?"),
                    None => {
                        let add = || format!("add a field `{name}` to `{}`", params.name);
                        let otherwise = self.place_of(name).unwrap_or_else(add);
                        did_you_mean(&name.to_string(), known, &otherwise)
                    }
                };
                let message = format!("`{}` has no field `{name}`", params.name);
                self.error(code::UNKNOWN_HYPER, name.span(), message, help);
            }
            return (ExprKind::Error, Ty::Error);
        };
        self.uses.hypers.insert(index as u32);
        match self.items.hyper_types.get(index).cloned() {
            None | Some(Ty::Error) => (ExprKind::Error, Ty::Error),
            Some(ty) => (ExprKind::Hyper(index as u32), ty),
        }
    }

    /// The index of a state; `None` where there is none of that name, and that is reported.
    pub(super) fn state_index(&self, name: &Ident) -> Option<u32> {
        if let Some(index) = self.items.states.iter().position(|state| state.name == *name) {
            return Some(index as u32);
        }
        // Without a `State`, or without its fields, that is already reported.
        if self.items.rule.states.first().is_some_and(|state| state.fields.is_some()) {
            let known: Vec<String> = self.items.states.iter().map(|state| state.name.to_string()).collect();
            let add = || format!("add a field `{name}: f32` to `State`");
            let otherwise = self.place_of(name).unwrap_or_else(add);
            let help = did_you_mean(&name.to_string(), known.iter().map(String::as_str), &otherwise);
            self.error(code::UNKNOWN_STATE, name.span(), format!("`State` has no field `{name}`"), help);
        }
        None
    }
}
