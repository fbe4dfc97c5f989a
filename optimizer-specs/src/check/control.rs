//! Control flow: `if`, `if let`, `match`.

use proc_macro2::{Ident, Span};

use super::body::{Body, poison};
use super::types::fits;
use crate::ast::{self, ArmPattern, text};
use crate::checked::{Block, Expr, ExprKind, LocalId, Ty};
use crate::error::{Diagnostic, code};
use crate::nearest::did_you_mean;

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
                let help =
                    "write `if condition { … }`; options are hyper-parameters of type `Option<f32>` or `Option<u32>`";
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
    fn join(&mut self, first: &Ty, second: &Ty, source: &ast::Expr) -> Ty {
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

    /// `match value { … }` on an enum.
    pub(super) fn match_enum(&mut self, source: &ast::Expr, arms: &[ast::Arm], span: Span) -> Expr {
        let value = self.expr(source);
        let index = match value.ty {
            Ty::Enum(index) => index,
            Ty::Error => return self.poisoned_match(arms, span),
            _ => {
                let message = format!("a `match` goes over an enum, not over `{}`", self.items.type_name(&value.ty));
                let help = match value.ty {
                    Ty::OptionReal | Ty::OptionInt => "write `if let Some(x) = option { … } else { … }`",
                    _ => "write `if condition { … } else { … }`",
                };
                // A pattern that no enum has is already reported.
                if !arms.iter().flat_map(|arm| &arm.patterns).any(|pattern| matches!(pattern, ArmPattern::Error)) {
                    self.error(code::MATCH, source.span, message, help);
                }
                return self.poisoned_match(arms, span);
            }
        };
        let names: Vec<Ident> = self
            .items
            .enum_of(index)
            .map(|item| item.variants.iter().map(|(name, _)| name.clone()).collect())
            .unwrap_or_default();
        let mut blocks: Vec<Option<Block>> = vec![None; names.len()];
        let mut ty: Option<Ty> = None;
        let mut poisoned = false;
        for arm in arms {
            let (block, arm_ty) = self.scoped(|body| body.value_block(&arm.value));
            ty = Some(match ty {
                None => arm_ty,
                Some(ty) => self.join(&ty, &arm_ty, &arm.value),
            });
            for pattern in &arm.patterns {
                let chosen: Vec<usize> = match pattern {
                    ArmPattern::Wild(_) => {
                        (0..names.len()).filter(|variant| matches!(blocks.get(*variant), Some(None))).collect()
                    }
                    ArmPattern::Path(path, _) => match self.arm_variant(path, index) {
                        Some(variant) => vec![variant as usize],
                        None => {
                            poisoned = true;
                            continue;
                        }
                    },
                    ArmPattern::Error => {
                        poisoned = true;
                        continue;
                    }
                };
                let open: Vec<usize> =
                    chosen.into_iter().filter(|variant| matches!(blocks.get(*variant), Some(None))).collect();
                if open.is_empty() && !poisoned {
                    let at = match pattern {
                        ArmPattern::Path(_, span) | ArmPattern::Wild(span) => *span,
                        ArmPattern::Error => span,
                    };
                    self.error(code::MATCH, at, "this arm is never taken", "remove it: earlier arms cover it");
                }
                for variant in open {
                    if let Some(slot) = blocks.get_mut(variant) {
                        *slot = Some(block.clone());
                    }
                }
            }
        }
        let missing: Vec<String> = names
            .iter()
            .zip(&blocks)
            .filter(|(_, block)| block.is_none())
            .map(|(name, _)| format!("{}::{name}", self.items.type_name(&Ty::Enum(index))))
            .collect();
        if poisoned {
            return poison(span);
        }
        if !missing.is_empty() {
            let message = format!("the `match` leaves out `{}`", missing.join("`, `"));
            self.error(code::MATCH, span, message, format!("add `{} => …`, or `_ => …`", missing.join(" | ")));
            return poison(span);
        }
        let blocks = blocks.into_iter().flatten().collect();
        Expr { kind: ExprKind::Match(Box::new(value), blocks), ty: ty.unwrap_or(Ty::Unit), span }
    }

    /// Checks the arms only for the errors inside them; not where a refused pattern may have declared names.
    fn poisoned_match(&mut self, arms: &[ast::Arm], span: Span) -> Expr {
        let known = |arm: &&ast::Arm| !arm.patterns.iter().any(|pattern| matches!(pattern, ArmPattern::Error));
        for arm in arms.iter().filter(known) {
            self.scoped(|body| body.value_block(&arm.value));
        }
        poison(span)
    }

    fn arm_variant(&mut self, path: &[Ident], index: u32) -> Option<u32> {
        match path {
            [base, name] => match self.variant(base, name)? {
                (ExprKind::Variant(found, variant), _) if found == index => Some(variant),
                _ => {
                    let expected = Ty::Enum(index);
                    let message = format!("expected a variant of `{}`", self.items.type_name(&expected));
                    let help = format!("write `{}::…`", self.items.type_name(&expected));
                    self.items.errors.push(Diagnostic::new(code::TYPE, name.span(), message).help(help));
                    None
                }
            },
            _ => {
                let span = path.last().map_or_else(Span::call_site, Ident::span);
                let name = self.items.type_name(&Ty::Enum(index));
                let message = format!("`{}` is no variant", text::path(path));
                self.error(code::UNKNOWN_VARIANT, span, message, format!("write `{name}::Variant` or `_`"));
                None
            }
        }
    }

    /// `Enum::Variant`; `None` where it does not exist, and that is reported.
    pub(super) fn variant(&mut self, base: &Ident, name: &Ident) -> Option<(ExprKind, Ty)> {
        let Some(index) = self.items.enums.iter().position(|item| item.name == *base) else {
            let known: Vec<String> = self.items.enums.iter().map(|item| item.name.to_string()).collect();
            let help = did_you_mean(&base.to_string(), known.iter().map(String::as_str), "name an enum of the module");
            self.error(code::UNKNOWN_VARIANT, base.span(), format!("no enum `{base}` in this rule"), help);
            return None;
        };
        let variants: Vec<String> = self.items.enums[index].variants.iter().map(|(name, _)| name.to_string()).collect();
        let Some(variant) = variants.iter().position(|known| name == known) else {
            let otherwise = format!("its variants are {}", variants.join(", "));
            let help = did_you_mean(&name.to_string(), variants.iter().map(String::as_str), &otherwise);
            self.error(code::UNKNOWN_VARIANT, name.span(), format!("`{base}` has no variant `{name}`"), help);
            return None;
        };
        Some((ExprKind::Variant(index as u32, variant as u32), Ty::Enum(index as u32)))
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
