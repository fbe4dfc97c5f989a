//! Names that stand for nothing: what was probably meant.

use proc_macro2::{Ident, Span};

use super::body::{Body, Place, Symbol};
use super::calls::is_language_function;
use super::entry_arguments::ARGUMENTS;
use super::types::operand;
use super::{foreign, methods};
use crate::ast::{self, text};
use crate::error::code;
use crate::nearest::{nearest, spelt_out};

impl Body<'_, '_> {
    /// Reports a name that is not in scope.
    pub(super) fn unknown_name(&self, name: &Ident) {
        if self.items.is_refused(name) {
            return;
        }
        let help = self.meant_elsewhere(name).unwrap_or_else(|| self.meant_here(name));
        self.error(code::UNKNOWN_NAME, name.span(), format!("no value `{name}` here"), help);
    }

    /// Whether an expression is a name alone that stands for nothing; the name.
    pub(super) fn unknown_base<'e>(&self, source: &'e ast::Expr) -> Option<&'e Ident> {
        let ast::ExprKind::Path(path) = &source.kind else { return None };
        let [name] = path.as_slice() else { return None };
        let known = self.lookup(name).is_some() || self.items.constant(&name.to_string()).is_some();
        (!known).then_some(name)
    }

    /// Reports `base.name` with a base that stands for nothing.
    pub(super) fn unknown_base_of_field(&self, base: &Ident, name: &Ident) {
        if self.items.is_refused(base) {
            return;
        }
        let (message, help) = if self.items.enums.iter().any(|item| item.name == *base) {
            (format!("`{base}` is an enum"), Some(format!("write `{base}::{name}`")))
        } else if base == "self" {
            ("a rule has no `self`".to_owned(), self.place_of(name))
        } else {
            let number = foreign::number(&name.to_string()).map(|number| format!("write `{number:?}`"));
            (format!("no value `{base}` here"), number)
        };
        let help = help.or_else(|| self.meant_elsewhere(base)).unwrap_or_else(|| self.meant_here(base));
        self.error(code::UNKNOWN_NAME, base.span(), message, help);
    }

    /// Reports `base.name(arguments)` with a base that stands for nothing: `torch.sqrt(x)`, or a misspelt variable.
    pub(super) fn unknown_base_of_call(&mut self, base: &Ident, name: &Ident, arguments: &[ast::Expr]) {
        if !self.items.is_refused(base) {
            let message =
                if base == "self" { "a rule has no `self`".to_owned() } else { format!("no value `{base}` here") };
            let help = if base == "all" {
                Some(format!("write `all::{name}({})`", texts(arguments)))
            } else if arguments.is_empty() {
                None
            } else {
                self.written(&name.to_string(), arguments)
            };
            let help = help.or_else(|| self.meant_elsewhere(base)).unwrap_or_else(|| self.meant_here(base));
            self.error(code::UNKNOWN_NAME, base.span(), message, help);
        }
        self.check_all(arguments);
    }

    /// Reports a call by a path, which the language has only for `all::`.
    pub(super) fn unknown_path(&mut self, path: &[Ident], arguments: &[ast::Expr], span: Span) {
        if path.first().is_some_and(|base| self.items.is_refused(base)) {
            return self.check_all(arguments);
        }
        let name = path.last().map(Ident::to_string).unwrap_or_default();
        let help = self
            .written(&name, arguments)
            .unwrap_or_else(|| "call a function of the language, `all::…`, or a helper of the module".to_owned());
        let message = format!("no function `{}` in the language", text::path(path));
        self.error(code::UNKNOWN_FUNCTION, span, message, help);
        self.check_all(arguments);
    }

    /// How the language writes a call that is written as in a library.
    fn written(&self, name: &str, arguments: &[ast::Expr]) -> Option<String> {
        let is_helper = self.items.helpers.iter().any(|helper| helper.function.name == name);
        match arguments {
            _ if is_helper => Some(format!("write `{name}({})`", texts(arguments))),
            // `min` and `max` of one argument are reductions.
            [value] if is_language_function(name) => Some(format!("write `{name}({})`", text::expr(value))),
            [first, rest @ ..] if methods::is_method(name) => {
                Some(format!("write `{}.{name}({})`", operand(first), texts(rest)))
            }
            _ if is_language_function(name) => Some(format!("write `{name}({})`", texts(arguments))),
            _ => foreign::explain(name).map(|(_, _, help)| help),
        }
    }

    /// What the name is in another place, or in another language.
    fn meant_elsewhere(&self, name: &Ident) -> Option<String> {
        let has_variant = |item: &&crate::checked::Enum| item.variants.iter().any(|(variant, _)| variant == name);
        if let Some(item) = self.items.enums.iter().find(has_variant) {
            return Some(format!("write `{}::{name}`", item.name));
        }
        let text = name.to_string();
        if let Some(number) = foreign::number(&text) {
            return Some(format!("write `{number:?}`"));
        }
        if is_language_function(&text) || self.items.helpers.iter().any(|helper| helper.function.name == text) {
            return Some(format!("`{text}` is a function: call it, `{text}(…)`"));
        }
        Some(match text.as_str() {
            "None" | "Some" => "an option is made by a hyper-parameter; ask it with `option.is_some()`".to_owned(),
            "EPSILON" | "MIN_POSITIVE" | "MAX" => format!("write `f32::{text}`"),
            "True" | "False" => format!("write `{}`", text.to_lowercase()),
            "inf" | "nan" | "Infinity" | "INFINITY" | "NAN" => {
                "every value must be finite: write `f32::MAX`, or the condition that you mean".to_owned()
            }
            _ => return None,
        })
    }

    /// What may stand here instead.
    fn meant_here(&self, name: &Ident) -> String {
        let argument = ARGUMENTS.iter().any(|(known, _)| name == known);
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
        if let Some(help) = self.place_of(name) {
            return help;
        }
        let text = name.to_string();
        let hypers: Vec<String> = self.items.hypers.iter().map(|hyper| hyper.name.to_string()).collect();
        let states: Vec<String> = self.items.states.iter().map(|state| state.name.to_string()).collect();
        let constants = self.items.rule.constants.iter().map(|constant| constant.name.to_string());
        let here: Vec<String> = self.names().map(str::to_owned).chain(constants).collect();
        let (hyper, state) = if self.place == Place::Require { ("", "") } else { ("hyper.", "state.") };
        let close = |base, names: &[String]| {
            nearest(&text, names.iter().map(String::as_str)).map(|close| format!("{base}{close}"))
        };
        let meant = spelt_out(&text, hypers.iter().map(String::as_str)).map(|long| format!("{hyper}{long}"));
        let meant =
            meant.or_else(|| close("", &here)).or_else(|| close(hyper, &hypers)).or_else(|| close(state, &states));
        match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "bind it first: `let name = …;`".to_owned(),
        }
    }

    /// Where a name stands that was looked for elsewhere: as an argument, in `hyper`, in `state`.
    pub(super) fn place_of(&self, name: &Ident) -> Option<String> {
        if ARGUMENTS.iter().any(|(known, _)| name == known) && self.place != Place::Require {
            return Some(match self.lookup(name) {
                Some(Symbol::Param) => "`param` is an argument: write `*param`".to_owned(),
                Some(_) => format!("`{name}` is an argument: write `{name}`"),
                None => format!("`{name}` is an argument: add it to those of the function, and write `{name}`"),
            });
        }
        if self.items.hypers.iter().any(|hyper| hyper.name == *name) {
            return Some(format!("write `hyper.{name}`"));
        }
        self.items.states.iter().any(|state| state.name == *name).then(|| format!("write `state.{name}`"))
    }
}

/// Expressions as arguments.
fn texts(sources: &[ast::Expr]) -> String {
    let texts: Vec<String> = sources.iter().map(text::expr).collect();
    texts.join(", ")
}
