//! Runs random rules by all means, as many as asked for, or broken ones through the compiler:
//!
//! ```text
//! cargo run --release -p optirs-gpu-tests --example random_rules -- 10000
//! cargo run --release -p optirs-gpu-tests --example random_rules -- 500 --from 20000 --by metal,cpu,wgsl
//! cargo run --release -p optirs-gpu-tests --example random_rules -- 100000 --broken
//! ```
//!
//! Every rule that fails is printed with its seed, made as small as it goes. The exit code is 1 if there is one.
//!
//! By `compiler`, `plans`, `naga` and `wgsl` it needs nothing but this program, which may be copied to a machine without
//! Rust.

use std::any::Any;
use std::collections::BTreeSet;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use optirs_gpu_tests::browser::Browser;
use optirs_gpu_tests::kernels::Gpu;
use optirs_gpu_tests::random::broken;
use optirs_gpu_tests::random::hunt::{Hunt, Means, message};
use optirs_gpu_tests::random::run::cpu;

/// How many rules are held at once.
const BATCH: u64 = 200;

#[derive(Parser)]
#[command(about = "Runs random rules beside the interpreter and prints those that fail, made small")]
struct Arguments {
    /// How many rules.
    count: u64,
    /// The seed of the first; those of the others follow.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// What runs them: all of it where nothing is said.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Means::value_variants().to_vec())]
    by: Vec<Means>,
    /// Broken rules instead, through the compiler alone.
    #[arg(long, conflicts_with = "by")]
    broken: bool,
    /// A part of the Vulkan device's name, in any case.
    #[arg(long, env = "OPTIRS_ADAPTER", default_value = "")]
    adapter: String,
}

impl Arguments {
    fn seeds(&self) -> Range<u64> {
        self.from..self.from.saturating_add(self.count)
    }

    /// Opens what the means need.
    fn hunt(&self) -> Result<Hunt, String> {
        let wants = |means| self.by.contains(&means);
        let other = "or leave it out: --by names what is run";
        let gpu = wants(Means::Wgsl).then(|| Gpu::named(&self.adapter)).transpose();
        let gpu = gpu.map_err(|error| {
            format!("wgsl needs a device: {error}\nname one with --adapter or OPTIRS_ADAPTER, install Mesa's software one (Debian: mesa-vulkan-drivers), {other}")
        })?;
        let browser = wants(Means::Browser).then(Browser::open).transpose();
        let browser = browser.map_err(|error| format!("browser: {error}, {other}"))?;
        if wants(Means::Cpu) {
            cpu::ready().map_err(|error| format!("cpu: {error}, {other}"))?;
        }
        let folder = std::env::temp_dir().join(format!("random-rules-{}", std::process::id()));
        Ok(Hunt::new(folder, gpu, browser))
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let run: Box<dyn FnOnce() -> usize> = if arguments.broken {
        Box::new(|| run_broken(arguments.seeds()))
    } else {
        match arguments.hunt() {
            Ok(hunt) => Box::new(|| run(hunt, arguments.seeds(), &arguments.by)),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::from(2);
            }
        }
    };
    // A panic is a finding; its message is not wanted once for each question of the shrinker.
    std::panic::set_hook(Box::new(|_| {}));
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(panic) => {
            eprintln!("the hunt itself fails: {}", message(&*panic as &(dyn Any + Send)));
            ExitCode::from(2)
        }
    }
}

fn run(mut hunt: Hunt, seeds: Range<u64>, means: &[Means]) -> usize {
    let start = Instant::now();
    let mut failures = 0;
    for from in seeds.clone().step_by(BATCH as usize) {
        let end = from.saturating_add(BATCH).min(seeds.end);
        for finding in hunt.run(from..end, means) {
            failures += 1;
            println!("{finding}");
        }
        let Hunt { rules, programs, ended, compared, .. } = &hunt;
        let seconds = start.elapsed().as_secs();
        println!("to {end}: {rules} rules, {programs} programs, {ended} ended early, {failures} failed, {seconds} s");
        if compared.numbers > 0 {
            println!("    {compared:?}");
        }
    }
    std::fs::remove_dir_all(&hunt.folder).ok();
    failures
}

/// Of each kind of failure one.
fn run_broken(seeds: Range<u64>) -> usize {
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
