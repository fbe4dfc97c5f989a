//! Enums: variants, and `match` over them.

use proc_macro2::{Ident, Span};

use super::body::{Body, poison};
use crate::ast::{self, Arm, ArmPattern, text};
use crate::checked::{Block, Expr, ExprKind, Ty};
use crate::error::code;
use crate::nearest::did_you_mean;

impl Body<'_, '_> {
    /// `match value { … }` on an enum.
    pub(super) fn match_enum(&mut self, source: &ast::Expr, arms: &[Arm], span: Span) -> Expr {
        let value = self.expr(source);
        match value.ty {
            Ty::Enum(index) => self.arms(value, index, arms, span),
            Ty::Error => self.poisoned_match(arms, span),
            _ => {
                let message = format!("a `match` goes over an enum, not over `{}`", self.items.type_name(&value.ty));
                let written = text::expr(source);
                let help = match value.ty {
                    Ty::OptionReal | Ty::OptionInt => {
                        format!("write `if let Some(x) = {written} {{ … }} else {{ … }}`")
                    }
                    Ty::Bool => format!("write `if {written} {{ … }} else {{ … }}`"),
                    _ => format!("write `if {written} == … {{ … }} else {{ … }}`"),
                };
                self.error(code::MATCH, source.span, message, help);
                self.poisoned_match(arms, span)
            }
        }
    }

    /// Checks the arms only for the errors inside them.
    fn poisoned_match(&mut self, arms: &[Arm], span: Span) -> Expr {
        for arm in arms {
            self.arm(arm);
        }
        poison(span)
    }

    /// The value of an arm.
    fn arm(&mut self, arm: &Arm) -> (Block, Ty) {
        self.scoped(|body| {
            for pattern in &arm.patterns {
                match pattern {
                    // A name alone would be a variable in Rust, and is reported here.
                    ArmPattern::Path(names, _) if names.len() == 1 => body.declare_refused(names),
                    ArmPattern::Other(_, names) => body.declare_refused(names),
                    ArmPattern::Path(..) | ArmPattern::Wild(_) => {}
                }
            }
            body.value_block(&arm.value)
        })
    }

    fn arms(&mut self, value: Expr, index: u32, arms: &[Arm], span: Span) -> Expr {
        let variants = self.items.enum_of(index).map_or(0, |item| item.variants.len());
        let mut blocks: Vec<Option<Block>> = vec![None; variants];
        let mut ty: Option<Ty> = None;
        let mut poisoned = false;
        for arm in arms {
            let (block, arm_ty) = self.arm(arm);
            ty = Some(match ty {
                None => arm_ty,
                Some(ty) => self.join(&ty, &arm_ty, &arm.value),
            });
            for pattern in &arm.patterns {
                let at = match pattern {
                    ArmPattern::Path(_, span) | ArmPattern::Wild(span) | ArmPattern::Other(span, _) => *span,
                };
                let Some(chosen) = self.chosen(pattern, index, variants) else {
                    poisoned = true;
                    continue;
                };
                let mut taken = false;
                for (_, slot) in blocks.iter_mut().enumerate().filter(|(variant, _)| chosen.contains(variant)) {
                    taken |= slot.is_none();
                    slot.get_or_insert_with(|| block.clone());
                }
                if !taken && !poisoned {
                    self.error(code::MATCH, at, "this arm is never taken", "remove it: earlier arms cover it");
                }
            }
        }
        if poisoned || !self.all_covered(&blocks, index, span) {
            return poison(span);
        }
        let blocks = blocks.into_iter().flatten().collect();
        Expr { kind: ExprKind::Match(Box::new(value), blocks), ty: ty.unwrap_or(Ty::Unit), span }
    }

    /// The variants that a pattern takes; `None` where it is wrong and reported.
    fn chosen(&mut self, pattern: &ArmPattern, index: u32, variants: usize) -> Option<Vec<usize>> {
        match pattern {
            ArmPattern::Wild(_) => Some((0..variants).collect()),
            ArmPattern::Path(path, span) => Some(vec![self.arm_variant(path, index, *span)? as usize]),
            ArmPattern::Other(span, _) => {
                let help = "a `match` goes over an enum: write `Enum::Variant` or `_`";
                self.error(code::UNSUPPORTED, *span, "this pattern is not part of the language", help);
                None
            }
        }
    }

    fn all_covered(&self, blocks: &[Option<Block>], index: u32, span: Span) -> bool {
        let names = self.items.enum_of(index).into_iter().flat_map(|item| &item.variants);
        let missing: Vec<String> = names
            .zip(blocks)
            .filter(|(_, block)| block.is_none())
            .map(|((name, _), _)| format!("{}::{name}", self.items.type_name(&Ty::Enum(index))))
            .collect();
        if !missing.is_empty() {
            let message = format!("the `match` leaves out `{}`", missing.join("`, `"));
            self.error(code::MATCH, span, message, format!("add `{} => …`, or `_ => …`", missing.join(" | ")));
        }
        missing.is_empty()
    }

    fn arm_variant(&mut self, path: &[Ident], index: u32, span: Span) -> Option<u32> {
        let name = self.items.type_name(&Ty::Enum(index));
        let [base, variant] = path else {
            let message = format!("`{}` is no variant", text::path(path));
            self.error(code::UNKNOWN_VARIANT, span, message, format!("write `{name}::Variant` or `_`"));
            return None;
        };
        match self.variant(base, variant)? {
            (ExprKind::Variant(found, variant), _) if found == index => Some(variant),
            _ => {
                let message = format!("expected a variant of `{name}`");
                self.error(code::TYPE, span, message, format!("write `{name}::…`"));
                None
            }
        }
    }

    /// `Enum::Variant`; `None` where it does not exist, and that is reported.
    pub(super) fn variant(&mut self, base: &Ident, name: &Ident) -> Option<(ExprKind, Ty)> {
        let found = self.items.enums.iter().enumerate().find(|(_, item)| item.name == *base);
        let Some((index, item)) = found else {
            if self.items.is_refused(base) {
                return None;
            }
            let known: Vec<String> = self.items.enums.iter().map(|item| item.name.to_string()).collect();
            let help = did_you_mean(&base.to_string(), known.iter().map(String::as_str), "name an enum of the module");
            self.error(code::UNKNOWN_VARIANT, base.span(), format!("no enum `{base}` in this rule"), help);
            return None;
        };
        let variants: Vec<String> = item.variants.iter().map(|(name, _)| name.to_string()).collect();
        let Some(variant) = variants.iter().position(|known| name == known) else {
            let otherwise = format!("its variants are {}", variants.join(", "));
            let help = did_you_mean(&name.to_string(), variants.iter().map(String::as_str), &otherwise);
            self.error(code::UNKNOWN_VARIANT, name.span(), format!("`{base}` has no variant `{name}`"), help);
            return None;
        };
        Some((ExprKind::Variant(index as u32, variant as u32), Ty::Enum(index as u32)))
    }
}
