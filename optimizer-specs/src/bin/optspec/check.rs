//! `optspec check`: reports everything that is wrong with rules.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use optimizer_specs::error::Diagnostic;
use optimizer_specs::report::Severity;
use optimizer_specs::{compile, parse};

use crate::snippet;

/// Check rules; exit with 1 if any is wrong
#[derive(clap::Args)]
pub struct Arguments {
    /// Rust files with modules under `#[gpu_optimizer]`
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// What became of one file.
#[derive(Default)]
struct Findings {
    rules: usize,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut sound = true;
    for path in &arguments.files {
        sound &= check_file(path);
    }
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn check_file(path: &Path) -> bool {
    let name = path.display().to_string();
    let source = match fs::read_to_string(path) {
        Ok(source) => source,
        Err(error) => {
            eprintln!("error: {name}: {error}");
            return false;
        }
    };
    let findings = findings(&source);
    snippet::print(&name, &source, Severity::Warning, &findings.warnings);
    snippet::print(&name, &source, Severity::Error, &findings.errors);
    match findings.errors.len() {
        0 => println!("{name}: {}", count(findings.rules, "rule")),
        errors => eprintln!("{name}: {}", count(errors, "error")),
    }
    findings.errors.is_empty()
}

fn findings(source: &str) -> Findings {
    let mut findings = Findings::default();
    match parse::parse_file(source) {
        Ok(rules) => {
            findings.rules = rules.len();
            for (attribute, item) in rules {
                match compile(attribute, item) {
                    Ok(compiled) => findings.warnings.extend(compiled.warnings),
                    Err(errors) => findings.errors.extend(errors),
                }
            }
        }
        Err(errors) => findings.errors = errors,
    }
    findings
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
