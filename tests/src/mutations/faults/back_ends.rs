//! Faults in what runs a step: dispatches, the CPU, wgpu, the arithmetic that generated code calls.

use crate::mutations::Fault;

/// The faults.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "dispatch-second-range-skipped",
        file: "optirs-gpu/src/backend/dispatch.rs",
        find: "let passes = ranges.iter().map(",
        replace: "let passes = ranges.iter().take(1).map(",
        wrong: "Only the first range of a pass is dispatched.",
        caught_by: "optirs-gpu lib optimizer::tests::shards::limits_do_not_change_a_bit",
    },
    Fault {
        name: "dispatch-finish-over-one-tensor",
        file: "optirs-gpu/src/backend/dispatch.rs",
        find: "KernelKind::FinishTensor(_) => (&[][..], self.tensor_count),",
        replace: "KernelKind::FinishTensor(_) => (&[][..], self.tensor_count.min(1)),",
        wrong: "Only the first tensor is finished.",
        caught_by: "optirs-gpu-tests runtime clipping::the_norm_of_each_tensor_is_clipped",
    },
    Fault {
        name: "dispatch-grid-leaves-out-the-last",
        file: "optirs-gpu/src/backend/mod.rs",
        find: "Ok([groups.div_ceil(rows.max(1)), rows, 1])",
        replace: "Ok([(groups / rows.max(1)).max(1), rows, 1])",
        wrong: "A grid of several lines has no place for the last workgroups.",
        caught_by: "optirs-gpu lib backend::tests::a_grid_covers_every_group_and_wastes_less_than_a_row",
    },
    Fault {
        name: "wgpu-finish-before-the-last-range",
        file: "optirs-gpu/src/backend/wgpu/launch.rs",
        find: "dispatches.push(ReadyDispatch { pipeline: ready.pipeline.clone(), group, grid });",
        replace: r#"let before = dispatches.len().saturating_sub(usize::from(dispatch.range.is_none()));
                    dispatches.insert(before, ReadyDispatch { pipeline: ready.pipeline.clone(), group, grid });"#,
        wrong: "A finish runs before the last range of its pass.",
        caught_by: "optirs-gpu lib backend::wgpu::tests::step::a_step_updates_its_tensor_and_nothing_else_and_the_finish_sees_the_pass",
    },
    Fault {
        name: "wgpu-one-module-for-shared-buffers",
        file: "optirs-gpu/src/backend/wgpu/program.rs",
        find: "let key = (core::ptr::from_ref(program) as usize, shared);",
        replace: "let key = (core::ptr::from_ref(program) as usize, Shared::default());",
        wrong: "Gradients in the parameters' buffer are stepped with the module for buffers of their own.",
        caught_by: "optirs-gpu-tests runtime bindings::tensors_of_others_are_stepped_in_place",
    },
    Fault {
        name: "wgpu-second-piece-over-the-first",
        file: "optirs-gpu/src/backend/wgpu/transfer.rs",
        find: "            at += length;\n",
        replace: "",
        wrong: "The second piece of a large write lands on the first.",
        caught_by: "optirs-gpu lib backend::wgpu::tests::step::transfers_larger_than_a_piece_are_whole",
    },
    Fault {
        name: "wgpu-staging-used-before-it-is-done",
        file: "optirs-gpu/src/backend/wgpu/staging.rs",
        find: "            piece.arrive(flight)?;\n",
        replace: "",
        wrong: "A buffer that the device still uses is handed out.",
        caught_by: "optirs-gpu lib backend::wgpu::tests::staging::a_buffer_that_the_device_is_late_with_is_neither_used_nor_replaced",
    },
    Fault {
        name: "wgpu-what-a-step-brings-overlaps",
        file: "optirs-gpu/src/backend/wgpu/launch.rs",
        find: "            at += room(write);\n",
        replace: "",
        wrong: "What a step brings for one buffer lies in staging memory where what it brings for another does.",
        caught_by: "optirs-gpu lib backend::wgpu::tests::brought::each_step_has_what_it_brought_whatever_was_written_before_and_is_in_flight",
    },
    Fault {
        name: "wgpu-what-a-step-brings-comes-late",
        file: "optirs-gpu/src/backend/wgpu/launch.rs",
        find: r#"            copies.iter().for_each(|copy| copy.encode(&mut encoder));
            encode(&dispatches, &mut encoder);
"#,
        replace: r#"            encode(&dispatches, &mut encoder);
            copies.iter().for_each(|copy| copy.encode(&mut encoder));
"#,
        wrong: "What a step brings along is there when its kernels have run.",
        caught_by: "optirs-gpu lib backend::wgpu::tests::brought::each_step_has_what_it_brought_whatever_was_written_before_and_is_in_flight",
    },
    Fault {
        name: "wgpu-reads-held-at-once-are-kept",
        file: "optirs-gpu/src/backend/wgpu/staging.rs",
        find: r#"            Some(staging) if held.made <= self.most => held.resting.push_back(staging),
            _ => held.made -= 1,"#,
        replace: r#"            Some(staging) => held.resting.push_back(staging),
            None => held.made -= 1,"#,
        wrong: "A device keeps as many buffers as reads were ever held at once.",
        caught_by: "optirs-gpu lib backend::wgpu::tests::brought::what_is_read_of_steps_is_theirs_in_whatever_order_it_is_received",
    },
    Fault {
        name: "wgpu-waits-for-no-time-at-all",
        file: "optirs-gpu/src/backend/wgpu/flight.rs",
        find: r#"            let status = self.device.poll(wgpu::PollType::Poll)?;
"#,
        replace: r#"            let submission_index = submission.map(|submission| submission.index.clone());
            let look = wgpu::PollType::Wait { submission_index, timeout: Some(Duration::ZERO) };
            let status = match self.device.poll(look) {
                Err(wgpu::PollError::Timeout) => continue,
                status => status?,
            };
"#,
        wrong: "To see whether work is done is to wait for no time at all: threads that use a device at once lose it.",
        caught_by: "optirs-gpu lib backend::wgpu::tests::threads::waits_that_stay_awake_end_whatever_other_threads_poll_and_submit",
    },
    Fault {
        name: "wgpu-staging-larger-than-buffers",
        file: "optirs-gpu/src/backend/wgpu/staging.rs",
        find: "(piece.min(largest) / unit)",
        replace: "(piece.max(largest.min(1)) / unit)",
        wrong: "Staging memory is as large as ever where a device's buffers are smaller.",
        caught_by: "optirs-gpu lib backend::wgpu::tests::step::where_buffers_are_small_staging_memory_is_no_larger",
    },
    Fault {
        name: "wgpu-copies-take-up-other-work",
        file: "optirs-gpu/src/backend/wgpu/copying.rs",
        find: "bytes <= SHARE || rayon::current_thread_index().is_some()",
        replace: "bytes <= SHARE",
        wrong: "A thread of a pool takes up other work, another transfer too, while it waits for a copy.",
        caught_by: "optirs-gpu lib backend::wgpu::tests::staging::a_thread_of_a_pool_does_nothing_else_while_it_transfers",
    },
    Fault {
        name: "wgpu-staging-replaced-when-late",
        file: "optirs-gpu/src/backend/wgpu/staging.rs",
        find: "matches!(arrived, Ok(()) | Err(GpuOptimError::Timeout { .. }))",
        replace: "arrived.is_ok()",
        wrong: "Each wait that is given up leaves a buffer with the driver and lets another one be made.",
        caught_by: "optirs-gpu lib backend::wgpu::tests::staging::a_buffer_that_the_device_is_late_with_is_neither_used_nor_replaced",
    },
    Fault {
        name: "wgpu-bind-groups-keep-buffers",
        file: "optirs-gpu/src/backend/wgpu/bind.rs",
        find: "slices.iter().all(|&(id, ..)| id != buffer)",
        replace: "slices.iter().any(|&(id, ..)| id != buffer)",
        wrong: "Bind groups keep the memory of buffers that were freed.",
        caught_by: "optirs-gpu lib backend::wgpu::tests::step::what_is_freed_is_not_kept_by_bind_groups",
    },
    Fault {
        name: "cpu-steps-although-found-inf",
        file: "optirs-gpu/src/backend/cpu/launch.rs",
        find: "if View::of(launch.scalars)?.words()?.first() != Some(&0) {",
        replace: "if View::of(launch.scalars)?.words()?.is_empty() {",
        wrong: "The CPU steps although a gradient is not finite.",
        caught_by: "optirs-gpu lib backend::cpu::tests::an_overflow_that_was_found_stops_every_kernel",
    },
    Fault {
        name: "cpu-tensors-by-place-in-the-table",
        file: "optirs-gpu/src/backend/cpu/launch.rs",
        find: "table.tensors.iter().map(|record| record.slot).collect();",
        replace: "(0..table.tensors.len() as u32).collect();",
        wrong: "The finish over all tensors takes a tensor's place in the table for its slot.",
        caught_by: "optirs-gpu-tests runtime participants::what_takes_part_is_all_there_is",
    },
    Fault {
        name: "cpu-partials-from-the-first-chunk",
        file: "optirs-gpu/src/backend/cpu/launch.rs",
        find: "let first = record.first_partial as usize * record_words;",
        replace: "let first = record.first_partial as usize;",
        wrong: "The finish of a tensor totals the partial sums of others where the record has several words.",
        caught_by: "optirs-gpu-tests parity cpu::cpu_steps_with_other_hyper_parameters_are_bit_equal_to_the_interpreter",
    },
    Fault {
        name: "cpu-states-reversed",
        file: "optirs-gpu/src/backend/cpu/pass.rs",
        find: "start: chunk.state_start as usize + cell * stride,",
        replace: "start: chunk.state_start as usize + (cells - 1 - cell) * stride,",
        wrong: "The CPU hands a kernel its states in reverse.",
        caught_by: "optirs-gpu lib optimizer::tests::states::every_kind_of_state_starts_and_advances",
    },
    Fault {
        name: "cpu-gradient-from-the-parameters-start",
        file: "optirs-gpu/src/backend/cpu/pass.rs",
        find: r#"part("gradients", grad, chunk.grad_start as usize, chunk.len as usize)"#,
        replace: r#"part("gradients", grad, chunk.param_start as usize, chunk.len as usize)"#,
        wrong: "The CPU reads gradients from where the parameters start.",
        caught_by: "optirs-gpu lib backend::cpu::tests::gradients_have_a_start_of_their_own",
    },
    Fault {
        name: "cpu-pass-with-avx2-runs-twice",
        file: "optirs-gpu/src/rule/compiled.rs",
        find: r#"#[target_feature(enable = "avx2")]
fn with_avx2<P: Pass>(chunk: &mut ChunkArguments<'_>) {
"#,
        replace: r#"#[target_feature(enable = "avx2")]
fn with_avx2<P: Pass>(chunk: &mut ChunkArguments<'_>) {
    P::run(chunk);
"#,
        wrong: "A pass has another result where it is compiled for AVX2.",
        caught_by: "optirs-gpu-tests instructions passes_have_one_result_whatever_they_are_compiled_for",
    },
    Fault {
        name: "cpu-lanes-in-another-order",
        file: "optirs-gpu/src/rule/cpu.rs",
        find: "C::meet(C::meet(lanes[0], lanes[1]), C::meet(lanes[2], lanes[3]))",
        replace: "C::meet(C::meet(C::meet(lanes[0], lanes[1]), lanes[2]), lanes[3])",
        wrong: "A thread of the CPU adds its four lanes one after another.",
        caught_by: "optirs-gpu lib rule::cpu::tests::a_chunk_is_summed_in_the_order_of_the_contract",
    },
    Fault {
        name: "cpu-block-shorter-than-the-lanes",
        file: "optirs-gpu/src/rule/cpu.rs",
        find: "(0..len).step_by(LANES).map(move |start| start..len.min(start + LANES))",
        replace: "(0..len).step_by(LANES).map(move |start| start..(len - 1).min(start + LANES))",
        wrong: "The last element of a chunk is skipped.",
        caught_by: "optirs-gpu lib rule::cpu::tests::blocks_cover_a_chunk",
    },
    Fault {
        name: "cpu-norm-overflows",
        file: "optirs-gpu/src/rule/cpu.rs",
        find: "if squares.is_finite() { squares.sqrt() }",
        replace: "if !squares.is_nan() { squares.sqrt() }",
        wrong: "A norm of the CPU is infinite where its sum of squares is.",
        caught_by: "optirs-gpu lib rule::cpu::tests::a_norm_survives_the_overflow_of_its_squares",
    },
    Fault {
        name: "math-power-of-the-reciprocal",
        file: "optirs-gpu/src/rule/math.rs",
        find: r#"pub fn powi(base: f64, exponent: i64) -> f64 {
"#,
        replace: r#"pub fn powi(base: f64, exponent: i64) -> f64 {
    let (base, exponent) = if exponent < 0 { (1.0 / base, exponent.saturating_neg()) } else { (base, exponent) };
"#,
        wrong: "A negative power is that of the reciprocal, rounded more often.",
        caught_by: "optirs-gpu lib rule::math::tests::powers_multiply_from_the_lowest_bit",
    },
    Fault {
        name: "math-dimension-beyond-the-last-is-zero",
        file: "optirs-gpu/src/rule/math.rs",
        find: "shape.get(index).map_or(1, |&dim| whole(dim as u64))",
        replace: "shape.get(index).map_or(0, |&dim| whole(dim as u64))",
        wrong: "`dim(1)` of a vector is 0.",
        caught_by: "optirs-gpu lib rule::math::tests::whole_numbers_saturate",
    },
    Fault {
        name: "records-clip-of-another-word",
        file: "optirs-gpu/src/rule/records.rs",
        find: "[row, cell_stride, slot, len, first_partial, partials, clip, 0]",
        replace: "[row, cell_stride, slot, len, first_partial, partials, 0, clip]",
        wrong: "A tensor's clip coefficient is read from the word of `found_inf`: it is 0.",
        caught_by: "optirs-gpu lib tables::tests::a_small_step_in_literal_words",
    },
];
