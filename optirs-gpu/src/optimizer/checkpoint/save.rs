//! Gathers what a checkpoint holds.

use super::super::Optimizer;
use super::file::Contents;
use super::{VERSION, key};
use crate::params::Standing;
use crate::rule::{Mode, Rule, RuleParams};
use crate::{GpuOptimError, ParamSet};

impl<R: Rule> Optimizer<R> {
    pub(super) fn to_contents(&self, params: &ParamSet) -> Result<Contents, GpuOptimError> {
        self.check_set(params)?;
        let mut contents = Contents::default();
        contents.note(key::VERSION, VERSION);
        contents.note(key::RULE, R::NAME);
        contents.note(key::UPDATES, self.step_count());
        contents.note(key::MODE, mode_name(self.mode()));
        if let Some(scaler) = self.scaler_view()? {
            let (scale, streak) = scaler.standing();
            contents.note(key::LOSS_SCALE, scale);
            contents.note(key::LOSS_SCALE_STREAK, streak);
        }
        for (name, value) in R::SCALARS.iter().zip(&self.scalars) {
            if let Some(value) = value {
                contents.note(key::scalar(name), value);
            }
        }
        contents.note(key::GROUPS, self.groups.len());
        for (place, group) in self.groups.iter().enumerate() {
            group.set.fields(&mut |field, value| contents.note(key::set(place, field), value));
            group.params.fields(&mut |field, value| contents.note(key::in_force(place, field), value));
            contents.note(key::maximize(place), group.maximize);
            contents.note(key::grad_scale(place), group.grad_scale);
        }
        let before = self.undone()?;
        if before.map_or(self.all_touched, |before| before.all_touched) {
            for (word, state) in self.variant().all_states.iter().enumerate() {
                contents.reals(
                    key::all(R::STATES[*state].name),
                    &[],
                    &[self.scalar(self.variant().header_words + word)?],
                );
            }
        }
        for (slot, tensor) in params.tensors().iter().enumerate() {
            if tensor.standing != Standing::Removed {
                contents.note(key::member(&tensor.name), self.group_of(&tensor.name));
                contents.reals(key::param(&tensor.name), &tensor.shape, &params.read_words(slot)?);
                self.add_states(slot, &mut contents)?;
            }
        }
        Ok(contents)
    }

    /// What the optimizer keeps of a tensor.
    fn add_states(&self, slot: usize, contents: &mut Contents) -> Result<(), GpuOptimError> {
        let Some(tensor) = self.tensors.get(slot) else { return Ok(()) };
        let (name, variant) = (&tensor.name, self.variant());
        let key = |state: &usize| key::state(R::STATES[*state].name, name);
        for (index, input) in R::INPUTS.iter().enumerate() {
            if let Some(words) = self.input(index, slot)? {
                contents.reals(key::input(input, name), &tensor.shape, &words);
            }
        }
        let (touched, steps, host) = self.counted(slot)?;
        if !touched {
            return Ok(());
        }
        contents.count(key::steps(name), steps);
        for (cell, state) in variant.element_states.iter().enumerate() {
            contents.reals(key(state), &tensor.shape, &self.cell(slot, cell)?);
        }
        for (word, state) in variant.tensor_states.iter().enumerate() {
            contents.reals(key(state), &[], &[self.scalar(variant.tensor_start(slot) + word)?]);
        }
        for (place, state) in variant.host_states.iter().enumerate() {
            contents.double(key(state), host[place]);
        }
        Ok(())
    }
}

pub(super) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Train => "train",
        Mode::Eval => "eval",
    }
}
