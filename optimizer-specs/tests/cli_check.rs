//! `optspec check`: what it prints and the code it exits with.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use expect_test::expect;
use optimizer_specs::{expand, parse};
use proc_macro2::{Span, TokenStream, TokenTree};

/// Runs `optspec check` in the folder of the crate.
fn check(files: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_optspec"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("check").args(files);
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn rules_that_are_right_exit_with_0() {
    let found = check(&["specs/adam.rs", "specs/sgd.rs"]);
    assert_eq!(found, (0, "specs/adam.rs: 1 rule\nspecs/sgd.rs: 1 rule\n".to_owned(), String::new()));
}

#[test]
fn a_wrong_rule_is_drawn_and_exits_with_1() {
    let (code, stdout, stderr) = check(&["tests/diagnostics/functions/misspelt_update.rs", "specs/adam.rs"]);
    assert_eq!((code, stdout.as_str()), (1, "specs/adam.rs: 1 rule\n"));
    expect![[r#"
        error[params]: the rule has no parameter struct
         --> tests/diagnostics/functions/misspelt_update.rs:2:9
          |
        2 | pub mod schedule_free {
          |         ^^^^^^^^^^^^^
          |
          = help: add `pub struct ScheduleFreeParams { … }`: it makes `GpuScheduleFree`

        error[no-update]: the rule has no `fn update`
         --> tests/diagnostics/functions/misspelt_update.rs:3:8
          |
        3 |     fn updat(param: &mut f32, grad: f32) {
          |        ^^^^^
          |
          = help: rename `updat` to `update`

        tests/diagnostics/functions/misspelt_update.rs: 2 errors
    "#]]
    .assert_eq(&stderr);
}

#[test]
fn errors_of_every_stage_are_drawn() {
    for (case, code) in [
        ("syntax/quote", "syntax"),
        ("names/unknown", "unknown-name"),
        ("lowering/extents", "state-extent"),
        ("lowering/inputs", "too-many-buffers"),
    ] {
        let (exit, stdout, stderr) = check(&[&format!("tests/diagnostics/{case}.rs")]);
        assert_eq!((exit, stdout.as_str()), (1, ""), "{case}");
        assert!(stderr.contains(&format!("error[{code}]")), "{case}: {stderr}");
    }
}

#[test]
fn warnings_are_drawn_and_exit_with_0() {
    let (code, stdout, stderr) = check(&["tests/diagnostics/warnings/unused.rs"]);
    assert_eq!((code, stdout.as_str()), (0, "tests/diagnostics/warnings/unused.rs: 1 rule\n"));
    assert!(stderr.contains("warning[unused-hyper]: hyper-parameter `unused` is never read"), "{stderr}");
}

#[test]
fn a_file_that_is_not_there_exits_with_1() {
    let (code, stdout, stderr) = check(&["no-such-file.rs"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.starts_with("error: no-such-file.rs: "), "{stderr}");
}

/// What a reader learns of one diagnostic: what is wrong, where (line, column, width), what to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Report {
    line: usize,
    column: usize,
    width: usize,
    message: String,
    help: String,
}

impl Report {
    /// The text of a compile error or of a note, whose second line is the help.
    fn new(span: Span, text: &str) -> Self {
        let (message, help) = text.split_once("\nhelp: ").unwrap_or_else(|| panic!("no help: {text}"));
        let (start, end) = (span.start(), span.end());
        assert_eq!(start.line, end.line, "a span of several lines: {text}");
        let (message, help) = (message.to_owned(), help.to_owned());
        Self { line: start.line, column: start.column + 1, width: end.column - start.column, message, help }
    }
}

/// The errors and warnings in what the macro leaves: texts of `compile_error!` and notes of deprecated constants.
fn left_by_macro(tokens: TokenStream, found: &mut Vec<Report>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let before = |back: usize| index.checked_sub(back).map(|index| tokens[index].to_string()).unwrap_or_default();
        match token {
            TokenTree::Group(group) if before(2) == "compile_error" => {
                let text = syn::parse2::<syn::LitStr>(group.stream()).unwrap().value();
                found.push(Report::new(group.span(), &text));
            }
            TokenTree::Group(group) => left_by_macro(group.stream(), found),
            TokenTree::Literal(literal) if before(2) == "note" => {
                let text = syn::parse_str::<syn::LitStr>(&literal.to_string()).unwrap().value();
                found.push(Report::new(tokens[index - 2].span(), &text));
            }
            _ => {}
        }
    }
}

/// The reports that the command draws.
fn drawn(stderr: &str) -> Vec<Report> {
    let mut reports: Vec<Report> = Vec::new();
    for line in stderr.lines() {
        if line.starts_with("error[") || line.starts_with("warning[") {
            let (_, message) = line.split_once("]: ").unwrap();
            let message = message.to_owned();
            reports.push(Report { line: 0, column: 0, width: 0, message, help: String::new() });
        }
        let Some(report) = reports.last_mut() else { continue };
        if let Some((_, place)) = line.split_once("--> ") {
            let mut parts = place.rsplit(':').map(|part| part.parse::<usize>().unwrap_or_default());
            (report.column, report.line) = (parts.next().unwrap(), parts.next().unwrap());
        } else if let Some((_, help)) = line.split_once("= help: ") {
            help.clone_into(&mut report.help);
        } else if line.trim_start().starts_with('|') && report.width == 0 {
            report.width = line.matches('^').count();
        }
    }
    reports
}

#[test]
fn the_command_tells_of_every_case_what_the_macro_tells() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let mut reports = 0;
    for topic in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for case in fs::read_dir(topic).unwrap().map(|entry| entry.unwrap().path()) {
            if case.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            // What is no Rust, or holds no rule, no macro sees.
            let rules = parse::parse_file(&fs::read_to_string(&case).unwrap()).unwrap_or_default();
            let mut told = Vec::new();
            for (attribute, item) in rules {
                left_by_macro(expand::attribute(attribute, item), &mut told);
            }
            if told.is_empty() {
                continue;
            }
            let (_, _, stderr) = check(&[case.to_str().unwrap()]);
            let mut drawn = drawn(&stderr);
            drawn.sort();
            told.sort();
            assert_eq!(drawn, told, "{}", case.display());
            reports += told.len();
        }
    }
    assert!(reports > 600, "only {reports}");
}
