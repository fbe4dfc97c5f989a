//! A training as a file: parameters, states, counters, hyper-parameters, in safetensors' format.
//!
//! Nothing is half written: a file is written under a temporary name, flushed to the disk, and renamed. Nothing is half
//! loaded: a file is read, compared with the set and the optimizer, and only then put into both.

mod file;
mod load;
mod save;

use std::path::Path;

use super::Optimizer;
use crate::rule::Rule;
use crate::{GpuOptimError, ParamSet};

/// The version of the layout below, in each file.
const VERSION: &str = "1";

/// Where things are in a file. Names of states, inputs and fields are identifiers, without a slash; tensors are called as
/// they please.
mod key {
    /// f32, of the tensor's shape.
    pub fn param(tensor: &str) -> String {
        format!("param/{tensor}")
    }

    /// f32 of the tensor's shape, or of no dimension for `#[tensor]`; f64 of no dimension for `#[host]`.
    pub fn state(state: &str, tensor: &str) -> String {
        format!("state/{state}/{tensor}")
    }

    /// u64, the updates that the tensor has taken; there where its states are.
    pub fn steps(tensor: &str) -> String {
        format!("steps/{tensor}")
    }

    /// f32, an `#[all]` state.
    pub fn all(state: &str) -> String {
        format!("all/{state}")
    }

    /// f32, of the tensor's shape.
    pub fn input(input: &str, tensor: &str) -> String {
        format!("input/{input}/{tensor}")
    }

    /// In the metadata: layout, rule, updates of the optimizer, mode, number of parameter groups.
    pub const VERSION: &str = "optirs-gpu";
    pub const RULE: &str = "rule";
    pub const UPDATES: &str = "updates";
    pub const MODE: &str = "mode";
    pub const GROUPS: &str = "groups";
    /// In the metadata, where the loss is scaled: its scale, and for how many steps nothing has overflowed.
    pub const LOSS_SCALE: &str = "loss_scale";
    pub const LOSS_SCALE_STREAK: &str = "loss_scale_streak";

    /// In the metadata: a `#[scalar]`.
    pub fn scalar(scalar: &str) -> String {
        format!("scalar/{scalar}")
    }

    /// In the metadata: which group a tensor is in.
    pub fn member(tensor: &str) -> String {
        format!("member/{tensor}")
    }

    /// In the metadata: of a group, by its number. A hyper-parameter as it was set, and as the last update used it.
    pub fn set(group: usize, field: &str) -> String {
        format!("group/{group}/set/{field}")
    }

    pub fn in_force(group: usize, field: &str) -> String {
        format!("group/{group}/in_force/{field}")
    }

    pub fn maximize(group: usize) -> String {
        format!("group/{group}/maximize")
    }

    pub fn grad_scale(group: usize) -> String {
        format!("group/{group}/grad_scale")
    }
}

impl<R: Rule> Optimizer<R> {
    /// Writes the parameters of a set, and all that the optimizer keeps of them, into a safetensors file.
    ///
    /// In it are the parameters; states of every kind and written `#[input]`s; the updates taken, by each tensor and by the
    /// optimizer; the mode; the loss scale; `#[scalar]`s; the rule's name; and of each parameter group its hyper-parameters,
    /// sign and scale of gradients, and which tensors are in it. Not in it are gradients, which tensors are frozen, how
    /// gradients are clipped, and the functions of [`Optimizer::set_schedule`], which depend on the counter alone. Python's
    /// `safetensors` reads it: parameters are called `param/NAME`, states `state/STATE/NAME`.
    ///
    /// The file is written beside its place under another name, flushed, and renamed: a file that was there before is
    /// whole until the new one is. A symbolic link stays, and the file behind it is replaced. It takes twice its size in
    /// the host's memory.
    ///
    /// # Errors
    /// [`GpuOptimError::Checkpoint`] where the file cannot be written; [`GpuOptimError::InvalidState`] for a set that the
    /// optimizer does not step; and what the device says. No file is left then, and the one before is as it was.
    pub fn save(&self, params: &ParamSet, path: impl AsRef<Path>) -> Result<(), GpuOptimError> {
        let path = path.as_ref();
        let bytes = self.to_contents(params)?.into_bytes();
        bytes.and_then(|bytes| file::replace(path, &bytes)).map_err(|problem| wrong(path, problem))
    }

    /// Reads what [`Optimizer::save`] has written, on any back end: training goes on as if it had not stopped, bit for bit
    /// where the back end computes the same bits and the set has its tensors in the same order.
    ///
    /// Make the set and the optimizer as before, with the same rule, options and parameter groups, in the same order of
    /// groups; tensors may come in another order. Values, states, counters and hyper-parameters are the file's then, and
    /// what the optimizer had before is gone. Schedules, clipping, gradients and frozen tensors stay as they are.
    ///
    /// # Errors
    /// [`GpuOptimError::Checkpoint`] where the file cannot be read or is damaged, or names the first thing in which it
    /// differs: rule, option, group, tensor, shape or state. [`GpuOptimError::InvalidState`] for a set on another device;
    /// and what the device says. Neither the set nor the optimizer has changed then, but where a device fails for good in
    /// the middle of writing the parameters.
    pub fn load(&mut self, params: &mut ParamSet, path: impl AsRef<Path>) -> Result<(), GpuOptimError> {
        let path = path.as_ref();
        self.conclude()?;
        self.home(params)?;
        self.check_claims(params)?;
        let bytes = std::fs::read(path).map_err(|error| wrong(path, format!("it cannot be read: {error}")))?;
        let read = file::Reader::new(&bytes).and_then(|file| self.read_checkpoint(params, file));
        let loaded = read.map_err(|problem| wrong(path, problem))?;
        self.put_in_place(loaded, params)
    }
}

fn wrong(path: &Path, problem: String) -> GpuOptimError {
    GpuOptimError::Checkpoint { path: path.to_owned(), problem }
}
