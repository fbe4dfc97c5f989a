//! Generated Rust: CPU kernels and host functions of many rules, compiled as one program against the newest `optirs-gpu`
//! that was built beside the test, and run: the bits of the interpreter.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use optimizer_specs::Compiled;
use optimizer_specs::checked::{HyperType, HyperValue};
use optimizer_specs::expand::expand;
use optimizer_specs::interp::Memory;
use optirs_gpu::rule::cpu::Instructions;

use super::at;
use crate::kernels::step::{Step, difference};
use crate::kernels::{Arena, Buffers};
use crate::random::subject::Subject;

/// How the program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// In little time. Its passes take one number at a time whatever they are compiled for, so they are run with one kind
    /// of instructions.
    Plain,
    /// As for a release. Its passes are run with all instructions that the processor has.
    Optimized,
}

impl Build {
    /// What rustc is told.
    fn level(self) -> &'static str {
        match self {
            Build::Plain => "opt-level=0",
            Build::Optimized => "opt-level=3",
        }
    }

    /// What passes are run with, by place among those of the processor.
    fn instructions(self) -> impl Iterator<Item = (usize, Instructions)> {
        let all = Instructions::available().enumerate();
        all.filter(move |(_, instructions)| self == Build::Optimized || *instructions == Instructions::widest())
    }
}

/// Runs one variant of each rule; what is wrong, by place. The program is made in `folder`.
pub fn check(subjects: &[&Subject], build: Build, folder: &Path) -> Vec<(usize, String)> {
    match compile(folder, build, &source(subjects)) {
        Ok(program) => compare(subjects, build, &program),
        Err(report) if subjects.len() == 1 => vec![(0, format!("rustc refuses it: {report}"))],
        // Which of them it is shows when each is compiled alone.
        Err(_) => {
            let alone = subjects.iter().enumerate().map(|(place, subject)| (place, check(&[*subject], build, folder)));
            alone.flat_map(|(place, wrong)| wrong.into_iter().map(move |(_, what)| (place, what))).collect()
        }
    }
}

/// What the program of these rules gets wrong, by place. It is removed.
fn compare(subjects: &[&Subject], build: Build, program: &Path) -> Vec<(usize, String)> {
    let steps: Vec<_> = subjects.iter().map(|subject| subject.steps(subject.variant(), &subject.lengths())).collect();
    let mut wrong = Vec::new();
    for (kind, instructions) in build.instructions() {
        let mut requests = Vec::new();
        for (place, (subject, steps)) in subjects.iter().zip(&steps).enumerate() {
            for step in steps {
                request(&mut requests, [place, subject.program(step).unwrap_or_default(), kind], step);
            }
        }
        let mut answers = run(program, &requests).into_iter();
        for (place, steps) in steps.iter().enumerate() {
            // Every answer is read, so that the next one begins where it does.
            let found: Vec<_> = steps.iter().map(|step| answer(&mut answers, step)).collect();
            let mut found = found.into_iter().enumerate();
            let first = found.find_map(|(number, what)| Some(at(&steps[number], number, &what?)));
            wrong.extend(first.map(|what| (place, format!("{instructions:?}, {what}"))));
        }
    }
    std::fs::remove_file(program).unwrap();
    wrong
}

