//! One run of a program over the tensors that take part: the update or an entry.

use super::guard::Guarding;
use super::lineup::Lineup;
use super::pending::{Before, HEADER, Pending};
use super::recent::Asked;
use super::storage::Storage;
use super::{Clipping, Optimizer};
use crate::backend::{Launch, Reading, Slice, Write};
use crate::rule::{Init, Program, Rule};
use crate::{Device, GpuOptimError, ParamSet};

impl<R: Rule> Optimizer<R> {
    /// Runs a program of the variant, on the optimizer's device or on the same one as it records. Until the back end has
    /// taken the work, nothing that counts is changed.
    pub(super) fn run_program(
        &mut self,
        recording: Option<&Device>,
        index: usize,
        params: &ParamSet,
    ) -> Result<(), GpuOptimError> {
        let program: &'static Program = &self.variant().programs[index];
        let device = self.home(params)?.clone();
        self.check_groups()?;
        let Some(lineup) = self.line_up(index, params)? else { return Ok(()) };
        let slots = &lineup.slots;
        if self.has_new(&lineup) {
            self.check_new_shapes(slots)?;
        }
        let guarding = self.guarding(program)?;
        let asked = Asked::Program {
            index,
            reduces: program.partial_words > 0,
            clips_tensors: guarding.is_some() && matches!(self.clipping, Clipping::TensorNorm(_)),
        };
        // Taken out, so that rows can be made from the counters while tables are looked up.
        let held = self.storage.take();
        let was_held = held.is_some();
        let before = held.as_ref().filter(|held| !held.is_ready(asked, guarding.is_some(), slots, params)).cloned();
        let mut storage = match held {
            Some(held) => held,
            None => self.new_storage(params)?,
        };
        if let Some(recording) = recording {
            storage.device = recording.clone();
        }
        let run = self.run_with(&mut storage, (index, program, asked), guarding, &lineup, params);
        storage.device = device.clone();
        let (host, reading) = match run {
            Ok(done) => done,
            Err(error) => {
                // What was allocated for it is given back.
                self.storage = match before {
                    Some(before) => Some(before.after(&storage)),
                    None => was_held.then_some(storage),
                };
                return Err(error);
            }
        };
        // Until the flag is known, the step counts as taken.
        self.pending = reading.map(|reading| Pending::new(&device, reading, self.before(index == 0, &lineup)));
        self.keep(storage);

        self.advance(&lineup, index == 0, host);
        self.all_touched = true;
        self.run += u64::from(index == 0);
        Ok(())
    }

    /// What the host has of an optimizer and these tensors.
    fn before(&self, is_update: bool, lineup: &Lineup) -> Before {
        Before {
            cohorts: lineup.cohorts.iter().map(|(cohort, _)| (*cohort, self.cohorts[*cohort].clone())).collect(),
            all_touched: self.all_touched,
            run: self.run,
            mode: self.mode,
            is_update,
        }
    }

