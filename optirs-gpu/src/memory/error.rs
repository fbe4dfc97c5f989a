//! What can go wrong with memory, with the values that were wrong.

use crate::GpuOptimError;

/// An error of this module. Lengths and offsets are in the units that the allocator or the plan counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Not enough is free in one piece.
    #[error("{requested} do not fit: {free} of {capacity} are free, {largest} in one piece; free blocks or enlarge it")]
    Exhausted {
        /// The length that was asked for.
        requested: u64,
        /// What is free altogether.
        free: u64,
        /// The longest request that could be served.
        largest: u64,
        /// What there is altogether.
        capacity: u64,
    },
    /// A number outside of its range.
    #[error("{what} is {value}, but must be {needed}")]
    Invalid {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The range.
        needed: &'static str,
    },
    /// Slabs that no buddy of this size can give.
    #[error(
        "a slab of {slab_len} is longer than {longest}, the longest block of its buddy: shorten it or enlarge the buddy"
    )]
    SlabTooLong {
        /// The length of a slab.
        slab_len: u64,
        /// The longest block that the unused buddy has.
        longest: u64,
    },
    /// The block was freed already, even if another has been placed there since.
    #[error("the block at {offset} was freed already: free every block once")]
    FreedTwice {
        /// Where the block lay.
        offset: u64,
    },
    /// The handle was given out by another object than the one that it was given to.
    #[error("the handle of {offset} belongs to another owner: give it back where it was obtained")]
    Foreign {
        /// What the handle stands for: an offset, or the number of an object.
        offset: u64,
    },
    /// The host has less memory than a pool should hold.
    #[error("the host does not have {bytes} bytes in one piece: make the pool smaller")]
    HostExhausted {
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// Commands that use the memory have not run.
    #[error(
        "{commands} commands of streams use the memory at {offset} and have not run: synchronize their streams first"
    )]
    InUse {
        /// Where it starts.
        offset: u64,
        /// How many there are.
        commands: u64,
    },
    /// The host was to reach into memory that is the device's alone.
    #[error("the memory at {offset} is of `{made_by}`, which the host cannot reach: copy it, or use `{instead}`")]
    NotHostAccessible {
        /// Where it starts.
        offset: u64,
        /// What made it.
        made_by: &'static str,
        /// What makes memory that the host can reach.
        instead: &'static str,
    },
    /// A mark behind which the arena was rewound already.
    #[error("the arena was rewound behind the mark at {offset} already: take a new mark")]
    StaleMark {
        /// Where the mark was.
        offset: u64,
    },
}

impl From<MemoryError> for GpuOptimError {
    /// What is exhausted is [`GpuOptimError::OutOfMemory`], everything else [`GpuOptimError::InvalidState`].
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::Exhausted { .. } | MemoryError::HostExhausted { .. } => {
                GpuOptimError::OutOfMemory(error.to_string())
            }
            _ => GpuOptimError::InvalidState(error.to_string()),
        }
    }
}
