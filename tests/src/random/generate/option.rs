//! Options and values of enums, which exist while compiling only, and what they decide.

use optimizer_specs::ir::Extent;

use super::real::apply;
use super::scope::{Facts, Known, Scope};
use super::{Generator, Want};
use crate::random::rule::{Block, Expr, Form, Type};

impl Generator {
    /// An option or a value of an enum, if there is one to be had: a variable, a variant, one of two that others choose.
    pub(super) fn option(&mut self, scope: &Scope, ty: &Type, want: Want) -> Option<Known> {
        let variant = match ty {
            Type::Enum(name) if self.once_in(4) => self.variant(name),
            _ => None,
        };
        let (value, facts) = match variant {
            Some(variant) => (variant, Facts::LITERAL),
            None => self.variable(scope, ty, want)?,
        };
        if want.depth > 0
            && self.once_in(4)
            && let Some(condition) = self.condition_of_options(scope)
            && let Some((other, other_facts)) = self.option(scope, ty, want.deeper())
        {
            let (then, otherwise) = (Block::value(value), Block::value(other));
            let facts = Facts { nonzero: false, ..facts.or(other_facts, Extent::Const) };
            return Some((Expr::If(Box::new(condition), then, otherwise), facts));
        }
        Some((value, facts))
    }

    /// A variant of an enum.
    pub(super) fn variant(&mut self, name: &str) -> Option<Expr> {
        let (_, variants) = self.rule.enums.iter().find(|(known, _)| known == name)?.clone();
        Some(Expr::Leaf(Type::Enum(name.to_owned()), format!("{name}::{}", self.pick(&variants))))
    }

    /// What is certainly known while compiling: `option.is_some()`, `value == Enum::Variant`, a `bool` field.
    pub(super) fn condition_of_options(&mut self, scope: &Scope) -> Option<Expr> {
        let options: Vec<Expr> = scope
            .visible()
            .filter(|one| match one.ty {
                Type::OptionReal | Type::OptionInt | Type::Enum(_) => true,
                Type::Bool => one.text.starts_with("hyper."),
                _ => false,
            })
            .map(|one| Expr::Leaf(one.ty.clone(), one.text.clone()))
            .collect();
        if options.is_empty() {
            return None;
        }
        let option = self.pick(&options);
        let (form, operands) = match option.ty() {
            Type::Bool => return Some(option),
            Type::Enum(name) => {
                let variant = self.variant(&name)?;
                let operands = if self.once_in(4) { vec![variant, option] } else { vec![option, variant] };
                (Form::Infix(self.pick(&["==", "!="])), operands)
            }
            _ => (Form::Method("is_some"), vec![option]),
        };
        Some(Expr::Apply(Type::Bool, form, operands))
    }

    /// A real that an option decides: `match`, `if let`, `unwrap_or`.
    pub(super) fn real_of_option(&mut self, scope: &mut Scope, want: Want) -> Known {
        let enums = self.rule.enums.clone();
        if !enums.is_empty() && self.once_in(2) {
            let (name, variants) = self.pick(&enums);
            if let Some((value, _)) = self.option(scope, &Type::Enum(name.clone()), want.any()) {
                let patterns = self.patterns(&name, &variants);
                let arms = self.arms(scope, Extent::Const, patterns.len(), |this, scope, _| {
                    this.value_block(scope, &Type::Real, want.deeper())
                });
                let facts = arms.iter().map(|(_, facts)| *facts).reduce(|a, b| a.or(b, Extent::Const));
                let blocks = arms.into_iter().map(|(block, _)| block);
                let arms = patterns.into_iter().zip(blocks).collect();
                return (Expr::Match(Box::new(value), arms), facts.unwrap_or(Facts::LITERAL));
            }
        }
        let Some((option, facts)) = self.option(scope, &Type::OptionReal, want.any()) else {
            return self.choice(scope, &Type::Real, want);
        };
        if self.once_in(2) {
            let (otherwise, other) = self.real(scope, want.any());
            let value = apply(Form::Method("unwrap_or"), vec![option, otherwise]);
            return (value, facts.or(other, Extent::Const));
        }
        let name = self.name();
        let arms = self.arms(scope, Extent::Const, 2, |this, scope, place| {
            if place == 0 {
                scope.value(name.clone(), Type::Real, facts);
            }
            this.value_block(scope, &Type::Real, want.deeper())
        });
        let Ok([(then, a), (otherwise, b)]) = <[_; 2]>::try_from(arms) else { unreachable!("two arms") };
        (Expr::IfSome(name, Box::new(option), then, otherwise), a.or(b, Extent::Const))
    }

    /// Patterns that cover an enum: one for each variant, or some and `_`, or some together.
    pub(super) fn patterns(&mut self, name: &str, variants: &[String]) -> Vec<String> {
        let mut patterns: Vec<String> = variants.iter().map(|variant| format!("{name}::{variant}")).collect();
        match self.below(4) {
            0 if patterns.len() > 1 => {
                let last = patterns.split_off(patterns.len() - 2);
                patterns.push(last.join(" | "));
            }
            1 if patterns.len() > 1 => {
                patterns.truncate(patterns.len() - 1);
                patterns.push("_".to_owned());
            }
            _ => {}
        }
        patterns
    }
}
