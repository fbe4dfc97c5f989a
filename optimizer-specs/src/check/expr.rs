//! Expressions: names, fields, and where each kind of expression is checked.

use proc_macro2::{Ident, Span};

use super::body::{Body, Symbol, poison};
use super::operators::Operand;
use crate::ast::{self, text};
use crate::checked::{Expr, ExprKind, Function1, Ty};
use crate::error::code;
use crate::nearest::{did_you_mean, nearest};

impl Body<'_, '_> {
    /// Checks an expression.
    pub(super) fn expr(&mut self, source: &ast::Expr) -> Expr {
        let span = source.span;
        let (kind, ty) = match &source.kind {
            ast::ExprKind::Real(value, _) => (ExprKind::Real(*value), Ty::Real),
            ast::ExprKind::Int(value, _) => (ExprKind::Int(*value), Ty::Int),
            ast::ExprKind::Bool(value) => (ExprKind::Bool(*value), Ty::Bool),
            ast::ExprKind::Paren(inner) => return self.expr(inner),
            ast::ExprKind::Path(path) => self.path(path, span),
            ast::ExprKind::Field(base, name) => self.field(base, name),
            ast::ExprKind::Deref(inner) => self.dereference(inner, span),
            ast::ExprKind::Negate(inner) => self.negate(inner),
            ast::ExprKind::Not(inner) => {
                let value = self.expect(inner, &Ty::Bool);
                (ExprKind::Call1(Function1::Not, Box::new(value)), Ty::Bool)
            }
            ast::ExprKind::Cast(inner, ty) => return self.cast(inner, ty, span),
            ast::ExprKind::Binary(operator, left, right) => {
                let left = Operand { value: self.expr(left), source: left };
                let right = Operand { value: self.expr(right), source: right };
                return self.binary(*operator, left, right, span);
            }
            ast::ExprKind::Call(path, arguments) => return self.call(path, arguments, span),
            ast::ExprKind::Method(receiver, name, arguments) => return self.method(receiver, name, arguments),
            ast::ExprKind::If(condition, then, otherwise) => {
                let condition = self.expect(condition, &Ty::Bool);
                let then = self.block(then);
                return self.if_else(condition, None, then, otherwise.as_deref(), source);
            }
            ast::ExprKind::IfSome(pattern, option, then, otherwise) => {
                return self.if_some(pattern, option, then, otherwise.as_deref(), source);
            }
            ast::ExprKind::Match(value, arms) => return self.match_enum(value, arms, span),
            ast::ExprKind::Block(block) => {
                let (block, ty) = self.block(block);
                (ExprKind::Block(block), ty)
            }
            ast::ExprKind::Tuple(parts) => {
                let parts: Vec<Expr> = parts.iter().map(|part| self.expr(part)).collect();
                let types: Vec<Ty> = parts.iter().map(|part| part.ty.clone()).collect();
                if types.is_empty() {
                    (ExprKind::Block(no_block()), Ty::Unit)
                } else {
                    (ExprKind::Tuple(parts), Ty::Tuple(types))
                }
            }
            ast::ExprKind::Assign(operator, place, value) => {
                self.assign(*operator, place, value, span);
                self.error(code::UNSUPPORTED, span, "an assignment has no value", "write it as a statement of its own");
                return poison(span);
            }
            ast::ExprKind::Error => return self.refused(span),
        };
        Expr { kind, ty, span }
    }

    fn path(&mut self, path: &[Ident], span: Span) -> (ExprKind, Ty) {
        match path {
            [name] => self.name(name),
            [base, name] if base == "f32" => self.real_constant(name),
            [base, name] => self.variant(base, name).unwrap_or((ExprKind::Error, Ty::Error)),
            _ => {
                let help = "name a variable, a constant, or `Enum::Variant` of the module";
                self.error(code::UNKNOWN_NAME, span, format!("no value `{}` in this rule", text::path(path)), help);
                (ExprKind::Error, Ty::Error)
            }
        }
    }

