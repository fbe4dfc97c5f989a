//! Expressions: names, fields, and where each kind of expression is checked.

use proc_macro2::{Ident, Span};

use super::body::{Body, Symbol, poison};
use super::foreign;
use super::operators::Operand;
use crate::ast::{self, AssignOperator, BinaryOperator, text};
use crate::checked::{Expr, ExprKind, Function1, Ty};
use crate::error::code;
use crate::nearest::nearest;

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
            ast::ExprKind::Binary(BinaryOperator::Multiply, left, right) if self.is_python_power(left, right) => {
                return poison(span);
            }
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
                return self.assignment_as_value(*operator, place, value, span);
            }
            ast::ExprKind::Refused(diagnostic) => {
                self.items.errors.push((**diagnostic).clone());
                return self.refused(span);
            }
            ast::ExprKind::Error => return self.refused(span),
        };
        Expr { kind, ty, span }
    }

    fn path(&mut self, path: &[Ident], span: Span) -> (ExprKind, Ty) {
        match path {
            [name] => self.name(name),
            [base, name] if base == "f32" => self.real_constant(name),
            [base, name] if base == "all" => {
                let help = format!("`all::` stands before a reduction over all tensors: `all::sum({name})`");
                self.error(code::UNKNOWN_NAME, name.span(), format!("no value `all::{name}` in the language"), help);
                (ExprKind::Error, Ty::Error)
            }
            [base, name] => self.variant(base, name).unwrap_or((ExprKind::Error, Ty::Error)),
            _ => {
                let number = path.last().and_then(|name| foreign::number(&name.to_string()));
                let help = match number {
                    Some(number) => format!("write `{number:?}`"),
                    None => "name a variable, a constant, or `Enum::Variant` of the module".to_owned(),
                };
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
                let number = foreign::number(other).map(|number| format!("write `{number:?}`"));
                let help = match nearest(other, ["EPSILON", "MIN_POSITIVE", "MAX"]) {
                    _ if number.is_some() => number.unwrap_or_default(),
                    Some(close) => format!("did you mean `f32::{close}`?"),
                    None => "there are f32::EPSILON, f32::MIN_POSITIVE and f32::MAX".to_owned(),
                };
                self.error(code::UNKNOWN_NAME, name.span(), format!("no constant `f32::{other}`"), help);
                return (ExprKind::Error, Ty::Error);
            }
        };
        (ExprKind::Real(f64::from(value)), Ty::Real)
    }

    /// `let x = a` and `*param -= b` without the `;` between them, or an assignment within an expression.
    fn assignment_as_value(
        &mut self,
        operator: AssignOperator,
        place: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Expr {
        match &place.kind {
            ast::ExprKind::Binary(BinaryOperator::Multiply, before, param)
                if matches!(self.symbol_of(param), Some(Symbol::Param)) =>
            {
                let help = format!("end what stands before it with `;`: `{};`", text::expr(before));
                self.error(code::UNSUPPORTED, place.span, "a `;` is missing before `*param`", help);
                // What follows reads what this statement was to declare.
                self.expr(before);
            }
            _ => {
                self.assign(operator, place, value, span);
                let help = "write it as a statement of its own; `==` compares";
                self.error(code::UNSUPPORTED, span, "an assignment has no value", help);
            }
        }
        poison(span)
    }

    /// Reports `a ** b`, which Rust reads as `a * (*b)`.
    fn is_python_power(&mut self, left: &ast::Expr, right: &ast::Expr) -> bool {
        let ast::ExprKind::Deref(exponent) = &right.kind else { return false };
        if matches!(self.symbol_of(exponent), Some(Symbol::Param)) {
            return false;
        }
        self.expr(left);
        let base = match &left.kind {
            ast::ExprKind::Binary(BinaryOperator::Multiply | BinaryOperator::Divide, _, last) => last,
            _ => left,
        };
        self.power(base, exponent, "`**` is not an operator of the language".to_owned(), right.span);
        true
    }

    fn dereference(&mut self, inner: &ast::Expr, span: Span) -> (ExprKind, Ty) {
        if let Some(Symbol::Param) = self.symbol_of(inner) {
            return (ExprKind::Param, Ty::Real);
        }
        let value = self.expr(inner);
        if value.ty != Ty::Error {
            let help = match hides_param(inner) {
                true => HIDDEN.to_owned(),
                false => format!("write `{}`", text::expr(inner)),
            };
            self.error(code::TYPE, span, "only `param` is a reference to a value", help);
        }
        (ExprKind::Error, Ty::Error)
    }
}

/// Whether a name is that of the parameter, where it stands for something else.
pub(super) fn hides_param(source: &ast::Expr) -> bool {
    matches!(&source.kind, ast::ExprKind::Path(path) if matches!(path.as_slice(), [name] if name == "param"))
}

/// What to do where a variable hides the parameter.
pub(super) const HIDDEN: &str = "a variable named `param` hides the parameter: choose another name for it";

fn no_block() -> crate::checked::Block {
    crate::checked::Block { statements: Vec::new(), tail: None }
}
