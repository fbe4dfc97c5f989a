//! Calls of what the language does not have, or has in another way: what to write instead.

use proc_macro2::{Ident, Span};

use super::body::{Body, Symbol};
use super::calls::{FUNCTIONS, is_language_function};
use super::methods::{METHODS, is_method};
use super::types::{as_whole, operand};
use super::{foreign, reductions};
use crate::ast::{self, text};
use crate::checked::{ExprKind, Ty};
use crate::error::code;
use crate::nearest::did_you_mean;
use crate::parse::unsupported::CLOSURES;

impl Body<'_, '_> {
    /// Reports what has no methods: a name that stands for nothing, a field that is called, `param` without its star.
    pub(super) fn is_no_receiver(&mut self, receiver: &ast::Expr, name: &Ident, arguments: &[ast::Expr]) -> bool {
        if let Some(base) = self.unknown_base(receiver) {
            self.unknown_base_of_call(base, name, arguments);
            return true;
        }
        match self.symbol_of(receiver) {
            Some(Symbol::Hyper | Symbol::State(_)) => self.called_field(receiver, name),
            Some(Symbol::Param) if is_method(&name.to_string()) => {
                let rest: Vec<String> = arguments.iter().map(text::expr).collect();
                let help = format!("write `(*param).{name}({})`", rest.join(", "));
                self.error(code::TYPE, receiver.span, "`param` is a reference", help);
            }
            Some(Symbol::Value(ExprKind::Error, _)) => {}
            _ => return false,
        }
        self.check_all(arguments);
        true
    }

    /// Reports `hyper.name()`, `state.name()`.
    fn called_field(&mut self, receiver: &ast::Expr, name: &Ident) {
        let base = text::expr(receiver);
        let is_hyper = matches!(self.symbol_of(receiver), Some(Symbol::Hyper));
        let fields: Vec<String> = match is_hyper {
            true => self.items.hypers.iter().map(|hyper| hyper.name.to_string()).collect(),
            false => self.items.states.iter().map(|state| state.name.to_string()).collect(),
        };
        if fields.iter().any(|field| name == field) {
            let message = format!("`{name}` is a field, not a method");
            self.error(code::UNKNOWN_FUNCTION, name.span(), message, format!("write `{base}.{name}`"));
        } else {
            let help = format!("its fields are {}: write `{base}.field`", fields.join(", "));
            self.error(code::UNKNOWN_FUNCTION, name.span(), format!("`{base}` has no methods"), help);
        }
    }

    /// Reports a method that does not exist.
    pub(super) fn unknown_method(&mut self, receiver: &ast::Expr, name: &Ident, arguments: &[ast::Expr]) {
        let text = name.to_string();
        let is_param = matches!(self.symbol_of(receiver), Some(Symbol::Param));
        let is_name = matches!(receiver.kind, ast::ExprKind::Path(_));
        // What is wrong with the receiver is wrong with what is made of it: `grad.iter().sum()`.
        if !is_param && self.expr(receiver).ty == Ty::Error && !is_name {
            return self.check_all(arguments);
        }
        if let ("pow" | "power", [exponent]) = (text.as_str(), arguments) {
            return self.power(receiver, exponent, format!("there is no `{text}` in the language"), name.span());
        }
        let (code, message, help) = if matches!(text.as_str(), "len" | "ndim" | "dim") {
            (code::UNKNOWN_FUNCTION, format!("`{text}` is a function"), foreign::signature(&text))
        } else if is_language_function(&text) || self.items.helpers.iter().any(|helper| helper.function.name == text) {
            let all: Vec<String> = std::iter::once(receiver).chain(arguments).map(text::expr).collect();
            (code::UNKNOWN_FUNCTION, format!("`{text}` is a function"), format!("write `{text}({})`", all.join(", ")))
        } else if let Some((code, message, help)) = foreign::explain(&text) {
            (code, message, help)
        } else {
            let known = METHODS.iter().map(|(known, _)| *known);
            let help = did_you_mean(
                &text,
                known,
                "the methods are abs, sqrt, min, max, clamp, mul_add, recip, cbrt, exp, ln, powf, powi, tanh, \
                 floor, ceil, is_some and unwrap_or",
            );
            (code::UNKNOWN_FUNCTION, format!("no method `{text}` in the language"), help)
        };
        self.error(code, name.span(), message, help);
        self.check_unknown(arguments);
    }

    /// Reports another library's power of `base`, and says which power of the language it is.
    pub(super) fn power(&mut self, base: &ast::Expr, exponent: &ast::Expr, message: String, span: Span) {
        let ty = self.expr(exponent).ty;
        let (base, power) = (operand(base), text::expr(exponent));
        let help = match (ty, as_whole(exponent)) {
            (Ty::Error, _) => return,
            (_, Some(whole)) => format!("write `{base}.powi({whole})`"),
            (Ty::Int, None) => format!("write `{base}.powi({power})`"),
            _ => format!("write `{base}.powf({power})`"),
        };
        self.error(code::UNKNOWN_FUNCTION, span, message, help);
    }

    /// Checks the arguments of an unknown function only for the errors inside them. Closures are part of that mistake.
    fn check_unknown(&mut self, sources: &[ast::Expr]) {
        for source in sources {
            let is_closure = matches!(&source.kind, ast::ExprKind::Refused(error) if error.message == CLOSURES);
            if !is_closure {
                self.check_all(std::slice::from_ref(source));
            }
        }
    }

    /// Reports a function that does not exist.
    pub(super) fn unknown_function(&mut self, name: &Ident, arguments: &[ast::Expr]) {
        let text = name.to_string();
        match self.lookup(name) {
            Some(Symbol::Value(ExprKind::Error, _)) => return self.check_all(arguments),
            None if self.items.is_refused(name) => return self.check_all(arguments),
            Some(_) => {
                let help = format!("for a product write `{text} * (…)`");
                let message = format!("`{text}` is a value, not a function");
                self.error(code::UNKNOWN_FUNCTION, name.span(), message, help);
                return self.check_all(arguments);
            }
            None => {}
        }
        if let ("pow" | "power", [base, exponent]) = (text.as_str(), arguments) {
            self.expr(base);
            return self.power(base, exponent, format!("there is no `{text}` in the language"), name.span());
        }
        let (code, message, help) = if self.items.rule.functions.iter().any(|function| function.name == text) {
            let help = "put what both need into a helper function";
            (code::UNKNOWN_FUNCTION, format!("`{text}` is an entry and cannot be called"), help.to_owned())
        } else if is_method(&text) {
            let help = match arguments.split_first() {
                Some((first, rest)) => {
                    let rest: Vec<String> = rest.iter().map(text::expr).collect();
                    format!("write `{}.{text}({})`", super::types::operand(first), rest.join(", "))
                }
                None => foreign::signature(&text),
            };
            (code::UNKNOWN_FUNCTION, format!("`{text}` is a method"), help)
        } else if let Some((code, message, help)) = foreign::explain(&text) {
            (code, message, help)
        } else {
            let helpers = self.items.helpers.iter().map(|helper| helper.function.name.to_string());
            let language = FUNCTIONS.into_iter().chain(reductions::names()).map(str::to_owned);
            let known: Vec<String> = helpers.chain(language).collect();
            let known = known.iter().map(String::as_str);
            let help = did_you_mean(&text, known, "add a helper function of that name to the module");
            (code::UNKNOWN_FUNCTION, format!("no function `{text}` in this rule"), help)
        };
        self.error(code, name.span(), message, help);
        self.check_unknown(arguments);
    }
}
