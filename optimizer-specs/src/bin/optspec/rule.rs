//! Which rule of a file, under which options: what `emit` and `explain` look at.

use std::fs;
use std::path::PathBuf;

use optimizer_specs::compile::{Compiled, compile};
use optimizer_specs::error::Diagnostic;
use optimizer_specs::ir::{Program, Variant};
use optimizer_specs::parse;
use optimizer_specs::report::Severity;

use crate::snippet;

/// The rule and its options.
#[derive(clap::Args)]
pub struct Selection {
    /// A Rust file with modules under `#[gpu_optimizer]`
    file: PathBuf,
    /// Which rule, by its module's name, where the file has several
    #[arg(long)]
    rule: Option<String>,
    /// Options as `name=value`; those left out are as near to the defaults as can be
    #[arg(long, value_delimiter = ',', value_parser = option)]
    options: Vec<(String, String)>,
}

fn option(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
    pair.ok_or_else(|| "write `name=value`".to_owned())
}

impl Selection {
    /// Compiles the rule. Where that fails, everything has been said.
    pub fn compile(&self) -> Option<Compiled> {
        let name = self.file.display().to_string();
        let source = match fs::read_to_string(&self.file) {
            Ok(source) => source,
            Err(error) => {
                eprintln!("error: {name}: {error}");
                return None;
            }
        };
        match self.find(&source) {
            Ok(compiled) => {
                snippet::print(&name, &source, Severity::Warning, &compiled.warnings);
                Some(compiled)
            }
            Err(Failure::Rule(errors)) => {
                snippet::print(&name, &source, Severity::Error, &errors);
                None
            }
            Err(Failure::Choice(message)) => {
                eprintln!("error: {name}: {message}");
                None
            }
        }
    }

    fn find(&self, source: &str) -> Result<Compiled, Failure> {
        let rules = parse::parse_file(source).map_err(Failure::Rule)?;
        let mut names = Vec::new();
        for (attribute, item) in rules {
            let rule = parse::parse(attribute.clone(), item.clone()).map_err(Failure::Rule)?;
            let name = rule.name.to_string();
            if self.rule.as_ref().is_none_or(|wanted| *wanted == name) {
                return compile(attribute, item).map_err(Failure::Rule);
            }
            names.push(name);
        }
        Err(Failure::Choice(format!("no such rule; there is {}", names.join(", "))))
    }

    /// Whether options were given.
    pub fn has_options(&self) -> bool {
        !self.options.is_empty()
    }

    /// The variant that the options choose. Where there is none, that has been said.
    pub fn variant<'c>(&self, compiled: &'c Compiled) -> Option<&'c Variant> {
        let default = compiled.variants.get(compiled.default_variant);
        let fits = |variant: &&Variant| self.options.iter().all(|option| variant.options.contains(option));
        let distance = |variant: &&Variant| {
            let of_default = default.map(|default| default.options.as_slice()).unwrap_or_default();
            variant.options.iter().filter(|option| !of_default.contains(option)).count()
        };
        let chosen = compiled.variants.iter().filter(fits).min_by_key(distance);
        if chosen.is_none() {
            let options = compiled.variants.iter().map(|variant| format!("  {}\n", describe(variant)));
            eprint!("error: no variant has these options; there is\n{}", options.collect::<String>());
        }
        chosen
    }
}

enum Failure {
    Rule(Vec<Diagnostic>),
    Choice(String),
}

fn describe(variant: &Variant) -> String {
    let options = variant.options.iter().map(|(name, value)| format!("{name}={value}"));
    let options: Vec<_> = options.collect();
    if options.is_empty() { "no options".to_owned() } else { options.join(",") }
}

/// The program of an entry. Where there is none, that has been said.
pub fn entry<'v>(variant: &'v Variant, name: &str) -> Option<&'v Program> {
    let program = variant.programs.iter().find(|program| program.graph.name == name);
    if program.is_none() {
        let names: Vec<_> = variant.programs.iter().map(|program| program.graph.name.as_str()).collect();
        eprintln!("error: no entry `{name}`; there is {}", names.join(", "));
    }
    program
}
