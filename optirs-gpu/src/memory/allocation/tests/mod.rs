//! The allocators against a model that only knows which units are taken, and against one another on the same requests.

mod arena;
// A million calls, too many for Miri; the model makes the same ones.
#[cfg(not(miri))]
mod fragmentation;
mod model;

use super::*;

#[test]
fn sizes_that_make_no_sense_are_refused_with_their_value() {
    let invalid = |what, value, needed| MemoryError::Invalid { what, value, needed };
    assert_eq!(Buddy::new(64, 0).unwrap_err(), invalid("the granularity", 0, "at least 1"));
    assert_eq!(Arena::new(63, 64).unwrap_err(), invalid("the capacity", 63, "at least the granularity"));
    let mut buddy = Buddy::new(1 << 40, 64).unwrap();
    assert_eq!(buddy.allocate(0).unwrap_err(), invalid("the length of a block", 0, "at least 1"));
    assert!(matches!(buddy.allocate(u64::MAX), Err(MemoryError::Exhausted { requested: u64::MAX, .. })));
    let _block = buddy.allocate(1).unwrap();
    assert_eq!(Slab::new(buddy, &[64], 64).unwrap_err(), invalid("what the buddy has given out", 64, "0"));
    for (lengths, wrong) in [(&[0][..], 0), (&[64, 64], 64), (&[64, 100], 100), (&[64, 512], 512)] {
        let error = Slab::new(Buddy::new(1024, 64).unwrap(), lengths, 256).unwrap_err();
        assert!(matches!(error, MemoryError::Invalid { what: "the length of an object", value, .. } if value == wrong));
    }
    let error = Slab::new(Buddy::new(1000, 10).unwrap(), &[10], 641).unwrap_err();
    assert_eq!(error, MemoryError::SlabTooLong { slab_len: 641, longest: 640 });
}

#[test]
fn a_buddy_splits_and_merges_as_in_the_book() {
    let mut buddy = Buddy::new(16, 1).unwrap();
    let blocks = [4, 2, 1].map(|len| buddy.allocate(len).unwrap());
    assert_eq!(blocks.map(|block| block.offset()), [0, 4, 6]);
    assert_eq!(buddy.free_spans(), [Span { offset: 7, len: 1 }, Span { offset: 8, len: 8 }]);
    buddy.free(blocks[1]).unwrap();
    assert_eq!(buddy.free_spans()[0], Span { offset: 4, len: 2 }, "6 is taken, so 4 and 6 stay apart");
    buddy.free(blocks[2]).unwrap();
    assert_eq!(buddy.free_spans()[0], Span { offset: 4, len: 4 });
    buddy.free(blocks[0]).unwrap();
    assert_eq!(buddy.free_spans(), [Span { offset: 0, len: 16 }]);
}

#[test]
fn a_handle_is_checked_before_it_is_believed() {
    let mut one = Buddy::new(256, 64).unwrap();
    let mut other = Buddy::new(256, 64).unwrap();
    let block = one.allocate(64).unwrap();
    let there = other.allocate(64).unwrap();
    assert_eq!(one.free(there), Err(MemoryError::Foreign { offset: 0 }));
    one.free(block).unwrap();
    assert_eq!(one.free(block), Err(MemoryError::FreedTwice { offset: 0 }));
    let again = one.allocate(64).unwrap();
    assert_eq!(again.offset(), block.offset());
    assert_eq!(one.free(block), Err(MemoryError::FreedTwice { offset: 0 }), "another block lies there now");
    one.free(again).unwrap();
    assert!(one.is_unused());
}

#[test]
fn what_is_exhausted_says_what_is_left() {
    let mut buddy = Buddy::new(256, 64).unwrap();
    let _kept = buddy.allocate(65).unwrap();
    let error = buddy.allocate(129).unwrap_err();
    assert_eq!(error, MemoryError::Exhausted { requested: 129, free: 128, largest: 128, capacity: 256 });
    let error = crate::GpuOptimError::from(error);
    assert!(matches!(&error, crate::GpuOptimError::OutOfMemory(text) if text.contains("129 do not fit: 128 of 256")));
}

#[test]
fn objects_share_a_slab_and_an_empty_slab_goes_back() {
    let mut slab = Slab::new(Buddy::new(1024, 16).unwrap(), &[48], 256).unwrap();
    let objects: Vec<Block> = (0..6).map(|_| slab.allocate(33).unwrap()).collect();
    let offsets: Vec<u64> = objects.iter().map(Block::offset).collect();
    assert_eq!(offsets, [0, 48, 96, 144, 192, 256], "five to a slab");
    slab.free(objects[2]).unwrap();
    assert_eq!(slab.allocate(48).unwrap().offset(), 96);
    slab.free(objects[5]).unwrap();
    assert_eq!(slab.allocate(512).unwrap().offset(), 512);
    assert_eq!(slab.largest_free(), 256, "the second slab is whole again");
}

#[test]
fn an_object_is_placed_where_no_slab_can_be_had() {
    let mut slab = Slab::new(Buddy::new(1024, 16).unwrap(), &[16], 512).unwrap();
    let blocks = [512, 256, 10].map(|len| slab.allocate(len).unwrap());
    assert_eq!(blocks.map(|block| block.len()), [512, 256, 16]);
    for block in blocks {
        slab.free(block).unwrap();
    }
    assert!(slab.is_unused() && slab.largest_free() == 1024);

    let mut slab = Slab::new(Buddy::new(64, 16).unwrap(), &[16, 32], 64).unwrap();
    let _longer = slab.allocate(32).unwrap();
    assert_eq!(slab.allocate(10).unwrap().len(), 32, "the free object of the longer class");
}
