//! What is written down: a row for each rule and set, as JSON that `pytorch.py` writes too, and as a table to look at.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::clock::Clock;

/// What was measured of one rule over one set. Times are medians.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The device's name.
    pub device: String,
    /// Its driver, with the version.
    pub driver: String,
    /// The day, as year-month-day, in UTC.
    pub date: String,
    /// Whose optimizer: `optirs-gpu`, `torch 2.9 fused`.
    pub implementation: String,
    /// The set's name.
    pub set: String,
    /// The rule's module name.
    pub rule: String,
    /// Tensors of the set.
    pub tensors: u64,
    /// Elements of all of them.
    pub elements: u64,
    /// Threads, where it ran on a CPU.
    #[serde(default)]
    pub threads: Option<u64>,
    /// How many runs each median is of.
    pub runs: u32,
    /// Milliseconds on the device from the start of a step to its end; none without timestamps.
    pub ms_device: Option<f64>,
    /// Milliseconds from the call of a step until its end is known, one step alone.
    pub ms_wall: f64,
    /// Milliseconds of a step among many, with one wait at the end.
    pub ms_amortised: f64,
    /// Microseconds that the call of a step keeps the host, with an idle device.
    pub host_us: f64,
    /// Bytes that the rule has to move.
    pub bytes: u64,
    /// Which clock the following are by.
    pub clock: Clock,
    /// `bytes` over the time of a step.
    pub gb_per_s: f64,
    /// As much of a copy of as many bytes.
    pub copy_gb_per_s: f64,
    /// `gb_per_s` over `copy_gb_per_s`.
    pub of_copy: f64,
    /// Milliseconds that a step would take at the speed of the copy.
    pub ms_predicted: f64,
}

/// Gigabytes a second.
pub fn gb_per_s(bytes: u64, milliseconds: f64) -> f64 {
    bytes as f64 / milliseconds / 1e6
}

/// Today in UTC, as year-month-day.
pub fn today() -> String {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}

/// Writes rows as JSON.
///
/// # Errors
/// With the file's name.
pub fn write(file: &Path, rows: &[Row]) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(rows)? + "\n";
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// Reads rows that [`write()`] or `pytorch.py` has written.
///
/// # Errors
/// With the file's name.
pub fn read(file: &Path) -> Result<Vec<Row>, Failure> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| named(&error))?;
    Ok(serde_json::from_str(&text).map_err(|error| named(&error))?)
}

/// The heading of the lines that [`line()`] makes.
pub fn heading() -> String {
    format!(
        "{:<8}{:<22}{:>11}{:>11}{:>11}{:>11}{:>11}{:>10}{:>9}",
        "set", "rule", "device ms", "predicted", "wall ms", "amortised", "host µs", "GB/s", "of copy"
    )
}

/// A row to look at.
pub fn line(row: &Row) -> String {
    let device = row.ms_device.map_or("no stamps".to_owned(), |milliseconds| format!("{milliseconds:.4}"));
    format!(
        "{:<8}{:<22}{device:>11}{:>11.4}{:>11.4}{:>11.4}{:>11.1}{:>10.1}{:>9.3}",
        row.set, row.rule, row.ms_predicted, row.ms_wall, row.ms_amortised, row.host_us, row.gb_per_s, row.of_copy
    )
}
