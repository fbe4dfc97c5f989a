//! One file: `{source, optimizer, case, hyper, shapes, params0, grads[step][tensor][elem], params[step][tensor][elem]}`.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use optirs_gpu::ndarray::{ArrayD, IxDyn};
use serde_json::Value;

/// A trajectory of an independent implementation, in f64.
#[derive(Debug)]
pub struct Trajectory {
    /// The library's name without its version: `torch`, `optax`, `pytorch_optimizer`.
    pub library: String,
    /// The library's name of the optimizer.
    pub optimizer: String,
    /// The library's hyper-parameters.
    pub hyper: Hyper,
    /// Shape of each tensor.
    pub shapes: Vec<Vec<usize>>,
    /// Parameters before the first step, by tensor.
    pub start: Vec<Vec<f64>>,
    /// Gradients by step and tensor.
    pub grads: Vec<Vec<Vec<f64>>>,
    /// Parameters after each step, by tensor.
    pub params: Vec<Vec<Vec<f64>>>,
}

impl Trajectory {
    /// Reads and checks a file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let json: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let word = |key: &str| json[key].as_str().ok_or(format!("`{key}` is no text"));
        let source = word("source")?;
        let library = source.split_whitespace().next().unwrap_or_default().to_owned();
        let shapes = list(&json["shapes"], |shape| list(shape, |n| n.as_u64().map(|n| n as usize)));
        let trajectory = Self {
            library,
            optimizer: word("optimizer")?.to_owned(),
            hyper: Hyper { json: json["hyper"].clone(), read: RefCell::default() },
            shapes: shapes.ok_or("`shapes` is no list of shapes")?,
            start: tensors(&json["params0"]).ok_or("`params0` is no list of tensors")?,
            grads: list(&json["grads"], tensors).ok_or("`grads` is no list of steps")?,
            params: list(&json["params"], tensors).ok_or("`params` is no list of steps")?,
        };
        trajectory.check().map(|()| trajectory)
    }

    fn check(&self) -> Result<(), String> {
        let lengths: Vec<usize> = self.shapes.iter().map(|shape| shape.iter().product()).collect();
        let fits = |tensors: &Vec<Vec<f64>>| tensors.iter().map(Vec::len).eq(lengths.iter().copied());
        if self.grads.is_empty() || self.grads.len() != self.params.len() {
            return Err(format!("{} steps of gradients, {} of parameters", self.grads.len(), self.params.len()));
        }
        match fits(&self.start) && self.grads.iter().chain(&self.params).all(fits) {
            true => Ok(()),
            false => Err("a tensor's length is not its shape's".to_owned()),
        }
    }

    /// A tensor's values as an f32 array.
    pub fn array(&self, tensor: usize, values: &[f64]) -> ArrayD<f32> {
        let values = values.iter().map(|&value| value as f32).collect();
        ArrayD::from_shape_vec(IxDyn(&self.shapes[tensor]), values).expect("lengths were checked")
    }
}

fn list<T>(json: &Value, item: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    json.as_array()?.iter().map(item).collect()
}

fn tensors(json: &Value) -> Option<Vec<Vec<f64>>> {
    list(json, |tensor| list(tensor, Value::as_f64))
}

/// Hyper-parameters by the library's names. It keeps account of what was read, so that nothing is ignored unseen.
#[derive(Debug)]
pub struct Hyper {
    json: Value,
    read: RefCell<BTreeSet<String>>,
}

impl Hyper {
    fn value(&self, key: &str) -> Result<&Value, String> {
        self.read.borrow_mut().insert(key.to_owned());
        self.json.get(key).ok_or_else(|| format!("the file has no hyper-parameter `{key}`"))
    }

    /// A number.
    pub fn f32(&self, key: &str) -> Result<f32, String> {
        let value = self.value(key)?.as_f64().ok_or_else(|| format!("`{key}` is no number"))?;
        Ok(value as f32)
    }

    /// A number of a list.
    pub fn item(&self, key: &str, index: usize) -> Result<f32, String> {
        let value = self.value(key)?[index].as_f64().ok_or_else(|| format!("`{key}[{index}]` is no number"))?;
        Ok(value as f32)
    }

    /// A whole number.
    pub fn u32(&self, key: &str) -> Result<u32, String> {
        let value = self.value(key)?.as_u64().ok_or_else(|| format!("`{key}` is no whole number"))?;
        u32::try_from(value).map_err(|error| error.to_string())
    }

    /// A truth value.
    pub fn bool(&self, key: &str) -> Result<bool, String> {
        self.value(key)?.as_bool().ok_or_else(|| format!("`{key}` is no truth value"))
    }

    /// A number, or nothing.
    pub fn option(&self, key: &str) -> Result<Option<f32>, String> {
        match self.value(key)? {
            Value::Null => Ok(None),
            _ => self.f32(key).map(Some),
        }
    }

    /// Whether a hyper-parameter that our rule lacks has the value that the rule stands for.
    pub fn is(&self, key: &str, value: impl Into<Value>) -> Result<bool, String> {
        let (ours, theirs) = (value.into(), self.value(key)?);
        Ok(match (ours.as_f64(), theirs.as_f64()) {
            (Some(a), Some(b)) => a == b,
            _ => ours == *theirs,
        })
    }

    /// Marks state that a library keeps among its hyper-parameters as seen.
    pub fn ignore(&self, keys: &[&str]) -> Result<(), String> {
        keys.iter().try_for_each(|key| self.value(key).map(|_| ()))
    }

    /// The hyper-parameters that nobody read.
    pub fn unread(&self) -> Vec<String> {
        let read = self.read.borrow();
        let keys = self.json.as_object().into_iter().flat_map(|object| object.keys());
        keys.filter(|key| !read.contains(*key)).cloned().collect()
    }
}
