//! Measures how far what was generated from the rules is from the interpreter: prints a table and, with `--json`, keeps a
//! record for `tests/accuracy`, of which the table in `docs/numerics.md` is made. Ends with 1 where a number breaks its
//! contract.
//!
//! `cpu` and `vulkan` need nothing but this program: it may be copied to a machine without Rust.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use optirs_gpu_tests::accuracy::record::programs;
use optirs_gpu_tests::accuracy::{Cpu, Metal, Record, Row, Target, Vulkan, measure, table};
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
    /// Only this rule. Of a record that is kept, other rows stay as they are.
    #[arg(long)]
    rule: Option<String>,
    /// Where to keep the record.
    #[arg(long, requires = "date")]
    json: Option<PathBuf>,
    /// Today, as year-month-day.
    #[arg(long)]
    date: Option<String>,
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

/// What is kept of an earlier measuring: nothing, unless one rule alone is measured again.
fn kept(arguments: &Arguments, target: &dyn Target) -> Result<Record, String> {
    let (back_end, device, is_software) = (target.back_end(), target.device(), target.is_software());
    let new = Record { back_end, device, is_software, rows: Vec::new() };
    match (&arguments.rule, &arguments.json) {
        (Some(_), Some(file)) if file.exists() => {
            let old = table::read(file)?;
            let same = (old.back_end, &old.device) == (new.back_end, &new.device);
            let mismatch =
                format!("{} is of {}, this is {}: measure all rules", file.display(), old.device, new.device);
            if same { Ok(old) } else { Err(mismatch) }
        }
        _ => Ok(new),
    }
}

/// Whether all numbers keep the contract.
fn run(arguments: &Arguments) -> Result<bool, String> {
    let mut target = open(arguments)?;
    let mut record = kept(arguments, target.as_ref())?;
    let Arguments { date, draws, rule: chosen, .. } = arguments;
    let (mut wrong, mut rows, mut first) = (Vec::new(), Vec::new(), 0);
    let rules = test_rules();
    for rule in &rules {
        if chosen.as_ref().is_none_or(|name| *name == rule.file.name()) {
            let measured = measure(rule, first, target.as_mut(), 0..*draws);
            let date = || date.clone().unwrap_or_default();
            rows.extend(measured.rows.into_iter().map(|row| Row { date: date(), ..row }));
            wrong.extend(measured.wrong);
        }
        first += rule.file.cases().count();
    }
    if rows.is_empty() {
        return Err(format!("there is no rule `{}`", chosen.as_deref().unwrap_or_default()));
    }
    let files: Vec<_> = rules.into_iter().map(|rule| rule.file).collect();
    record.take_in(rows, &programs(&files));
    let measured: Vec<_> = record.rows.iter().map(|row| (row.rule.clone(), row.program.clone())).collect();
    print!("{}", table::markdown(&measured, &[&record]));
    if let Some(file) = &arguments.json {
        std::fs::write(file, record.to_json()).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    wrong.iter().for_each(|what| eprintln!("{what}"));
    Ok(wrong.is_empty())
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
