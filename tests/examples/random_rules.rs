//! Runs random rules by all means, as many as asked for, or broken ones through the compiler:
//!
//! ```text
//! cargo run -p optirs-gpu-tests --example random_rules -- 10000
//! cargo run -p optirs-gpu-tests --example random_rules -- 500 --from 20000 --by metal,cpu,wgsl
//! cargo run -p optirs-gpu-tests --example random_rules -- 500 --by browser
//! cargo run -p optirs-gpu-tests --example random_rules -- 100000 --by broken
//! ```
//!
//! Every rule that fails is printed with its seed, made as small as it goes. The exit code is 1 if there is one.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Instant;

use optirs_gpu_tests::browser::Browser;
use optirs_gpu_tests::kernels::Gpu;
use optirs_gpu_tests::random::broken;
use optirs_gpu_tests::random::hunt::{Hunt, Means};

/// How many rules are held at once.
const BATCH: u64 = 200;

fn main() -> ExitCode {
    let Some((count, from, means)) = arguments() else {
        eprintln!("usage: random_rules COUNT [--from SEED] [--by broken | compiler,plans,naga,metal,cpu,wgsl,browser]");
        return ExitCode::from(2);
    };
    // A panic is a finding; its message is not wanted once for each question of the shrinker.
    std::panic::set_hook(Box::new(|_| {}));
    let failures = if means.is_empty() { run_broken(from..from + count) } else { run(from..from + count, &means) };
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(seeds: std::ops::Range<u64>, means: &[Means]) -> usize {
    let folder = std::env::temp_dir().join(format!("random-rules-{}", std::process::id()));
    let gpu = means.contains(&Means::Wgsl).then(Gpu::open).flatten();
    let browser = means.contains(&Means::Browser).then(Browser::open_or_skip).flatten();
    let mut hunt = Hunt::new(folder.clone(), gpu, browser);
    let start = Instant::now();
    let mut failures = 0;
    for from in seeds.clone().step_by(BATCH as usize) {
        let end = (from + BATCH).min(seeds.end);
        for finding in hunt.run(from..end, means) {
            failures += 1;
            println!("{finding}");
        }
        let Hunt { rules, programs, ended, compared, .. } = &hunt;
        let seconds = start.elapsed().as_secs();
        println!("to {end}: {rules} rules, {programs} programs, {ended} ended early, {failures} failed, {seconds} s");
        if means.contains(&Means::Wgsl) || means.contains(&Means::Browser) {
            println!("    {compared:?}");
        }
    }
    std::fs::remove_dir_all(folder).ok();
    failures
}

/// Of each kind of failure one.
fn run_broken(seeds: std::ops::Range<u64>) -> usize {
    let mut seen = BTreeSet::new();
    for seed in seeds {
        let text = broken::text(seed);
        if let Err(what) = broken::check(&text)
            && seen.insert(broken::reason(&what).to_owned())
        {
            println!("seed {seed}: {what}\n{}\n", broken::shrink(&text, &what));
        }
    }
    seen.len()
}

/// How many, from which seed, by which means; none of them for broken rules.
fn arguments() -> Option<(u64, u64, Vec<Means>)> {
    let mut words = std::env::args().skip(1);
    let count = words.next()?.parse().ok()?;
    let (mut from, mut means) = (0, Means::ALL.map(|(_, means)| means).to_vec());
    while let Some(word) = words.next() {
        let value = words.next()?;
        match (word.as_str(), value.as_str()) {
            ("--from", value) => from = value.parse().ok()?,
            ("--by", "broken") => means = Vec::new(),
            ("--by", names) => {
                let named = |name: &str| Means::ALL.iter().find(|(known, _)| *known == name).map(|(_, means)| *means);
                means = names.split(',').map(named).collect::<Option<_>>()?;
            }
            _ => return None,
        }
    }
    Some((count, from, means))
}
