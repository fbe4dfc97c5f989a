//! Control flow: `if` and `if let`.

use proc_macro2::Ident;

use super::body::Body;
use super::types::fits;
use crate::ast::{self, text};
use crate::checked::{Block, Expr, ExprKind, LocalId, Ty};
use crate::error::code;

impl Body<'_, '_> {
    /// Joins the arms of an `if`; `some` is the variable of an `if let`.
    pub(super) fn if_else(
        &mut self,
        condition: Expr,
        some: Option<LocalId>,
        (then, then_ty): (Block, Ty),
        otherwise: Option<&ast::Expr>,
        source: &ast::Expr,
    ) -> Expr {
        let (otherwise_block, otherwise_ty) = match otherwise {
            Some(otherwise) => self.else_block(otherwise),
            None => (Block { statements: Vec::new(), tail: None }, Ty::Unit),
        };
        let ty = match otherwise {
            None if !fits(&then_ty, &Ty::Unit) => {
                let help = "add `else { … }` with a value of the same type, or end the block with `;`";
                self.error(code::TYPE, source.span, "an `if` with a value needs an `else`", help);
                Ty::Error
            }
            Some(otherwise) => self.join(&then_ty, &otherwise_ty, otherwise),
            None => Ty::Unit,
        };
        let condition = Box::new(condition);
        let kind = match some {
            Some(local) => ExprKind::IfSome(condition, local, then, otherwise_block),
            None => ExprKind::If(condition, then, otherwise_block),
        };
        Expr { kind, ty, span: source.span }
    }

    /// What follows `else`: a block, or an `if` that becomes the block's only statement or value.
    fn else_block(&mut self, source: &ast::Expr) -> (Block, Ty) {
        let (mut block, ty) = self.value_block(source);
        if let (false, [statement]) = (matches!(source.kind, ast::ExprKind::Block(_)), block.statements.as_mut_slice())
        {
            statement.text = format!("else {}", statement.text);
        }
        (block, ty)
    }

    /// `if let Some(x) = option { … } else { … }`
    pub(super) fn if_some(
        &mut self,
        pattern: &ast::Pattern,
        option: &ast::Expr,
        then: &ast::Block,
        otherwise: Option<&ast::Expr>,
        source: &ast::Expr,
    ) -> Expr {
        let value = self.expr(option);
        let payload = match value.ty {
            Ty::OptionReal => Ty::Real,
            Ty::OptionInt => Ty::Int,
            Ty::Error => Ty::Error,
            _ => {
                let message = format!("expected an option, found `{}`", self.items.type_name(&value.ty));
                let help = match value.ty {
                    Ty::Bool => format!("write `if {} {{ … }}`", text::expr(option)),
                    _ => "it always has a value: use it as it is; options are hyper-parameters of type `Option<…>`"
                        .to_owned(),
                };
                self.error(code::TYPE, option.span, message, help);
                Ty::Error
            }
        };
        let least = match value.kind {
            ExprKind::Hyper(index) => Some(self.least_hyper(index)),
            _ => None,
        };
        let (local, then) = self.scoped(|body| {
            let local = match body.pattern(pattern, &payload, least) {
                crate::checked::Pattern::Local(id) => id,
                // `Some(_)`: the payload has a place all the same.
                _ => body.argument(&Ident::new("_unused", pattern.span), payload.clone(), false),
            };
            (local, body.block(then))
        });
        self.if_else(value, Some(local), then, otherwise, source)
    }

    /// The common type of two arms; `source` is the second one's.
    pub(super) fn join(&mut self, first: &Ty, second: &Ty, source: &ast::Expr) -> Ty {
        if *first == Ty::Error || !fits(second, first) {
            if *first != Ty::Error {
                let value = result_of(source);
                let mut diagnostic = self.items.mismatch(first, second, value);
                diagnostic.message = format!("the arms differ: {}", diagnostic.message);
                self.items.errors.push(diagnostic);
            }
            return Ty::Error;
        }
        if *second == Ty::Error { Ty::Error } else { first.clone() }
    }
}

/// The expression that makes the value of an arm, so that an error points at it and not at the brace.
fn result_of(source: &ast::Expr) -> &ast::Expr {
    match &source.kind {
        ast::ExprKind::Block(ast::Block { tail: Some(tail), .. }) => result_of(tail),
        ast::ExprKind::Paren(inner) => result_of(inner),
        _ => source,
    }
}