    /// Returns the new host states of each cohort, and what the guard found as it is on its way.
    fn run_with(
        &self,
        storage: &mut Storage,
        (index, program, asked): (usize, &'static Program, Asked),
        guarding: Option<Guarding>,
        lineup: &Lineup,
        params: &ParamSet,
    ) -> Result<(Vec<Vec<f64>>, Option<Reading>), GpuOptimError> {
        let slots = &lineup.slots;
        storage.cover(params)?;
        self.check_inputs(storage, program, slots)?;
        // Before the tables: the guard's records may replace the buffer of scalars.
        let guard = guarding.map(|guarding| self.ready_guard(guarding, storage, slots, params)).transpose()?;
        let planned = storage.planned(asked, slots, params, || self.classes(program, slots))?;
        let (ranges, tensors) = (planned.ranges.clone(), planned.tensors.clone());
        let (tensor_count, records, classes) = (planned.tensor_count, planned.partials, planned.classes.clone());
        let rows = self.rows(index, &planned.firsts, planned.elements)?;
        let partials = match program.partial_words as u64 {
            0 => None,
            words => Some(storage.partials(records * words)?),
        };
        let hyper = storage.row_buffer(rows.words.len() as u64)?;
        let device = storage.device.clone();
        for program in guard.iter().map(|guard| guard.program).chain([program]) {
            device.raw().prepare(program)?;
        }
        if self.has_new(lineup) || !self.all_touched {
            self.first_values(storage, slots, params)?;
        }
        let scalars = storage.scalars.whole();
        let mut writes = vec![Write { buffer: &hyper.buffer, start: 0, words: &rows.words }];
        match &guard {
            Some(guard) => writes.extend(guard.writes(&scalars)),
            None if storage.decided => writes.push(storage.undecided(&scalars)),
            None => {}
        }
        // From here on the guard may have written, also where the run fails.
        storage.decided |= guard.is_some();
        let launch = Launch {
            variant: self.variant(),
            program,
            hyper: &hyper,
            scalars: &scalars,
            partials: partials.as_ref(),
            ranges: &ranges,
            tensors: &tensors,
            tensor_count,
        };
        let launches: Vec<Launch<'_>> = guard.iter().map(|guard| guard.launch(&scalars)).chain([launch]).collect();
        let found = guard.is_some().then_some(Slice { words: HEADER, ..scalars.clone() });
        let reading = device.raw().run(&writes, &launches, found.as_ref())?;
        storage.decided = guard.is_some();
        let host = lineup.cohorts.iter().map(|(_, place)| rows.host[classes[*place] as usize].clone());
        Ok((host.collect(), reading))
    }

    /// The optimizer's device, if it is on it and the set is, too.
    pub(super) fn home(&self, params: &ParamSet) -> Result<&Device, GpuOptimError> {
        match &self.device {
            Some(device) if !self.resident || device != params.device() => {
                let set = params.device().name();
                Err(GpuOptimError::InvalidState(if !self.resident {
                    format!("the parameters are on {set}, the optimizer is on the host: call `move_to_gpu()` first")
                } else if device.name() == set {
                    format!("the parameters and the optimizer are on two devices named {set}: give both clones of one")
                } else {
                    format!("the parameters are on {set}, the optimizer is on {}", device.name())
                }))
            }
            Some(device) => Ok(device),
            None => Err(GpuOptimError::InvalidState(
                "the optimizer is on no device: call `move_to_gpu()` first, or make it with `Optimizer::on`".to_owned(),
            )),
        }
    }

    /// Gives the states of tensors that are touched for the first time their first values.
    pub(super) fn first_values(
        &self,
        storage: &mut Storage,
        slots: &[usize],
        params: &ParamSet,
    ) -> Result<(), GpuOptimError> {
        let variant = self.variant();
        let number = |state: usize, group: usize| match R::STATES[state].init {
            Init::Number(value) => Some(value as f32),
            Init::Hyper(index) => Some(R::hyper(&self.groups[group].params, index)),
            Init::Param => None,
        };
        let device = storage.device.clone();
        if !self.all_touched {
            let words: Vec<u32> =
                variant.all_states.iter().map(|state| number(*state, 0).unwrap_or_default().to_bits()).collect();
            device.raw().write(&storage.scalars, variant.header_words as u64, &words)?;
        }
        for &slot in slots.iter().filter(|slot| !self.cohort(&self.tensors[**slot]).touched) {
            let tensor = &self.tensors[slot];
            let is_fresh = !core::mem::replace(&mut storage.attempted[slot], true);
            for (cell, state) in variant.element_states.iter().enumerate() {
                match number(*state, tensor.group) {
                    None => storage.copy_param(slot, cell, params)?,
                    // Buffers begin as zeros.
                    Some(0.0) if is_fresh => {}
                    Some(value) => storage.fill_cell(slot, cell, value)?,
                }
            }
            let states = variant.tensor_states.iter();
            let words: Vec<u32> =
                states.map(|state| number(*state, tensor.group).unwrap_or_default().to_bits()).collect();
            if !words.is_empty() {
                device.raw().write(&storage.scalars, variant.tensor_start(slot) as u64, &words)?;
            }
        }
        Ok(())
    }
}
