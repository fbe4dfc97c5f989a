//! Faults in the optimizer: steps, counters, groups, states, entries.

use crate::mutations::Fault;

/// The faults.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "step-counted-twice",
        file: "optirs-gpu/src/optimizer/rows.rs",
        find: "step: steps + taken,",
        replace: "step: steps + 2 * taken,",
        wrong: "The first step of a tensor is its second.",
        caught_by: "optirs-gpu lib optimizer::tests::states::every_kind_of_state_starts_and_advances",
    },
    Fault {
        name: "step-counted-by-entries",
        file: "optirs-gpu/src/optimizer/lineup.rs",
        find: "cohort.steps + u64::from(is_update)",
        replace: "cohort.steps + 1 + 0 * u64::from(is_update)",
        wrong: "An entry counts as an update of the tensor.",
        caught_by: "optirs-gpu lib optimizer::tests::states::entries_run_over_all_tensors_and_modes_alternate",
    },
    Fault {
        name: "step-that-failed-is-counted",
        file: "optirs-gpu/src/optimizer/run.rs",
        find: r#"                return Err(error);
"#,
        replace: r#"                self.run += u64::from(index == 0);
                return Err(error);
"#,
        wrong: "The optimizer counts a step that the device refused.",
        caught_by: "optirs-gpu lib optimizer::tests::failures::a_call_that_fails_changes_nothing",
    },
    Fault {
        name: "step-over-tensors-without-gradient",
        file: "optirs-gpu/src/params/membership.rs",
        find: "Standing::Trained => self.has_grad || !takes_grad,",
        replace: "Standing::Trained => true,",
        wrong: "A tensor whose gradient is missing is stepped on its old one.",
        caught_by: "optirs-gpu lib optimizer::tests::a_step_updates_every_tensor_that_has_a_gradient",
    },
    Fault {
        name: "step-states-of-all-start-anew",
        file: "optirs-gpu/src/optimizer/run.rs",
        find: r#"        self.all_touched = true;
"#,
        replace: "",
        wrong: "States of the optimizer have their first value in every step.",
        caught_by: "optirs-gpu lib optimizer::tests::states::every_kind_of_state_starts_and_advances",
    },
    Fault {
        name: "step-zeros-are-taken-for-granted",
        file: "optirs-gpu/src/optimizer/run.rs",
        find: "Some(0.0) if is_fresh => {}",
        replace: "Some(0.0) => {}",
        wrong: "After a step that failed half-way the next one starts from what it left in the states.",
        caught_by: "optirs-gpu lib optimizer::tests::failures::first_values_of_a_step_that_failed_do_not_stay",
    },
    Fault {
        name: "rows-of-another-group",
        file: "optirs-gpu/src/optimizer/rows.rs",
        find: "                group: tensor.group,",
        replace: "                group: 0,",
        wrong: "A tensor takes the row of another group.",
        caught_by: "optirs-gpu lib optimizer::tests::groups::groups_have_their_own_hyper_parameters",
    },
    Fault {
        name: "rows-shared-across-steps",
        file: "optirs-gpu/src/optimizer/rows.rs",
        find: "step: (program.reads.step || host_states).then_some(self.cohort(tensor).steps),",
        replace: "step: host_states.then_some(self.cohort(tensor).steps),",
        wrong: "A tensor that has skipped steps takes the row, hence the bias correction, of one that has not.",
        caught_by: "optirs-gpu-tests runtime participants::a_tensor_without_a_gradient_is_skipped_whole",
    },
    Fault {
        name: "rows-length-of-all-tensors",
        file: "optirs-gpu/src/optimizer/recent.rs",
        find: "            elements,\n",
        replace: "            elements: tensors.iter().map(|tensor| tensor.len).sum(),\n",
        wrong: "`all::len()` counts tensors that do not take part in the step.",
        caught_by: "optirs-gpu-tests runtime participants::what_takes_part_is_all_there_is",
    },
    Fault {
        name: "recent-tables-of-old-buffers",
        file: "optirs-gpu/src/optimizer/recent.rs",
        find: r#"        self.planned.retain(|planned| planned.versions == versions);
"#,
        replace: r#"        let _ = versions;
"#,
        wrong: "The tables of a step go on to be used after buffers were replaced.",
        caught_by: "optirs-gpu lib optimizer::tests::tables_follow_buffers_that_were_replaced",
    },
    Fault {
        name: "recent-tables-of-another-set",
        file: "optirs-gpu/src/optimizer/recent.rs",
        find: "Arc::ptr_eq(&self.slots, slots) || self.slots == *slots",
        replace: "self.slots.len() == slots.len()",
        wrong: "The chunk table is stale after other tensors, equally many, take part.",
        caught_by: "optirs-gpu lib optimizer::tests::tensors_that_take_turns_are_each_stepped_in_its_own",
    },
    Fault {
        name: "recent-rows-of-before",
        file: "optirs-gpu/src/optimizer/recent.rs",
        find: r#"        if *planned.classes != *classes {
            return Err(classes);
        }
