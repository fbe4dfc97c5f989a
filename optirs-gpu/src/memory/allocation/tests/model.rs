//! Random calls, checked after each against a map of the units.

use proptest::prelude::*;

use super::*;

/// A request, or the freeing of one of the blocks that there are; frees of blocks that are gone are tried, too.
#[derive(Debug, Clone)]
enum Call {
    Allocate(u64),
    Free(usize),
    FreeAgain(usize),
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = prop_oneof![
        4 => prop_oneof![1..40u64, 1..400u64].prop_map(Call::Allocate),
        3 => any::<usize>().prop_map(Call::Free),
        1 => any::<usize>().prop_map(Call::FreeAgain),
    ];
    prop::collection::vec(call, 1..if cfg!(miri) { 30 } else { 300 })
}

/// The units that are taken, and the blocks.
struct Model {
    taken: Vec<bool>,
    live: Vec<Block>,
    gone: Vec<Block>,
}

impl Model {
    fn mark(&mut self, block: &Block, taken: bool) {
        let units = &mut self.taken[block.offset() as usize..][..block.len() as usize];
        assert!(units.iter().all(|unit| *unit != taken), "{block:?} overlaps another");
        units.fill(taken);
    }

    fn step(&mut self, allocator: &mut impl Allocator, granularity: u64, call: &Call) {
        match call {
            Call::Allocate(len) => {
                let largest = allocator.largest_free();
                match allocator.allocate(*len) {
                    Ok(block) => {
                        assert!(block.len() >= *len && block.offset().is_multiple_of(granularity), "{block:?}");
                        assert!(*len <= largest, "{len} was served, though {largest} was the most");
                        self.mark(&block, true);
                        self.live.push(block);
                    }
                    Err(MemoryError::Exhausted { requested, free, largest: most, capacity }) => {
                        let expected = (*len, allocator.free_space(), largest, allocator.capacity());
                        assert_eq!((requested, free, most, capacity), expected);
                        // No alignment to allow for: what is free in one piece starts on a multiple of the granularity.
                        assert!(*len > largest, "{len} was refused, though {largest} were free in one piece");
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            Call::Free(at) if !self.live.is_empty() => {
                let block = self.live.swap_remove(at % self.live.len());
                allocator.free(block).unwrap();
                self.mark(&block, false);
                self.gone.push(block);
            }
            Call::FreeAgain(at) if !self.gone.is_empty() => {
                let block = self.gone[at % self.gone.len()];
                assert_eq!(allocator.free(block), Err(MemoryError::FreedTwice { offset: block.offset() }));
            }
            Call::Free(_) | Call::FreeAgain(_) => {}
        }
        let taken = self.taken.iter().filter(|taken| **taken).count() as u64;
        assert_eq!(allocator.capacity() - allocator.free_space(), taken);
    }
}

/// Makes the calls, then frees the rest.
fn run(allocator: &mut impl Allocator, granularity: u64, calls: &[Call]) {
    let taken = vec![false; allocator.capacity() as usize];
    let mut model = Model { taken, live: Vec::new(), gone: Vec::new() };
    for call in calls {
        model.step(allocator, granularity, call);
    }
    while !model.live.is_empty() {
        model.step(allocator, granularity, &Call::Free(model.gone.len() * 7));
    }
}

/// No two free blocks could be merged: the free spans of a buddy, from its definition.
fn assert_merged(buddy: &Buddy) {
    let spans = buddy.free_spans();
    for pair in spans.windows(2) {
        let (low, high) = (pair[0], pair[1]);
        let buddies = low.len == high.len && low.offset ^ low.len == high.offset;
        assert!(!buddies, "{low:?} and {high:?} are buddies and both free");
    }
}

proptest! {
    #[test]
    fn a_buddy_keeps_to_the_model(calls in calls(), capacity in 64..3000u64, granularity in 1..20u64) {
        let mut buddy = Buddy::new(capacity, granularity).unwrap();
        let initial = buddy.free_spans();
        let half = calls.len() / 2;
        let mut model = Model { taken: vec![false; capacity as usize], live: Vec::new(), gone: Vec::new() };
        for call in &calls[..half] {
            model.step(&mut buddy, granularity, call);
            assert_merged(&buddy);
            let free: u64 = buddy.free_spans().iter().map(|span| span.len).sum();
            prop_assert_eq!(free, buddy.free_space());
        }
        for block in model.live {
            prop_assert!(block.len().is_multiple_of(granularity));
            prop_assert!((block.len() / granularity).is_power_of_two());
            buddy.free(block).unwrap();
        }
        run(&mut buddy, granularity, &calls[half..]);
        prop_assert_eq!(buddy.free_spans(), initial);
        prop_assert!(buddy.is_unused());
    }

    #[test]
    fn a_slab_keeps_to_the_model(calls in calls(), capacity in 512..3000u64, granularity in 1..9u64) {
        let classes = [1, 3, 7, 12, 20].map(|granules| granules * granularity);
        let buddy = Buddy::new(capacity, granularity).unwrap();
        let (whole, largest) = (buddy.free_space(), buddy.largest_free());
        let mut slab = Slab::new(buddy, &classes, 24 * granularity).unwrap();
        run(&mut slab, granularity, &calls);
        prop_assert!(slab.is_unused());
        prop_assert_eq!((slab.free_space(), slab.largest_free()), (whole, largest));
    }
}
