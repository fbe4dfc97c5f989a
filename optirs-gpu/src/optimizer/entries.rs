//! Entries: kernels of a rule beside its update, called by name.

use super::Optimizer;
use crate::rule::{Mode, Rule};
use crate::{GpuOptimError, ParamSet};

impl<R: Rule> Optimizer<R> {
    /// Runs an entry of the rule over all tensors, or over those with a gradient if it takes one.
    ///
    /// An entry of a mode does nothing in that mode; an optimizer begins in train mode.
    ///
    /// # Errors
    /// [`GpuOptimError::InvalidState`] for an entry that the rule does not have, and as [`Optimizer::step`].
    pub fn run_entry(&mut self, name: &str, params: &mut ParamSet) -> Result<(), GpuOptimError> {
        let programs = self.variant().programs;
        let entries = || programs.iter().enumerate().skip(1);
        let Some((index, program)) = entries().find(|(_, program)| program.name == name) else {
            let names: Vec<&str> = entries().map(|(_, program)| program.name).collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(GpuOptimError::InvalidState(format!(
                "`{}` has no entry `{name}`; it has: {names}; the update is `step`",
                R::NAME
            )));
        };
        self.conclude()?;
        if program.mode == Some(self.mode) {
            return Ok(());
        }
        self.run_program(None, index, params)?;
        self.mode = program.mode.unwrap_or(self.mode);
        Ok(())
    }

    /// The error of a step in eval mode, with the entries that lead out of it.
    pub(super) fn in_eval_mode(&self) -> GpuOptimError {
        let back = self.variant().programs.iter().filter(|program| program.mode == Some(Mode::Train));
        let calls: Vec<String> = back.map(|program| format!("`run_entry(\"{}\", …)`", program.name)).collect();
        GpuOptimError::InvalidState(format!(
            "`{}` is in eval mode: call {} to go back to training first",
            R::NAME,
            calls.join(" or ")
        ))
    }

    /// Whether parameters stand at the points for training or for evaluation, in rules that tell the two apart.
    pub fn mode(&self) -> Mode {
        self.undone().ok().flatten().map_or(self.mode, |before| before.mode)
    }
}