    fn name(&mut self, name: &Ident) -> (ExprKind, Ty) {
        match self.lookup(name).cloned() {
            Some(Symbol::Local(id)) => {
                let ty = self.local(id).map_or(Ty::Error, |local| local.ty.clone());
                (ExprKind::Local(id), ty)
            }
            Some(Symbol::Value(kind, ty)) => {
                if let ExprKind::Hyper(index) = kind {
                    self.uses.hypers.insert(index);
                }
                (kind, ty)
            }
            Some(Symbol::Param) => {
                self.error(code::TYPE, name.span(), "`param` is a reference", "write `*param` for its value");
                (ExprKind::Error, Ty::Error)
            }
            Some(Symbol::Hyper | Symbol::State(_)) => {
                let message = format!("`{name}` is no value by itself");
                self.error(code::TYPE, name.span(), message, format!("name a field: `{name}.field`"));
                (ExprKind::Error, Ty::Error)
            }
            None => match self.items.constant(&name.to_string()) {
                Some(Some(value)) => (value.kind(), value.ty()),
                Some(None) => (ExprKind::Error, Ty::Error),
                None => {
                    self.unknown_name(name);
                    (ExprKind::Error, Ty::Error)
                }
            },
        }
    }

    fn real_constant(&self, name: &Ident) -> (ExprKind, Ty) {
        let value = match name.to_string().as_str() {
            "EPSILON" => f32::EPSILON,
            "MIN_POSITIVE" => f32::MIN_POSITIVE,
            "MAX" => f32::MAX,
            "INFINITY" | "NEG_INFINITY" | "NAN" => {
                let help = "every value must be finite: write `f32::MAX`, or the condition that you mean";
                self.error(code::LITERAL, name.span(), format!("there is no `f32::{name}` in the language"), help);
                return (ExprKind::Error, Ty::Error);
            }
            other => {
                let help = match nearest(other, ["EPSILON", "MIN_POSITIVE", "MAX"]) {
                    Some(close) => format!("did you mean `f32::{close}`?"),
                    None => "there are f32::EPSILON, f32::MIN_POSITIVE and f32::MAX".to_owned(),
                };
                self.error(code::UNKNOWN_NAME, name.span(), format!("no constant `f32::{other}`"), help);
                return (ExprKind::Error, Ty::Error);
            }
        };
        (ExprKind::Real(f64::from(value)), Ty::Real)
    }

    fn field(&mut self, base: &ast::Expr, name: &Ident) -> (ExprKind, Ty) {
        match self.symbol_of(base) {
            Some(Symbol::Hyper) => self.hyper(name),
            Some(Symbol::State(_)) => match self.state_index(name) {
                Some(index) => {
                    self.uses.reads.push((index, name.span()));
                    (ExprKind::State(index), Ty::Real)
                }
                None => (ExprKind::Error, Ty::Error),
            },
            None if matches!(base.kind, ast::ExprKind::Path(_)) => {
                self.expr(base);
                (ExprKind::Error, Ty::Error)
            }
            _ => {
                if self.expr(base).ty != Ty::Error {
                    let message = format!("`{}` has no fields", text::expr(base));
                    self.error(code::TYPE, name.span(), message, "only `hyper` and `state` have fields");
                }
                (ExprKind::Error, Ty::Error)
            }
        }
    }

    fn hyper(&mut self, name: &Ident) -> (ExprKind, Ty) {
        let Some(index) = self.items.hypers.iter().position(|hyper| hyper.name == *name) else {
            // Without a parameter struct, or without its fields, that is already reported.
            if let Some(params) = super::params::main(self.items.rule).filter(|params| params.fields.is_some()) {
                let known: Vec<String> = self.items.hypers.iter().map(|hyper| hyper.name.to_string()).collect();
                let otherwise = format!("add a field `{name}` to `{}`", params.name);
                let help = did_you_mean(&name.to_string(), known.iter().map(String::as_str), &otherwise);
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
            let otherwise = format!("add a field `{name}: f32` to `State`");
            let help = did_you_mean(&name.to_string(), known.iter().map(String::as_str), &otherwise);
            self.error(code::UNKNOWN_STATE, name.span(), format!("`State` has no field `{name}`"), help);
        }
        None
    }

    fn dereference(&mut self, inner: &ast::Expr, span: Span) -> (ExprKind, Ty) {
        if let Some(Symbol::Param) = self.symbol_of(inner) {
            return (ExprKind::Param, Ty::Real);
        }
        let value = self.expr(inner);
        if value.ty != Ty::Error {
            let help = format!("write `{}`", text::expr(inner));
            self.error(code::TYPE, span, "only `param` is a reference to a value", help);
        }
        (ExprKind::Error, Ty::Error)
    }
}

fn no_block() -> crate::checked::Block {
    crate::checked::Block { statements: Vec::new(), tail: None }
}
