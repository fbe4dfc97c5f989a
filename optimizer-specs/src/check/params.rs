//! Hyper-parameters: types, defaults, ranges, `switch`.

use super::body::{Body, Place};
use super::constants::{Value, folded};
use super::items::{Items, type_of_hyper, unique};
use crate::ast::{self, HyperAttribute, HyperField, text};
use crate::checked::{ExprKind, Hyper, HyperType, HyperValue, Range, Ty};
use crate::error::code;
use crate::naming::{base_name, camel_case};

/// The parameter struct: the one with a name of the right form, if there are several.
pub(super) fn main(rule: &ast::Rule) -> Option<&ast::Params> {
    rule.params.iter().find(|params| !base_name(&params.name.to_string()).is_empty()).or(rule.params.first())
}

/// Checks that there is one parameter struct with a name of the right form, and at most one `State`.
pub(super) fn structs(items: &Items<'_>) {
    let rule = items.rule;
    let Some(main) = main(rule) else {
        let base = camel_case(&rule.name.to_string());
        let help = format!("add `pub struct {base}Params {{ … }}`: it makes `Gpu{base}`");
        items.errors.error(code::PARAMS, rule.name.span(), "the rule has no parameter struct", help);
        return;
    };
    if base_name(&main.name.to_string()).is_empty() {
        let help = "what stands before `Params` names the optimizer: `AdamParams` makes `GpuAdam`";
        let message = format!("the parameter struct `{}` needs a name that ends in `Params`", main.name);
        let message = match main.name.to_string().strip_suffix("Params") {
            Some("") => "`Params` alone names no optimizer".to_owned(),
            Some(word) => format!("`{word}` is a word of Rust, and `{}` names no optimizer", main.name),
            None => message,
        };
        items.errors.error(code::PARAMS, main.name.span(), message, help);
    }
    for second in rule.params.iter().filter(|params| !std::ptr::eq(*params, main)) {
        let message = format!("a second struct, `{}`, beside `{}`", second.name, main.name);
        let help = "a rule has one parameter struct, and at most one struct of states, named `State`";
        items.errors.error(code::PARAMS, second.name.span(), message, help);
    }
    for second in rule.states.iter().skip(1).filter(|state| state.name == "State") {
        items.errors.error(code::STATE, second.name.span(), "a second `State`", "put all states into one struct");
    }
}

/// Checks the hyper-parameters and fills them in.
pub(super) fn hypers(items: &mut Items<'_>) {
    let Some(params) = main(items.rule) else { return };
    unique(params.fields().iter().map(|field| &field.name), "hyper-parameter", items.errors);
    for field in params.fields() {
        let ty = hyper_type(items, &field.ty);
        let value_type = ty.map_or(Ty::Error, type_of_hyper);
        let (hyper, sound) = hyper(items, field, ty);
        if !sound {
            items.refused_hypers.insert(items.hypers.len() as u32);
        }
        items.hypers.push(hyper);
        items.hyper_types.push(value_type);
    }
}

fn hyper_type(items: &Items<'_>, source: &ast::Type) -> Option<HyperType> {
    if let ast::TypeKind::Refused(refused) = &source.kind
        && (refused.text.starts_with('[') || refused.text.starts_with("Vec<"))
    {
        items
            .errors
            .push(refused.diagnostic.clone().help("a hyper-parameter is a single value: write one field for each"));
        return None;
    }
    match items.value_type(source) {
        Ty::Real => Some(HyperType::F32),
        Ty::Int => Some(HyperType::U32),
        Ty::Bool => Some(HyperType::Bool),
        Ty::OptionReal => Some(HyperType::OptionF32),
        Ty::OptionInt => Some(HyperType::OptionU32),
        Ty::Enum(index) => Some(HyperType::Enum(index)),
        Ty::Error => None,
        Ty::Tuple(_) | Ty::Unit => {
            let help = "write one field for each value";
            items.errors.error(code::UNSUPPORTED_TYPE, source.span, "a hyper-parameter is a single value", help);
            None
        }
    }
}

