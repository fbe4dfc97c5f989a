//! A copy of the repository's files, in which faults are made: what somebody is working on is never touched.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Fault;

/// The copy.
#[derive(Debug)]
pub struct Copy {
    /// Its root.
    pub root: PathBuf,
}

impl Copy {
    /// Brings the copy up to date with the working tree: every file that git tracks or would. A file that is as it should be
    /// is not written, so that cargo builds what has changed and no more.
    ///
    /// # Errors
    /// What git or the file system says.
    pub fn update(repository: &Path, root: PathBuf) -> io::Result<Self> {
        let files = files(repository)?;
        remove_others(&root, Path::new(""), &files)?;
        for file in &files {
            let (from, to) = (repository.join(file), root.join(file));
            let wanted = std::fs::read(from)?;
            if std::fs::read(&to).ok().as_ref() != Some(&wanted) {
                std::fs::create_dir_all(to.parent().unwrap_or(&root))?;
                std::fs::write(to, wanted)?;
            }
        }
        Ok(Self { root })
    }

    /// Makes a fault, until the result is dropped.
    ///
    /// # Errors
    /// Where its text does not stand in the file exactly once, or the file cannot be written.
    pub fn make(&self, fault: &Fault) -> io::Result<Made> {
        let file = self.root.join(fault.file);
        let text = std::fs::read_to_string(&file)?;
        let missing = || io::Error::other(format!("{}: the text does not stand there exactly once", fault.file));
        std::fs::write(&file, fault.applied(&text).ok_or_else(missing)?)?;
        Ok(Made { file, text })
    }
}

/// A fault in place.
#[derive(Debug)]
pub struct Made {
    file: PathBuf,
    text: String,
}

impl Drop for Made {
    fn drop(&mut self) {
        // Where it cannot be written, the next update of the copy says so.
        let _ = std::fs::write(&self.file, &self.text);
    }
}

fn files(repository: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(arguments).current_dir(repository).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let text = String::from_utf8(output.stdout).map_err(io::Error::other)?;
    // What is deleted and not committed is still listed.
    let files = text.split_terminator('\0').map(PathBuf::from).filter(|file| repository.join(file).is_file());
    Ok(files.collect())
}

/// Removes what the repository does not have from a folder of the copy.
fn remove_others(root: &Path, folder: &Path, files: &BTreeSet<PathBuf>) -> io::Result<()> {
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            remove_others(root, &path, files)?;
        } else if !files.contains(&path) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
