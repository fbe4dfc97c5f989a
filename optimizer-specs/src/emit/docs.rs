//! The documentation of generated items: what the author wrote stands first, this is added to it.
//!
//! All of it is read off the compiled rule: the rule is what its author wrote, the costs are those of the plan.

use proc_macro2::TokenStream;
use syn::parse::Parser;

use super::rule_text;
use super::text::Text;
use crate::checked::{Hyper, HyperType, HyperValue, Init, Rule, StateKind};
use crate::compile::Compiled;
use crate::ir::{KernelKind, Program, Variant};

/// Added to the module: formula, states, costs.
pub(crate) fn module(compiled: &Compiled) -> String {
    let mut text = Text::default();
    text.line("");
    text.line("# Rule");
    text.line("");
    text.line("```text");
    let helpers = compiled.rule.functions.iter().map(|function| &function.text);
    for function in helpers.chain(compiled.rule.entries.iter().map(|entry| &entry.text)) {
        rule_text::write(function, &mut text);
    }
    text.line("```");
    states(&compiled.rule, &mut text);
    costs(compiled, &mut text);
    text.finish()
}

fn states(rule: &Rule, text: &mut Text) {
    if rule.states.is_empty() {
        return;
    }
    text.line("");
    text.line("# State");
    text.line("");
    text.line("| name | one per | starts at | |");
    text.line("|---|---|---|---|");
    for state in &rule.states {
        let per = match state.kind {
            StateKind::Element => "element",
            StateKind::Tensor => "tensor",
            StateKind::All => "optimizer",
            StateKind::Host => "tensor, on the host",
        };
        let start = match state.init {
            Init::Number(value) => format!("{value:?}"),
            Init::Hyper(index) => rule.hypers.get(index as usize).map_or(String::new(), |it| format!("`{}`", it.name)),
            Init::Param => "the parameter".to_owned(),
        };
        text.line(format!("| `{}` | {per} | {start} | {} |", state.name, summary(&state.attributes)));
    }
}

/// The first paragraph of an author's documentation, as the cell of a table.
fn summary(attributes: &[TokenStream]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let attribute = syn::Attribute::parse_outer.parse2(attribute.clone()).ok()?.pop()?;
        match &attribute.meta.require_name_value().ok()?.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) if attribute.path().is_ident("doc") => {
                Some(text.value().trim().replace('|', "\\|"))
            }
            _ => None,
        }
    });
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn costs(compiled: &Compiled, text: &mut Text) {
    text.line("");
    text.line("# Cost");
    text.line("");
    text.line("Bytes per element: held as state, and moved by a step.");
    text.line("");
    text.line("| options | state | `update` moves | passes |");
    text.line("|---|---|---|---|");
    for variant in &compiled.variants {
        let state = 4 * variant.element_states.len();
        let update = variant.programs.first();
        let moved = update.map_or(0, |program| program.bytes_per_element);
        let passes = update.map_or(0, passes);
        text.line(format!("| {} | {state} | {moved} | {passes} |", options(variant)));
    }
}

fn passes(program: &Program) -> usize {
    program.kernels.iter().filter(|kernel| kernel.kind == KernelKind::Pass).count()
}

/// `momentum != 0`, `nesterov = false`
pub(crate) fn options(variant: &Variant) -> String {
    if variant.options.is_empty() {
        return "none".to_owned();
    }
    let options = variant.options.iter().map(|(option, value)| match value.as_str() {
        "nonzero" => format!("`{option} != 0`"),
        value => format!("`{option} = {value}`"),
    });
    options.collect::<Vec<_>>().join(", ")
}

/// The documentation of the rule's own type.
pub(crate) fn rule(rule: &Rule) -> String {
    format!("The update rule of [`Gpu{}`], see [the module](self).", rule.base_name)
}

/// The documentation of the optimizer type.
pub(crate) fn optimizer(rule: &Rule) -> String {
    format!("The optimizer: [the rule](self) with hyper-parameters [`{}`].", rule.params_name)
}

/// The documentation of a parameter struct whose author wrote none.
pub(crate) fn params(rule: &Rule) -> String {
    format!("Hyper-parameters of [`Gpu{}`].", rule.base_name)
}

/// Added to a field: default, range, what it decides.
pub(crate) fn field(rule: &Rule, hyper: &Hyper) -> String {
    let default = match &hyper.default {
        HyperValue::F32(value) => format!("{value:?}"),
        HyperValue::U32(value) => value.to_string(),
        HyperValue::Bool(value) => value.to_string(),
        HyperValue::NoneValue => "None".to_owned(),
        HyperValue::SomeF32(value) => format!("Some({value:?})"),
        HyperValue::SomeU32(value) => format!("Some({value})"),
        HyperValue::Enum(variant) => variant_name(rule, hyper.ty, *variant),
    };
    let mut text = format!("\nDefault `{default}`");
    if let Some(range) = &hyper.range {
        text.push_str(&format!(", range `{}`", range.text));
    }
    text.push('.');
    if hyper.switch {
        text.push_str(" Whether it is 0 is fixed when the optimizer is built.");
    } else if !matches!(hyper.ty, HyperType::F32 | HyperType::U32) {
        text.push_str(match hyper.ty {
            HyperType::OptionF32 | HyperType::OptionU32 => {
                " Whether it is `None` is fixed when the optimizer is built."
            }
            _ => " Fixed when the optimizer is built.",
        });
    }
    if hyper.shared {
        text.push_str(" One value for all parameter groups.");
    }
    text
}

fn variant_name(rule: &Rule, of: HyperType, variant: u32) -> String {
    let item = match of {
        HyperType::Enum(index) => rule.enums.get(index as usize),
        _ => None,
    };
    let named = item.and_then(|item| Some(format!("{}::{}", item.name, item.variants.get(variant as usize)?.0)));
    named.unwrap_or_default()
}
