//! Plans, replayed on real bytes.

use proptest::prelude::*;

use super::*;
use crate::memory::allocation::Span;

/// Blocks with gaps, in units of the alignment, and whether each may move.
fn layouts() -> impl Strategy<Value = (Vec<Placed>, u64, u64)> {
    let blocks =
        prop::collection::vec((0..4u64, 1..40u64, prop::bool::weighted(0.8)), 0..if cfg!(miri) { 8 } else { 40 });
    (blocks, 1..9u64, 0..50u64).prop_map(|(blocks, alignment, behind)| {
        let mut end = 0;
        let mut placed = Vec::new();
        for (gap, len, movable) in blocks {
            let offset = u64::next_multiple_of(end, alignment) + gap * alignment;
            placed.push(Placed { span: Span { offset, len }, movable });
            end = offset + len;
        }
        (placed, end + behind, alignment)
    })
}

/// The bytes of a block: other than those of its neighbours.
fn contents(place: usize, len: u64) -> Vec<u8> {
    (0..len).map(|byte| (place as u64 * 31 + byte * 7 + 1) as u8).collect()
}

/// The longest stretch of units that no block has and that begins aligned, counted one by one.
fn longest_gap(spans: &[Span], capacity: u64, alignment: u64) -> u64 {
    let mut longest = 0;
    let mut run = 0;
    for unit in 0..capacity {
        let is_taken = spans.iter().any(|span| (span.offset..span.offset + span.len).contains(&unit));
        let may_begin = run > 0 || unit.is_multiple_of(alignment);
        run = if is_taken || !may_begin { 0 } else { run + 1 };
        longest = longest.max(run);
    }
    longest
}

proptest! {
    #[test]
    fn every_byte_survives_after_every_move((blocks, capacity, alignment) in layouts(), shift in any::<usize>()) {
        let mut given = blocks.clone();
        given.rotate_left(shift % blocks.len().max(1));
        let plan = DefragmentationPlan::new(&given, capacity, alignment).unwrap();
        let mut spans: Vec<Span> = blocks.iter().map(|block| block.span).collect();
        let mut bytes = vec![0; capacity as usize];
        for (place, span) in spans.iter().enumerate() {
            bytes[span.offset as usize..][..span.len as usize].copy_from_slice(&contents(place, span.len));
        }
        prop_assert_eq!(plan.largest_free_before(), longest_gap(&spans, capacity, alignment));
        for step in plan.moves() {
            let place = spans.iter().position(|span| span.offset == step.from).unwrap();
            prop_assert!(blocks[place].movable && step.to < step.from && step.to.is_multiple_of(alignment));
            prop_assert_eq!(spans[place].len, step.len);
            let mut covered = 0;
            for piece in step.pieces() {
                prop_assert!(piece.from - piece.to >= piece.len, "{piece:?} overlaps itself");
                prop_assert_eq!(piece.from - step.from, covered);
                covered += piece.len;
                let (to, from) = bytes.split_at_mut(piece.from as usize);
                to[piece.to as usize..][..piece.len as usize].copy_from_slice(&from[..piece.len as usize]);
            }
            prop_assert_eq!(covered, step.len);
            spans[place].offset = step.to;
            for (place, span) in spans.iter().enumerate() {
                let now = &bytes[span.offset as usize..][..span.len as usize];
                prop_assert_eq!(now, contents(place, span.len));
            }
        }
        prop_assert_eq!(plan.largest_free_after(), longest_gap(&spans, capacity, alignment));
        prop_assert_eq!(plan.moved(), plan.moves().iter().map(|step| step.len).sum::<u64>());
        prop_assert!(plan.largest_free_after() >= plan.largest_free_before());
        // Between blocks that must stay, all lie as low as they can, or none was moved.
        let mut lowest = 0;
        for (run, now) in blocks.split_inclusive(|block| !block.movable).scan(0, |at, run| {
            *at += run.len();
            Some((run, &spans[*at - run.len()..*at]))
        }) {
            let is_unmoved = run.iter().zip(now).all(|(block, span)| block.span == *span);
            let mut is_low = true;
            for (block, span) in run.iter().zip(now) {
                is_low &= !block.movable || span.offset < lowest + alignment;
                lowest = span.offset + span.len;
            }
            prop_assert!(is_unmoved || is_low);
        }
    }
}

#[test]
fn blocks_that_cannot_lie_so_are_refused() {
    let placed = |offset, len| Placed { span: Span { offset, len }, movable: true };
    for (blocks, wrong) in [
        (vec![placed(0, 0)], 0),
        (vec![placed(3, 1)], 3),
        (vec![placed(12, 5)], 12),
        (vec![placed(4, 8), placed(8, 1)], 8),
        (vec![placed(8, u64::MAX)], 8),
    ] {
        let error = DefragmentationPlan::new(&blocks, 16, 4).unwrap_err();
        assert!(matches!(error, MemoryError::Invalid { value, .. } if value == wrong), "{error}");
    }
    assert!(DefragmentationPlan::new(&[], 16, 0).is_err());
}

#[test]
fn a_gap_begins_where_a_block_may_and_no_move_is_made_for_nothing() {
    let placed = |offset, len, movable| Placed { span: Span { offset, len }, movable };
    let blocks = [placed(0, 1, true), placed(16, 8, true), placed(24, 8, false)];
    let plan = DefragmentationPlan::new(&blocks, 32, 8).unwrap();
    assert_eq!((plan.moves(), plan.largest_free_before(), plan.largest_free_after()), (&[][..], 8, 8));
}

#[test]
fn a_move_that_does_not_lead_down_has_no_pieces() {
    for (from, to, len) in [(8, 8, 4), (0, 8, 4), (u64::MAX, 1, u64::MAX)] {
        assert_eq!(Move { from, to, len }.pieces().next(), None);
    }
}
