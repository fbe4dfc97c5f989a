//! `optspec explain`: what the compiler made of a rule, and why.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use optimizer_specs::explain::{self, Memory};
use optimizer_specs::ir::Names;

use crate::rule::{Selection, entry};

/// Explain extents, stages, the chosen plan and the ones it beat, kernels and buffers
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Draw the data flow instead, into this file or to standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    svg: Option<Option<PathBuf>>,
    /// With `--svg`: `update`, or the name of an entry
    #[arg(long, default_value = "update", requires = "svg")]
    entry: String,
    /// Predict the time of a run, in ms: its bytes at this bandwidth of the memory, in GB/s as a copy reaches them
    #[arg(long, value_name = "GB/S", value_parser = bandwidth, conflicts_with = "svg")]
    bandwidth: Option<f64>,
    /// With `--bandwidth`: how many elements all tensors have
    #[arg(long, value_name = "COUNT", default_value_t = 1_000_000, requires = "bandwidth")]
    elements: u64,
}

fn bandwidth(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err("a bandwidth is above 0 and finite".to_owned()) }
}

/// Runs the subcommand.
pub fn run(arguments: &Arguments) -> ExitCode {
    let Some(text) = text(arguments) else { return ExitCode::FAILURE };
    match &arguments.svg {
        Some(Some(path)) => {
            if let Err(error) = fs::write(path, text) {
                eprintln!("error: {}: {error}", path.display());
                return ExitCode::FAILURE;
            }
        }
        Some(None) | None => print!("{text}"),
    }
    ExitCode::SUCCESS
}

fn text(arguments: &Arguments) -> Option<String> {
    let compiled = arguments.selection.compile()?;
    let elements = arguments.elements;
    let memory = arguments.bandwidth.map(|gigabytes_per_second| Memory { gigabytes_per_second, elements });
    let (title, names) = (compiled.rule.name.to_string(), Names::of(&compiled.rule));
    if arguments.svg.is_none() && !arguments.selection.has_options() {
        return Some(explain::text(&title, &names, &compiled.variants, memory));
    }
    let variant = arguments.selection.variant(&compiled)?;
    if arguments.svg.is_none() {
        return Some(explain::text(&title, &names, std::slice::from_ref(variant), memory));
    }
    let program = entry(variant, &arguments.entry)?;
    Some(explain::svg(&title, &names, variant, program))
}
