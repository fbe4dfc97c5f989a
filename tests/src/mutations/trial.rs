//! Building the copy and running its tests.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Output};

use super::copy::Copy;
use super::{Fault, Test};

/// Runs tests of the copy.
#[derive(Debug)]
pub struct Trial {
    /// Whether other tests are run where the one that should notice a fault does not.
    pub search: bool,
    /// Where faults are made.
    pub copy: Copy,
    /// Where it is built: kept from one run to the next.
    pub build: PathBuf,
    /// Where what the tests print goes, a file for each fault.
    pub logs: PathBuf,
    /// The adapter that the tests ask for.
    pub adapter: String,
}

/// What became of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The test that should notice it did.
    Noticed,
    /// Others did.
    NoticedBy(Vec<String>),
    /// None of those that were run did.
    Survived,
    /// It is no fault: its own package does not compile.
    DoesNotCompile,
}

/// What a run of tests came to.
enum Run {
    /// That many tests passed.
    Passed(usize),
    /// These tests failed.
    Failed(Vec<String>),
    /// This package does not compile.
    DoesNotCompile(String),
}

/// What is run where the expected test does not notice, from cheap to dear. Comparisons with checked-in sources are left
/// out.
const SUITES: [&str; 7] = [
    "-p optimizer-specs --all-targets -- --skip explain",
    "-p optirs-gpu --lib",
    "-p optirs-gpu-tests --test generated --test host_values --test plans --test shaders -- --skip golden::",
    "-p optirs-gpu-tests --test msl",
    "-p optirs-gpu-tests --test classic --test device --test driver --test memory --test runtime",
    "-p optirs-gpu-tests --test parity --test random_rules",
    "-p optirs-gpu-tests --test browser --test compile_fail --test documents --test golden --test hygiene",
];

/// Tests that take longer do not end: a fault may well be a loop without one. Building them has all the time it needs.
const SECONDS: &str = "1200";

impl Trial {
    /// Checks that tests of one target pass without any fault.
    ///
    /// # Errors
    /// Where they do not, or cargo cannot be started.
    pub fn check(&self, tests: &[Test]) -> io::Result<()> {
        let Some(target) = tests.first().map(target) else { return Ok(()) };
        let names: Vec<_> = tests.iter().map(|test| test.name).collect();
        let fault = match self.run("without", &format!("{target} {}", names.join(" ")))? {
            Run::Passed(count) if count == names.len() => return Ok(()),
            Run::Passed(count) => format!("{count} of {} tests exist: {}", names.len(), names.join(", ")),
            Run::Failed(failed) => format!("these tests fail: {}", failed.join(", ")),
            Run::DoesNotCompile(package) => format!("{package} does not compile"),
        };
        Err(io::Error::other(format!("{target}: without any fault, {fault}")))
    }

    /// Makes a fault and runs tests until one notices: first the one that should.
    ///
    /// # Errors
    /// Where the fault cannot be made or cargo not be started.
    pub fn attempt(&self, fault: &Fault) -> io::Result<Outcome> {
        let _made = self.copy.make(fault)?;
        let expected = Test::parse(fault.caught_by).map(|test| format!("{} {}", target(&test), test.name));
        // What stands below a fault does not know of it.
        let known = SUITES.iter().skip(usize::from(fault.package() != "optimizer-specs"));
        let known = known.filter(|_| self.search);
        for arguments in expected.iter().map(String::as_str).chain(known.copied()) {
            match self.run(fault.name, arguments)? {
                Run::Passed(_) => {}
                Run::Failed(_) if Some(arguments) == expected.as_deref() => return Ok(Outcome::Noticed),
                Run::Failed(tests) => return Ok(Outcome::NoticedBy(tests)),
                Run::DoesNotCompile(package) if package == fault.package() => return Ok(Outcome::DoesNotCompile),
                Run::DoesNotCompile(package) => return Ok(Outcome::NoticedBy(vec![format!("the build of {package}")])),
            }
        }
        Ok(Outcome::Survived)
    }

    /// Builds tests, then runs them.
    fn run(&self, log: &str, arguments: &str) -> io::Result<Run> {
        let built = self.cargo("cargo test --no-run", arguments)?;
        let output = if built.status.success() {
            self.cargo(&format!("timeout --kill-after=10 {SECONDS} cargo test"), arguments)?
        } else {
            built
        };
        std::fs::create_dir_all(&self.logs)?;
        std::fs::write(self.logs.join(format!("{log}.log")), [&output.stderr[..], &output.stdout].concat())?;
        judged(&output)
    }

    fn cargo(&self, command: &str, arguments: &str) -> io::Result<Output> {
        let mut words = command.split(' ').chain(arguments.split(' '));
        Command::new(words.next().unwrap_or_default())
            .args(words)
            .current_dir(&self.copy.root)
            .env("CARGO_TARGET_DIR", &self.build)
            // One line has changed since the last build.
            .env("CARGO_INCREMENTAL", "1")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_TERM_COLOR", "never")
            .env("NODEVICE_SELECT", "1")
            .env("OPTIRS_REQUIRE_GPU", std::env::var("OPTIRS_REQUIRE_GPU").as_deref().unwrap_or("1"))
            .env("OPTIRS_ADAPTER", &self.adapter)
            .output()
    }
}

/// The target of a test, as cargo takes it, up to the names of tests.
fn target(test: &Test) -> String {
    let target = if test.target == "lib" { "--lib".to_owned() } else { format!("--test {}", test.target) };
    format!("-p {} {target} -- --exact", test.package)
}

/// What the output of cargo means.
fn judged(output: &Output) -> io::Result<Run> {
    let [printed, said] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    if output.status.success() {
        let results = printed.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
        return Ok(Run::Passed(results.filter_map(|result| result.split(' ').next()?.parse::<usize>().ok()).sum()));
    }
    if let Some((_, rest)) = said.split_once("error: could not compile `") {
        return Ok(Run::DoesNotCompile(rest.split('`').next().unwrap_or_default().to_owned()));
    }
    // Cargo itself may fail too, which says nothing of the fault.
    if !printed.lines().any(|line| line.starts_with("running ")) {
        return Err(io::Error::other(format!("{}: {said}", output.status)));
    }
    let failed = printed.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    let failed: Vec<_> = failed.map(str::to_owned).collect();
    Ok(Run::Failed(if failed.is_empty() { vec![format!("an end with {}", output.status)] } else { failed }))
}
