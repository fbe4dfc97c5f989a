//! `optspec`: looks at optimizer rules from the command line.
//!
//! One file per subcommand; each has its `Arguments` and a `run` that returns the exit code.

mod check;
mod emit;
mod explain;
mod rule;
mod snippet;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Looks at optimizer rules: files that hold modules under `#[gpu_optimizer]`.
#[derive(Parser)]
#[command(name = "optspec", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Arguments),
    Emit(emit::Arguments),
    Explain(explain::Arguments),
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Emit(arguments) => emit::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
    }
}
