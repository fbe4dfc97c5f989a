//! Seeded faults: mistakes that somebody could make, and the test that notices each.
//!
//! `cargo run -p optirs-gpu-tests --bin mutations` puts one after another into a copy of the repository, builds it and
//! runs the tests: a fault that none of them notices is a hole in the suite. The list is data, so that the suite itself
//! can check that it is not out of date; `docs/mutations.md` is printed from it.
//!
//! Guarantees of the list: each fault compiles, in the crate that it stands in, and is noticed by a test that knows what
//! is right. Comparisons with sources that are checked in do not count: they notice every change, and are written anew
//! with one command.

pub mod copy;
pub mod faults;
pub mod trial;

use std::fmt::Write;

/// A mistake: a text of the repository, and what stands there instead.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// What it is called: area first.
    pub name: &'static str,
    /// The file, from the root of the repository.
    pub file: &'static str,
    /// The text; it stands in the file exactly once.
    pub find: &'static str,
    /// What a mistaken author would have written.
    pub replace: &'static str,
    /// What goes wrong.
    pub wrong: &'static str,
    /// The test that notices it, as [`Test::parse`] reads it.
    pub caught_by: &'static str,
}

impl Fault {
    /// The package that it stands in.
    pub fn package(&self) -> &'static str {
        self.file.split('/').next().unwrap_or_default()
    }

    /// The file's text with the fault; nothing where the text does not stand there exactly once.
    pub fn applied(&self, text: &str) -> Option<String> {
        let (before, after) = text.split_once(self.find)?;
        (!after.contains(self.find)).then(|| [before, self.replace, after].concat())
    }
}

/// A test by package, target and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Test {
    /// `optirs-gpu-tests`
    pub package: &'static str,
    /// `lib`, or the name of a test target.
    pub target: &'static str,
    /// The path of the test inside of its target.
    pub name: &'static str,
}

impl Test {
    /// Reads `package target name`.
    pub fn parse(text: &'static str) -> Option<Self> {
        let mut words = text.split(' ');
        let test = Self { package: words.next()?, target: words.next()?, name: words.next()? };
        words.next().is_none().then_some(test)
    }
}

/// The list as a document.
pub fn document() -> String {
    let mut text = String::from(INTRODUCTION);
    for (title, faults) in faults::AREAS {
        write!(text, "\n## {title}\n\n| fault | what goes wrong | noticed by |\n|---|---|---|\n")
            .expect("text has room");
        for fault in *faults {
            let name = fault.caught_by.rsplit(' ').next().unwrap_or_default();
            writeln!(text, "| `{}` | {} | `{name}` |", fault.name, fault.wrong).expect("text has room");
        }
    }
    text
}

const INTRODUCTION: &str = "# Mutations\n
Each line is a mistake that somebody could make, and the test that notices it.
`cargo run -p optirs-gpu-tests --bin mutations` makes them one at a time in a copy of the repository and runs the tests;
words behind `--` choose faults whose name holds one of them. It fails if a fault goes unnoticed. Comparisons with checked-in
sources do not count as noticing.

The list stands in `tests/src/mutations/faults/`; this page is printed from it
(`UPDATE_EXPECT=1 cargo test -p optirs-gpu-tests --test mutations`).
";
