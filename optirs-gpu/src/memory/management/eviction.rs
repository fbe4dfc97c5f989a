//! Which entries stay resident: at most a capacity's worth, and a policy says who leaves.

use std::collections::HashMap;
use std::hash::Hash;

use super::MemoryError;
use super::orders::Order;

/// Who leaves first when there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EvictionPolicy {
    /// The least recently used.
    Lru,
    /// The least frequently used since it came in; of equals, the least recently used.
    Lfu,
    /// The first in the circle that was not used since the hand last passed it (Corbató, A Paging Experiment with the Multics
    /// System, 1969): about LRU, without moving anything on a hit.
    Clock,
    /// 2Q (Johnson & Shasha, VLDB 1994): what is used for the first time passes through a queue of a quarter of the capacity,
    /// and stays for longer only if it comes back soon after it left that; so a scan does not push out what is in use.
    TwoQueue,
    /// GreedyDual-Size (Cao & Irani, USITS 1997): the least L + cost / length, where L is that value of who left last. Short
    /// entries that are expensive to bring back stay longest.
    CostAware,
}

/// What an access did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "what was evicted must be moved out"]
pub struct Access<K> {
    /// Whether the entry was resident.
    pub hit: bool,
    /// Who left to make room, in order.
    pub evicted: Vec<K>,
}

/// The entries that are resident, and how often an access found them to be.
#[derive(Debug, Clone)]
pub struct ResidentSet<K> {
    capacity: u64,
    used: u64,
    lengths: HashMap<K, u64>,
    order: Order<K>,
    hits: u64,
    misses: u64,
}

impl<K: Copy + Eq + Hash> ResidentSet<K> {
    /// An empty set of entries that together take at most `capacity` units.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if the capacity is 0.
    pub fn new(policy: EvictionPolicy, capacity: u64) -> Result<Self, MemoryError> {
        if capacity == 0 {
            return Err(MemoryError::Invalid { what: "the capacity", value: 0, needed: "at least 1" });
        }
        let order = Order::new(policy, capacity);
        Ok(Self { capacity, used: 0, lengths: HashMap::new(), order, hits: 0, misses: 0 })
    }

    /// Uses an entry, and makes it resident if it is not: it takes `len` units, and bringing it back would cost `cost` in a
    /// unit of the caller's (microseconds, bytes to copy), which [`EvictionPolicy::CostAware`] alone looks at. The length of
    /// an entry that is resident already stays as it is.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if `len` is 0, [`MemoryError::Exhausted`] if it is more than the capacity. Nobody is evicted.
    pub fn access(&mut self, key: K, len: u64, cost: u64) -> Result<Access<K>, MemoryError> {
        if let Some(&len) = self.lengths.get(&key) {
            self.order.used(key, len, cost);
            self.hits += 1;
            return Ok(Access { hit: true, evicted: Vec::new() });
        }
        if len == 0 {
            return Err(MemoryError::Invalid { what: "the length of an entry", value: 0, needed: "at least 1" });
        }
        let capacity = self.capacity;
        if len > capacity {
            return Err(MemoryError::Exhausted {
                requested: len,
                free: capacity - self.used,
                largest: capacity,
                capacity,
            });
        }
        let mut evicted = Vec::new();
        // Before anyone leaves: 2Q must know whether this one has been here before.
        let returns = self.order.returns(&key);
        while self.capacity - self.used < len {
            let Some(victim) = self.order.evict() else { break };
            self.used -= self.lengths.remove(&victim).unwrap_or(0);
            evicted.push(victim);
        }
        self.order.insert(key, len, cost, returns);
        self.lengths.insert(key, len);
        self.used += len;
        self.misses += 1;
        Ok(Access { hit: false, evicted })
    }

    /// Takes an entry out. Whether it was resident.
    pub fn remove(&mut self, key: &K) -> bool {
        match self.lengths.remove(key) {
            Some(len) => {
                self.order.remove(key);
                self.used -= len;
                true
            }
            None => false,
        }
    }

    /// Whether the entry is resident. This is no use of it.
    #[must_use]
    pub fn contains(&self, key: &K) -> bool {
        self.lengths.contains_key(key)
    }

    /// Units that entries take.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Accesses that found their entry resident, and those that did not.
    #[must_use]
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits, self.misses)
    }
}
