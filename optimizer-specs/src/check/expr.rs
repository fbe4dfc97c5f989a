//! Expressions: names, fields, operators.

use proc_macro2::{Ident, Span};

use super::body::{Body, Place, Symbol, poison};
use super::types::{as_real, operand};
use crate::ast::{self, BinaryOperator, TypeKind, text};
use crate::checked::{Expr, ExprKind, Function1, Function2, Ty};
use crate::error::code;
use crate::ir::Comparison;
use crate::nearest::did_you_mean;

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
                let left = (self.expr(left), &**left);
                let right = (self.expr(right), &**right);
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
            ast::ExprKind::Error => return poison(span),
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
                None => self.unknown_name(name),
            },
        }
    }

    fn unknown_name(&mut self, name: &Ident) -> (ExprKind, Ty) {
        let text = name.to_string();
        let hyper = self.items.hypers.iter().any(|hyper| hyper.name == text);
        let state = self.items.states.iter().any(|state| state.name == text);
        let argument = matches!(text.as_str(), "grad" | "step" | "run" | "hyper" | "state" | "param");
        let help = match text.as_str() {
            "None" | "Some" => {
                "an option is made only by a hyper-parameter of type `Option<f32>` or `Option<u32>`".to_owned()
            }
            _ if argument && self.place == Place::Require => {
                "a requirement is over hyper-parameters, `ndim()` and `len()`".to_owned()
            }
            _ if argument && self.place == Place::Helper => format!("pass `{text}` as an argument"),
            _ if argument && self.place != Place::Constant => format!("add `{text}` to the arguments of the function"),
            _ if self.place == Place::Constant => "write literals, constants of the module and `+ - * /`".to_owned(),
            _ if hyper => format!("write `hyper.{text}`"),
            _ if state => format!("write `state.{text}`"),
            _ => {
                let constants = self.items.rule.constants.iter().map(|constant| constant.name.to_string());
                let known: Vec<String> = self.names().map(str::to_owned).chain(constants).collect();
                did_you_mean(&text, known.iter().map(String::as_str), "bind it first: `let name = …;`")
            }
        };
        self.error(code::UNKNOWN_NAME, name.span(), format!("no value `{text}` here"), help);
        (ExprKind::Error, Ty::Error)
    }

    fn real_constant(&self, name: &Ident) -> (ExprKind, Ty) {
        let value = match name.to_string().as_str() {
            "EPSILON" => f32::EPSILON,
            "MIN_POSITIVE" => f32::MIN_POSITIVE,
            "MAX" => f32::MAX,
            "MIN" => f32::MIN,
            "INFINITY" | "NEG_INFINITY" | "NAN" => {
                let help = "every value must be finite: write `f32::MAX`, or the condition that you mean";
                self.error(code::LITERAL, name.span(), format!("there is no `f32::{name}` in the language"), help);
                return (ExprKind::Error, Ty::Error);
            }
            other => {
                let known = ["EPSILON", "MIN_POSITIVE", "MAX", "MIN"];
                let help =
                    did_you_mean(other, known, "there are f32::EPSILON, f32::MIN_POSITIVE, f32::MAX and f32::MIN");
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
            // Without a parameter struct that is already reported.
            if let Some(params) = super::params::main(self.items.rule) {
                let known: Vec<String> = self.items.hypers.iter().map(|hyper| hyper.name.to_string()).collect();
                let otherwise = format!("add a field `{name}` to `{}`", params.name);
                let help = did_you_mean(&name.to_string(), known.iter().map(String::as_str), &otherwise);
                let message = format!("`{}` has no field `{name}`", params.name);
                self.error(code::UNKNOWN_HYPER, name.span(), message, help);
            }
            return (ExprKind::Error, Ty::Error);
        };
        self.uses.hypers.insert(index as u32);
        let ty = self.items.hyper_types.get(index).cloned().unwrap_or(Ty::Error);
        (ExprKind::Hyper(index as u32), ty)
    }

    /// The index of a state; `None` where there is none of that name, and that is reported.
    pub(super) fn state_index(&self, name: &Ident) -> Option<u32> {
        if let Some(index) = self.items.states.iter().position(|state| state.name == *name) {
            return Some(index as u32);
        }
        // Without a `State` the argument is already reported.
        if !self.items.rule.states.is_empty() {
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

    fn negate(&mut self, inner: &ast::Expr) -> (ExprKind, Ty) {
        let value = self.expr(inner);
        if !matches!(value.ty, Ty::Real | Ty::Int | Ty::Error) {
            self.items.errors.push(self.items.mismatch(&Ty::Real, &value.ty, inner));
            return (ExprKind::Error, Ty::Error);
        }
        let ty = value.ty.clone();
        (ExprKind::Call1(Function1::Negate, Box::new(value)), ty)
    }

    fn cast(&mut self, inner: &ast::Expr, ty: &ast::Type, span: Span) -> Expr {
        let value = self.expr(inner);
        if matches!(ty.kind, TypeKind::Error) || value.ty == Ty::Error {
            return poison(span);
        }
        match (&ty.kind, &value.ty) {
            (TypeKind::F32, Ty::Real) => value,
            (TypeKind::F32, Ty::Int) => {
                Expr { kind: ExprKind::Call1(Function1::ToReal, Box::new(value)), ty: Ty::Real, span }
            }
            (TypeKind::F32, _) => {
                self.items.errors.push(self.items.mismatch(&Ty::Real, &value.ty, inner));
                poison(span)
            }
            (TypeKind::F64, _) => {
                let help = "write `as f32`: what only the host computes is f64 all the same";
                self.error(code::TYPE, ty.span, "there is no `as f64` in the language", help);
                poison(span)
            }
            _ => {
                let message = format!("there is no `as {}` in the language", text::type_text(ty));
                let help = "the only conversion is from a whole number: `n as f32`";
                self.error(code::TYPE, ty.span, message, help);
                poison(span)
            }
        }
    }

    /// Checks an operator on two checked operands, each with its source.
    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: (Expr, &ast::Expr),
        right: (Expr, &ast::Expr),
        span: Span,
    ) -> Expr {
        use BinaryOperator as B;
        let function = match operator {
            B::Add => Function2::Add,
            B::Subtract => Function2::Subtract,
            B::Multiply => Function2::Multiply,
            B::Divide => Function2::Divide,
            B::Remainder => Function2::Remainder,
            B::And => return self.logical(Function2::And, left, right, span),
            B::Or => return self.logical(Function2::Or, left, right, span),
            B::Less => return self.compare(Comparison::Less, left, right, span),
            B::LessEqual => return self.compare(Comparison::LessEqual, left, right, span),
            B::Greater => return self.compare(Comparison::Greater, left, right, span),
            B::GreaterEqual => return self.compare(Comparison::GreaterEqual, left, right, span),
            B::Equal => return self.compare(Comparison::Equal, left, right, span),
            B::NotEqual => return self.compare(Comparison::NotEqual, left, right, span),
        };
        let Some(ty) = self.number_type(operator.text(), &left, &right, span) else { return poison(span) };
        if ty == Ty::Int
            && matches!(function, Function2::Divide | Function2::Remainder)
            && !self.cannot_be_zero(&right.0)
        {
            let message = format!("the divisor `{}` may be 0", text::expr(right.1));
            let help = format!(
                "give the hyper-parameter `range = 1..`, write `{}.max(1)`, or divide reals: `a as f32 / b as f32`",
                operand(right.1)
            );
            self.error(code::DIVISOR, right.1.span, message, help);
        }
        Expr { kind: ExprKind::Call2(function, Box::new(left.0), Box::new(right.0)), ty, span }
    }

    /// The common type of two numbers; `None` where they have none, and that is reported.
    fn number_type(
        &self,
        what: &str,
        (left, left_source): &(Expr, &ast::Expr),
        (right, right_source): &(Expr, &ast::Expr),
        span: Span,
    ) -> Option<Ty> {
        match (&left.ty, &right.ty) {
            (Ty::Error, _) | (_, Ty::Error) => None,
            (Ty::Real, Ty::Real) => Some(Ty::Real),
            (Ty::Int, Ty::Int) => Some(Ty::Int),
            (Ty::Real, Ty::Int) | (Ty::Int, Ty::Real) => {
                let whole = if left.ty == Ty::Int { left_source } else { right_source };
                let message = format!(
                    "`{what}` mixes `{}` and `{}`",
                    self.items.type_name(&left.ty),
                    self.items.type_name(&right.ty)
                );
                self.error(code::TYPE, span, message, as_real(whole));
                None
            }
            (Ty::Real | Ty::Int, _) => {
                self.items.errors.push(self.items.mismatch(&left.ty, &right.ty, right_source));
                None
            }
            (_, other) => {
                let expected = if *other == Ty::Int { Ty::Int } else { Ty::Real };
                self.items.errors.push(self.items.mismatch(&expected, &left.ty, left_source));
                None
            }
        }
    }

    fn logical(
        &mut self,
        function: Function2,
        left: (Expr, &ast::Expr),
        right: (Expr, &ast::Expr),
        span: Span,
    ) -> Expr {
        let mut wrong = false;
        for (value, source) in [&left, &right] {
            if !matches!(value.ty, Ty::Bool | Ty::Error) {
                self.items.errors.push(self.items.mismatch(&Ty::Bool, &value.ty, source));
                wrong = true;
            }
        }
        if wrong {
            return poison(span);
        }
        Expr { kind: ExprKind::Call2(function, Box::new(left.0), Box::new(right.0)), ty: Ty::Bool, span }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        left: (Expr, &ast::Expr),
        right: (Expr, &ast::Expr),
        span: Span,
    ) -> Expr {
        let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let kind = match (&left.0.ty, &right.0.ty) {
            (Ty::Enum(a), Ty::Enum(b)) if a == b && equality => {
                let equal = comparison == Comparison::Equal;
                ExprKind::SameVariant(equal, Box::new(left.0), Box::new(right.0))
            }
            (Ty::Enum(_), Ty::Enum(_)) => {
                let help = "compare variants of one enum with `==` or `!=`, or use `match`";
                self.error(code::TYPE, span, "these enum values cannot be compared so", help);
                return poison(span);
            }
            (Ty::Bool, Ty::Bool) => {
                let help = "write `a`, `!a`, or `(a && !b) || (!a && b)` for `a != b`";
                self.error(code::TYPE, span, "bools are not compared", help);
                return poison(span);
            }
            (Ty::OptionReal | Ty::OptionInt, _) | (_, Ty::OptionReal | Ty::OptionInt) => {
                let help = "write `option.is_some()`, `option.unwrap_or(value)` or `if let Some(x) = option`";
                self.error(code::TYPE, span, "options are not compared", help);
                return poison(span);
            }
            _ => {
                let what = comparison_text(comparison);
                if self.number_type(what, &left, &right, span).is_none() {
                    return poison(span);
                }
                self.switch_comparison(comparison, &left.0, &right.0);
                ExprKind::Call2(Function2::Compare(comparison), Box::new(left.0), Box::new(right.0))
            }
        };
        Expr { kind, ty: Ty::Bool, span }
    }

    /// `momentum > 0.0` says whether momentum is 0 only where it cannot be negative.
    fn switch_comparison(&self, comparison: Comparison, left: &Expr, right: &Expr) {
        if matches!(comparison, Comparison::Equal | Comparison::NotEqual) || self.place == Place::Require {
            return;
        }
        let is_zero = |value: &Expr| match value.kind {
            ExprKind::Real(value) => value == 0.0,
            ExprKind::Int(value) => value == 0,
            _ => false,
        };
        let (hyper, span) = match (&left.kind, &right.kind) {
            (ExprKind::Hyper(index), _) if is_zero(right) => (self.items.hypers.get(*index as usize), left.span),
            (_, ExprKind::Hyper(index)) if is_zero(left) => (self.items.hypers.get(*index as usize), right.span),
            _ => return,
        };
        let Some(hyper) = hyper.filter(|hyper| hyper.switch && hyper.ty != crate::checked::HyperType::U32) else {
            return;
        };
        if hyper.range.as_ref().and_then(|range| range.start).is_none_or(|start| start < 0.0) {
            let message =
                format!("`{}` is a `switch` and may be negative: this does not say whether it is 0", hyper.name);
            let help = format!("give it `range = 0.0..`, or compare with `{} != 0.0`", hyper.name);
            self.error(code::SWITCH, span, message, help);
        }
    }

    /// Whether a whole number is known not to be 0.
    pub(super) fn cannot_be_zero(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Error => true,
            ExprKind::Int(value) => *value != 0,
            ExprKind::Local(id) => self.is_nonzero(*id),
            ExprKind::Hyper(index) => self.at_least_one(*index),
            // Tensors without elements never take part.
            ExprKind::Len | ExprKind::AllLen => true,
            ExprKind::Step | ExprKind::Run => self.place == Place::Update,
            ExprKind::Call2(Function2::Max, left, right) => [left, right].iter().any(|value| match &value.kind {
                ExprKind::Int(value) => *value >= 1,
                _ => false,
            }),
            ExprKind::Call2(Function2::Multiply, left, right) => {
                self.cannot_be_zero(left) && self.cannot_be_zero(right)
            }
            _ => false,
        }
    }

    /// Whether the range of a hyper-parameter (of an option its payload) starts at 1 or more.
    pub(super) fn at_least_one(&self, index: u32) -> bool {
        let range = self.items.hypers.get(index as usize).and_then(|hyper| hyper.range.as_ref());
        range.and_then(|range| range.start).is_some_and(|start| start >= 1.0)
    }
}

fn no_block() -> crate::checked::Block {
    crate::checked::Block { statements: Vec::new(), tail: None }
}

fn comparison_text(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
    }
}
