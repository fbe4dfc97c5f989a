//! Which of pytorch_optimizer's optimizers the language says: each that is counted has a rule that compiles, and whose
//! WGSL is valid; each other one has a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use optimizer_specs::emit::wgsl;
use optimizer_specs::{compile, parse, standard};

/// Optimizers of pytorch_optimizer 4.1's list whose rule is a standard one, in one variant each.
const RUN: [(&str, &str); 29] = [
    ("ADOPT", "adopt"),
    ("AdEMAMix", "ademamix"),
    ("AdaBelief", "adabelief"),
    ("AdaDelta", "adadelta"),
    ("AdaMax", "adamax"),
    ("Adam", "adam"),
    ("AdamW", "adamw"),
    ("Adan", "adan"),
    ("DiffGrad", "diffgrad"),
    ("FTRL", "ftrl"),
    ("Grams", "grams"),
    ("LARS", "lars"),
    ("LaProp", "laprop"),
    ("Lamb", "lamb_bounded"),
    ("Lion", "lion"),
    ("MADGRAD", "madgrad"),
    ("NAdam", "nadam"),
    ("NovoGrad", "novograd"),
    ("PAdam", "padam"),
    ("Prodigy", "prodigy"),
    ("QHAdam", "qhadam"),
    ("RAdam", "radam"),
    ("RMSprop", "rmsprop"),
    ("SGD", "sgd"),
    ("ScheduleFreeAdamW", "schedule_free_adamw"),
    ("SignSGD", "signum"),
    ("StableAdamW", "stableadamw"),
    ("Tiger", "tiger"),
    ("Yogi", "yogi"),
];

/// Those whose rule is written down in `tests/published` and is compiled alone.
const WRITTEN: [(&str, &str); 53] = [
    ("A2Grad", "a2grad"),
    ("ASGD", "adaptive_sgd"),
    ("AccSGD", "acc_sgd"),
    ("AdaBound", "adabound"),
    ("AdaGC", "adagc"),
    ("AdaHessian", "adahessian"),
    ("AdaMod", "adamod"),
    ("AdaNorm", "adanorm"),
    ("AdaPNM", "adapnm"),
    ("AdaShift", "adashift"),
    ("AdaSmooth", "adasmooth"),
    ("Adai", "adai"),
    ("AdamC", "adamc"),
    ("AdamG", "adamg"),
    ("AdamS", "adams"),
    ("AggMo", "aggmo"),
    ("Aida", "aida"),
    ("AliG", "alig"),
    ("Amos", "amos"),
    ("Ano", "ano"),
    ("ApolloDQN", "apollo_dqn"),
    ("AvaGrad", "avagrad"),
    ("BCOS", "bcos"),
    ("DAdaptAdaGrad", "dadapt_adagrad"),
    ("DAdaptAdam", "dadapt_adam"),
    ("DAdaptAdan", "dadapt_adan"),
    ("DAdaptLion", "dadapt_lion"),
    ("DAdaptSGD", "dadapt_sgd"),
    ("DualAdam", "dual_adam"),
    ("EXAdam", "exadam"),
    ("EmoLynx", "emolynx"),
    ("EmoNavi", "emonavi"),
    ("FAdam", "fadam"),
    ("FOCUS", "focus"),
    ("Fromage", "fromage"),
    ("GrokFastAdamW", "grokfast_adamw"),
    ("Kate", "kate"),
    ("MARS", "mars"),
    ("MSVAG", "msvag"),
    ("PID", "pid"),
    ("PNM", "pnm"),
    ("QHM", "qhm"),
    ("SGDSaI", "sgd_sai"),
    ("SGDW", "sgdw"),
    ("SPAM", "spam"),
    ("SRMM", "srmm"),
    ("SaRA", "sara"),
    ("ScheduleFreeRAdam", "schedule_free_radam"),
    ("ScheduleFreeSGD", "schedule_free_sgd"),
    ("SimplifiedAdEMAMix", "simplified_ademamix"),
    ("SophiaH", "sophia_h"),
    ("StableSPAM", "stablespam"),
    ("VSGD", "vsgd"),
];

