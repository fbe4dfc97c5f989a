//! Compares a checkpoint with a set and an optimizer, and puts it into both.

use super::super::lineup::Cohort;
use super::super::moves::Parked;
use super::super::storage::FIRST_HEADER;
use super::super::tracked::{Tracked, allow_shape};
use super::super::{Optimizer, chosen_variant};
use super::file::Reader;
use super::save::mode_name;
use super::{VERSION, key};
use crate::params::{Standing, Tensor};
use crate::rule::{Mode, Rule, RuleParams};
use crate::{GpuOptimError, ParamSet};

/// A checkpoint that fits.
pub(super) struct Loaded<P> {
    /// By slot; none for tensors that were removed.
    params: Vec<Option<Vec<u32>>>,
    groups: Vec<LoadedGroup<P>>,
    tensors: Vec<Tracked>,
    cohorts: Vec<Cohort>,
    parked: Parked,
    all_touched: bool,
    run: u64,
    mode: Mode,
    scalars: Vec<Option<f32>>,
    /// Scale, and steps without an overflow.
    loss_scale: Option<(f32, u32)>,
}

struct LoadedGroup<P> {
    set: P,
    in_force: P,
    maximize: bool,
    grad_scale: f64,
}

impl<R: Rule> Optimizer<R> {
    /// All of a checkpoint, or what does not fit.
    pub(super) fn read_checkpoint(&self, params: &ParamSet, mut file: Reader<'_>) -> Result<Loaded<R::Params>, String> {
        let version = file.note(key::VERSION).map_err(|_| "it is no checkpoint of an optimizer".to_owned())?;
        if version != VERSION {
            return Err(format!("its layout is of version {version}; this library reads version {VERSION}"));
        }
        let rule = file.note(key::RULE)?;
        if rule != R::NAME {
            return Err(format!("it is of the rule `{rule}`, not `{}`", R::NAME));
        }
        let run = file.parsed(key::UPDATES)?;
        let mode = match file.note(key::MODE)? {
            name if name == mode_name(Mode::Train) => Mode::Train,
            name if name == mode_name(Mode::Eval) => Mode::Eval,
            other => return Err(format!("its mode `{other}` is none")),
        };
        let mut scalars = Vec::new();
        for name in R::SCALARS {
            let key = key::scalar(name);
            scalars.push(match file.optional_note(&key).is_some() {
                true => Some(finite(&key, file.parsed::<f32>(&key)?)?),
                false => None,
            });
        }
        let loss_scale = self.read_loss_scale(&mut file)?;
        let groups = self.read_groups(&mut file)?;
        let mut loaded = Loaded {
            params: Vec::new(),
            groups,
            tensors: Vec::new(),
            cohorts: Vec::new(),
            parked: Parked {
                set: Some(params.id()),
                cells: Vec::new(),
                scalars: None,
                inputs: vec![Vec::new(); R::INPUTS.len()],
            },
            all_touched: false,
            run,
            mode,
            scalars,
            loss_scale,
        };
        let mut words = vec![0; self.variant().tensor_start(params.tensors().len())];
        let header = self.variant().header_words;
        words[..header].copy_from_slice(&FIRST_HEADER[..header]);
        for (word, state) in self.variant().all_states.iter().enumerate() {
            let key = key::all(R::STATES[*state].name);
            if file.has(&key) {
                words[header + word] = one(file.reals(&key, &[])?);
                loaded.all_touched = true;
            }
        }
        for (slot, tensor) in params.tensors().iter().enumerate() {
            self.read_tensor(&mut file, tensor, slot, &mut loaded, &mut words)?;
        }
        file.finish()?;
        loaded.all_touched |= loaded.cohorts.iter().any(|cohort| cohort.touched);
        loaded.parked.scalars = loaded.all_touched.then_some(words);
        Ok(loaded)
    }

    /// Where the loss scale stood, for the scaler that the optimizer has.
    fn read_loss_scale(&self, file: &mut Reader<'_>) -> Result<Option<(f32, u32)>, String> {
        match (file.optional_note(key::LOSS_SCALE).is_some(), &self.scaler) {
            (false, _) => Ok(None),
            (true, None) => Err("its gradients were of a scaled loss: call `set_loss_scaler` first".to_owned()),
            (true, Some(scaler)) => {
                let (scale, streak) = (file.parsed(key::LOSS_SCALE)?, file.parsed(key::LOSS_SCALE_STREAK)?);
                let config = scaler.config();
                if !(config.min_scale..=config.max_scale).contains(&scale) {
                    let (min, max) = (config.min_scale, config.max_scale);
                    return Err(format!("its loss scale is {scale}, that of the optimizer's scaler in {min}..={max}"));
                }
                Ok(Some((scale, streak)))
            }
        }
    }

    fn read_groups(&self, file: &mut Reader<'_>) -> Result<Vec<LoadedGroup<R::Params>>, String> {
        let count: usize = file.parsed(key::GROUPS)?;
        if count != self.groups.len() {
            let own = self.groups.len();
            return Err(format!("it has {count} parameter groups, the optimizer has {own}: add the same ones first"));
        }
        let mut groups = Vec::new();
        for place in 0..count {
            let set = self.read_params(file, &|field| key::set(place, field))?;
            let in_force = self.read_params(file, &|field| key::in_force(place, field))?;
            let maximize = file.parsed(&key::maximize(place))?;
            let key = key::grad_scale(place);
            let grad_scale = finite(&key, file.parsed::<f64>(&key)?)?;
            groups.push(LoadedGroup { set, in_force, maximize, grad_scale });
        }
        Ok(groups)
    }

