//! Reductions: over the elements of one tensor, and `all::…` over those of all tensors.

use proc_macro2::Ident;

use super::body::{Body, Place, poison};
use super::types::operand;
use crate::ast::{self, text};
use crate::checked::{Expr, ExprKind, Reduction, Ty};
use crate::error::code;
use crate::ir::Scope;
use crate::nearest::nearest;

const REDUCTIONS: [(&str, Reduction); 7] = [
    ("sum", Reduction::Sum),
    ("mean", Reduction::Mean),
    ("norm", Reduction::Norm),
    ("min", Reduction::Min),
    ("max", Reduction::Max),
    ("max_abs", Reduction::MaxAbs),
    ("count", Reduction::Count),
];

/// The names of all reductions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    REDUCTIONS.iter().map(|(name, _)| *name)
}

/// The reduction of that name.
pub(super) fn reduction(name: &str) -> Option<Reduction> {
    REDUCTIONS.iter().find(|(known, _)| *known == name).map(|(_, reduction)| *reduction)
}

impl Body<'_, '_> {
    /// `all::name(arguments)`
    pub(super) fn call_all(&mut self, name: &Ident, arguments: &[ast::Expr]) -> Expr {
        let (text, span) = (name.to_string(), name.span());
        if let Some(reduction) = reduction(&text) {
            return self.reduce(reduction, Scope::All, name, arguments);
        }
        if text == "len" {
            if !self.arity("all::len", 0, arguments, span) || !self.may_reduce(name) {
                return poison(span);
            }
            return Expr { kind: ExprKind::AllLen, ty: Ty::Int, span };
        }
        let help = match nearest(&text, names().chain(["len"])) {
            Some(close) => format!("did you mean `all::{close}`?"),
            None => "there are all::sum, mean, norm, min, max, max_abs, count and len".to_owned(),
        };
        self.error(code::UNKNOWN_FUNCTION, span, format!("no function `all::{text}` in the language"), help);
        self.check_all(arguments);
        poison(span)
    }

    /// `name(argument)` over the elements of one tensor or of all.
    pub(super) fn reduce(&mut self, reduction: Reduction, scope: Scope, name: &Ident, arguments: &[ast::Expr]) -> Expr {
        let span = name.span();
        let [argument] = arguments else {
            if let ("min" | "max", [left, right]) = (name.to_string().as_str(), arguments) {
                let help = format!("write `{}.{name}({})`", operand(left), text::expr(right));
                let message = format!("`{name}(x)` is the reduction over the tensor");
                self.error(code::ARGUMENTS, span, message, help);
                self.check_all(arguments);
            } else {
                let prefix = if scope == Scope::All { "all::" } else { "" };
                let called = format!("{prefix}{name}");
                match arguments.first() {
                    None => _ = self.arity(&called, 1, arguments, span),
                    Some(argument) => {
                        let help = format!(
                            "write `{called}({})`: a reduction goes over whole tensors, not along an axis",
                            text::expr(argument)
                        );
                        let message = format!("`{called}` takes 1 argument, not {}", arguments.len());
                        self.error(code::ARGUMENTS, span, message, help);
                        self.check_all(arguments);
                    }
                }
            }
            return poison(span);
        };
        let (expected, ty) = match reduction {
            Reduction::Count => (Ty::Bool, Ty::Int),
            _ => (Ty::Real, Ty::Real),
        };
        let value = self.expect(argument, &expected);
        if !self.may_reduce(name) {
            return poison(span);
        }
        Expr { kind: ExprKind::Reduce(reduction, scope, Box::new(value)), ty, span }
    }

    /// Whether there are tensors where this stands; where not, that is reported.
    fn may_reduce(&self, name: &Ident) -> bool {
        let (code, message, help) = match self.place {
            Place::Constant | Place::Init => {
                (code::CONSTANT, "a constant is known before any tensor is", "write a literal")
            }
            Place::Require => {
                let help = "a requirement is over hyper-parameters, `ndim()` and `len()`";
                (code::REQUIRE, "a requirement is checked on the host, before any step", help)
            }
            Place::Helper | Place::Update | Place::Entry => return true,
        };
        self.error(code, name.span(), message, help);
        false
    }
}
