//! Hits and victims against simulators that know nothing but the whole past, and search it anew each time.

use proptest::prelude::*;

use super::*;

/// A key and its length for every access.
type Trace = Vec<(u8, u64)>;

/// Lengths follow from the keys; some keys are frequent.
fn traces(equal: bool) -> impl Strategy<Value = Trace> {
    let keys = prop_oneof![2 => 0..6u8, 1 => 0..40u8];
    let entry = keys.prop_map(move |key| (key, if equal { 1 } else { u64::from(key) % 7 + 1 }));
    prop::collection::vec(entry, 1..if cfg!(miri) { 20 } else { 400 })
}

/// The hits and victims of a policy that evicts the resident key with the least score, where the score may look at all of the
/// past accesses and at when the key came in.
fn simulate<S: PartialOrd>(
    trace: &Trace,
    capacity: u64,
    score: impl Fn(&[(u8, u64)], u8, usize) -> S,
) -> Vec<(bool, Vec<u8>)> {
    let mut resident: Vec<(u8, u64, usize)> = Vec::new();
    let mut results = Vec::new();
    for (now, &(key, len)) in trace.iter().enumerate() {
        let hit = resident.iter().any(|entry| entry.0 == key);
        let mut evicted = Vec::new();
        if !hit {
            while resident.iter().map(|entry| entry.1).sum::<u64>() + len > capacity {
                let mut worst = 0;
                for place in 1..resident.len() {
                    let of = |place: usize| score(&trace[..now], resident[place].0, resident[place].2);
                    if of(place) < of(worst) {
                        worst = place;
                    }
                }
                evicted.push(resident.remove(worst).0);
            }
            resident.push((key, len, now));
        }
        results.push((hit, evicted));
    }
    results
}

fn latest(past: &[(u8, u64)], key: u8) -> Option<usize> {
    past.iter().rposition(|access| access.0 == key)
}

/// A clock of pages of one length: frames in an array, a hand that goes around.
fn simulate_clock(trace: &Trace, frames: usize) -> Vec<(bool, Vec<u8>)> {
    let mut pages: Vec<Option<(u8, bool)>> = vec![None; frames];
    let mut hand = 0;
    let mut results = Vec::new();
    for &(key, _) in trace {
        if let Some((_, used)) = pages.iter_mut().flatten().find(|page| page.0 == key) {
            *used = true;
            results.push((true, vec![]));
            continue;
        }
        while let Some((page, true)) = pages[hand] {
            pages[hand] = Some((page, false));
            hand = (hand + 1) % frames;
        }
        let evicted = pages[hand].map(|page| page.0).into_iter().collect();
        pages[hand] = Some((key, false));
        hand = (hand + 1) % frames;
        results.push((false, evicted));
    }
    results
}

fn run(policy: EvictionPolicy, trace: &Trace, capacity: u64) -> Vec<(bool, Vec<u8>)> {
    let mut set = ResidentSet::new(policy, capacity).unwrap();
    let mut resident = std::collections::BTreeMap::new();
    let mut results = Vec::new();
    for &(key, len) in trace {
        let access = set.access(key, len, u64::from(key) * 3 % 11).unwrap();
        assert_eq!(access.hit, resident.contains_key(&key));
        for victim in &access.evicted {
            assert!(resident.remove(victim).is_some(), "{victim} was not there");
        }
        resident.insert(key, len);
        assert!(set.contains(&key) && set.used() <= capacity);
        assert_eq!(set.used(), resident.values().sum::<u64>());
        results.push((access.hit, access.evicted));
    }
    let hits = results.iter().filter(|result| result.0).count() as u64;
    assert_eq!(set.hits_and_misses(), (hits, trace.len() as u64 - hits));
    results
}

