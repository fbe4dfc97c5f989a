//! Every rule of the repository, compiled: the standard ones and those of the tests. A rule file that is added is
//! in every test that goes over rules.

use std::path::{Path, PathBuf};

use optimizer_specs::checked::Rule;
use optimizer_specs::ir::{Names, Program, Variant};
use optimizer_specs::{check, lower, parse, plan};

/// A rule with its combinations of options.
pub struct Compiled {
    /// The rule.
    pub rule: Rule,
    /// One per combination of options.
    pub variants: Vec<Variant>,
    /// Which of them the default hyper-parameters choose.
    pub default_variant: usize,
    /// Whether it stands in `optimizer-specs/specs`.
    pub is_standard: bool,
}

/// One program of a rule: an entry under one combination of options.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// The options.
    pub variant: &'a Variant,
    /// The entry.
    pub program: &'a Program,
}

impl Compiled {
    /// All entries under all combinations of options.
    pub fn cases(&self) -> impl Iterator<Item = Case<'_>> {
        self.variants.iter().flat_map(move |variant| {
            variant.programs.iter().map(move |program| Case { rule: &self.rule, variant, program })
        })
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

/// All rules, by name: first the standard ones.
pub fn rules() -> Vec<Compiled> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [(tests.join("../optimizer-specs/specs"), true), (tests.join("rules"), false)];
    folders
        .iter()
        .flat_map(|(folder, is_standard)| files(folder).into_iter().map(|file| rule(&file, *is_standard)))
        .collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    files
}

fn rule(file: &Path, is_standard: bool) -> Compiled {
    let source = std::fs::read_to_string(file).unwrap();
    let mut items = parse::parse_file(&source).unwrap_or_else(|errors| panic!("{}: {errors:?}", file.display()));
    let (attribute, item) = items.pop().unwrap_or_else(|| panic!("{} holds no rule", file.display()));
    let compile = || {
        let (rule, _) = check::check(&parse::parse(attribute, item)?)?;
        let (lowered, _) = lower::lower(&rule)?;
        Ok((rule, lowered))
    };
    let compiled: Result<_, Vec<optimizer_specs::error::Diagnostic>> = compile();
    let (rule, lowered) = compiled.unwrap_or_else(|errors| panic!("{}: {errors:?}", file.display()));
    let default_variant = lowered.iter().position(|variant| variant.default).unwrap();
    let names = Names::of(&rule);
    let variants = lowered.into_iter().map(|lowered| plan::variant(lowered, &names)).collect();
    Compiled { rule, variants, default_variant, is_standard }
}
