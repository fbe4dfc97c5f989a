//! Every rule of the repository, compiled: the standard ones and those of the tests.

use optimizer_specs::checked::Rule;
use optimizer_specs::compile::{Compiled, compile};
use optimizer_specs::ir::{Program, Variant};
use optimizer_specs::{parse, standard};

use crate::rules::SOURCES;

/// A rule of the repository.
pub struct RuleFile {
    /// The rule, compiled.
    pub compiled: Compiled,
    /// Whether it stands in `optimizer-specs`.
    pub is_standard: bool,
}

/// One program of a rule: an entry under one combination of options.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// The options.
    pub variant: &'a Variant,
    /// The entry.
    pub program: &'a Program,
}

impl RuleFile {
    /// The module's name.
    pub fn name(&self) -> String {
        self.compiled.rule.name.to_string()
    }

    /// All entries under all combinations of options.
    pub fn cases(&self) -> impl Iterator<Item = Case<'_>> {
        let rule = &self.compiled.rule;
        self.compiled
            .variants
            .iter()
            .flat_map(move |variant| variant.programs.iter().map(move |program| Case { rule, variant, program }))
    }
}

impl Case<'_> {
    /// Entry and options as a file's name: `update.momentum-0.nesterov-false`.
    pub fn label(&self) -> String {
        let options =
            self.variant.options.iter().map(|(option, value)| format!(".{option}-{}", value.replace(' ', "")));
        format!("{}{}", self.program.graph.name, options.collect::<String>())
    }
}

/// All rules: first the standard ones, then what runs around a rule, each kind by name. They are built in: what goes over rules runs without the
/// repository.
pub fn rules() -> Vec<RuleFile> {
    let sorted = |sources: &[(&'static str, &'static str)], is_standard| {
        let mut sources = sources.to_vec();
        sources.sort_unstable();
        sources.into_iter().map(move |(name, source)| RuleFile { compiled: compile_source(name, source), is_standard })
    };
    sorted(standard::ALL, true).chain(sorted(standard::PROGRAMS, true)).chain(sorted(SOURCES, false)).collect()
}

fn compile_source(name: &str, source: &str) -> Compiled {
    let compiled = parse::parse_file(source).and_then(|mut items| {
        let (attribute, item) = items.pop().unwrap_or_else(|| panic!("{name} holds no rule"));
        compile(attribute, item)
    });
    compiled.unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}
