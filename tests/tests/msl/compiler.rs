//! The C++ compiler that stands in for Metal's.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use optirs_gpu_tests::compiled::rules;

use crate::source::{Source, unite};

/// The executable that runs the kernels of all rules, by the place of a program among all cases. Compiled once.
pub fn executable() -> &'static Path {
    static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();
    EXECUTABLE.get_or_init(|| {
        let rules = rules();
        let programs: Vec<_> = rules.iter().flat_map(|rule| rule.cases()).map(Source::of).collect();
        compile("kernels", &unite(&programs)).unwrap_or_else(|report| panic!("{report}"))
    })
}

/// Compiles a source; the compiler's report on failure. An executable of the same source is taken as it is.
pub fn compile(name: &str, source: &str) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("msl");
    std::fs::create_dir_all(&folder).unwrap();
    let key = hash(&[source, HARNESS, SHIM, &ARGUMENTS.concat()]);
    let executable = folder.join(format!("{name}-{key:016x}"));
    if executable.exists() {
        return Ok(executable);
    }
    // Made beside its place and moved there whole: other runs of the test may look for it.
    let unfinished = folder.join(format!("{name}-{key:016x}-{}", std::process::id()));
    let file = unfinished.with_extension("cpp");
    std::fs::write(&file, source).unwrap();
    let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("msl");
    let output = Command::new(compiler())
        .args(ARGUMENTS)
        .arg("-I")
        .arg(&harness)
        .arg("-I")
        .arg(harness.join("shim"))
        .arg("-o")
        .args([&unfinished, &file])
        .output()
        .unwrap();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    std::fs::remove_file(&file).unwrap();
    std::fs::rename(&unfinished, &executable).unwrap();
    Ok(executable)
}

const HARNESS: &str = include_str!("../../msl/harness.cpp");
const SHIM: &str = include_str!("../../msl/shim/metal_stdlib");
/// No contraction, as the sources ask Metal for; and every warning that is not about Metal's own words.
const ARGUMENTS: [&str; 9] = [
    "-std=c++17",
    "-O1",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-attributes",
    "-Wno-unknown-pragmas",
    "-Wno-unused-function",
];

fn hash(parts: &[&str]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

/// `$CXX`, or the first of g++ and clang++ that there is.
fn compiler() -> String {
    let asked = std::env::var("CXX").ok();
    let candidates = asked.into_iter().chain(["g++".to_owned(), "clang++".to_owned()]);
    candidates
        .into_iter()
        .find(|candidate| Command::new(candidate).arg("--version").output().is_ok())
        .expect("a C++ compiler is needed to run the Metal sources. Install one: apt-get install g++")
}
