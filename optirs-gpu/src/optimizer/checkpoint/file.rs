//! Safetensors files: what is written into one, and one that is read item by item, so that nothing in it goes unnoticed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

/// What is to be written.
#[derive(Default)]
pub(super) struct Contents {
    tensors: BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>,
    notes: HashMap<String, String>,
}

impl Contents {
    /// An array of f32, as their words.
    pub(super) fn reals(&mut self, key: String, shape: &[usize], words: &[u32]) {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.tensors.insert(key, (Dtype::F32, shape.to_vec(), bytes));
    }

    pub(super) fn double(&mut self, key: String, value: f64) {
        self.tensors.insert(key, (Dtype::F64, Vec::new(), value.to_le_bytes().to_vec()));
    }

    pub(super) fn count(&mut self, key: String, count: u64) {
        self.tensors.insert(key, (Dtype::U64, Vec::new(), count.to_le_bytes().to_vec()));
    }

    /// An entry of the metadata.
    pub(super) fn note(&mut self, key: impl Into<String>, text: impl ToString) {
        self.notes.insert(key.into(), text.to_string());
    }

    /// The whole file.
    pub(super) fn into_bytes(self) -> Result<Vec<u8>, String> {
        let views = self.tensors.iter().map(|(key, (dtype, shape, bytes))| {
            TensorView::new(*dtype, shape.clone(), bytes).map(|view| (key.as_str(), view))
        });
        let views = views.collect::<Result<Vec<_>, _>>();
        let bytes = views.and_then(|views| safetensors::serialize(views, Some(self.notes)));
        bytes.map_err(|error| format!("it cannot be written: {error}"))
    }
}

/// Links that are followed from one to the next before they are taken for a circle, as Linux does.
const MOST_LINKS: usize = 40;

/// Where a path leads: to the file behind a symbolic link, which need not be there yet.
fn target(path: &Path) -> Result<PathBuf, String> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            // No link: a file, or nothing yet. What else may be wrong with it, writing it says.
            Err(_) => return Ok(target),
        }
    }
    Err(format!("it is a symbolic link that leads through more than {MOST_LINKS} others"))
}

/// Puts a file in its place, whole or not at all. A symbolic link stays: the file behind it is replaced.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let path = &target(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = || {
        // With the permissions of any new file, which a temporary one of that crate would not have.
        let mut temporary =
            tempfile::Builder::new().prefix(".checkpoint-").make_in(folder, |path| File::create_new(path))?;
        temporary.write_all(bytes)?;
        temporary.as_file().sync_all()?;
        temporary.persist(path).map_err(|error| error.error)
    };
    written().map_err(|error| format!("it cannot be written: {error}"))?;
    // A new name is on the disk when its folder is.
    #[cfg(unix)]
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| format!("it was written, but not flushed to the disk: {error}"))?;
    Ok(())
}

/// A file that is read.
pub(super) struct Reader<'a> {
    tensors: SafeTensors<'a>,
    notes: HashMap<String, String>,
    /// What has not been asked for yet.
    unread: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Reader<'a>, String> {
        let damaged = |error| format!("it is damaged, or no safetensors file: {error}");
        let tensors = SafeTensors::deserialize(bytes).map_err(damaged)?;
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
        let notes = metadata.metadata().clone().unwrap_or_default();
        let unread = tensors.names().into_iter().chain(notes.keys().map(String::as_str)).map(str::to_owned).collect();
        Ok(Reader { tensors, notes, unread })
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.tensors.tensor(key).is_ok()
    }

    /// An entry of the metadata.
    pub(super) fn note(&mut self, key: &str) -> Result<&str, String> {
        self.unread.remove(key);
        self.notes.get(key).map(String::as_str).ok_or_else(|| format!("its metadata have no `{key}`"))
    }

    /// An entry of the metadata that may be absent.
    pub(super) fn optional_note(&mut self, key: &str) -> Option<&str> {
        self.unread.remove(key);
        self.notes.get(key).map(String::as_str)
    }

    /// An entry of the metadata that is a number, or something else that is read from text.
    pub(super) fn parsed<T: core::str::FromStr>(&mut self, key: &str) -> Result<T, String> {
        let text = self.note(key)?;
        text.parse().map_err(|_| format!("`{key}` in its metadata is `{text}`, which cannot be read"))
    }

    /// An array of f32 of this shape, as words.
    pub(super) fn reals(&mut self, key: &str, shape: &[usize]) -> Result<Vec<u32>, String> {
        let words = self.bytes(key, Dtype::F32, shape)?.chunks_exact(4).map(|word| {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(word);
            u32::from_le_bytes(bytes)
        });
        Ok(words.collect())
    }

    pub(super) fn double(&mut self, key: &str) -> Result<f64, String> {
        self.eight(key, Dtype::F64).map(f64::from_le_bytes)
    }

    pub(super) fn count(&mut self, key: &str) -> Result<u64, String> {
        self.eight(key, Dtype::U64).map(u64::from_le_bytes)
    }

    /// Fails where something in the file has not been asked for.
    pub(super) fn finish(self) -> Result<(), String> {
        match self.unread.into_iter().next() {
            None => Ok(()),
            Some(key) => Err(format!("it has `{key}`, which nothing in the set or the optimizer corresponds to")),
        }
    }

    fn eight(&mut self, key: &str, dtype: Dtype) -> Result<[u8; 8], String> {
        let bytes = self.bytes(key, dtype, &[])?;
        bytes.try_into().map_err(|_| format!("`{key}` has {} bytes instead of 8", bytes.len()))
    }

    fn bytes(&mut self, key: &str, dtype: Dtype, shape: &[usize]) -> Result<&'a [u8], String> {
        self.unread.remove(key);
        let tensor = self.tensors.tensor(key).map_err(|_| format!("it has no `{key}`"))?;
        if tensor.dtype() != dtype || tensor.shape() != shape {
            let (found, of) = (tensor.shape(), tensor.dtype());
            return Err(format!("`{key}` is of shape {found:?} and type {of} in it, not of {shape:?} and {dtype}"));
        }
        Ok(tensor.data())
    }
}
