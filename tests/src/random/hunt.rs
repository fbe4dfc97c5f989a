//! Runs many rules by all means, and makes what fails small.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use clap::ValueEnum;

use super::generate;
use super::rule::Rule;
use super::run::wgsl::Compared;
use super::run::{browser, cpu, metal, naga, plans, wgsl};
use super::shrink::shrink;
use super::subject::Subject;
use crate::browser::Browser;
use crate::kernels::Gpu;

/// How a rule is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Means {
    /// Compiled.
    Compiler,
    /// Every legal plan in the program interpreter.
    Plans,
    /// WGSL, parsed and validated.
    Naga,
    /// Metal sources as C++.
    Metal,
    /// Generated Rust.
    Cpu,
    /// WGSL on a device.
    Wgsl,
    /// WGSL in a browser.
    Browser,
}

impl Means {
    /// How many rules are compiled as one program, and how often the shrinker may ask.
    fn costs(self) -> (usize, usize) {
        match self {
            Means::Compiler | Means::Plans | Means::Naga => (1, 5000),
            Means::Wgsl | Means::Browser => (1, 1000),
            Means::Metal | Means::Cpu => (100, 200),
        }
    }
}

/// A rule that fails.
#[derive(Debug)]
pub struct Finding {
    /// Its seed.
    pub seed: u64,
    /// What it fails by.
    pub means: Means,
    /// What is wrong.
    pub what: String,
    /// The smallest rule that fails so.
    pub smallest: Rule,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}, {:?}: {}", self.seed, self.means, self.what)?;
        write!(f, "the smallest rule that fails so:\n{}", self.smallest)
    }
}

/// The rule compiled; a panic is a refusal, too.
fn compiled(seed: u64, rule: &Rule) -> Result<Subject, String> {
    catch_unwind(|| Subject::new(seed, rule)).unwrap_or_else(|panic| Err(message(&*panic)))
}

/// What a smaller rule must fail with, too: the first error of a compiler, or the panic, without the names and numbers in
/// it. Of numbers that differ there is one kind.
fn reason(what: &str) -> String {
    let line = what.lines().find(|line| ["error", "panic", ": "].iter().any(|word| line.contains(word)));
    let told = ["error", "panic", "refuses"].iter().any(|word| what.contains(word));
    let line = line.filter(|_| told).unwrap_or_default();
    let place = line.find("error").or(line.find("panic")).unwrap_or_default();
    line[place..].chars().filter(|letter| !letter.is_numeric()).take_while(|letter| !"`‘'".contains(*letter)).collect()
}

/// A panic as a report.
pub fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("a panic:\n0:0: panic: {}", text.unwrap_or_default())
}

/// What the means need.
pub struct Hunt {
    /// Where programs are made.
    pub folder: PathBuf,
    /// The device for WGSL.
    pub gpu: Option<Gpu>,
    /// The browser for it.
    pub browser: Option<Browser>,
    /// What was compared on them.
    pub compared: Compared,
    /// Rules run so far, by any means.
    pub rules: usize,
    /// Programs of them, under all combinations of options.
    pub programs: usize,
    /// Rules whose steps ended in a host value that has no place in a row.
    pub ended: usize,
}

impl Hunt {
    /// Makes programs in this folder; WGSL runs on this device and in this browser.
    pub fn new(folder: PathBuf, gpu: Option<Gpu>, browser: Option<Browser>) -> Self {
        Self { folder, gpu, browser, compared: Compared::default(), rules: 0, programs: 0, ended: 0 }
    }

    /// Runs the rules of these seeds. Each rule is reported for the first means that it fails by.
    pub fn run(&mut self, seeds: impl Iterator<Item = u64>, means: &[Means]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut subjects = Vec::new();
        for seed in seeds {
            let rule = generate::rule(seed);
            match compiled(seed, &rule) {
                Ok(subject) => subjects.push((rule, subject)),
                Err(what) => findings.push(self.finding(seed, Means::Compiler, &rule, what)),
            }
        }
        self.rules += subjects.len();
        for (_, subject) in &subjects {
            self.programs += subject.compiled.variants.iter().map(|variant| variant.programs.len()).sum::<usize>();
            let steps = subject.steps(subject.variant(), &[3]);
            self.ended += usize::from(steps.iter().any(|step| step.after.is_err()));
        }
        let mut failed = BTreeSet::new();
        for &means in means {
            let left: Vec<_> = subjects.iter().filter(|(_, subject)| !failed.contains(&subject.seed)).collect();
            for batch in left.chunks(means.costs().0) {
                let running: Vec<&Subject> = batch.iter().map(|(_, subject)| subject).collect();
                for (place, what) in self.check(means, &running) {
                    let (rule, subject) = batch[place];
                    failed.insert(subject.seed);
                    findings.push(self.finding(subject.seed, means, rule, what));
                }
            }
        }
        findings
    }

    fn check(&mut self, means: Means, subjects: &[&Subject]) -> Vec<(usize, String)> {
        match catch_unwind(AssertUnwindSafe(|| self.check_unguarded(means, subjects))) {
            Ok(wrong) => wrong,
            Err(panic) if subjects.len() == 1 => vec![(0, message(&*panic))],
            // Whichever it is, it is in one of the halves.
            Err(_) => {
                let (first, second) = subjects.split_at(subjects.len() / 2);
                let mut wrong = self.check(means, first);
                let behind = self.check(means, second).into_iter();
                wrong.extend(behind.map(|(place, what)| (place + first.len(), what)));
                wrong
            }
        }
    }

    fn check_unguarded(&mut self, means: Means, subjects: &[&Subject]) -> Vec<(usize, String)> {
        let one = |result: Result<(), String>| result.err().map(|what| (0, what)).into_iter().collect();
        match (means, subjects) {
            // It is compiled already.
            (Means::Compiler, _) => Vec::new(),
            (Means::Plans, [subject]) => one(plans::check(subject)),
            (Means::Naga, [subject]) => one(naga::check(subject)),
            (Means::Wgsl, [subject]) => {
                let gpu = self.gpu.as_ref().expect("a device that runs WGSL");
                one(wgsl::check(gpu, subject, &mut self.compared))
            }
            (Means::Browser, [subject]) => {
                let browser = self.browser.as_mut().expect("a browser that runs WGSL");
                one(browser::check(browser, subject, &mut self.compared))
            }
            (Means::Metal, _) => metal::check(subjects, &self.folder),
            (Means::Cpu, _) => cpu::check(subjects, cpu::Build::Plain, &self.folder),
            (Means::Plans | Means::Naga | Means::Wgsl | Means::Browser, _) => {
                panic!("{means:?} takes one rule at a time, not {}", subjects.len())
            }
        }
    }

    fn finding(&mut self, seed: u64, means: Means, rule: &Rule, what: String) -> Finding {
        let wanted = reason(&what);
        let smallest = shrink(rule, means.costs().1, |candidate| match (compiled(seed, candidate), means) {
            (Err(found), Means::Compiler) => reason(&found) == wanted,
            (Ok(subject), _) if means != Means::Compiler => {
                self.check(means, &[&subject]).iter().any(|(_, found)| reason(found) == wanted)
            }
            _ => false,
        });
        Finding { seed, means, what, smallest }
    }
}
