//! What the fuzz targets share. They start from the rules and the wrong rules of the tests, change them as the tests do,
//! and hold the compiler to the same promises; naga reads what it accepts.

#[path = "../../optimizer-specs/tests/diagnostics/mutate.rs"]
pub mod mutate;
#[path = "../../optimizer-specs/tests/diagnostics/promises.rs"]
pub mod promises;

use std::fs;
use std::path::{Path, PathBuf};

use naga::valid::{Capabilities, ValidationFlags, Validator};
use optimizer_specs::compile::Compiled;
use optimizer_specs::emit;

/// The folders whose rules are seeds, under the root of the repository.
const FOLDERS: [&str; 3] = ["optimizer-specs/specs", "tests/rules", "optimizer-specs/tests/diagnostics"];

/// The text of every seed.
pub fn seeds() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    FOLDERS.iter().for_each(|folder| files(&root.join(folder), &mut paths));
    paths.sort();
    let texts = paths.iter().map(|path| fs::read_to_string(path).expect("a readable file"));
    texts.filter(|text| text.contains("gpu_optimizer]")).collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Panics where naga refuses the WGSL of a rule that the compiler accepts.
pub fn assert_wgsl_is_valid(compiled: &Compiled) {
    for variant in &compiled.variants {
        for program in &variant.programs {
            let source = emit::wgsl::program(&compiled.rule, variant, program);
            let module = naga::front::wgsl::parse_str(&source)
                .unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
            Validator::new(ValidationFlags::all(), Capabilities::empty())
                .validate(&module)
                .unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
        }
    }
}
