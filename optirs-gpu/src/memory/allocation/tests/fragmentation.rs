//! How full an allocator gets: random requests and frees at a growing load, until one request fails for the first time. The
//! same traces go to the crate offset-allocator, a two-level segregated fit.

use super::*;

const UNITS: u32 = 65_536;

/// An allocator of either kind under one trace.
trait Subject {
    type Handle: Copy;
    fn take(&mut self, len: u32) -> Option<Self::Handle>;
    fn give(&mut self, handle: Self::Handle);
}

impl<A: Allocator> Subject for A {
    type Handle = Block;

    fn take(&mut self, len: u32) -> Option<Block> {
        self.allocate(len.into()).ok()
    }

    fn give(&mut self, block: Block) {
        self.free(block).unwrap();
    }
}

struct Reference(offset_allocator::Allocator<u32>);

impl Subject for Reference {
    type Handle = offset_allocator::Allocation<u32>;

    fn take(&mut self, len: u32) -> Option<Self::Handle> {
        self.0.allocate(len)
    }

    fn give(&mut self, handle: Self::Handle) {
        self.0.free(handle);
    }
}

/// The requested units that are live at the first failure, as a share of all: three requests for every two frees.
fn filled(subject: &mut impl Subject, seed: u64, length: impl Fn(u64) -> u32) -> f64 {
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let mut live = Vec::new();
    let mut units = 0;
    loop {
        if random() % 5 < 3 || live.is_empty() {
            let len = length(random());
            match subject.take(len) {
                Some(handle) => live.push((handle, len)),
                None => return f64::from(units) / f64::from(UNITS),
            }
            units += len;
        } else {
            let (handle, len) = live.swap_remove(random() as usize % live.len());
            subject.give(handle);
            units -= len;
        }
    }
}

/// The mean over twenty traces, in percent.
fn mean<S: Subject>(subject: impl Fn() -> S, length: impl Fn(u64) -> u32 + Copy) -> f64 {
    (0..20).map(|seed| filled(&mut subject(), seed << 32, length)).sum::<f64>() * 5.0
}

fn buddy() -> Buddy {
    Buddy::new(UNITS.into(), 1).unwrap()
}

fn slab() -> Slab {
    Slab::new(buddy(), &[1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64], 512).unwrap()
}

fn reference() -> Reference {
    Reference(offset_allocator::Allocator::new(UNITS))
}

#[test]
fn fragmentation() {
    let any = |random: u64| (random % 64 + 1) as u32;
    let [buddies, slabs, references] = [mean(buddy, any), mean(slab, any), mean(reference, any)];
    let powers = |random: u64| 1 << (random % 7);
    let [power_buddies, power_references] = [mean(buddy, powers), mean(reference, powers)];
    let measured = format!(
        "any length: buddy {buddies:.0} %, slab {slabs:.0} %, offset-allocator {references:.0} %; \
         powers of two: buddy {power_buddies:.0} %, offset-allocator {power_references:.0} %"
    );
    let expected = "any length: buddy 76 %, slab 83 %, offset-allocator 96 %; \
                    powers of two: buddy 100 %, offset-allocator 100 %";
    assert_eq!(measured, expected, "the head of the module states these numbers");
}
