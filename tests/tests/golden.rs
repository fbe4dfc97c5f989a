//! `cargo test -p optirs-gpu-tests --test golden`: every trajectory of `$OPTIRS_GOLDEN_DIR` (default `tests/golden`)
//! through the public API on every back end present, |Δ| ≤ 1e-6·max(1, |p|) after every step.

use std::io::Write;
use std::path::{Path, PathBuf};

use optirs_gpu::{Device, DeviceConfig};
use optirs_gpu_tests::devices::{all, gpu};
use optirs_gpu_tests::formulas::CHECKS;
use optirs_gpu_tests::golden::mapping::{KNOWN_DIFFERENCES, WITHOUT_RULE, runner};
use optirs_gpu_tests::golden::run::Runner;
use optirs_gpu_tests::golden::trajectory::Trajectory;

const BOUND: f64 = 1e-6;

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: Vec<String>,
    without_rule: Vec<String>,
    known: Vec<String>,
    worst: f64,
}

#[test]
fn trajectories_on_the_cpu() {
    check("cpu", &Device::cpu());
}

#[test]
fn trajectories_on_the_gpu() {
    if let Some(device) = gpu(DeviceConfig::default()) {
        check("wgpu", &device);
    }
}

#[test]
fn rules_without_a_trajectory_follow_their_formulas() {
    for device in all() {
        for (rule, check) in CHECKS {
            let worst = check(&device);
            assert!(worst <= BOUND, "{rule} on {device}: off by {worst:.2e}, allowed {BOUND:.0e}");
        }
    }
}

/// The files of the directory, in order of their names.
fn files() -> Vec<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let folder = std::env::var_os("OPTIRS_GOLDEN_DIR").map_or(default, PathBuf::from);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    assert!(!files.is_empty(), "no trajectory in {}", folder.display());
    files
}

fn check(backend: &str, device: &Device) {
    let mut tally = Tally::default();
    for file in files() {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        match trajectory(&file, device) {
            Ok(None) => match WITHOUT_RULE.iter().find(|(file, _)| *file == stem) {
                Some((_, reason)) => tally.without_rule.push(format!("{stem}: {reason}")),
                None => tally.failed.push(format!("{stem}: no rule has its options, and no reason is given")),
            },
            Ok(Some(_)) if WITHOUT_RULE.iter().any(|(file, _)| *file == stem) => {
                tally.failed.push(format!("{stem}: there is a rule, and a reason why there is none"));
            }
            Ok(Some(worst)) => judge(&mut tally, stem, worst),
            Err(error) => tally.failed.push(format!("{stem}: {error}")),
        }
    }
    let Tally { passed, failed, without_rule, known, worst } = &tally;
    // Written past the test harness, which keeps to itself what a passing test prints.
    let mut out = std::io::stdout();
    for line in known {
        writeln!(out, "golden[{backend}]: known difference: {line}").unwrap();
    }
    for line in without_rule {
        writeln!(out, "golden[{backend}]: without a rule: {line}").unwrap();
    }
    let (failures, without_rule) = (failed.len(), without_rule.len());
    writeln!(
        out,
        "golden[{backend}]: {passed} passed, {failures} failed, {without_rule} without a rule, worst {worst:.1e}"
    )
    .unwrap();
    assert!(failed.is_empty(), "golden[{backend}]:\n{}", failed.join("\n"));
}

fn judge(tally: &mut Tally, stem: String, worst: f64) {
    match KNOWN_DIFFERENCES.iter().find(|(file, ..)| *file == stem) {
        Some((_, reason, least)) if worst >= *least => tally.known.push(format!("{stem}: {worst:.1e}, {reason}")),
        Some((_, _, least)) => tally.failed.push(format!("{stem}: differs by {worst:.1e}, but should by {least:.1e}")),
        None if worst <= BOUND => {
            tally.passed += 1;
            tally.worst = tally.worst.max(worst);
        }
        None => tally.failed.push(format!("{stem}: off by {worst:.2e}, allowed {BOUND:.0e}")),
    }
}

/// The worst difference of a file, through one set of tensors and through single tensors; `None` without a rule.
fn trajectory(file: &Path, device: &Device) -> Result<Option<f64>, String> {
    let trajectory = Trajectory::read(file)?;
    let runner = runner(&trajectory.library, &trajectory.optimizer, &trajectory.hyper)?;
    let Some(Runner { together, apart, .. }) = runner else {
        return Ok(None);
    };
    let unread = trajectory.hyper.unread();
    if !unread.is_empty() {
        return Err(format!("hyper-parameters that the table ignores: {}", unread.join(", ")));
    }
    let mut worst = together(&trajectory, device).map_err(|error| format!("as one set: {error}"))?;
    if let Some(apart) = apart {
        let single = apart(&trajectory, device);
        worst = worst.max(single.map_err(|error| format!("as single tensors: {error}"))?);
    }
    Ok(Some(worst))
}
