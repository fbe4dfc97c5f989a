//! Makes each seeded fault in a copy of the repository and says which test notices it; fails if none does.
//!
//! `cargo run -p optirs-gpu-tests --bin mutations -- [PART OF A NAME]…`

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use optirs_gpu::{Device, DeviceConfig};
use optirs_gpu_tests::mutations::copy::Copy;
use optirs_gpu_tests::mutations::trial::{Outcome, Trial};
use optirs_gpu_tests::mutations::{Fault, Test, faults};

fn main() -> ExitCode {
    let parts: Vec<String> = std::env::args().skip(1).collect();
    let named = |fault: &&Fault| parts.is_empty() || parts.iter().any(|part| fault.name.contains(part.as_str()));
    let chosen: Vec<_> = faults::all().filter(named).collect();
    match run(&chosen) {
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

/// How many faults are not noticed by the test that should.
fn run(faults: &[&Fault]) -> io::Result<usize> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let folder = repository.join("target/mutations");
    let trial = Trial {
        copy: Copy::update(&repository, folder.join("tree"))?,
        build: folder.join("build"),
        logs: folder.join("logs"),
        adapter: adapter(),
    };
    let mut tests: Vec<_> = faults.iter().filter_map(|fault| Test::parse(fault.caught_by)).collect();
    tests.sort();
    tests.dedup();
    println!("{} faults; first, {} tests without any", faults.len(), tests.len());
    let unfit = trial.unfit(&tests)?;
    if !unfit.is_empty() {
        return Err(io::Error::other(format!("without a fault these tests fail:\n{}", unfit.join("\n"))));
    }
    let mut unnoticed = 0;
    for fault in faults {
        let started = Instant::now();
        let outcome = trial.attempt(fault)?;
        unnoticed += usize::from(outcome != Outcome::Noticed);
        let text = match outcome {
            Outcome::Noticed => format!("noticed by {}", fault.caught_by),
            Outcome::NoticedBy(tests) => format!("NOTICED ELSEWHERE by {}", tests.join(", ")),
            Outcome::Survived => "SURVIVED".to_owned(),
            Outcome::DoesNotCompile => "DOES NOT COMPILE".to_owned(),
        };
        println!("{:<56} {text}  ({} s)", fault.name, started.elapsed().as_secs());
    }
    Ok(unnoticed)
}

/// The adapter that `OPTIRS_ADAPTER` names, else the one that `tests/run.sh` would take.
fn adapter() -> String {
    std::env::var("OPTIRS_ADAPTER").unwrap_or_else(|_| {
        let config = DeviceConfig { allow_software: true, ..DeviceConfig::default() };
        Device::with_config(config).map(|device| device.name().to_owned()).unwrap_or_default()
    })
}
