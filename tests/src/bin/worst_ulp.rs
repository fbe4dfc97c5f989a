//! Measures how far what was generated from the rules is from the interpreter: prints a table and, with `--json`, keeps a
//! record for `tests/accuracy`, of which the table in `docs/numerics.md` is made. Ends with 1 where a number breaks its
//! contract.
//!
//! `cpu` and `vulkan` need nothing but this program: it may be copied to a machine without Rust.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use optirs_gpu_tests::accuracy::{Cpu, Metal, Record, Target, Vulkan, measure, table};
use optirs_gpu_tests::browser::Browser;
use optirs_gpu_tests::parity::test_rules;

#[derive(Parser)]
#[command(about = "The worst difference from the interpreter, for every rule, combination of options and entry")]
struct Arguments {
    /// What is run.
    back_end: Choice,
    /// A part of the Vulkan device's name, in any case.
    #[arg(long, env = "OPTIRS_ADAPTER", default_value = "")]
    adapter: String,
    /// How often hyper-parameters and data are drawn.
    #[arg(long, default_value_t = 16)]
    draws: u64,
    /// Only rules whose name holds this.
    #[arg(long, default_value = "", conflicts_with = "json")]
    rule: String,
    /// Where to keep the record.
    #[arg(long, requires = "date")]
    json: Option<PathBuf>,
    /// Today, as year-month-day.
    #[arg(long, default_value = "")]
    date: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Choice {
    /// The generated CPU code.
    Cpu,
    /// The Metal sources as C++; needs this repository and a C++ compiler.
    Msl,
    /// WGSL through wgpu and Vulkan.
    Vulkan,
    /// WGSL in headless Chromium, on the software driver that it brings along.
    Browser,
}

fn open(arguments: &Arguments) -> Result<Box<dyn Target>, String> {
    Ok(match arguments.back_end {
        Choice::Cpu => Box::new(Cpu),
        Choice::Msl => Box::new(Metal::compile(&std::env::temp_dir().join("optirs-gpu-msl"))?),
        Choice::Vulkan => Box::new(Vulkan::open(&arguments.adapter)?),
        Choice::Browser => Box::new(Browser::open()?),
    })
}

fn run(arguments: &Arguments) -> Result<bool, String> {
    let mut target = open(arguments)?;
    let Arguments { date, draws, .. } = arguments;
    let (back_end, device) = (target.back_end(), target.device());
    let mut record = Record { back_end, device, date: date.clone(), draws: *draws, rows: Vec::new() };
    let (mut holds, mut first) = (true, 0);
    for rule in test_rules() {
        if rule.file.name().contains(&arguments.rule) {
            let measured = measure(&rule, first, target.as_mut(), 0..*draws);
            measured.wrong.iter().for_each(|what| eprintln!("{what}"));
            holds &= measured.wrong.is_empty();
            record.rows.extend(measured.rows);
        }
        first += rule.file.cases().count();
    }
    print!("{}", table::markdown(&[&record]));
    if let Some(file) = &arguments.json {
        std::fs::write(file, record.to_json()).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(holds)
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
