//! The command line of the benchmarks.

use std::process::ExitCode;

use clap::Parser;
use optirs_gpu_benches::roofline::Roofline;

/// Measures the optimizers.
#[derive(Parser)]
enum Command {
    /// Every rule over every set, beside the copy of as many bytes on the same GPU.
    Roofline(Roofline),
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Roofline(roofline) => roofline.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
