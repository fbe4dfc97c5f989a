//! `#[require]` as host code: the condition over the fields of a parameter struct, in the arithmetic of rows.

use proc_macro2::TokenStream;

use super::tokens;
use crate::checked::{Block, Expr, ExprKind, Function1, Function2, Function3, HyperType, Rule, Ty};
use crate::emit::rust_code::Code;
use crate::error::{Diagnostic, code};
use crate::ir::Comparison;

/// The requirements of a rule: conditions and messages.
pub(super) struct Requirements {
    /// Over hyper-parameters alone, as fields of `self`.
    pub of_values: Vec<(TokenStream, String)>,
    /// Over `shape` too, with the hyper-parameters as fields of `params`.
    pub of_shapes: Vec<(TokenStream, String)>,
}

/// Prints the requirements of a rule.
pub(super) fn print(rule: &Rule) -> Requirements {
    let conditions = |reads_shape, fields| {
        let requires = rule.requires.iter().filter(|require| require.reads_shape == reads_shape);
        let printed = requires.filter_map(|require| {
            let code = Condition { rule, fields }.code(&require.condition).ok()?;
            Some((tokens(&code.into_text()), require.message.clone()))
        });
        printed.collect()
    };
    Requirements { of_values: conditions(false, "self"), of_shapes: conditions(true, "params") }
}

/// The requirements that cannot be printed. A rule that has one does not compile.
pub(crate) fn errors(rule: &Rule) -> Vec<Diagnostic> {
    let codes = rule.requires.iter().map(|require| Condition { rule, fields: "self" }.code(&require.condition));
    codes.filter_map(|code| code.err().flatten()).collect()
}

/// Prints one condition.
struct Condition<'a> {
    rule: &'a Rule,
    /// What the parameters are called in the place where the text stands.
    fields: &'a str,
}

/// The code, or what has no place in a requirement; `None` where that is reported already.
type Printed = Result<Code, Option<Diagnostic>>;

impl Condition<'_> {
    fn code(&self, expr: &Expr) -> Printed {
        Ok(match &expr.kind {
            ExprKind::Real(value) => Code::number(format!("{value:?}_f64")),
            ExprKind::Int(value) => Code::number(format!("{value}_i64")),
            ExprKind::Bool(value) => Code::atom(value.to_string()),
            ExprKind::Hyper(index) => self.hyper(*index),
            ExprKind::Len => Code::atom("math::len(shape)"),
            ExprKind::Ndim => Code::atom("math::whole(shape.len() as u64)"),
            ExprKind::Dim(index) => Code::atom(format!("math::dim(shape, {index})")),
            ExprKind::Call1(function, a) => unary(*function, self.code(a)?, a.ty == Ty::Int),
            ExprKind::Call2(function, a, b) => binary(*function, self.code(a)?, self.code(b)?, a.ty == Ty::Int),
            ExprKind::Call3(function, a, b, c) => ternary(*function, self.code(a)?, self.code(b)?, self.code(c)?),
            ExprKind::If(condition, then, otherwise) => {
                Code::select(self.code(condition)?, self.block(then, expr)?, self.block(otherwise, expr)?)
            }
            ExprKind::Block(block) => self.block(block, expr)?,
            ExprKind::IsSome(option) => Code::atom(self.field(option)?).method("is_some", []),
            ExprKind::UnwrapOr(option, value) => {
                let number = if option.ty == Ty::OptionInt { "i64::from" } else { "math::decimal" };
                let option = Code::atom(self.field(option)?);
                option.method("map_or", [self.code(value)?, Code::atom(number)])
            }
            ExprKind::Variant(of, variant) => Code::atom(self.variant(*of, *variant)),
            ExprKind::SameVariant(same, a, b) => {
                Code::infix(self.code(a)?, if *same { "==" } else { "!=" }, self.code(b)?)
            }
            ExprKind::Error => return Err(None),
            _ => return Err(no_requirement(expr)),
        })
    }

    /// A hyper-parameter as a host number, a truth value, or an enum.
    fn hyper(&self, index: u32) -> Code {
        let Some(hyper) = self.rule.hypers.get(index as usize) else { return Code::atom("") };
        let field = Code::atom(format!("{}.{}", self.fields, hyper.name));
        match hyper.ty {
            HyperType::F32 => Code::call("math::decimal", [field]),
            HyperType::U32 => Code::call("i64::from", [field]),
            HyperType::Bool | HyperType::Enum(_) | HyperType::OptionF32 | HyperType::OptionU32 => field,
        }
    }

    /// An option itself.
    fn field(&self, option: &Expr) -> Result<String, Option<Diagnostic>> {
        match option.kind {
            ExprKind::Hyper(index) => Ok(self.hyper(index).into_text()),
            _ => Err(no_requirement(option)),
        }
    }

    fn variant(&self, of: u32, variant: u32) -> String {
        let of = self.rule.enums.get(of as usize);
        let variant = of.and_then(|of| Some((&of.name, &of.variants.get(variant as usize)?.0)));
        variant.map(|(of, variant)| format!("super::{of}::{variant}")).unwrap_or_default()
    }

    /// A block that is nothing but its value.
    fn block(&self, block: &Block, whole: &Expr) -> Printed {
        match &block.tail {
            Some(tail) if block.statements.is_empty() => self.code(tail),
            _ => Err(no_requirement(whole)),
        }
    }
}

