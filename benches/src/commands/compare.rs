//! `compare`: two files of rows, side by side: how many times as long the second takes.

use std::path::PathBuf;

use clap::Args;

use crate::Failure;
use crate::row::{Row, read};

/// What to compare.
#[derive(Args)]
pub struct Compare {
    /// Rows of `roofline` or `cpu`.
    ours: PathBuf,
    /// Rows of others, or of another day.
    theirs: PathBuf,
}

impl Compare {
    /// Prints a line for each pair of rows of one rule over one set, with as many elements and threads.
    ///
    /// # Errors
    /// As [`read`]; where the files have nothing in common.
    pub fn run(&self) -> Result<(), Failure> {
        let (ours, theirs) = (read(&self.ours)?, read(&self.theirs)?);
        let lines = lines(&ours, &theirs);
        if lines.is_empty() {
            return Err("the files have no rule over the same set of as many elements and threads in common".into());
        }
        println!("{}", heading());
        lines.iter().for_each(|line| println!("{line}"));
        Ok(())
    }
}

fn heading() -> String {
    format!(
        "{:<8}{:<22}{:>8}  {:<24}{:>11}{:>11}{:>8}{:>13}{:>13}{:>8}",
        "set", "rule", "threads", "against", "device ms", "theirs", "times", "amortised ms", "theirs", "times"
    )
}

fn lines(ours: &[Row], theirs: &[Row]) -> Vec<String> {
    let pairs =
        ours.iter().flat_map(|row| theirs.iter().filter(|other| is_same(row, other)).map(move |other| (row, other)));
    pairs.map(|(row, other)| line(row, other)).collect()
}

fn is_same(one: &Row, other: &Row) -> bool {
    let what = |row: &Row| (row.set.clone(), row.rule.clone(), row.elements, row.threads);
    what(one) == what(other)
}

fn line(ours: &Row, theirs: &Row) -> String {
    let device = match (ours.ms_device, theirs.ms_device) {
        (Some(ours), Some(theirs)) => format!("{ours:>11.4}{theirs:>11.4}{:>8.2}", theirs / ours),
        _ => format!("{:>11}{:>11}{:>8}", "-", "-", "-"),
    };
    let threads = ours.threads.map_or("-".to_owned(), |threads| threads.to_string());
    format!(
        "{:<8}{:<22}{threads:>8}  {:<24}{device}{:>13.4}{:>13.4}{:>8.2}",
        ours.set,
        ours.rule,
        theirs.implementation,
        ours.ms_amortised,
        theirs.ms_amortised,
        theirs.ms_amortised / ours.ms_amortised
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    fn row(implementation: &str, rule: &str, ms_device: Option<f64>, ms_amortised: f64) -> Row {
        Row {
            device: String::new(),
            driver: String::new(),
            date: String::new(),
            implementation: implementation.to_owned(),
            set: "one".to_owned(),
            rule: rule.to_owned(),
            tensors: 1,
            elements: 16,
            threads: None,
            runs: 20,
            ms_device,
            ms_wall: 1.0,
            ms_amortised,
            host_us: 1.0,
            bytes: 64,
            clock: Clock::Wall,
            gb_per_s: 1.0,
            copy_gb_per_s: 1.0,
            of_copy: 1.0,
            ms_predicted: 1.0,
        }
    }

    #[test]
    fn ratios_say_how_many_times_as_long_the_others_take() {
        let ours = [row("optirs-gpu", "adamw", Some(2.0), 4.0), row("optirs-gpu", "lion", Some(1.0), 1.0)];
        let theirs = [row("torch fused", "adamw", Some(3.0), 6.0), row("torch foreach", "adamw", None, 10.0)];
        let lines = lines(&ours, &theirs);
        assert_eq!(lines.len(), 2, "{lines:?}");
        let words: Vec<Vec<&str>> = lines.iter().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(
            words[0],
            ["one", "adamw", "-", "torch", "fused", "2.0000", "3.0000", "1.50", "4.0000", "6.0000", "1.50"]
        );
        assert_eq!(words[1], ["one", "adamw", "-", "torch", "foreach", "-", "-", "-", "4.0000", "10.0000", "2.50"]);
    }

    #[test]
    fn rows_of_other_sizes_or_threads_are_not_compared() {
        let ours = [row("optirs-gpu", "adamw", None, 4.0)];
        let larger = Row { elements: 32, ..row("torch fused", "adamw", None, 6.0) };
        let threaded = Row { threads: Some(2), ..row("torch fused", "adamw", None, 6.0) };
        assert!(lines(&ours, &[larger, threaded]).is_empty());
    }
}
