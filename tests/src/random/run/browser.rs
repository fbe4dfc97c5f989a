//! WGSL in a browser: its compiler has nothing to say of any program, and numbers are inside the bound.

use super::wgsl::{Compared, check_by};
use crate::browser::{Browser, Module};
use crate::random::subject::Subject;

/// Reads the programs of all variants, and runs one variant.
pub fn check(browser: &mut Browser, subject: &Subject, compared: &mut Compared) -> Result<(), String> {
    for case in (0..subject.compiled.variants.len()).flat_map(|variant| subject.cases(variant)) {
        let module = Module::of(case);
        let said = browser.read(&module.source);
        if !said.is_empty() {
            return Err(format!("`{}`: {}\n{}", case.label(), said.join("\n"), module.source));
        }
    }
    check_by(subject, compared, |case, arena, buffers| browser.launch(&Module::of(case), arena, buffers))
}
