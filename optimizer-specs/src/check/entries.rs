//! Which entries there are: one `update`, modes in pairs.

use super::items::Items;
use super::signatures::{changes_param, is_entry};
use crate::checked::Mode;
use crate::error::code;
use crate::naming::camel_case;
use crate::nearest::nearest;

/// Checks what entries there are: one `update`, modes in pairs.
pub(super) fn entries(items: &Items<'_>) {
    let rule = items.rule;
    let entries: Vec<_> = rule.functions.iter().filter(|function| is_entry(function)).collect();
    let mut found = false;
    for function in &entries {
        let Some(entry) = &function.entry else {
            found = true;
            continue;
        };
        if function.name == "update" {
            found = true;
            let help = "remove `#[entry]`: `update` is always there";
            items.errors.error(code::ENTRY, entry.span, "`update` is no additional entry", help);
        }
        let has = |mode| entries.iter().any(|other| other.entry.as_ref().is_some_and(|entry| entry.mode == Some(mode)));
        let (mine, other) = match entry.mode {
            Some(Mode::Eval) if !has(Mode::Train) => ("eval", "train"),
            Some(Mode::Train) if !has(Mode::Eval) => ("train", "eval"),
            _ => continue,
        };
        let message = format!("an entry of mode `{mine}` without one of mode `{other}`");
        let help = format!("add the way back: `#[entry(mode = {other})] fn {other}(…) {{ … }}`");
        items.errors.error(code::ENTRY, entry.span, message, help);
    }
    if !found {
        let message = "the rule has no `fn update`";
        let names: Vec<String> = rule.functions.iter().map(|function| function.name.to_string()).collect();
        let close = nearest("update", names.iter().map(String::as_str));
        let meant = rule.functions.iter().find(|function| close.is_some_and(|close| function.name == close));
        if let Some(meant) = meant.or_else(|| rule.functions.iter().find(|function| changes_param(function))) {
            let help = format!("rename `{}` to `update`", meant.name);
            items.errors.error(code::NO_UPDATE, meant.name.span(), message, help);
            return;
        }
        let name = super::params::main(rule)
            .map_or_else(|| format!("{}Params", camel_case(&rule.name.to_string())), |params| params.name.to_string());
        let help = format!(
            "add `fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &{name}, step: u32) {{ … }}`"
        );
        items.errors.error(code::NO_UPDATE, rule.name.span(), message, help);
    }
}
