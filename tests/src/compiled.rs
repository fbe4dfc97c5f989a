//! Every rule of the repository, compiled: the standard ones and those of the tests. A rule file that is added is
//! in every test that goes over rules.

use std::path::{Path, PathBuf};

use optimizer_specs::checked::Rule;
use optimizer_specs::compile::{Compiled, compile};
use optimizer_specs::ir::{Program, Variant};
use optimizer_specs::parse;

/// A rule of the repository.
pub struct RuleFile {
    /// The rule, compiled.
    pub compiled: Compiled,
    /// Whether it stands in `optimizer-specs/specs`.
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

/// All rules: first the standard ones, each kind by file name.
pub fn rules() -> Vec<RuleFile> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let standard = files(&tests.join("../optimizer-specs/specs"));
    let own = files(&tests.join("rules"));
    let compiled = |files: Vec<PathBuf>, is_standard| {
        files.into_iter().map(move |file| RuleFile { compiled: compile_file(&file), is_standard })
    };
    compiled(standard, true).chain(compiled(own, false)).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    files
}

fn compile_file(file: &Path) -> Compiled {
    let source = std::fs::read_to_string(file).unwrap();
    let compiled = parse::parse_file(&source).and_then(|mut items| {
        let (attribute, item) = items.pop().unwrap_or_else(|| panic!("{} holds no rule", file.display()));
        compile(attribute, item)
    });
    compiled.unwrap_or_else(|errors| panic!("{}: {errors:?}", file.display()))
}
