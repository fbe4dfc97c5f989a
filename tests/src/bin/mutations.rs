//! Makes each seeded fault in a copy of the repository and says which test notices it; fails where it is not the one that
//! should.

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use optirs_gpu::{Device, DeviceConfig};
use optirs_gpu_tests::mutations::copy::Copy;
use optirs_gpu_tests::mutations::trial::{Outcome, Trial};
use optirs_gpu_tests::mutations::{Fault, Test, faults};

/// What the command line asks for.
#[derive(Parser)]
struct Arguments {
    /// Parts of names: the faults of the first come first. Without any, all faults are made.
    parts: Vec<String>,
    /// Runs no test but the one that should notice the fault.
    #[arg(long)]
    named_only: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let chosen = chosen(&arguments.parts);
    match run(&chosen, !arguments.named_only) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(unnoticed) => {
            eprintln!("{unnoticed} of {} faults are not noticed as they should be", chosen.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The faults whose names hold one of these parts, in the order of the parts.
fn chosen(parts: &[String]) -> Vec<&'static Fault> {
    let any = [String::new()];
    let parts = if parts.is_empty() { &any } else { parts };
    let place = |fault: &Fault| parts.iter().position(|part| fault.name.contains(part.as_str()));
    let mut chosen: Vec<_> = faults::all().filter_map(|fault| Some((place(fault)?, fault))).collect();
    // What is built for one fault is nearly what the next one needs if it has the same package and test.
    chosen.sort_by_key(|(place, fault)| (*place, fault.package(), fault.caught_by, fault.file));
    chosen.into_iter().map(|(_, fault)| fault).collect()
}

/// How many faults are not noticed by the test that should.
fn run(faults: &[&Fault], search: bool) -> io::Result<usize> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let folder = repository.join("target/mutations");
    let trial = Trial {
        search,
        copy: Copy::update(&repository, folder.join("tree"))?,
        build: folder.join("build"),
        logs: folder.join("logs"),
        adapter: adapter(),
    };
    println!("{} faults", faults.len());
    let mut unnoticed = 0;
    for of_target in faults.chunk_by(|a, b| target(a) == target(b)) {
        let mut tests: Vec<_> = of_target.iter().filter_map(|fault| Test::parse(fault.caught_by)).collect();
        tests.sort();
        tests.dedup();
        let started = Instant::now();
        trial.check(&tests)?;
        println!("without any fault, {} tests pass  ({} s)", tests.len(), started.elapsed().as_secs());
        for fault in of_target {
            let started = Instant::now();
            let outcome = trial.attempt(fault)?;
            unnoticed += usize::from(outcome != Outcome::Noticed);
            let text = match outcome {
                Outcome::Noticed => format!("noticed by {}", fault.caught_by),
                Outcome::NoticedBy(tests) => format!("NOTICED ELSEWHERE by {}", tests.join(", ")),
                Outcome::Survived if search => "SURVIVED".to_owned(),
                Outcome::Survived => format!("NOT NOTICED by {}", fault.caught_by),
                Outcome::DoesNotCompile => "DOES NOT COMPILE".to_owned(),
            };
            println!("{:<56} {text}  ({} s)", fault.name, started.elapsed().as_secs());
        }
    }
    Ok(unnoticed)
}

/// The target that the test of a fault is in.
fn target(fault: &Fault) -> Option<(&'static str, &'static str)> {
    Test::parse(fault.caught_by).map(|test| (test.package, test.target))
}

/// The adapter that `OPTIRS_ADAPTER` names, else the one that `tests/run.sh` would take.
fn adapter() -> String {
    std::env::var("OPTIRS_ADAPTER").unwrap_or_else(|_| {
        let config = DeviceConfig { allow_software: true, ..DeviceConfig::default() };
        Device::with_config(config).map(|device| device.name().to_owned()).unwrap_or_default()
    })
}