/// The hyper-parameter, and whether its type and default are right. Of a refused one only the name counts.
fn hyper(items: &Items<'_>, field: &HyperField, ty: Option<HyperType>) -> (Hyper, bool) {
    let mut hyper = Hyper {
        name: field.name.clone(),
        attributes: field.attributes.clone(),
        ty: ty.unwrap_or(HyperType::F32),
        default: HyperValue::F32(0.0),
        range: None,
        switch: false,
        shared: false,
    };
    let Some(attribute) = &field.hyper else {
        let message = format!("hyper-parameter `{}` has no `#[hyper(…)]`", field.name);
        let help = "write `#[hyper(default = …)]` above it, with `range = a..b` for a number";
        items.errors.error(code::HYPER, field.name.span(), message, help);
        return (hyper, false);
    };
    hyper.shared = attribute.shared.is_some();
    hyper.switch = attribute.switch.is_some();
    if attribute.default.is_none() {
        let message = format!("hyper-parameter `{}` has no default", field.name);
        items.errors.error(code::HYPER, attribute.span, message, "write `#[hyper(default = …)]`");
    }
    let Some(ty) = ty else { return (hyper, false) };
    switch(items, attribute, ty);
    hyper.range = range(items, attribute, ty);
    let Some(source) = &attribute.default else { return (hyper, false) };
    let Some(default) = default(items, source, ty) else { return (hyper, false) };
    if let (Some(range), Some(value)) = (&hyper.range, number(&default))
        && !range.contains(value)
    {
        let message = format!("the default {} is outside of the range {}", text::expr(source), range.text);
        items.errors.error(code::RANGE, source.span, message, "change the default or the range");
        return (hyper, false);
    }
    (Hyper { default, ..hyper }, true)
}

fn switch(items: &Items<'_>, attribute: &HyperAttribute, ty: HyperType) {
    let Some(span) = attribute.switch else { return };
    let help = match ty {
        HyperType::F32 | HyperType::U32 => return,
        HyperType::Bool => "remove it: a bool is an option already",
        HyperType::Enum(_) => "remove it: an enum is an option already",
        HyperType::OptionF32 | HyperType::OptionU32 => "remove it: whether it is `Some` is an option already",
    };
    items.errors.error(code::SWITCH, span, "`switch` stands on numbers: whether it is 0 is then an option", help);
}

fn default(items: &Items<'_>, source: &ast::Expr, ty: HyperType) -> Option<HyperValue> {
    match ty {
        HyperType::F32 | HyperType::U32 | HyperType::Bool => {
            if is_path(source, "None") {
                let message = "`None` is a default of options only";
                let help = format!("write a value, or make the type `Option<{}>`", items.type_name(&type_of_hyper(ty)));
                items.errors.error(code::DEFAULT, source.span, message, help);
                return None;
            }
            Some(match folded(items, Place::Constant, source, &type_of_hyper(ty))? {
                Value::Real(value) => HyperValue::F32(value),
                Value::Int(value) => HyperValue::U32(u32::try_from(value).ok()?),
                Value::Bool(value) => HyperValue::Bool(value),
            })
        }
        HyperType::OptionF32 | HyperType::OptionU32 => option_default(items, source, ty),
        HyperType::Enum(index) => match Body::new(items, Place::Constant).expect(source, &Ty::Enum(index)).kind {
            ExprKind::Variant(_, variant) => Some(HyperValue::Enum(variant)),
            _ => None,
        },
    }
}