/// The program's source: each rule's expansion in a module of its own, with one variant.
fn source(subjects: &[&Subject]) -> String {
    let mut text = String::from("mod driver;\n");
    let mut entries = String::new();
    for (place, subject) in subjects.iter().enumerate() {
        let chosen = subject.variant();
        let variants = vec![subject.compiled.variants[chosen].clone()];
        let compiled = Compiled { variants, default_variant: 0, ..subject.compiled.clone() };
        let rule = &compiled.rule;
        let expansion = expand(&compiled);
        let module = format!("rule{place}::{}", rule.name);
        let fields = rule.hypers.iter().zip(subject.values(chosen)).map(|(hyper, value)| {
            let value = match (value, hyper.ty) {
                (HyperValue::F32(value), _) => format!("{:?}", value as f32),
                (HyperValue::U32(value), _) => value.to_string(),
                (HyperValue::Bool(value), _) => value.to_string(),
                (HyperValue::NoneValue, _) => "None".to_owned(),
                (HyperValue::SomeF32(value), _) => format!("Some({:?})", value as f32),
                (HyperValue::SomeU32(value), _) => format!("Some({value})"),
                (HyperValue::Enum(variant), HyperType::Enum(index)) => {
                    let item = &rule.enums[index as usize];
                    format!("{module}::{}::{}", item.name, item.variants[variant as usize].0)
                }
                (HyperValue::Enum(_), _) => panic!("`{}` is no enum", hyper.name),
            };
            format!("{}: {value}", hyper.name)
        });
        let fields = fields.collect::<Vec<_>>().join(", ");
        let (name, params) = (&rule.base_name, &rule.params_name);
        text += &format!("mod rule{place} {{ {expansion} }}\n");
        entries += &format!(
            "    driver::Entry {{\n        variant: &<{module}::{name} as optirs_gpu::rule::Rule>::VARIANTS[0],\n        \
             row: |program, context, states, words| driver::row::<{module}::{name}>({module}::{params} {{ {fields} }}, \
             program, context, states, words),\n    }},\n"
        );
    }
    text + "fn main() {\n    driver::main(&[\n" + &entries + "    ]);\n}\n"
}

/// Whether generated programs can be compiled.
///
/// # Errors
/// What is missing, and what to do.
pub fn ready() -> Result<(), String> {
    match libraries().is_empty() {
        true => Err(format!(
            "generated Rust is compiled against the optirs-gpu that lies beside {}, and there is none: run it by cargo",
            std::env::current_exe().unwrap().display()
        )),
        false => Ok(()),
    }
}

/// Compiles a source against the first `optirs-gpu` among the build products that fits.
fn compile(folder: &Path, build: Build, source: &str) -> Result<PathBuf, String> {
    std::fs::create_dir_all(folder).unwrap();
    for part in ["driver.rs", "launch.rs"] {
        std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("cpu").join(part), folder.join(part)).unwrap();
    }
    std::fs::write(folder.join("main.rs"), source).unwrap();
    ready()?;
    let mut report = String::new();
    for (products, library) in libraries() {
        let output = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned()))
            .args(["--edition", "2024", "--cap-lints", "allow", "-C", "debuginfo=0", "-C", "codegen-units=16"])
            .args(["-C", build.level(), "-o"])
            .args([folder.join("main"), folder.join("main.rs")])
            .arg("--extern")
            .arg(format!("optirs_gpu={}", library.display()))
            .arg("-L")
            .arg(format!("dependency={}", products.display()))
            .output()
            .unwrap();
        if output.status.success() {
            return Ok(folder.join("main"));
        }
        report = String::from_utf8_lossy(&output.stderr).into_owned();
        // Of another build: E0460 and the like say that it, or what it needs, is not what it was.
        if !["E0460", "E0461", "E0462", "E0463", "E0514"].iter().any(|code| report.contains(code)) {
            break;
        }
    }
    Err(report)
}

/// The libraries beside the running program, newest first, each with its folder.
fn libraries() -> Vec<(PathBuf, PathBuf)> {
    let program = std::env::current_exe().unwrap();
    let folders = program.ancestors().skip(1).take(2).flat_map(|folder| [folder.to_owned(), folder.join("deps")]);
    let mut found = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("liboptirs_gpu-") && name.ends_with(".rlib") {
                let modified = entry.metadata().and_then(|data| data.modified()).unwrap();
                found.push((modified, folder.clone(), entry.path()));
            }
        }
    }
    found.sort();
    found.into_iter().rev().map(|(_, folder, library)| (folder, library)).collect()
}

fn long(words: &mut Vec<u32>, value: u64) {
    words.extend([value as u32, (value >> 32) as u32]);
}

