//! A browser as a child process, which is ended with its owner, on every path, and leaves nothing behind.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Chromium by the names that it is installed under.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Nothing but the page is loaded, and WebGPU takes the software driver that Chromium brings along.
const ARGUMENTS: [&str; 10] = [
    "--headless",
    // Root, as in a container, has no sandbox.
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // Drivers that Chromium does not offer to every page are offered to this one.
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--enable-features=Vulkan",
];

/// How long the last of the browser's processes may take to leave its folder alone.
const ENDING: Duration = Duration::from_secs(10);

/// How much of what the browser wrote a message shows.
const SHOWN: usize = 4000;

/// A browser that is installed.
pub struct Installed {
    program: &'static str,
    /// Its name and version.
    pub version: String,
}

impl Installed {
    /// The first that there is.
    pub fn find() -> Option<Self> {
        NAMES.into_iter().find_map(|program| {
            let output = Command::new(program).arg("--version").stderr(Stdio::null()).output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout);
            let version = text.split_whitespace().take_while(|word| *word != "built");
            output.status.success().then(|| Self { program, version: version.collect::<Vec<_>>().join(" ") })
        })
    }

    /// Starts it on a page, with a profile and a folder for temporary files of its own.
    pub fn start(&self, address: &str) -> Running {
        let folder = tempfile::Builder::new().prefix("optirs-gpu-browser-").tempdir().expect("a folder");
        let log = File::create(folder.path().join(LOG)).expect("a file in a new folder");
        let child = Command::new(self.program)
            .args(ARGUMENTS)
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg(address)
            .env("TMPDIR", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        let child = child.unwrap_or_else(|error| panic!("{} does not start: {error}", self.program));
        Running { child, folder }
    }
}

/// The file with what the browser wrote.
const LOG: &str = "log";

/// A browser that runs.
pub struct Running {
    child: Child,
    folder: TempDir,
}

impl Running {
    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<String> {
        match self.child.try_wait() {
            Ok(None) => None,
            Ok(Some(status)) => Some(status.to_string()),
            Err(error) => Some(error.to_string()),
        }
    }

    /// The last of what it wrote.
    pub fn log(&self) -> String {
        let bytes = fs::read(self.folder().join(LOG)).unwrap_or_default();
        String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(SHOWN)..]).into_owned()
    }

    /// Where it keeps its files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Ends it. Its other processes end when they miss it.
    pub fn end(&mut self) {
        // An error means that it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
        remove(self.folder());
    }
}

/// Removes a folder that is perhaps still written to.
fn remove(folder: &Path) {
    let start = Instant::now();
    while folder.exists() && start.elapsed() < ENDING {
        if fs::remove_dir_all(folder).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
