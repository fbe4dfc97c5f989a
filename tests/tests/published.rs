//! How many of pytorch_optimizer's optimizers the language says: each that is counted has a rule that compiles, and whose
//! WGSL is valid.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use optimizer_specs::emit::wgsl;
use optimizer_specs::{compile, parse, standard};
use optirs_gpu_tests::rules::SOURCES;

/// Optimizers of pytorch_optimizer 4.1's list whose rule is a standard one, or one that the tests run, in one variant each.
const RUN: [(&str, &str); 31] = [
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
    ("SophiaH", "sophia"),
    ("StableAdamW", "stableadamw"),
    ("StableSPAM", "stable_spam"),
    ("Tiger", "tiger"),
    ("Yogi", "yogi"),
];

/// Those whose rule is written down in `tests/published` and is compiled alone.
const WRITTEN: [(&str, &str); 16] = [
    ("AccSGD", "acc_sgd"),
    ("AdaBound", "adabound"),
    ("AdaMod", "adamod"),
    ("AdaSmooth", "adasmooth"),
    ("AggMo", "aggmo"),
    ("Ano", "ano"),
    ("EXAdam", "exadam"),
    ("FOCUS", "focus"),
    ("GrokFastAdamW", "grokfast_adamw"),
    ("Kate", "kate"),
    ("PID", "pid"),
    ("PNM", "pnm"),
    ("QHM", "qhm"),
    ("SGDW", "sgdw"),
    ("SRMM", "srmm"),
    ("ScheduleFreeSGD", "schedule_free_sgd"),
];

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
        let known = standard::ALL.iter().chain(SOURCES).any(|(known, _)| *known == name);
        assert!(known, "{optimizer}: there is no rule `{name}`");
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
    let count = format!("{} of pytorch_optimizer 4.1's 128 optimizers", optimizers.len());
    assert!(include_str!("../../README.md").contains(&count), "the README does not say \"{count}\"");
}