/// What the driver reads for a step: of which rule, of which of its programs, with which instructions.
fn request(words: &mut Vec<u32>, places: [usize; 3], step: &Step<'_>) {
    let Memory { tensors, run, scalars, .. } = &step.before;
    words.extend(places.map(|place| place as u32));
    long(words, *run);
    long(words, step.before.all_len());
    words.push(scalars.len() as u32);
    words.extend(scalars.iter().map(|value| value.to_bits()));
    words.push(tensors.len() as u32);
    for tensor in tensors {
        long(words, tensor.step);
        words.push(tensor.shape.len() as u32);
        words.extend(tensor.shape.iter().map(|&dimension| dimension as u32));
        long(words, tensor.grad_scale.to_bits());
        long(words, tensor.clip_value.to_bits());
        words.push(tensor.host_states.len() as u32);
        tensor.host_states.values().for_each(|state| long(words, state.to_bits()));
    }
    for role in Arena::new(step.case, &step.before).pack_without_rows(&step.before, false) {
        words.push(role.len() as u32);
        words.extend(role);
    }
}

fn run(program: &Path, requests: &[u32]) -> Vec<u32> {
    let bytes: Vec<u8> = requests.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(&bytes).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "the generated program fails");
    output.stdout.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

/// What is wrong with the answer to a step.
fn answer(words: &mut impl Iterator<Item = u32>, step: &Step<'_>) -> Option<String> {
    let mut word = || words.next().expect("an answer to every step");
    let stepped = word() == 1;
    let after = match (&step.after, stepped) {
        (Ok(after), true) => after,
        (Err(_), false) => return None,
        (Ok(_), false) => return Some("a row cannot be made".to_owned()),
        (Err(error), true) => return Some(format!("rows are made although {error}")),
    };
    let mut found = step.before.clone();
    for tensor in &mut found.tensors {
        for state in tensor.host_states.values_mut() {
            *state = f64::from_bits(u64::from(word()) | u64::from(word()) << 32);
        }
    }
    let arena = Arena::new(step.case, &step.before);
    let before = arena.pack(&step.before, false);
    let buffers: Buffers = before.each_ref().map(|role| role.iter().map(|_| word()).collect());
    if before[0] != buffers[0] {
        return Some("the rows differ".to_owned());
    }
    if arena.between_tensors(&before, &step.before) != arena.between_tensors(&buffers, &step.before) {
        return Some("something is written between tensors".to_owned());
    }
    arena.unpack(&buffers, &mut found);
    difference(&found, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(update: &str) -> Subject {
        let text = format!(
            "#[gpu_optimizer] pub mod soup {{
                pub struct SoupParams {{ #[hyper(default = 0.5)] pub rate: f32 }}
                pub struct State {{ #[host] decay: f64, #[tensor] size: f32, m: f32 }}
                fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SoupParams) {{ {update} }}
            }}"
        );
        Subject::from_source(2, text).unwrap()
    }

    #[test]
    fn a_wrong_number_is_noticed_in_the_rule_that_has_it() {
        // What is harmed, and what is said of it: nothing where it does not matter.
        let cases = [
            ("*param -= hyper.rate * grad;", ""),
            ("*param -= 777.0 * grad;", "Param of tensor 0, element 0"),
            ("*param -= (hyper.rate + 777.0) * grad;", "the rows differ"),
            ("state.decay = state.decay + 777.0; *param -= (state.decay * 0.0) as f32 + grad;", "HostState"),
            ("state.m = state.m + 777.0; *param -= state.m;", "ElementState(2) of tensor 0, element 0"),
            ("state.size = sum(grad) * 777.0; *param -= state.size;", "Param of tensor 0, element 0"),
            ("if grad.abs() > 777.0 { *param -= grad; }", ""),
        ];
        let subjects: Vec<Subject> = cases.iter().map(|(update, _)| subject(update)).collect();
        let subjects: Vec<&Subject> = subjects.iter().collect();
        let folder = tempfile::tempdir().unwrap();
        let program = compile(folder.path(), Build::Plain, &source(&subjects).replace("777.0", "778.0")).unwrap();
        let wrong = compare(&subjects, Build::Plain, &program);
        let said = |place| wrong.iter().find(|(wrong, _)| *wrong == place).map_or("", |(_, what)| what.as_str());
        for (place, (update, expected)) in cases.iter().enumerate() {
            assert_eq!(said(place).is_empty(), expected.is_empty(), "{update}: {wrong:?}");
            assert!(said(place).contains(expected), "{update}: {wrong:?}");
        }
    }
}
