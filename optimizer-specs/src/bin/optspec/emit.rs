//! `optspec emit`: prints what becomes of a rule on a target.

use std::process::ExitCode;

use optimizer_specs::emit;
use optimizer_specs::ir::{Names, print};

use crate::rule::{Selection, entry};

/// Print the generated code of a rule
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// For what
    #[arg(long, value_enum)]
    target: Target,
    /// `update`, or the name of an entry
    #[arg(long, default_value = "update")]
    entry: String,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Target {
    /// WebGPU Shading Language: one module with every kernel
    Wgsl,
    /// Metal Shading Language
    Msl,
    /// The kernels as Rust functions
    Cpu,
    /// The host's side: the row struct and the function that computes it
    Host,
    /// The compiler's own form: graph, row and kernels
    Ir,
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    match text(arguments) {
        Some(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}

fn text(arguments: &Arguments) -> Option<String> {
    let compiled = arguments.selection.compile()?;
    let variant = arguments.selection.variant(&compiled)?;
    let program = entry(variant, &arguments.entry)?;
    let rule = &compiled.rule;
    Some(match arguments.target {
        Target::Wgsl => emit::wgsl::program(rule, variant, program),
        Target::Msl => emit::msl::program(rule, variant, program),
        Target::Cpu => emit::rust_cpu::program(rule, variant, program),
        Target::Host => emit::host::program(rule, variant, program),
        Target::Ir => print::program(program, &Names::of(rule)),
    })
}
