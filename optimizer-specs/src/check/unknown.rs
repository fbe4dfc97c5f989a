//! Names that stand for nothing: what was probably meant.

use proc_macro2::Ident;

use super::body::{Body, Place};
use crate::error::code;
use crate::nearest::did_you_mean;

/// Arguments of `update` and entries.
const ARGUMENTS: [&str; 6] = ["param", "grad", "state", "hyper", "step", "run"];

impl Body<'_, '_> {
    /// Reports a name that is not in scope.
    pub(super) fn unknown_name(&self, name: &Ident) {
        if self.items.is_refused(name) {
            return;
        }
        let help = self.meant_elsewhere(name).unwrap_or_else(|| self.meant_here(name));
        self.error(code::UNKNOWN_NAME, name.span(), format!("no value `{name}` here"), help);
    }

    /// What the name is in another place, or in Rust.
    fn meant_elsewhere(&self, name: &Ident) -> Option<String> {
        let has_variant = |item: &&crate::checked::Enum| item.variants.iter().any(|(variant, _)| variant == name);
        if let Some(item) = self.items.enums.iter().find(has_variant) {
            return Some(format!("write `{}::{name}`", item.name));
        }
        match name.to_string().as_str() {
            "None" | "Some" => {
                Some("an option is made by a hyper-parameter; ask it with `option.is_some()`".to_owned())
            }
            text @ ("EPSILON" | "MIN_POSITIVE" | "MAX") => Some(format!("write `f32::{text}`")),
            _ => None,
        }
    }

    /// What may stand here instead.
    fn meant_here(&self, name: &Ident) -> String {
        let argument = ARGUMENTS.iter().any(|known| name == known);
        match self.place {
            Place::Constant => "write literals, constants of the module and `+ - * /`".to_owned(),
            Place::Init => "an initial value is a number, or an f32 hyper-parameter alone, or `param` alone".to_owned(),
            Place::Require if name == "hyper" => "name the field alone, without `hyper.`".to_owned(),
            Place::Require if argument => "a requirement is over hyper-parameters, `ndim()` and `len()`".to_owned(),
            Place::Helper if argument => format!("pass `{name}` as an argument"),
            Place::Update | Place::Entry if argument => format!("add `{name}` to the arguments of the function"),
            Place::Require | Place::Helper | Place::Update | Place::Entry => self.meant_otherwise(name),
        }
    }

    /// A field without its struct, or a name that is close.
    fn meant_otherwise(&self, name: &Ident) -> String {
        if self.items.hypers.iter().any(|hyper| hyper.name == *name) {
            return format!("write `hyper.{name}`");
        }
        if self.items.states.iter().any(|state| state.name == *name) {
            return format!("write `state.{name}`");
        }
        let constants = self.items.rule.constants.iter().map(|constant| constant.name.to_string());
        let known: Vec<String> = self.names().map(str::to_owned).chain(constants).collect();
        did_you_mean(&name.to_string(), known.iter().map(String::as_str), "bind it first: `let name = …;`")
    }
}
