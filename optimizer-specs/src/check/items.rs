//! What the names of the module mean.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use proc_macro2::Ident;

use super::constants::{Slot, Value};
use crate::ast;
use crate::checked::{Enum, Hyper, HyperType, State, Ty};
use crate::error::{Collector, code};
use crate::naming::base_name;

/// The module's names. Filled in the order in which they need each other: enums, constants, hyper-parameters, states,
/// functions.
pub(super) struct Items<'a> {
    /// Where errors go.
    pub errors: &'a Collector,
    /// The rule.
    pub rule: &'a ast::Rule,
    /// Enums.
    pub enums: Vec<Enum>,
    /// Constants, folded when they are first asked for.
    pub constants: RefCell<HashMap<String, Slot>>,
    /// Hyper-parameters. One whose type was refused stands here too, so that indices hold.
    pub hypers: Vec<Hyper>,
    /// For each hyper-parameter its type; `Error` where it was refused.
    pub hyper_types: Vec<Ty>,
    /// Hyper-parameters whose type or default is refused.
    pub refused_hypers: BTreeSet<u32>,
    /// States.
    pub states: Vec<State>,
    /// Helper functions.
    pub helpers: Vec<Helper<'a>>,
    /// `#[input]` arguments of all entries.
    pub inputs: Vec<Ident>,
    /// `#[scalar]` arguments of all entries.
    pub scalars: Vec<Ident>,
}

/// What a call of a helper function needs to know.
pub(super) struct Helper<'a> {
    /// The function.
    pub function: &'a ast::Function,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its result.
    pub result: Ty,
}

/// A parameter of a helper function.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Parameter {
    /// A value.
    Value(Ty),
    /// `&…Params`
    Hyper,
    /// `&State`, or, true, `&mut State`
    State(bool),
    /// `&mut f32`, which is reported: only entries change the parameter.
    Param,
}

impl<'a> Items<'a> {
    /// Nothing filled in yet.
    pub fn new(rule: &'a ast::Rule, errors: &'a Collector) -> Self {
        let constants = rule.constants.iter().map(|constant| (constant.name.to_string(), Slot::Unknown)).collect();
        Self {
            errors,
            rule,
            enums: enums(rule, errors),
            constants: RefCell::new(constants),
            hypers: Vec::new(),
            hyper_types: Vec::new(),
            refused_hypers: BTreeSet::new(),
            states: Vec::new(),
            helpers: Vec::new(),
            inputs: Vec::new(),
            scalars: Vec::new(),
        }
    }

    /// The enum of an index.
    pub fn enum_of(&self, index: u32) -> Option<&Enum> {
        self.enums.get(index as usize)
    }

    /// Whether a refused item would have declared the name: that is said already.
    pub fn is_refused(&self, name: &Ident) -> bool {
        self.rule.refused.contains(name)
    }

    /// The constant of that name, if there is one; `Some(None)` where it is already reported.
    pub fn constant(&self, name: &str) -> Option<Option<Value>> {
        let source = self.rule.constants.iter().find(|constant| constant.name == name)?;
        Some(super::constants::constant(self, source))
    }
}

/// The type of values of a hyper-parameter's type.
pub(super) fn type_of_hyper(ty: HyperType) -> Ty {
    match ty {
        HyperType::F32 => Ty::Real,
        HyperType::U32 => Ty::Int,
        HyperType::Bool => Ty::Bool,
        HyperType::OptionF32 => Ty::OptionReal,
        HyperType::OptionU32 => Ty::OptionInt,
        HyperType::Enum(index) => Ty::Enum(index),
    }
}

fn enums(rule: &ast::Rule, errors: &Collector) -> Vec<Enum> {
    let enums = rule.enums.iter().map(|item| {
        unique(item.variants.iter().map(|(name, _)| name), "variant", errors);
        Enum { name: item.name.clone(), attributes: item.attributes.clone(), variants: item.variants.clone() }
    });
    enums.collect()
}

/// Reports every name that was there before.
pub(super) fn unique<'n>(names: impl Iterator<Item = &'n Ident>, what: &str, errors: &Collector) {
    let mut seen: Vec<&Ident> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            let message = format!("{what} `{name}` is declared twice");
            errors.error(code::DUPLICATE, name.span(), message, "rename or remove one of them");
        } else {
            seen.push(name);
        }
    }
}

/// Names of the module against each other and against those that the language or the generated code takes.
pub(super) fn names(rule: &ast::Rule, errors: &Collector) {
    unique(
        rule.constants.iter().map(|item| &item.name).chain(rule.functions.iter().map(|item| &item.name)),
        "item",
        errors,
    );
    unique(rule.enums.iter().map(|item| &item.name).chain(rule.params.iter().map(|item| &item.name)), "type", errors);
    let values = rule.constants.iter().map(|item| &item.name).chain(rule.functions.iter().map(|item| &item.name));
    for name in values.filter(|name| super::calls::is_language_function(&name.to_string())) {
        let message = format!("`{name}` is a function of the language");
        errors.error(code::RESERVED, name.span(), message, "choose another name");
    }
    let params = super::params::main(rule);
    // The generated constructor has an argument for each, and no argument can hide these.
    let hidden = ["None", "Some", "Ok", "Err", "VARIANTS"];
    let fields = params.map(|params| params.fields()).unwrap_or_default().iter().map(|field| &field.name);
    for name in fields.filter(|name| hidden.iter().any(|hidden| *name == hidden)) {
        let message = format!("`{name}` is a value that the generated code uses");
        errors.error(code::RESERVED, name.span(), message, "choose another name");
    }
    let base = params.map(|params| base_name(&params.name.to_string())).unwrap_or_default();
    let generated = [base.clone(), format!("Gpu{base}")];
    for name in rule.enums.iter().map(|item| &item.name) {
        let text = name.to_string();
        let message = match text.as_str() {
            "State" | "Option" => format!("`{text}` is a type of the language"),
            "generated" => "`generated` is a generated module".to_owned(),
            _ if generated.contains(&text) => format!("`{text}` is a generated type"),
            _ => continue,
        };
        errors.error(code::RESERVED, name.span(), message, "choose another name");
    }
}