fn no_requirement(expr: &Expr) -> Option<Diagnostic> {
    let help = "a requirement is one expression over hyper-parameters, `ndim()` and `len()`; it asks an option with \
                `is_some()` or `unwrap_or(…)`, and an enum with `==`";
    Some(Diagnostic::new(code::REQUIRE, expr.span, "this has no place in a requirement").help(help))
}

fn unary(function: Function1, a: Code, whole: bool) -> Code {
    match function {
        Function1::Negate if whole => a.method("saturating_neg", []),
        Function1::Abs if whole => a.method("saturating_abs", []),
        Function1::Negate => Code::prefix("-", a),
        Function1::Not => Code::prefix("!", a),
        Function1::Sign => Code::call("math::sign", [a]),
        Function1::Recip => Code::infix(Code::number("1.0_f64".to_owned()), "/", a),
        Function1::ToReal => a.cast("f64"),
        Function1::Abs => a.method("abs", []),
        Function1::IsFinite => a.method("is_finite", []),
        Function1::Sqrt => a.method("sqrt", []),
        Function1::Floor => a.method("floor", []),
        Function1::Ceil => a.method("ceil", []),
        Function1::Exp => a.method("exp", []),
        Function1::Ln => a.method("ln", []),
        Function1::Cbrt => a.method("cbrt", []),
        Function1::Tanh => a.method("tanh", []),
    }
}

fn binary(function: Function2, a: Code, b: Code, whole: bool) -> Code {
    let operator = match function {
        Function2::Add if whole => return a.method("saturating_add", [b]),
        Function2::Subtract if whole => return a.method("saturating_sub", [b]),
        Function2::Multiply if whole => return a.method("saturating_mul", [b]),
        Function2::Divide if whole => return Code::call("math::divide", [a, b]),
        Function2::Remainder if whole => return Code::call("math::remainder", [a, b]),
        Function2::Min => return Code::call("math::min", [a, b]),
        Function2::Max => return Code::call("math::max", [a, b]),
        Function2::Powi => return Code::call("math::powi", [a, b]),
        Function2::Powf => return a.method("powf", [b]),
        Function2::Add => "+",
        Function2::Subtract => "-",
        Function2::Multiply => "*",
        Function2::Divide => "/",
        Function2::Remainder => "%",
        Function2::And => "&&",
        Function2::Or => "||",
        Function2::Compare(Comparison::Less) => "<",
        Function2::Compare(Comparison::LessEqual) => "<=",
        Function2::Compare(Comparison::Greater) => ">",
        Function2::Compare(Comparison::GreaterEqual) => ">=",
        Function2::Compare(Comparison::Equal) => "==",
        Function2::Compare(Comparison::NotEqual) => "!=",
    };
    Code::infix(a, operator, b)
}

fn ternary(function: Function3, a: Code, b: Code, c: Code) -> Code {
    match function {
        Function3::MulAdd => a.method("mul_add", [b, c]),
        Function3::Clamp => Code::call("math::min", [Code::call("math::max", [a, b]), c]),
        Function3::Lerp => {
            let way = Code::infix(b, "-", a.clone());
            Code::infix(a, "+", Code::infix(c, "*", way))
        }
    }
}
