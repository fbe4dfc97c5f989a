//! What generated CPU kernels are called with, and the fixed order in which sums are taken on every target.
//!
//! Addition of floats is not associative, so the order is part of the contract: a GPU, the CPU and the interpreter add
//! the same pairs, and a result depends neither on the number of threads nor on how many tensors step together.
//!
//! * A chunk: element i goes to lane `i % 1024`, in order. A thread holds four lanes, `(l0 + l1) + (l2 + l3)`.
//! * A tensor: its chunk j goes to thread `j % 256`, in order.
//! * All tensors: the tensor at place i of the table goes to thread `i % 256`, in order.
//! * The 256 threads meet in a tree: `s[t] = s[t] + s[t + stride]` for the strides 128, 64, …, 1.

use core::ops::Range;

pub use super::compiled::{CompiledPass, Instructions, Pass};
use super::records::{LANES, WORKGROUP_SIZE};

/// Arguments of a pass over one chunk. Words of reals are f32 bits.
#[derive(Debug)]
pub struct ChunkArguments<'a> {
    /// The tensor's row.
    pub row: &'a [u32],
    /// The record of all tensors.
    pub all: &'a [u32],
    /// The tensor's record.
    pub tensor: &'a [u32],
    /// The tensor's clip coefficient.
    pub clip: f32,
    /// The chunk's parameters.
    pub param: &'a mut [f32],
    /// The chunk's gradients; empty where the program takes none.
    pub grad: &'a [f32],
    /// The chunk's extra inputs, by index; empty slices for those not bound.
    pub inputs: &'a [&'a [f32]],
    /// The chunk's element states, in the variant's order, each as long as `param`.
    pub states: &'a mut [&'a mut [f32]],
    /// The chunk's partial record.
    pub partials: &'a mut [u32],
}

/// Arguments of a finish over one tensor.
#[derive(Debug)]
pub struct TensorArguments<'a> {
    /// The tensor's row.
    pub row: &'a [u32],
    /// The record of all tensors.
    pub all: &'a [u32],
    /// The tensor's record.
    pub tensor: &'a mut [u32],
    /// The tensor's clip coefficient.
    pub clip: f32,
    /// The tensor's partial records, in order of its chunks.
    pub partials: &'a [u32],
    /// Words of one partial record.
    pub partial_words: usize,
}

/// Arguments of the finish over all tensors.
#[derive(Debug)]
pub struct AllArguments<'a> {
    /// Row 0, for fields of extent Const.
    pub row: &'a [u32],
    /// The record of all tensors.
    pub all: &'a mut [u32],
    /// Tensor records of all slots.
    pub tensors: &'a [u32],
    /// Words of one tensor record.
    pub tensor_words: usize,
    /// Slots of the tensors that take part, in table order.
    pub slots: &'a [u32],
}

/// How the values of a reduction meet.
pub trait Combine {
    /// What is accumulated: `f32`, or `u32` for counts.
    type Value: Copy;
    /// What an empty lane holds. It changes no result of [`Combine::meet`] that it meets.
    const IDENTITY: Self::Value;
    /// The accumulator `a` takes in `x`.
    fn meet(a: Self::Value, x: Self::Value) -> Self::Value;
    /// As a word of a partial or tensor record.
    fn to_word(value: Self::Value) -> u32;
    /// From a word of a partial or tensor record.
    fn from_word(word: u32) -> Self::Value;
}

/// `a + x`, from 0.
#[derive(Clone, Copy, Debug)]
pub struct Sum;

/// `if x < a { x } else { a }`, from +∞: a NaN is passed over.
#[derive(Clone, Copy, Debug)]
pub struct Min;

/// `if a < x { x } else { a }`, from −∞: a NaN is passed over.
#[derive(Clone, Copy, Debug)]
pub struct Max;

/// `a + x` of whole numbers, from 0.
#[derive(Clone, Copy, Debug)]
pub struct Count;

macro_rules! combine_reals {
    ($name:ident, $identity:expr, |$a:ident, $x:ident| $meet:expr) => {
        impl Combine for $name {
            type Value = f32;
            const IDENTITY: f32 = $identity;
            #[inline]
            fn meet($a: f32, $x: f32) -> f32 {
                $meet
            }
            fn to_word(value: f32) -> u32 {
                value.to_bits()
            }
            fn from_word(word: u32) -> f32 {
                f32::from_bits(word)
            }
        }
    };
}

combine_reals!(Sum, 0.0, |a, x| a + x);
combine_reals!(Min, f32::INFINITY, |a, x| if x < a { x } else { a });
combine_reals!(Max, f32::NEG_INFINITY, |a, x| if a < x { x } else { a });

impl Combine for Count {
    type Value = u32;
    const IDENTITY: u32 = 0;
    #[inline]
    fn meet(a: u32, x: u32) -> u32 {
        a.wrapping_add(x)
    }
    fn to_word(value: u32) -> u32 {
        value
    }
    fn from_word(word: u32) -> u32 {
        word
    }
}

