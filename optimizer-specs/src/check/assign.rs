//! Assignments: what can be assigned, and compound assignments spelled out.

use proc_macro2::Span;

use super::body::{Body, Symbol, poison};
use super::expr::{HIDDEN, hides_param};
use super::operators::Operand;
use crate::ast::{self, AssignOperator, text};
use crate::checked::{Expr, ExprKind, Place, StatementKind, Ty};
use crate::error::code;

impl Body<'_, '_> {
    /// Checks `place operator value`.
    pub(super) fn assign(
        &mut self,
        operator: AssignOperator,
        place: &ast::Expr,
        source: &ast::Expr,
        span: Span,
    ) -> StatementKind {
        let target = self.place(place);
        let ty = target.as_ref().map_or(Ty::Error, |(_, ty)| ty.clone());
        let value = match operator.operation() {
            None => self.expect(source, &ty),
            Some(operation) => {
                let old = match &target {
                    Some((place, ty)) => self.read(*place, ty.clone(), span),
                    None => poison(span),
                };
                let value = self.expr(source);
                let (left, right) = (Operand { value: old, source: place }, Operand { value, source });
                self.binary(operation, left, right, span)
            }
        };
        let Some((place, _)) = target else { return StatementKind::Expr(poison(span)) };
        if let Place::State(index) = place {
            self.uses.writes.insert(index);
        }
        match operator.operation() {
            None => StatementKind::Assign(place, value),
            Some(_) => StatementKind::Update(place, value),
        }
    }

    fn read(&mut self, place: Place, ty: Ty, span: Span) -> Expr {
        let kind = match place {
            Place::Local(id) => ExprKind::Local(id),
            Place::Param => ExprKind::Param,
            Place::State(index) => {
                self.uses.reads.push((index, span));
                ExprKind::State(index)
            }
        };
        Expr { kind, ty, span }
    }

    /// The place on the left of an assignment; `None` where it is none, and that is reported.
    fn place(&mut self, source: &ast::Expr) -> Option<(Place, Ty)> {
        match &source.kind {
            ast::ExprKind::Paren(inner) => self.place(inner),
            ast::ExprKind::Deref(inner) => match self.symbol_of(inner) {
                Some(Symbol::Param) => Some((Place::Param, Ty::Real)),
                Some(_) if hides_param(inner) => {
                    self.error(code::ASSIGN, source.span, "`*param` cannot be assigned here", HIDDEN);
                    None
                }
                _ => self.refuse(source),
            },
            ast::ExprKind::Field(base, name) => match self.symbol_of(base) {
                Some(Symbol::State(mutable)) => {
                    let Some(index) = self.state_index(name) else {
                        self.uses.unknown_write = true;
                        return None;
                    };
                    if !mutable {
                        let help = "make the argument `&mut State`";
                        self.error(code::ASSIGN, name.span(), "this function takes `state` without `mut`", help);
                    }
                    Some((Place::State(index), Ty::Real))
                }
                Some(Symbol::Hyper) => {
                    let message = format!("hyper-parameter `{name}` cannot be assigned");
                    let help = "bind a new value: `let changed = …;`; what changes from step to step is a state";
                    self.error(code::ASSIGN, name.span(), message, help);
                    None
                }
                // A base that does not exist is what is wrong.
                None if self.unknown_base(base).is_some() => {
                    if let Some(unknown) = self.unknown_base(base) {
                        self.unknown_base_of_field(unknown, name);
                    }
                    None
                }
                None if self.expr(base).ty == Ty::Error => None,
                _ => self.refuse(source),
            },
            ast::ExprKind::Path(path) => match (path.as_slice(), self.symbol_of(source)) {
                ([name], Some(Symbol::Local(id))) => {
                    let local = self.local(id)?;
                    let ty = local.ty.clone();
                    if !local.mutable {
                        let message = format!("`{name}` cannot be assigned: it is not `mut`");
                        let help = match self.is_argument(id) {
                            true => format!("write `mut {name}` in the arguments"),
                            false => format!("write `let mut {name} = …;`"),
                        };
                        self.error(code::ASSIGN, name.span(), message, help);
                    }
                    Some((Place::Local(id), ty))
                }
                ([name], Some(Symbol::Param)) => {
                    self.error(code::ASSIGN, name.span(), "`param` is a reference", "write `*param = …;`");
                    None
                }
                ([_], Some(Symbol::Value(ExprKind::Error, _))) => None,
                ([name], Some(Symbol::Value(..))) => {
                    let message = format!("`{name}` cannot be assigned");
                    self.error(
                        code::ASSIGN,
                        name.span(),
                        message,
                        format!("bind a new value: `let changed = {name};`"),
                    );
                    None
                }
                ([_], Some(_)) => self.refuse(source),
                ([name], None) if self.items.constant(&name.to_string()).is_some() => {
                    let help = "bind a variable: `let mut name = …;`";
                    self.error(code::ASSIGN, name.span(), format!("constant `{name}` cannot be assigned"), help);
                    None
                }
                _ => {
                    self.expr(source);
                    None
                }
            },
            ast::ExprKind::Refused(_) | ast::ExprKind::Error => {
                self.expr(source);
                None
            }
            _ => self.refuse(source),
        }
    }

    fn refuse(&self, source: &ast::Expr) -> Option<(Place, Ty)> {
        let message = format!("`{}` cannot be assigned", text::expr(source));
        let help = match source.kind {
            ast::ExprKind::Tuple(_) => "assign one after the other; `let (a, b) = …;` declares several variables",
            _ => "what can be assigned is `*param`, `state.field` and `let mut` variables",
        };
        self.error(code::ASSIGN, source.span, message, help);
        None
    }

    /// What a bare name stands for.
    pub(super) fn symbol_of(&self, source: &ast::Expr) -> Option<Symbol> {
        match &source.kind {
            ast::ExprKind::Path(path) => match path.as_slice() {
                [name] => self.lookup(name).cloned(),
                _ => None,
            },
            ast::ExprKind::Paren(inner) => self.symbol_of(inner),
            _ => None,
        }
    }
}
