//! The arena against a plain sum.

use proptest::prelude::*;

use super::*;

#[test]
fn a_mark_behind_which_the_arena_was_rewound_is_stale() {
    let mut arena = Arena::new(1000, 10).unwrap();
    let first = arena.mark();
    arena.allocate(15).unwrap();
    let second = arena.mark();
    arena.rewind(first).unwrap();
    arena.allocate(100).unwrap();
    assert_eq!(arena.rewind(second), Err(MemoryError::StaleMark { offset: 20 }), "20 is within a block now");
    let third = arena.mark();
    assert_eq!(arena.rewind(second), Err(MemoryError::StaleMark { offset: 20 }));
    let mut clone = arena.clone();
    clone.rewind(third).unwrap();
    arena.reset();
    assert_eq!((arena.used(), clone.used()), (0, 100));
    assert_eq!(arena.rewind(first), Err(MemoryError::StaleMark { offset: 0 }));
    let other = Arena::new(1000, 10).unwrap().mark();
    assert_eq!(arena.rewind(other), Err(MemoryError::Foreign { offset: 0 }));
}

#[test]
fn marks_of_one_state_are_one_mark() {
    let mut arena = Arena::new(1000, 10).unwrap();
    let first = arena.mark();
    for _ in 0..10 {
        let mark = arena.mark();
        assert_eq!(mark, first);
        arena.allocate(15).unwrap();
        arena.rewind(mark).unwrap();
    }
    arena.allocate(15).unwrap();
    assert_ne!(arena.mark(), first);
}

proptest! {
    #[test]
    fn blocks_follow_one_another(
        lengths in prop::collection::vec(1..300u64, 1..60),
        capacity in 100..5000u64,
        granularity in 1..100u64,
        rewind_at in 0..60usize,
    ) {
        let mut arena = Arena::new(capacity, granularity).unwrap();
        let mut end = 0;
        let mut marked = None;
        for (step, &len) in lengths.iter().enumerate() {
            if step == rewind_at {
                marked = Some((arena.mark(), end));
            }
            let padded = len.div_ceil(granularity) * granularity;
            match arena.allocate(len) {
                Ok(span) => {
                    prop_assert_eq!(span, Span { offset: end, len });
                    end += padded;
                }
                Err(MemoryError::Exhausted { requested, free, .. }) => {
                    prop_assert_eq!((requested, free), (len, capacity / granularity * granularity - end));
                    prop_assert!(padded > free);
                }
                Err(error) => prop_assert!(false, "{error}"),
            }
            prop_assert_eq!(arena.used(), end);
        }
        if let Some((mark, then)) = marked {
            arena.rewind(mark).unwrap();
            prop_assert_eq!(arena.used(), then);
            arena.rewind(mark).unwrap();
        }
    }
}