/// The running values of one reduction over a chunk, one per lane.
#[derive(Clone, Debug)]
pub struct Lanes<C: Combine>([C::Value; LANES]);

impl<C: Combine> Lanes<C> {
    /// Every lane at the identity.
    #[expect(clippy::new_without_default, reason = "generated code says what it begins with")]
    pub fn new() -> Self {
        Self([C::IDENTITY; LANES])
    }

    /// The lanes of the first `len` elements of a block of up to [`LANES`].
    #[inline]
    pub fn block(&mut self, len: usize) -> &mut [C::Value] {
        &mut self.0[..len]
    }

    /// The chunk's partial result, as a word. Inlined, so that it is compiled for the same instructions as the pass.
    #[inline(always)]
    pub fn total(&self) -> u32 {
        let mut threads = [C::IDENTITY; WORKGROUP_SIZE];
        for (thread, lanes) in threads.iter_mut().zip(self.0.chunks_exact(4)) {
            *thread = C::meet(C::meet(lanes[0], lanes[1]), C::meet(lanes[2], lanes[3]));
        }
        C::to_word(tree::<C>(&mut threads))
    }
}

/// A tensor's total of one word of its partial records.
pub fn total_of_chunks<C: Combine>(tensor: &TensorArguments<'_>, word: usize) -> C::Value {
    gather::<C>(tensor.partials.chunks_exact(tensor.partial_words).map(|record| record[word]))
}

/// The total over all tensors that take part of one word of their records.
pub fn total_of_tensors<C: Combine>(all: &AllArguments<'_>, word: usize) -> C::Value {
    gather::<C>(all.slots.iter().map(|&slot| all.tensors[slot as usize * all.tensor_words + word]))
}

/// Value i goes to thread `i % 256`, then the tree.
fn gather<C: Combine>(words: impl Iterator<Item = u32>) -> C::Value {
    let mut threads = [C::IDENTITY; WORKGROUP_SIZE];
    let mut count = 0;
    for word in words {
        let thread = &mut threads[count % WORKGROUP_SIZE];
        *thread = C::meet(*thread, C::from_word(word));
        count += 1;
    }
    // Where the threads of the other half have had no value, nothing changes when they meet.
    let busy = count.clamp(1, WORKGROUP_SIZE).next_power_of_two();
    tree::<C>(&mut threads[..busy])
}

/// Of so many threads as a power of two.
#[inline(always)]
fn tree<C: Combine>(threads: &mut [C::Value]) -> C::Value {
    let mut stride = threads.len() / 2;
    while stride > 0 {
        let (low, high) = threads.split_at_mut(stride);
        for (a, x) in low.iter_mut().zip(high) {
            *a = C::meet(*a, *x);
        }
        stride /= 2;
    }
    threads[0]
}

/// 2⁻⁹⁶: brings the largest f32 to 2³², whose square is far from overflow even in a sum of 2³² of them.
const NORM_SCALE: f32 = f32::from_bits((127 - 96) << 23);
/// 2⁹⁶
const NORM_UNSCALE: f32 = f32::from_bits((127 + 96) << 23);

/// What a norm sums.
#[inline]
pub fn square(x: f32) -> f32 {
    x * x
}

/// Up to this magnitude, 2²¹, a scaled square is at most 2⁻¹⁵⁰: half of the least f32, which rounds to 0.
const NORM_UNDERFLOW: u32 = ((1 << 21) as f32).to_bits();

/// What a norm sums beside it, for the case that the sum of squares overflows.
#[inline]
pub fn scaled_square(x: f32) -> f32 {
    // The squares of usual values underflow, which takes processors long: those that would round to 0 are squares of 0 here.
    // Chosen among bits, not numbers, or the compiler takes the product of all values first and chooses then.
    let bits = x.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let y = f32::from_bits(if magnitude <= NORM_UNDERFLOW { 0 } else { bits }) * NORM_SCALE;
    y * y
}

/// The norm from both sums: the plain one unless it is infinite or NaN.
pub fn norm(squares: f32, scaled_squares: f32) -> f32 {
    if squares.is_finite() { squares.sqrt() } else { scaled_squares.sqrt() * NORM_UNSCALE }
}

/// A chunk of `len` elements in blocks of one element per lane.
pub fn blocks(len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(LANES).map(move |start| start..len.min(start + LANES))
}

/// The element states of a chunk by name: `let [m, v] = states(chunk.states)`. A state that the caller does not have is
/// empty, so that the kernel stops at its first access.
pub fn states<'a, const N: usize>(states: &'a mut [&mut [f32]]) -> [&'a mut [f32]; N] {
    let mut states = states.iter_mut();
    core::array::from_fn(|_| states.next().map_or_else(Default::default, |state| &mut **state))
}

#[cfg(test)]
#[path = "cpu_tests.rs"]
mod tests;