    /// Hyper-parameters that the rule and its options allow.
    fn read_params(&self, file: &mut Reader<'_>, key: &dyn Fn(&str) -> String) -> Result<R::Params, String> {
        let mut fields = Vec::new();
        self.groups[0].set.fields(&mut |field, like| fields.push((field, like)));
        let mut params = R::Params::default();
        for (field, like) in fields {
            let key = key(field);
            let text = file.note(&key)?;
            let set = like.parse_like(text).is_some_and(|value| params.set_field(field, value));
            if !set {
                return Err(format!("`{key}` in its metadata is `{text}`, which is no value of `{field}`"));
            }
        }
        chosen_variant::<R>(&params).and_then(|_| self.check_options(&params)).map_err(|error| error.to_string())?;
        Ok(params)
    }

    /// Takes in a tensor of the set; one that was removed keeps its place, with nothing in it.
    fn read_tensor(
        &self,
        file: &mut Reader<'_>,
        tensor: &Tensor,
        slot: usize,
        loaded: &mut Loaded<R::Params>,
        scalars: &mut [u32],
    ) -> Result<(), String> {
        let (name, shape, variant) = (&tensor.name, &tensor.shape, self.variant());
        let group = self.group_of(name);
        let mut cohort = Cohort::default();
        let mut cells = Vec::new();
        let is_there = tensor.standing != Standing::Removed;
        let mut param = None;
        if is_there {
            param = Some(file.reals(&key::param(name), shape)?);
            let member: usize = file.parsed(&key::member(name))?;
            if member != group {
                return Err(format!(
                    "tensor `{name}` is in parameter group {member} in it, and in group {group} of the optimizer: add \
                     the same groups, in the same order, first"
                ));
            }
            allow_shape::<R>(&loaded.groups[group].set, name, shape).map_err(|error| error.to_string())?;
            cohort.touched = file.has(&key::steps(name));
        }
        if cohort.touched {
            cohort.steps = file.count(&key::steps(name))?;
            let key = |state: &usize| key::state(R::STATES[*state].name, name);
            for state in variant.element_states {
                cells.push(file.reals(&key(state), shape)?);
            }
            for (word, state) in variant.tensor_states.iter().enumerate() {
                scalars[variant.tensor_start(slot) + word] = one(file.reals(&key(state), &[])?);
            }
            for state in variant.host_states {
                cohort.host.push(finite(&key(state), file.double(&key(state))?)?);
            }
        }
        for (input, slots) in R::INPUTS.iter().zip(&mut loaded.parked.inputs) {
            let key = key::input(input, name);
            slots.push(match is_there && file.has(&key) {
                true => Some(file.reals(&key, shape)?),
                false => None,
            });
        }
        loaded.params.push(param);
        loaded.parked.cells.push(cells);
        loaded.tensors.push(Tracked::new(slot, tensor, group, slot));
        loaded.cohorts.push(cohort);
        Ok(())
    }

    /// Writes the parameters, and then makes the optimizer what the checkpoint says. Where a parameter cannot be written,
    /// those before it get back what they were.
    pub(super) fn put_in_place(
        &mut self,
        loaded: Loaded<R::Params>,
        params: &mut ParamSet,
    ) -> Result<(), GpuOptimError> {
        let mut before = Vec::new();
        for (slot, words) in loaded.params.iter().enumerate() {
            let Some(words) = words else { continue };
            let done = params.read_words(slot).and_then(|old| {
                before.push((slot, old));
                params.write_words(slot, words)
            });
            if let Err(error) = done {
                // A device that fails again has lost more than this.
                let _ = before.iter().try_for_each(|(slot, words)| params.write_words(*slot, words));
                return Err(error);
            }
        }
        for (group, new) in self.groups.iter_mut().zip(loaded.groups) {
            (group.set, group.params) = (new.set, new.in_force);
            (group.maximize, group.grad_scale) = (new.maximize, new.grad_scale);
        }
        (self.run, self.mode, self.scalars) = (loaded.run, loaded.mode, loaded.scalars);
        (self.tensors, self.cohorts, self.all_touched) = (loaded.tensors, loaded.cohorts, loaded.all_touched);
        self.lineups.clear();
        if let (Some(scaler), Some((scale, streak))) = (&mut self.scaler, loaded.loss_scale) {
            scaler.resume(scale, streak);
        }
        self.found = None;
        // The states follow at the next step, as after a move.
        (self.storage, self.parked) = (None, Some(loaded.parked));
        Ok(())
    }
}

/// A value that must be finite.
fn finite<T: Copy + Into<f64>>(key: &str, value: T) -> Result<T, String> {
    let real: f64 = value.into();
    if real.is_finite() { Ok(value) } else { Err(format!("`{key}` is {real}, which is not finite")) }
}

/// The only word of an array without dimensions.
fn one(words: Vec<u32>) -> u32 {
    words.first().copied().unwrap_or_default()
}