fn option_default(items: &Items<'_>, source: &ast::Expr, ty: HyperType) -> Option<HyperValue> {
    if is_path(source, "None") {
        return Some(HyperValue::NoneValue);
    }
    let payload = if ty == HyperType::OptionF32 { Ty::Real } else { Ty::Int };
    if let ast::ExprKind::Call(name, arguments) = &source.kind
        && let ([name], [value]) = (name.as_slice(), arguments.as_slice())
        && name == "Some"
    {
        return Some(match folded(items, Place::Constant, value, &payload)? {
            Value::Real(value) => HyperValue::SomeF32(value),
            Value::Int(value) => HyperValue::SomeU32(u32::try_from(value).ok()?),
            Value::Bool(_) => return None,
        });
    }
    match &source.kind {
        ast::ExprKind::Error => {}
        ast::ExprKind::Refused(diagnostic) => items.errors.push((**diagnostic).clone()),
        _ => {
            let help = format!("write `None` or `Some({})`", text::expr(source));
            items.errors.error(code::DEFAULT, source.span, "the default of an option is `None` or `Some(…)`", help);
        }
    }
    None
}

fn is_path(source: &ast::Expr, word: &str) -> bool {
    matches!(&source.kind, ast::ExprKind::Path(path) if matches!(path.as_slice(), [name] if name == word))
}

fn range(items: &Items<'_>, attribute: &HyperAttribute, ty: HyperType) -> Option<Range> {
    let source = attribute.range.as_ref()?;
    let payload = match ty {
        HyperType::F32 | HyperType::OptionF32 => Ty::Real,
        HyperType::U32 | HyperType::OptionU32 => Ty::Int,
        HyperType::Bool | HyperType::Enum(_) => {
            let message = format!("`{}` has no range", items.type_name(&type_of_hyper(ty)));
            items.errors.error(code::RANGE, source.span, message, "remove the range: every value is allowed");
            return None;
        }
    };
    let bound = |value: &Option<ast::Expr>| match value {
        None => Some(None),
        Some(value) => match folded(items, Place::Constant, value, &payload)? {
            Value::Real(value) => Some(Some(value)),
            Value::Int(value) => Some(Some(value as f64)),
            Value::Bool(_) => None,
        },
    };
    let (start, end) = (bound(&source.start), bound(&source.end));
    let (start, end) = (start?, end?);
    let text = range_text(source, start, end, payload == Ty::Int);
    let range = Range { start, end, end_included: source.end_included, text };
    let refused = match (range.start, range.end) {
        (None, None) => Some("the range has no bound"),
        (Some(start), Some(end)) if start > end || (start == end && !range.end_included) => {
            Some("no number lies in this range")
        }
        _ => None,
    };
    if let Some(message) = refused {
        let help = "write `a..b` with a < b, `a..=b`, `a..`, `..b` or `..=b`, or leave the range out";
        items.errors.error(code::RANGE, source.span, message, help);
        return None;
    }
    Some(range)
}

/// The range as its users read it: literals as written, what else there is by its value.
fn range_text(source: &ast::Range, start: Option<f64>, end: Option<f64>, whole: bool) -> String {
    let bound = |written: &Option<ast::Expr>, value: Option<f64>| match (written, value) {
        (Some(written), Some(value)) => match text::number(written) {
            Some(literal) => literal,
            None if whole => format!("{value}"),
            None => format!("{value:?}"),
        },
        _ => String::new(),
    };
    let dots = if source.end_included { "..=" } else { ".." };
    format!("{}{dots}{}", bound(&source.start, start), bound(&source.end, end))
}

/// The number of a default, for the range.
fn number(value: &HyperValue) -> Option<f64> {
    match value {
        HyperValue::F32(value) | HyperValue::SomeF32(value) => Some(*value),
        HyperValue::U32(value) | HyperValue::SomeU32(value) => Some(f64::from(*value)),
        HyperValue::Bool(_) | HyperValue::NoneValue | HyperValue::Enum(_) => None,
    }
}

impl Range {
    /// Whether the value lies in the range.
    pub fn contains(&self, value: f64) -> bool {
        let above = self.start.is_none_or(|start| value >= start);
        let below = self.end.is_none_or(|end| if self.end_included { value <= end } else { value < end });
        above && below
    }
}