"#,
        replace: r#"        let _ = classes;
"#,
        wrong: "Tensors that shared a row share it after they have taken different steps.",
        caught_by: "optirs-gpu-tests runtime participants::a_tensor_without_a_gradient_is_skipped_whole",
    },
    Fault {
        name: "recent-tables-of-the-latest",
        file: "optirs-gpu/src/optimizer/recent.rs",
        find: "if place + 1 == self.planned.len() {",
        replace: "if place < self.planned.len() {",
        wrong: "The tables of an earlier step are found, and those of the latest one used.",
        caught_by: "optirs-gpu-tests runtime participants::a_tensor_without_a_gradient_is_skipped_whole",
    },
    Fault {
        name: "groups-table-of-before-the-group",
        file: "optirs-gpu/src/optimizer/lineup.rs",
        find: r#"            storage.recent.forget();
"#,
        replace: r#"            let _ = storage;
"#,
        wrong: "A group that is added between two steps has no effect on its tensors.",
        caught_by: "optirs-gpu lib optimizer::tests::groups::a_group_that_joins_between_steps_takes_its_tensors",
    },
    Fault {
        name: "groups-the-first-one-wins",
        file: "optirs-gpu/src/optimizer/groups.rs",
        find: "self.groups.iter().rposition(|group| group.claims(name)).unwrap_or(0)",
        replace: "self.groups[1..].iter().position(|group| group.claims(name)).map_or(0, |place| place + 1)",
        wrong: "Of several groups that claim a tensor, the one that was added first has it.",
        caught_by: "optirs-gpu lib optimizer::tests::groups::of_groups_that_claim_a_tensor_the_last_has_it",
    },
    Fault {
        name: "groups-maximize-drops-the-scale",
        file: "optirs-gpu/src/optimizer/groups.rs",
        find: "if self.maximize { -self.grad_scale } else { self.grad_scale }",
        replace: "if self.maximize { -1.0 } else { self.grad_scale }",
        wrong: "With `maximize` the scale of the gradients is ignored.",
        caught_by: "optirs-gpu lib optimizer::tests::groups::groups_have_their_own_hyper_parameters",
    },
    Fault {
        name: "inputs-old-buffer-stays-bound",
        file: "optirs-gpu/src/optimizer/inputs.rs",
        find: r#"        self.version += u64::from(replaced);
"#,
        replace: r#"        let _ = replaced;
"#,
        wrong: "Steps go on to read an input from the buffer that it had before it grew.",
        caught_by: "optirs-gpu lib optimizer::tests::states::an_input_that_grew_is_read_from_where_it_is",
    },
    Fault {
        name: "inputs-one-tensor-is-enough",
        file: "optirs-gpu/src/optimizer/inputs.rs",
        find: "if let Some(slot) = slots.iter().find(|slot| !written(**slot)) {",
        replace: "if let Some(slot) = slots.iter().take(1).find(|slot| !written(**slot)) {",
        wrong: "A tensor whose input was never written is stepped with zeros.",
        caught_by: "optirs-gpu lib optimizer::tests::states::a_tensor_that_joins_later_starts_from_its_own_values",
    },
    Fault {
        name: "storage-cells-by-length",
        file: "optirs-gpu/src/optimizer/storage.rs",
        find: "self.state_start + cell as u64 * self.stride",
        replace: "self.state_start + cell as u64 * self.len",
        wrong: "The host reads a tensor's second state from where it would lie without padding.",
        caught_by: "optirs-gpu lib optimizer::tests::states::every_kind_of_state_starts_and_advances",
    },
    Fault {
        name: "storage-copies-from-the-arenas-start",
        file: "optirs-gpu/src/optimizer/storage.rs",
        find: "(from.start + stretch.param_start, &self.segments[stretch.segment]);",
        replace: "(from.start, &self.segments[stretch.segment]);",
        wrong: "A state that starts from the parameter starts from the first tensor's.",
        caught_by: "optirs-gpu lib optimizer::tests::states::a_tensor_that_joins_later_starts_from_its_own_values",
    },
    Fault {
        name: "moves-scalars-stay-behind",
        file: "optirs-gpu/src/optimizer/moves.rs",
        find: "storage.device.raw().write(&storage.scalars, header as u64, &scalars[header..])",
        replace: "storage.device.raw().write(&storage.scalars, header as u64, &scalars[header..header])",
        wrong: "States of tensors and of the optimizer are lost on the way to the host and back.",
        caught_by: "optirs-gpu lib optimizer::tests::states::states_follow_the_optimizer_to_the_host_and_back",
    },
    Fault {
        name: "entries-mode-stays",
        file: "optirs-gpu/src/optimizer/entries.rs",
        find: r#"        self.mode = program.mode.unwrap_or(self.mode);
"#,
        replace: "",
        wrong: "After the entry that goes to evaluation a step trains on the wrong points.",
        caught_by: "optirs-gpu lib optimizer::tests::states::entries_run_over_all_tensors_and_modes_alternate",
    },
    Fault {
        name: "reset-keeps-the-states-of-all",
        file: "optirs-gpu/src/optimizer/mod.rs",
        find: r#"        self.run = 0;
        self.all_touched = false;"#,
        replace: "        self.run = 0;",
        wrong: "After `reset` the states of the optimizer start from 0 instead of their first value.",
        caught_by: "optirs-gpu lib optimizer::tests::states::after_a_reset_states_have_their_first_values",
    },
    Fault {
        name: "classic-epsilon-of-the-other-rule",
        file: "optirs-gpu/src/optimizers/rules.rs",
        find: r#"impl From<AdamParams> for LambParams {
    fn from(params: AdamParams) -> Self {
        let AdamParams { learning_rate, beta1, beta2, epsilon, weight_decay } = params;"#,
        replace: r#"impl From<AdamParams> for LambParams {
    fn from(params: AdamParams) -> Self {
        let AdamParams { learning_rate, beta1, beta2, weight_decay, .. } = params;
        let Self { epsilon, .. } = Self::default();"#,
        wrong: "Adam's parameters become LAMB's with another epsilon than was given.",
        caught_by: "optirs-gpu-tests classic parameters_and_constants_are_those_of_before",
    },
    Fault {
        name: "classic-array-stays-on-the-device",
        file: "optirs-gpu/src/optimizers/mod.rs",
        find: r#"        self.park()?;
        self.classic.set = None;"#,
        replace: "        self.park()?;",
        wrong: "The array of an optimizer that moves to the host keeps its memory on the device.",
        caught_by: "optirs-gpu lib optimizers::tests::an_optimizer_on_the_host_holds_no_device_memory",
    },
    Fault {
        name: "lineup-of-before",
        file: "optirs-gpu/src/optimizer/lineup.rs",
        find: "known.filter(|lineup| lineup.seen == seen)",
        replace: "known.filter(|lineup| lineup.seen.0 == seen.0)",
        wrong: "A tensor that has lost its gradient goes on to be stepped.",
        caught_by: "optirs-gpu lib optimizer::tests::lineups::a_step_over_the_tensors_of_the_one_before_looks_nothing_up",
    },
    Fault {
        name: "lineup-counts-all",
        file: "optirs-gpu/src/optimizer/lineup.rs",
        find: "                takes_part,\n",
        replace: "                takes_part: takes_part || true,\n",
        wrong: "A tensor without a gradient counts the steps of those that have one.",
        caught_by: "optirs-gpu lib optimizer::tests::lineups::tensors_part_and_meet_again",
    },
];
