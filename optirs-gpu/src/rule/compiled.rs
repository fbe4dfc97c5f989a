//! Passes, compiled once for every processor of the target and again for those that take more numbers at a time, and the
//! choice between them at run time.
//!
//! They compute the same bits: wider instructions do the same operations with more elements at once. Rust contracts no
//! multiplication and addition, whatever the processor has.

use super::cpu::ChunkArguments;

/// A pass over chunks.
pub trait Pass {
    /// Runs it over one chunk. It is to be `#[inline(always)]`, and what its loops are in, too: only what is inlined into
    /// a function that is compiled for wider instructions uses them.
    fn run(chunk: &mut ChunkArguments<'_>);
}

/// A [`Pass`], compiled for each of the [`Instructions`].
#[derive(Clone, Copy, Debug)]
pub struct CompiledPass {
    /// By the number of [`Instructions`]; none asks more of its caller than that the processor has them.
    functions: [unsafe fn(&mut ChunkArguments<'_>); ALL.len()],
}

impl CompiledPass {
    /// This pass.
    #[cfg(target_arch = "x86_64")]
    pub const fn of<P: Pass>() -> CompiledPass {
        CompiledPass { functions: [P::run, with_avx2::<P>, with_avx512::<P>] }
    }

    /// This pass.
    #[cfg(not(target_arch = "x86_64"))]
    pub const fn of<P: Pass>() -> CompiledPass {
        CompiledPass { functions: [P::run; ALL.len()] }
    }

    /// Runs it over one chunk.
    #[expect(unsafe_code, reason = "which instructions a processor has is known at run time alone")]
    pub fn run(&self, instructions: Instructions, chunk: &mut ChunkArguments<'_>) {
        let function = self.functions[instructions.0 as usize];
        // SAFETY: the processor has these instructions, for `Instructions` are made by `Instructions::available` alone,
        // which asks it; and the function needs nothing else, as `CompiledPass::of` shows.
        unsafe { function(chunk) }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<P: Pass>(chunk: &mut ChunkArguments<'_>) {
    P::run(chunk);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn with_avx512<P: Pass>(chunk: &mut ChunkArguments<'_>) {
    P::run(chunk);
}

/// Instructions that this processor has and passes are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions(Set);

/// On other targets than x86-64 there is only the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    /// What every processor of the target has.
    Baseline,
    Avx2,
    Avx512,
}

/// The narrowest first; the place of each is its discriminant.
const ALL: [Set; 3] = [Set::Baseline, Set::Avx2, Set::Avx512];

impl Instructions {
    /// All of them, the narrowest first.
    pub fn available() -> impl DoubleEndedIterator<Item = Instructions> {
        ALL.into_iter().filter(|set| has(*set)).map(Instructions)
    }

    /// Those that take the most numbers at a time.
    pub fn widest() -> Instructions {
        Instructions::available().next_back().unwrap_or(Instructions(Set::Baseline))
    }
}

#[cfg(target_arch = "x86_64")]
fn has(set: Set) -> bool {
    match set {
        Set::Baseline => true,
        Set::Avx2 => is_x86_feature_detected!("avx2"),
        Set::Avx512 => is_x86_feature_detected!("avx512f"),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has(set: Set) -> bool {
    set == Set::Baseline
}
