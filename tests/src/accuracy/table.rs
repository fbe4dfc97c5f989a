//! The records that are kept in `tests/accuracy`, and the table in `docs/numerics.md` that is made of them.

use std::path::{Path, PathBuf};

use super::record::{Record, Row, Worst};

/// Where the table begins and ends in the document.
pub const MARKS: [&str; 2] = ["<!-- worst differences -->\n", "<!-- end of worst differences -->\n"];

/// The folder of the records.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("accuracy")
}

/// All records that are kept, with their files: by back end, then by device.
///
/// # Panics
/// Where a file is no record.
pub fn records() -> Vec<(PathBuf, Record)> {
    let entries = std::fs::read_dir(folder()).expect("the folder of the records");
    let files = entries.map(|entry| entry.expect("a file of the folder").path());
    let read = |file: PathBuf| {
        let record = read(&file).unwrap_or_else(|error| panic!("{error}"));
        (file, record)
    };
    let mut records: Vec<(PathBuf, Record)> = files.map(read).collect();
    records.sort_by_key(|(_, record)| (record.back_end, record.device.clone()));
    records
}

/// The record in a file.
///
/// # Errors
/// That there is none.
pub fn read(file: &Path) -> Result<Record, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
}

/// The devices, and the worst differences of each program on each of them.
pub fn markdown(programs: &[(String, String)], records: &[&Record]) -> String {
    let mut text = String::from("| | back end | device | measured | numbers | without bound |\n");
    text += "|---|---|---|---|---|---|\n";
    for (letter, record) in LETTERS.chars().zip(records) {
        text += &format!("| {letter} | {}\n", device(record));
    }
    text += "\n| program |";
    for (letter, record) in LETTERS.chars().zip(records) {
        text += &match record.back_end.is_exact() {
            true => format!(" {letter}: ulp |"),
            false => format!(" {letter}: ulp | {letter}: ulp, edge data | {letter}: part of the bound |"),
        };
    }
    let columns: usize = records.iter().map(|record| if record.back_end.is_exact() { 1 } else { 3 }).sum();
    text += &format!("\n|---|{}\n", "---|".repeat(columns));
    for (rule, program) in programs {
        text += &format!("| {rule} {} |", program.replacen('.', " ", 1).replace('.', ", ").replace('-', " "));
        for record in records {
            let row = record.rows.iter().find(|row| row.key() == (rule, program));
            text += &match (row, record.back_end.is_exact()) {
                (None, true) => " — |".to_owned(),
                (None, false) => " — | — | — |".to_owned(),
                (Some(Row { ordinary, edge, .. }), true) => {
                    format!(" {} |", ulp(if edge.ulp.is_some() { edge } else { ordinary }))
                }
                (Some(Row { ordinary, edge, .. }), false) => {
                    format!(" {} | {} | {} |", ulp(ordinary), ulp(edge), part(ordinary, edge))
                }
            };
        }
        text += "\n";
    }
    text
}

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A device, and how it was measured.
fn device(record: &Record) -> String {
    let worsts = || record.rows.iter().flat_map(|row| [&row.ordinary, &row.edge]);
    let numbers: u64 = worsts().map(|worst| worst.numbers).sum();
    let unbounded: u64 = worsts().map(|worst| worst.unbounded).sum();
    let mut dates: Vec<_> = record.rows.iter().map(|row| row.date.as_str()).collect();
    dates.sort_unstable();
    dates.dedup();
    let dates = match dates[..] {
        [first, .., last] => format!("{first} to {last}"),
        _ => dates.concat(),
    };
    let millions = numbers as f64 / 1e6;
    let share = 100.0 * unbounded as f64 / numbers.max(1) as f64;
    let (back_end, device) = (record.back_end.name(), &record.device);
    format!("{back_end} | {device} | {dates} | {millions:.0} million | {share:.1} % |")
}

/// How far off, and what.
fn ulp(worst: &Worst) -> String {
    let amount = |amount: f64| if amount < 1e6 { format!("{amount}") } else { format!("{amount:.0e}") };
    worst.ulp.as_ref().map_or("0".to_owned(), |worst| format!("{} `{}`", amount(worst.amount), worst.cell))
}

/// The greater part of the bound that is used, and by what.
fn part(ordinary: &Worst, edge: &Worst) -> String {
    let greater = if ordinary.used() < edge.used() { edge } else { ordinary };
    greater.part.as_ref().map_or("0".to_owned(), |part| format!("{:.3} `{}`", part.amount, part.cell))
}