/// What the others need, in the words of the language's documentation.
const REASONS: [&str; 7] = [
    "reductions along an axis",
    "matrix products",
    "random numbers",
    "8-bit storage",
    "losses within a step",
    "steps within the backward pass",
    "order of tensors",
];

/// Where rules lie.
const FOLDERS: [&str; 2] = ["optimizer-specs/specs", "tests/published"];

fn assert_compiles(name: &str, source: &str) {
    let (attribute, item) = parse::parse_file(source).unwrap().pop().unwrap();
    let compiled = compile(attribute, item).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    assert_eq!(compiled.rule.name.to_string(), name);
    for variant in &compiled.variants {
        for program in &variant.programs {
            let text = wgsl::program(&compiled.rule, variant, program);
            let module = naga::front::wgsl::parse_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
            validator.validate(&module).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn what_the_readme_counts_compiles() {
    for (optimizer, name) in RUN {
        let known = standard::ALL.iter().any(|(known, _)| *known == name);
        assert!(known, "{optimizer}: there is no standard rule `{name}`");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("published");
    for (_, name) in WRITTEN {
        assert_compiles(name, &fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap());
    }
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let files: BTreeSet<String> = files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(files, WRITTEN.map(|(_, name)| name.to_owned()).into(), "files and list differ");

    let optimizers: BTreeSet<&str> = RUN.iter().chain(&WRITTEN).map(|(optimizer, _)| *optimizer).collect();
    assert_eq!(optimizers.len(), RUN.len() + WRITTEN.len(), "one is counted twice");
    let readme = one_line(include_str!("../../README.md"));
    for said in [
        format!("{} of pytorch_optimizer 4.1's 128 optimizers", optimizers.len()),
        format!("{} as rules above", RUN.len()),
        format!("{} as files of [`tests/published`]", WRITTEN.len()),
        format!("The other {} need", 128 - optimizers.len()),
    ] {
        assert!(readme.contains(&said), "the README does not say \"{said}\"");
    }
}

/// Text without its line breaks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How a file in `docs` points to a rule.
fn link(rule: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = FOLDERS.iter().find(|folder| root.join(folder).join(format!("{rule}.rs")).is_file());
    format!("[`{rule}`](../{}/{rule}.rs)", folder.unwrap_or_else(|| panic!("there is no rule `{rule}`")))
}

#[test]
fn all_128_have_a_rule_or_a_reason() {
    let (_, limits) = include_str!("../../docs/language.md").split_once("## What the language cannot say").unwrap();
    let limits = one_line(limits).to_lowercase();
    for reason in REASONS {
        assert!(limits.contains(reason), "docs/language.md does not say that the language has no {reason}");
    }
    let counted: BTreeMap<&str, &str> = RUN.into_iter().chain(WRITTEN).collect();
    let mut names = BTreeSet::new();
    let mut reasons = BTreeSet::new();
    let rows = include_str!("../../docs/published.md").lines().filter_map(|line| line.strip_prefix("| "));
    for row in rows.skip(1) {
        let (name, cell) = row.strip_suffix(" |").and_then(|row| row.split_once(" | ")).unwrap();
        assert!(names.insert(name), "{name} stands there twice");
        if let Some(rule) = counted.get(name) {
            assert_eq!(cell, link(rule), "{name}");
        } else {
            assert!(REASONS.contains(&cell), "{name}: \"{cell}\" is no reason");
            reasons.insert(cell);
        }
    }
    assert_eq!(names.len(), 128);
    assert_eq!(reasons, REASONS.into(), "a reason that no optimizer has");
    let missing: Vec<&&str> = counted.keys().filter(|name| !names.contains(*name)).collect();
    assert!(missing.is_empty(), "docs/published.md lacks {missing:?}");
}
