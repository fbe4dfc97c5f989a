//! The C++ compiler that stands in for Metal's, and what it makes of Metal sources, run.

use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::arena::{Arena, Buffers};
use crate::compiled::Case;

/// Compiles a source into a folder; the compiler's report on failure. An executable of the same source is taken as it is.
pub fn compile(folder: &Path, name: &str, source: &str) -> Result<PathBuf, String> {
    std::fs::create_dir_all(folder).unwrap();
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

/// The compiler's name and version, as it gives them.
pub fn compiler_version() -> String {
    let output = Command::new(compiler()).arg("--version").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().unwrap_or_default().to_owned()
}

/// Runs the kernels of the program at that place of the united source.
pub fn launch(executable: &Path, number: usize, case: Case<'_>, arena: &Arena<'_>, buffers: &Buffers) -> Buffers {
    let mut words = vec![number as u32];
    for role in buffers {
        words.push(role.len() as u32);
        words.extend(role);
    }
    words.push(case.program.kernels.len() as u32);
    for (kernel, place) in case.program.kernels.iter().zip(0..) {
        let workgroups = arena.workgroups_of(kernel.kind);
        // A grid three wide: its last line is not full.
        words.extend([place, workgroups, workgroups.min(3)]);
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut child = Command::new(executable).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(&bytes).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{} {}", case.rule.name, case.label());
    let mut results = output.stdout.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()));
    buffers.each_ref().map(|role| results.by_ref().take(role.len()).collect())
}