proptest! {
    #[test]
    fn lru_is_that_of_the_simulator(trace in traces(false), capacity in 7..60u64) {
        let expected = simulate(&trace, capacity, |past, key, _| latest(past, key));
        prop_assert_eq!(run(EvictionPolicy::Lru, &trace, capacity), expected);
    }

    #[test]
    fn lfu_is_that_of_the_simulator(trace in traces(false), capacity in 7..60u64) {
        let count = |past: &[(u8, u64)], key, since| past[since..].iter().filter(|access| access.0 == key).count();
        let expected = simulate(&trace, capacity, |past, key, since| (count(past, key, since), latest(past, key)));
        prop_assert_eq!(run(EvictionPolicy::Lfu, &trace, capacity), expected);
    }

    #[test]
    fn clock_is_that_of_the_simulator(trace in traces(true), frames in 1..20usize) {
        prop_assert_eq!(run(EvictionPolicy::Clock, &trace, frames as u64), simulate_clock(&trace, frames));
    }

    #[test]
    fn every_policy_stays_within_its_capacity(trace in traces(false), capacity in 7..60u64) {
        for policy in [EvictionPolicy::Clock, EvictionPolicy::TwoQueue, EvictionPolicy::CostAware] {
            run(policy, &trace, capacity);
        }
    }

    #[test]
    fn what_is_removed_is_never_a_victim(trace in traces(false), removed in 0..6u8) {
        use EvictionPolicy::{Clock, CostAware, Lfu, Lru, TwoQueue};
        for policy in [Lru, Lfu, Clock, TwoQueue, CostAware] {
            let mut set = ResidentSet::new(policy, 20).unwrap();
            for &(key, len) in &trace {
                let gone = set.remove(&removed);
                prop_assert_eq!(gone && set.contains(&removed), false);
                prop_assert!(!set.access(key, len, 1).unwrap().evicted.contains(&removed) || key == removed);
            }
        }
    }
}

#[test]
fn a_scan_passes_through_two_queues_and_leaves_what_is_in_use() {
    let misses = [EvictionPolicy::TwoQueue, EvictionPolicy::Lru].map(|policy| {
        let mut set = ResidentSet::new(policy, 8).unwrap();
        // Both are used, pushed out of the arrivals, and come back: now 2Q keeps them.
        for key in [1, 2, 10, 11, 12, 13, 14, 15, 16, 17, 1, 2] {
            let _ = set.access(key, 1, 1).unwrap();
        }
        for key in 100..200 {
            let _ = set.access(key, 1, 1).unwrap();
        }
        [1, 2].iter().filter(|key| !set.access(**key, 1, 1).unwrap().hit).count()
    });
    assert_eq!(misses, [0, 2]);
}

#[test]
fn what_is_short_and_expensive_stays_longest_but_not_for_ever() {
    let mut set = ResidentSet::new(EvictionPolicy::CostAware, 10).unwrap();
    for (key, len, cost) in [("cheap", 5, 5), ("dear", 5, 50)] {
        let _ = set.access(key, len, cost).unwrap();
    }
    assert_eq!(set.access("next", 5, 10).unwrap().evicted, ["cheap"]); // L = 1; next is at 1 + 2, dear at 10
    assert_eq!(set.access("third", 5, 30).unwrap().evicted, ["next"]); // L = 3; third is at 3 + 6
    assert_eq!(set.access("fourth", 5, 10).unwrap().evicted, ["third"]); // L = 9; fourth is at 9 + 2
    assert_eq!(set.access("fifth", 5, 10).unwrap().evicted, ["dear"], "10 was less than 11");
}

#[test]
fn what_never_fits_evicts_nobody() {
    let mut set = ResidentSet::new(EvictionPolicy::Lru, 10).unwrap();
    let _ = set.access(1, 4, 1).unwrap();
    let error = set.access(2, 11, 1).unwrap_err();
    assert_eq!(error, MemoryError::Exhausted { requested: 11, free: 6, largest: 10, capacity: 10 });
    assert!(matches!(set.access(2, 0, 1), Err(MemoryError::Invalid { value: 0, .. })));
    assert!(set.contains(&1));
    assert!(ResidentSet::<u8>::new(EvictionPolicy::Lru, 0).is_err());
}
