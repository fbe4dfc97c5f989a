//! WGSL in a browser: Chromium's WebGPU, headless, on the software driver that it brings along.
//!
//! Its compiler, Tint, reads WGSL more strictly than naga does, and makes other code of it. What compiles and runs here does
//! so within the limits that every implementation of WebGPU has.

mod exchange;
mod module;
mod process;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::exchange::{Exchange, Message};
pub use self::module::Module;
use self::process::{Installed, Running};
use crate::devices::found;
use crate::kernels::{Arena, Buffers};

/// How long the browser may take for its start, or for a task.
const LIMIT: Duration = Duration::from_secs(300);
/// How often it is looked whether the browser still runs.
const LOOK: Duration = Duration::from_millis(200);

/// A browser that shows the page. It ends when this is dropped.
pub struct Browser {
    running: Running,
    exchange: Exchange,
    name: String,
}

/// Runs a test in the browser of this process, one test at a time: started for the first that asks, ended with the last.
/// Where none is installed, the test says that it is skipped, and fails if `OPTIRS_REQUIRE_GPU` is 1.
///
/// # Panics
/// Where a browser is required and there is none, or it fails.
pub fn in_browser(test: impl FnOnce(&mut Browser)) {
    static SHARED: Mutex<Weak<Mutex<Browser>>> = Mutex::new(Weak::new());
    loop {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let browser = match shared.upgrade() {
            // A test has failed in it, perhaps because its page or its device did: it is not asked again.
            Some(browser) if !browser.is_poisoned() => browser,
            _ => match Browser::open_or_skip() {
                Some(browser) => Arc::new(Mutex::new(browser)),
                None => return,
            },
        };
        *shared = Arc::downgrade(&browser);
        drop(shared);
        if let Ok(mut browser) = browser.lock() {
            return test(&mut browser);
        }
    }
}

impl Browser {
    /// Starts a browser. Where none is installed, says that the test is skipped, and fails if `OPTIRS_REQUIRE_GPU` is 1.
    ///
    /// # Panics
    /// As [`in_browser`].
    pub fn open_or_skip() -> Option<Self> {
        found(Self::open())
    }

    /// Starts a browser.
    ///
    /// # Errors
    /// Where none is installed.
    ///
    /// # Panics
    /// Where it does not show the page, or has no WebGPU.
    pub fn open() -> Result<Self, String> {
        let installed = Installed::find().ok_or("no Chromium is installed: apt-get install chromium")?;
        let exchange = Exchange::listen();
        let running = installed.start(&exchange.address());
        let mut browser = Self { running, exchange, name: installed.version };
        let adapter = &browser.answer().text["adapter"];
        browser.name = format!("{}, {}", browser.name, adapter.as_str().expect("the adapter's name"));
        Ok(browser)
    }

    /// Its name, its version, and the adapter that its WebGPU runs on.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All that Tint has to say of a source: errors, warnings, notes.
    ///
    /// # Panics
    /// Where the browser fails.
    pub fn read(&mut self, source: &str) -> Vec<String> {
        self.ask(json!({ "source": source, "kernels": [] }), Vec::new()).0
    }

    /// All that Tint and WebGPU have to say of a source and of the pipelines of its kernels.
    ///
    /// # Panics
    /// Where the browser fails.
    pub fn compile(&mut self, module: &Module) -> Vec<String> {
        self.ask(json!({ "source": module.source, "kernels": module.kernels() }), Vec::new()).0
    }

    /// Runs a module's kernels, in order, on buffers; what they hold afterwards.
    ///
    /// # Errors
    /// What Tint and WebGPU have to say of it.
    ///
    /// # Panics
    /// Where the browser fails.
    pub fn launch(&mut self, module: &Module, arena: &Arena<'_>, buffers: &Buffers) -> Result<Buffers, String> {
        let task = json!({
            "source": module.source,
            "kernels": module.kernels(),
            "grids": module.grids(arena),
            "lengths": buffers.each_ref().map(Vec::len),
        });
        let (reports, words) = self.ask(task, buffers.concat());
        if !reports.is_empty() {
            return Err(reports.join("\n"));
        }
        let mut words = words.into_iter();
        Ok(buffers.each_ref().map(|buffer| words.by_ref().take(buffer.len()).collect()))
    }

    /// What is reported of a task, and its results.
    fn ask(&mut self, task: Value, words: Vec<u32>) -> (Vec<String>, Vec<u32>) {
        self.exchange.send(&Message { text: task, words });
        let Message { text, words } = self.answer();
        let reports = text["reports"].as_array().expect("reports").iter();
        (reports.map(|report| report.as_str().expect("a text").to_owned()).collect(), words)
    }

    fn answer(&mut self) -> Message {
        let start = Instant::now();
        let failure = loop {
            if let Some(answer) = self.exchange.receive(LOOK) {
                match &answer.text["failure"] {
                    Value::Null => return answer,
                    failure => break failure.to_string(),
                }
            }
            if let Some(status) = self.running.ended() {
                break format!("it ended: {status}");
            }
            if start.elapsed() > LIMIT {
                break format!("it does not answer within {LIMIT:?}");
            }
        };
        panic!("{}: {failure}\n{}", self.name, self.running.log())
    }
}
