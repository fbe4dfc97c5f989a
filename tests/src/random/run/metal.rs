//! Metal sources, many rules compiled as one C++ source: the bits of the interpreter.

use std::path::Path;

use super::at;
use crate::kernels::step::{Step, difference};
use crate::kernels::{Source, shim, unite};
use crate::random::subject::Subject;

/// Runs one variant of each rule; what is wrong, by place. The executable is made in `folder`.
pub fn check(subjects: &[&Subject], folder: &Path) -> Vec<(usize, String)> {
    let steps: Vec<Vec<Step<'_>>> =
        subjects.iter().map(|subject| subject.steps(subject.variant(), &subject.lengths())).collect();
    let sources: Vec<_> =
        subjects.iter().flat_map(|subject| subject.cases(subject.variant())).map(Source::of).collect();
    let executable = match shim::compile(folder, "random", &unite(&sources)) {
        Ok(executable) => executable,
        Err(report) if subjects.len() == 1 => return vec![(0, format!("the C++ compiler refuses it: {report}"))],
        // Which of them it is shows when each is compiled alone.
        Err(_) => {
            let alone = subjects.iter().enumerate().map(|(place, subject)| (place, check(&[*subject], folder)));
            return alone.flat_map(|(place, wrong)| wrong.into_iter().map(move |(_, what)| (place, what))).collect();
        }
    };
    let mut wrong = Vec::new();
    let mut first = 0;
    for (place, (subject, steps)) in subjects.iter().zip(&steps).enumerate() {
        let found = steps.iter().enumerate().find_map(|(number, step)| {
            let program = subject.program(step)?;
            run(step, &executable, first + program).map(|what| at(step, number, &what))
        });
        wrong.extend(found.map(|what| (place, what)));
        first += subject.compiled.variants[subject.variant()].programs.len();
    }
    // A source of random rules is compiled once.
    std::fs::remove_file(executable).unwrap();
    wrong
}

/// What is wrong with a step of the program at this place of the executable. Steps that end in an error have no rows.
fn run(step: &Step<'_>, executable: &Path, program: usize) -> Option<String> {
    let after = step.after.as_ref().ok()?;
    match step.run_by(|arena, buffers| Ok(shim::launch(executable, program, step.case, arena, buffers))) {
        Ok(found) => difference(&found, after),
        Err(what) => Some(what),
    }
}
