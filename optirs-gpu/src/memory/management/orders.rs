//! The order in which the entries of a set leave, one for each kind of policy.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

use super::EvictionPolicy;

/// Who leaves next.
#[derive(Debug, Clone)]
pub(super) enum Order<K> {
    Ranked(Ranked<K>),
    Clock(Clock<K>),
    TwoQueue(TwoQueue<K>),
}

impl<K: Copy + Eq + Hash> Order<K> {
    pub(super) fn new(policy: EvictionPolicy, capacity: u64) -> Self {
        match policy {
            EvictionPolicy::Lru => Order::Ranked(Ranked::new(Rank::Latest)),
            EvictionPolicy::Lfu => Order::Ranked(Ranked::new(Rank::Count)),
            EvictionPolicy::CostAware => Order::Ranked(Ranked::new(Rank::Cost)),
            EvictionPolicy::Clock => Order::Clock(Clock { circle: VecDeque::new(), used: HashMap::new() }),
            EvictionPolicy::TwoQueue => Order::TwoQueue(TwoQueue {
                arrivals: Queue::new(),
                most_arrivals: capacity / 4,
                gone: Queue::new(),
                most_gone: capacity / 2,
                kept: Ranked::new(Rank::Latest),
            }),
        }
    }

    /// An entry that is resident was used.
    pub(super) fn used(&mut self, key: K, len: u64, cost: u64) {
        match self {
            Order::Ranked(ranked) => ranked.touch(key, len, cost),
            Order::Clock(clock) => {
                clock.used.insert(key, true);
            }
            // Uses while it is among the arrivals are correlated with the first, and say nothing about the future.
            Order::TwoQueue(queues) if queues.kept.places.contains_key(&key) => queues.kept.touch(key, len, cost),
            Order::TwoQueue(_) => {}
        }
    }

    /// Whether the entry is one that left the arrivals of 2Q not long ago.
    pub(super) fn returns(&mut self, key: &K) -> bool {
        match self {
            Order::TwoQueue(queues) => queues.gone.remove(key),
            Order::Ranked(_) | Order::Clock(_) => false,
        }
    }

    pub(super) fn insert(&mut self, key: K, len: u64, cost: u64, returns: bool) {
        match self {
            Order::Ranked(ranked) => ranked.touch(key, len, cost),
            Order::Clock(clock) => {
                clock.circle.push_back(key);
                clock.used.insert(key, false);
            }
            Order::TwoQueue(queues) if returns => queues.kept.touch(key, len, cost),
            Order::TwoQueue(queues) => queues.arrivals.push(key, len),
        }
    }

    pub(super) fn evict(&mut self) -> Option<K> {
        match self {
            Order::Ranked(ranked) => ranked.evict(),
            Order::Clock(clock) => clock.evict(),
            Order::TwoQueue(queues) => queues.evict(),
        }
    }

    pub(super) fn remove(&mut self, key: &K) {
        match self {
            Order::Ranked(ranked) => ranked.remove(key),
            Order::Clock(clock) => {
                clock.used.remove(key);
                clock.circle.retain(|other| other != key);
            }
            Order::TwoQueue(queues) => {
                queues.arrivals.remove(key);
                queues.kept.remove(key);
            }
        }
    }
}

/// What a rank is made of.
#[derive(Debug, Clone, Copy)]
enum Rank {
    Latest,
    Count,
    Cost,
}

/// The least rank leaves first; of equals, the least recently used.
#[derive(Debug, Clone)]
pub(super) struct Ranked<K> {
    by: Rank,
    time: u64,
    /// L of GreedyDual-Size, as all ranks by cost in units of 2⁻³².
    inflation: u128,
    places: HashMap<K, (u128, u64)>,
    keys: BTreeMap<(u128, u64), K>,
}

impl<K: Copy + Eq + Hash> Ranked<K> {
    fn new(by: Rank) -> Self {
        Ranked { by, time: 0, inflation: 0, places: HashMap::new(), keys: BTreeMap::new() }
    }

    fn touch(&mut self, key: K, len: u64, cost: u64) {
        let before = self.places.get(&key).copied();
        if let Some(place) = before {
            self.keys.remove(&place);
        }
        let rank = match self.by {
            Rank::Latest => 0,
            Rank::Count => before.map_or(1, |(count, _)| count + 1),
            Rank::Cost => self.inflation + (u128::from(cost) << 32) / u128::from(len),
        };
        self.time += 1;
        self.places.insert(key, (rank, self.time));
        self.keys.insert((rank, self.time), key);
    }

    fn evict(&mut self) -> Option<K> {
        let ((rank, _), key) = self.keys.pop_first()?;
        self.places.remove(&key);
        self.inflation = rank;
        Some(key)
    }

    fn remove(&mut self, key: &K) {
        if let Some(place) = self.places.remove(key) {
            self.keys.remove(&place);
        }
    }
}

/// The circle, from the hand on: whoever the hand passes goes to the end.
#[derive(Debug, Clone)]
pub(super) struct Clock<K> {
    circle: VecDeque<K>,
    used: HashMap<K, bool>,
}

impl<K: Copy + Eq + Hash> Clock<K> {
    fn evict(&mut self) -> Option<K> {
        while let Some(key) = self.circle.pop_front() {
            match self.used.get_mut(&key) {
                Some(used) if *used => {
                    *used = false;
                    self.circle.push_back(key);
                }
                _ => {
                    self.used.remove(&key);
                    return Some(key);
                }
            }
        }
        None
    }
}

/// First in, first out.
#[derive(Debug, Clone)]
struct Queue<K> {
    keys: VecDeque<(K, u64)>,
    total: u64,
}

impl<K: Copy + Eq> Queue<K> {
    fn new() -> Self {
        Queue { keys: VecDeque::new(), total: 0 }
    }

    fn push(&mut self, key: K, len: u64) {
        self.keys.push_back((key, len));
        self.total += len;
    }

    fn pop(&mut self) -> Option<(K, u64)> {
        let first = self.keys.pop_front()?;
        self.total -= first.1;
        Some(first)
    }

    fn remove(&mut self, key: &K) -> bool {
        let place = self.keys.iter().position(|(other, _)| other == key);
        let removed = place.and_then(|place| self.keys.remove(place));
        self.total -= removed.map_or(0, |(_, len)| len);
        removed.is_some()
    }
}

/// The paper's A1in, A1out and Am, with its thresholds Kin and Kout in units instead of pages.
#[derive(Debug, Clone)]
pub(super) struct TwoQueue<K> {
    arrivals: Queue<K>,
    most_arrivals: u64,
    /// Keys alone: their entries are not resident.
    gone: Queue<K>,
    most_gone: u64,
    kept: Ranked<K>,
}

impl<K: Copy + Eq + Hash> TwoQueue<K> {
    fn evict(&mut self) -> Option<K> {
        if self.arrivals.total <= self.most_arrivals
            && let Some(key) = self.kept.evict()
        {
            return Some(key);
        }
        let (key, len) = self.arrivals.pop()?;
        self.gone.push(key, len);
        while self.gone.total > self.most_gone {
            self.gone.pop();
        }
        Some(key)
    }
}
