//! Faults in where things lie: tables, parameters, devices.

use crate::mutations::Fault;

/// The faults.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "arenas-tensors-without-padding",
        file: "optirs-gpu/src/tables/arenas.rs",
        find: "Arena::new(self.bounds.words, self.bounds.alignment)?",
        replace: "Arena::new(self.bounds.words, 4)?",
        wrong: "Tensors start on 16 bytes instead of 256, where no kernel of the caller can bind them.",
        caught_by: "optirs-gpu lib tables::tests::every_element_is_covered_once",
    },
    Fault {
        name: "arenas-cut-inside-of-a-chunk",
        file: "optirs-gpu/src/tables/arenas.rs",
        find: "let piece = self.bounds.words - self.bounds.words % self.bounds.cut;",
        replace: "let piece = self.bounds.words;",
        wrong: "A tensor larger than a buffer is cut inside of a chunk, which changes its sums.",
        caught_by: "optirs-gpu lib tables::tests::a_tensor_is_split_only_if_it_exceeds_an_arena",
    },
    Fault {
        name: "tables-partials-of-a-later-piece-over-the-first",
        file: "optirs-gpu/src/tables/ranges.rs",
        find: "u64::from(tensor.first_partial) + (stretch.offset + done) / chunk",
        replace: "u64::from(tensor.first_partial) + done / chunk",
        wrong: "The second piece of a tensor writes its partial sums over those of the first.",
        caught_by: "optirs-gpu lib tables::tests::every_element_is_covered_once",
    },
    Fault {
        name: "tables-tensor-not-listed-again",
        file: "optirs-gpu/src/tables/ranges.rs",
        find: r#"                listed = false;
"#,
        replace: "",
        wrong: "A tensor that goes on in a second range is not in its table.",
        caught_by: "optirs-gpu lib tables::tests::every_element_is_covered_once",
    },
    Fault {
        name: "tables-one-chunk-more-than-a-grid-holds",
        file: "optirs-gpu/src/tables/ranges.rs",
        find: "chunks > self.most_groups || words",
        replace: "chunks > self.most_groups + 1 || words",
        wrong: "A range has one chunk more than a dispatch has workgroups.",
        caught_by: "optirs-gpu lib tables::tests::a_grid_of_width_three_holds_nine_chunks",
    },
    Fault {
        name: "tables-last-range-lost",
        file: "optirs-gpu/src/tables/ranges.rs",
        find: r#"    planner.close()?;
    planner.tables.tensors"#,
        replace: r#"    if planner.tables.ranges.is_empty() {
        planner.close()?;
    }
    planner.tables.tensors"#,
        wrong: "The last of several ranges is never closed: its tensors are not stepped.",
        caught_by: "optirs-gpu lib tables::tests::a_grid_of_width_three_holds_nine_chunks",
    },
    Fault {
        name: "tables-ranges-by-tensor",
        file: "optirs-gpu/src/tables/ranges.rs",
        find: r#"    stretches.sort_by_key(|(_, stretch)| stretch.segment);
"#,
        replace: "",
        wrong: "Tensors that alternate between buffers get a range each.",
        caught_by: "optirs-gpu lib tables::tests::tensors_that_alternate_between_arenas_of_others_need_one_range_for_each",
    },
    Fault {
        name: "states-in-a-segment-of-another-arena",
        file: "optirs-gpu/src/tables/states.rs",
        find: "rposition(|segment| segment.arena == part.arena)",
        replace: "rposition(|segment| segment.arena <= part.arena)",
        wrong: "States lie in a buffer that is bound with another arena's parameters.",
        caught_by: "optirs-gpu lib tables::tests::tensors_that_alternate_between_arenas_of_others_need_one_range_for_each",
    },
    Fault {
        name: "states-stride-without-padding",
        file: "optirs-gpu/src/tables/states.rs",
        find: "let stride = self.bounds.padded(len)?;",
        replace: "let stride = len;",
        wrong: "A tensor's second state does not start on a vector: kernels read it shifted.",
        caught_by: "optirs-gpu lib tables::tests::a_small_step_in_literal_words",
    },
    Fault {
        name: "params-contents-lost-in-growth",
        file: "optirs-gpu/src/params/arenas.rs",
        find: "device.raw().copy(old, 0, &new, 0, old.words)?;",
        replace: "device.raw().copy(old, 0, &new, 0, old.words.min(64))?;",
        wrong: "A buffer that grows keeps only its first words.",
        caught_by: "optirs-gpu lib params::tests::growing_keeps_values_and_gradients",
    },
    Fault {
        name: "params-memory-order",
        file: "optirs-gpu/src/params/arrays.rs",
        find: "if let Some(slice) = values.as_slice() {",
        replace: "if let Some(slice) = values.as_slice_memory_order() {",
        wrong: "A transposed array is taken in the order of its memory.",
        caught_by: "optirs-gpu lib params::tests::values_are_in_logical_order_whatever_the_memory_layout",
    },
    Fault {
        name: "params-read-back-in-memory-order",
        file: "optirs-gpu/src/params/arrays.rs",
        find: "match values.as_slice_mut() {",
        replace: "match values.as_slice_memory_order_mut() {",
        wrong: "Parameters are read into a transposed array in the order of its memory.",
        caught_by: "optirs-gpu lib params::tests::values_are_read_into_any_layout",
    },
    Fault {
        name: "params-gradients-of-others-may-overlap-parameters",
        file: "optirs-gpu/src/params/foreign.rs",
        find: " || grad.overlaps(&other) {",
        replace: " {",
        wrong: "A tensor of others may have its gradient where another one's parameters are.",
        caught_by: "optirs-gpu-tests runtime bindings::memory_that_a_step_would_write_twice_is_refused_by_name",
    },
    Fault {
        name: "params-start-of-others-ignored",
        file: "optirs-gpu/src/params/foreign.rs",
        find: "binding.offset / 4 - self.arenas[arena].slice(kind).start;",
        replace: "binding.offset / 4;",
        wrong: "Where only a window of a large buffer is bound, starts count from the buffer's.",
        caught_by: "optirs-gpu-tests runtime bindings::tensors_far_inside_of_a_large_buffer_are_stepped_in_place",
    },
    Fault {
        name: "params-bound-gradient-is-missing",
        file: "optirs-gpu/src/params/bindings.rs",
        find: r#"        self.set_grad_present(name)?;
        Ok(binding)"#,
        replace: "        Ok(binding)",
        wrong: "A gradient that a kernel of the caller writes in place is not stepped.",
        caught_by: "optirs-gpu-tests runtime bindings::a_gradient_written_in_place_is_used",
    },
    Fault {
        name: "device-limits-raised",
        file: "optirs-gpu/src/device/config.rs",
        find: "alignment_words: self.alignment_words.max(most.alignment_bytes.div_ceil(4)),",
        replace: "alignment_words: self.alignment_words.min(most.alignment_bytes.div_ceil(4)),",
        wrong: "A configuration may align bindings less than the device needs.",
        caught_by: "optirs-gpu lib device::config::tests::limits_can_be_lowered_and_not_raised",
    },
    Fault {
        name: "device-software-unasked",
        file: "optirs-gpu/src/device/select.rs",
        find: "None if adapter.kind == AdapterKind::Software && !config.allow_software => {",
        replace: "None if adapter.kind == AdapterKind::Cpu && !config.allow_software => {",
        wrong: "A software adapter is taken where there is no other, without being asked for.",
        caught_by: "optirs-gpu lib device::select::tests::software_will_do_only_after_every_gpu",
    },
    Fault {
        name: "device-integrated-before-discrete",
        file: "optirs-gpu/src/device/adapter.rs",
        find: r#"    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the memory of the host.
    Integrated,"#,
        replace: r#"    /// A GPU that shares the memory of the host.
    Integrated,
    /// A GPU with memory of its own.
    Discrete,"#,
        wrong: "The integrated GPU comes before the discrete one.",
        caught_by: "optirs-gpu lib device::select::tests::discrete_comes_before_integrated_and_the_first_of_equals_is_taken",
    },
    Fault {
        name: "device-lost-one-is-shared",
        file: "optirs-gpu/src/device/shared.rs",
        find: "if inner.backend.check().is_ok() {",
        replace: "{",
        wrong: "An optimizer gets the lost device of another one instead of a new one.",
        caught_by: "optirs-gpu-tests device shared::a_lost_device_is_not_shared_any_further",
    },
];
