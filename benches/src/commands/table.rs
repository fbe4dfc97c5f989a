//! `table`: records as tables for a document, so that no figure is copied by hand.

use std::path::PathBuf;

use clap::Args;

use crate::Failure;
use crate::row::{Row, read};

/// What to print.
#[derive(Args)]
pub struct Table {
    /// Rows of `roofline`, `cpu`, `shards` or `pytorch.py`.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Table {
    /// Prints the rows of all files as one Markdown table for each device and day, in the order of the files.
    ///
    /// # Errors
    /// As [`read`].
    pub fn run(&self) -> Result<(), Failure> {
        for file in &self.files {
            print!("{}", markdown(&read(file)?));
        }
        Ok(())
    }
}

fn markdown(rows: &[Row]) -> String {
    rows.chunk_by(|one, next| heading(one) == heading(next))
        .map(|rows| {
            let lines: String = rows.iter().map(line).collect();
            let heading = rows.first().map(heading).unwrap_or_default();
            format!(
                "{heading}\n\n| set | rule | by | device ms | wall ms | host µs | GB/s | of copy |\n\
                 |---|---|---|---|---|---|---|---|\n{lines}\n"
            )
        })
        .collect()
}

fn heading(row: &Row) -> String {
    let threads = row.threads.map(|threads| format!("{threads} threads"));
    let named = [Some(row.device.clone()), Some(row.driver.clone()), threads, Some(row.date.clone())];
    named.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn line(row: &Row) -> String {
    let device = row.ms_device.map_or("–".to_owned(), |milliseconds| format!("{milliseconds:.4}"));
    let Row { set, rule, implementation, ms_amortised, host_us, gb_per_s, of_copy, .. } = row;
    format!(
        "| {set} | {rule} | {implementation} | {device} | {ms_amortised:.4} | {host_us:.0} | {gb_per_s:.0} | \
         {of_copy:.3} |\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    #[test]
    fn a_table_for_each_device_with_a_line_for_each_row() {
        let row = Row {
            device: "H200".to_owned(),
            driver: String::new(),
            date: "2026-12-01".to_owned(),
            implementation: "optirs-gpu".to_owned(),
            set: "one".to_owned(),
            rule: "adamw".to_owned(),
            tensors: 1,
            elements: 16,
            threads: None,
            runs: 20,
            ms_device: Some(1.5),
            ms_wall: 3.0,
            ms_amortised: 2.0,
            host_us: 12.4,
            bytes: 448,
            clock: Clock::Device,
            gb_per_s: 4321.6,
            copy_gb_per_s: 4400.0,
            of_copy: 0.98219,
            ms_predicted: 1.4,
        };
        let on_cpu = Row { device: "EPYC".to_owned(), threads: Some(2), ms_device: None, ..row.clone() };
        let printed = markdown(&[row.clone(), row, on_cpu]);
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines[0], "H200, 2026-12-01");
        assert_eq!(lines[4], "| one | adamw | optirs-gpu | 1.5000 | 2.0000 | 12 | 4322 | 0.982 |");
        assert_eq!(lines[4], lines[5]);
        assert_eq!(lines[7], "EPYC, 2 threads, 2026-12-01");
        assert_eq!(lines[11], "| one | adamw | optirs-gpu | – | 2.0000 | 12 | 4322 | 0.982 |");
    }
}
