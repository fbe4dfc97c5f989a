//! Faults in `memory`: allocators over offsets, what stays resident, pools over host memory.

use crate::mutations::Fault;

/// The faults.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "allocation-merged-blocks-start-at-the-upper-half",
        file: "optirs-gpu/src/memory/allocation/buddy.rs",
        find: r#"            start &= !(1 << order);
"#,
        replace: "",
        wrong: "A block that merges with its lower buddy is listed where it started itself.",
        caught_by: "optirs-gpu lib memory::allocation::tests::model::a_buddy_keeps_to_the_model",
    },
    Fault {
        name: "allocation-empty-slabs-stay",
        file: "optirs-gpu/src/memory/allocation/slab.rs",
        find: "if objects.used == 0 {",
        replace: "if objects.used == 0 && self.len == 0 {",
        wrong: "A slab that is empty stays one: freeing all blocks does not give all memory back.",
        caught_by: "optirs-gpu lib memory::allocation::tests::objects_share_a_slab_and_an_empty_slab_goes_back",
    },
    Fault {
        name: "allocation-handles-by-offset-alone",
        file: "optirs-gpu/src/memory/allocation/ledger.rs",
        find: "Some((serial, what)) if *serial == block.serial => Ok(what),",
        replace: "Some((_, what)) => Ok(what),",
        wrong: "A handle that was freed frees the block that lies there now.",
        caught_by: "optirs-gpu lib memory::allocation::tests::a_handle_is_checked_before_it_is_believed",
    },
    Fault {
        name: "allocation-marks-outlive-what-they-mark",
        file: "optirs-gpu/src/memory/allocation/arena.rs",
        find: r#"        self.marks.truncate(mark.depth + 1);
"#,
        replace: "",
        wrong: "An arena goes forward to a mark that it was rewound behind: what lies there is not its blocks.",
        caught_by: "optirs-gpu lib memory::allocation::tests::arena::a_mark_behind_which_the_arena_was_rewound_is_stale",
    },
    Fault {
        name: "management-blocks-in-use-move",
        file: "optirs-gpu/src/memory/management/defragmentation.rs",
        find: "let to = if *movable {",
        replace: "let to = if *movable || offset > free_from {",
        wrong: "A block that others hold by its address is moved.",
        caught_by: "optirs-gpu lib memory::management::tests::defragmentation::every_byte_survives_after_every_move",
    },
    Fault {
        name: "management-copies-that-overlap",
        file: "optirs-gpu/src/memory/management/defragmentation.rs",
        find: "let distance = self.from.saturating_sub(self.to);",
        replace: "let distance = self.len.max(self.from.saturating_sub(self.to));",
        wrong: "A move onto itself is made in one copy, which a device must not.",
        caught_by: "optirs-gpu lib memory::management::tests::defragmentation::every_byte_survives_after_every_move",
    },
    Fault {
        name: "management-uses-are-not-counted",
        file: "optirs-gpu/src/memory/management/orders.rs",
        find: "before.map_or(1, |(count, _)| count + 1)",
        replace: "before.map_or(1, |(count, _)| count.max(2))",
        wrong: "LFU tells entries used once from others, and no more.",
        caught_by: "optirs-gpu lib memory::management::tests::eviction::lfu_is_that_of_the_simulator",
    },
    Fault {
        name: "management-the-hand-sees-no-use",
        file: "optirs-gpu/src/memory/management/orders.rs",
        find: "clock.used.insert(key, true);",
        replace: "clock.used.insert(key, false);",
        wrong: "CLOCK evicts what came first, used or not.",
        caught_by: "optirs-gpu lib memory::management::tests::eviction::clock_is_that_of_the_simulator",
    },
    Fault {
        name: "management-no-write-barrier",
        file: "optirs-gpu/src/memory/management/collection.rs",
        find: "self.remembered.insert(from.number);",
        replace: "self.remembered.remove(&from.number);",
        wrong: "A collection of the young frees what only an old object refers to.",
        caught_by: "optirs-gpu lib memory::management::tests::collection::garbage_is_what_cannot_be_reached",
    },
    Fault {
        name: "management-any-repetition-is-a-pattern",
        file: "optirs-gpu/src/memory/management/prefetching.rs",
        find: "*count >= 2 && 2 * count > total",
        replace: "*count >= 2",
        wrong: "What followed in two of many cases is fetched.",
        caught_by: "optirs-gpu lib memory::management::tests::prefetching::a_successor_that_comes_in_half_of_the_cases_is_not_likely",
    },
    Fault {
        name: "vendors-events-hold-nobody-back",
        file: "optirs-gpu/src/memory/vendors/streams.rs",
        find: "if self.queues[event.stream.number].done < event.commands =>",
        replace: "if self.queues[event.stream.number].done == u64::MAX && event.commands > 0 =>",
        wrong: "A stream does not wait for the event that it was told to wait for.",
        caught_by: "optirs-gpu lib memory::vendors::tests::a_program_without_races_does_what_its_text_says",
    },
    Fault {
        name: "vendors-memory-is-freed-in-use",
        file: "optirs-gpu/src/memory/vendors/pool.rs",
        find: r#"        self.check_idle(buffer.block.span())?;
"#,
        replace: "",
        wrong: "A buffer is freed while copies to it have not run: they write over whoever comes next.",
        caught_by: "optirs-gpu lib memory::vendors::tests::a_stream_runs_when_somebody_waits_for_it_and_not_before",
    },
    Fault {
        name: "vendors-the-host-reads-the-device",
        file: "optirs-gpu/src/memory/vendors/pool.rs",
        find: "if !slice.buffer.kind.is_host_accessible() {",
        replace: "if slice.len == 0 {",
        wrong: "The host reads memory that on a device it cannot reach.",
        caught_by: "optirs-gpu lib memory::vendors::tests::vendors_differ_in_alignment_and_names_alone",
    },
    Fault {
        name: "vendors-peak-of-now",
        file: "optirs-gpu/src/memory/vendors/pool.rs",
        find: "self.statistics.peak.max(self.statistics.used)",
        replace: "self.statistics.used",
        wrong: "The peak forgets what has been freed.",
        caught_by: "optirs-gpu lib memory::vendors::tests::vendors_differ_in_alignment_and_names_alone",
    },
];
