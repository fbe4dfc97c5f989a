//! What will be wanted next, from what was wanted so far. Nothing is said before a pattern has shown itself.

use std::collections::{HashMap, VecDeque};

use super::MemoryError;

/// What a [`Prefetcher`] looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrefetchPattern {
    /// Addresses that go up by one.
    Sequential,
    /// Addresses that go up or down by the same distance, of at least 1 (Chen & Baer, IEEE Transactions on Computers 44(5),
    /// 1995).
    Strided,
    /// Addresses that follow one another as they did before, in any order (a Markov chain of first order; Joseph & Grunwald,
    /// ISCA 1997). This many addresses are remembered, the oldest is forgotten first.
    Markov {
        /// Addresses, at least 1.
        most: usize,
    },
}

/// Watches addresses, in any unit: pages, layers, batches.
///
/// ```
/// use optirs_gpu::memory::management::{PrefetchPattern, Prefetcher};
///
/// let mut prefetcher = Prefetcher::new(PrefetchPattern::Strided, 2)?;
/// assert!(prefetcher.observe(10).is_empty());
/// assert!(prefetcher.observe(13).is_empty()); // one distance is no pattern
/// assert_eq!(prefetcher.observe(16), [19, 22]);
/// # Ok::<(), optirs_gpu::memory::MemoryError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Prefetcher {
    depth: usize,
    last: Option<u64>,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    /// The distance between the last two addresses; only 1 counts if `unit`.
    Stride {
        unit: bool,
        last: Option<i128>,
    },
    Markov {
        most: usize,
        order: VecDeque<u64>,
        successors: HashMap<u64, Successors>,
    },
}

/// Who followed an address.
#[derive(Debug, Clone, Default)]
struct Successors {
    /// At most [`Successors::MOST`], the most frequent first, with the number of times.
    kept: Vec<(u64, u64)>,
    /// How many times anybody did, those that are no longer kept included.
    total: u64,
}

impl Successors {
    /// As the paper has it: further ones hardly help.
    const MOST: usize = 4;

    fn add(&mut self, next: u64) {
        self.total += 1;
        let place = match self.kept.iter().position(|(address, _)| *address == next) {
            Some(place) => place,
            None => {
                self.kept.truncate(Self::MOST - 1);
                self.kept.push((next, 0));
                self.kept.len() - 1
            }
        };
        self.kept[place].1 += 1;
        self.kept.sort_by_key(|(_, count)| core::cmp::Reverse(*count));
    }

    /// Who followed at least twice, and more than half of the times.
    fn likely(&self) -> Option<u64> {
        let total = self.total;
        self.kept.first().filter(|(_, count)| *count >= 2 && 2 * count > total).map(|(address, _)| *address)
    }
}

impl Prefetcher {
    /// Looks for a pattern, and predicts up to `depth` addresses at a time.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if the depth or the number of remembered addresses is 0.
    pub fn new(pattern: PrefetchPattern, depth: usize) -> Result<Self, MemoryError> {
        let invalid = |what| MemoryError::Invalid { what, value: 0, needed: "at least 1" };
        if depth == 0 {
            return Err(invalid("the depth"));
        }
        let state = match pattern {
            PrefetchPattern::Sequential => State::Stride { unit: true, last: None },
            PrefetchPattern::Strided => State::Stride { unit: false, last: None },
            PrefetchPattern::Markov { most: 0 } => return Err(invalid("the number of remembered addresses")),
            PrefetchPattern::Markov { most } => {
                State::Markov { most, order: VecDeque::new(), successors: HashMap::new() }
            }
        };
        Ok(Self { depth, last: None, state })
    }

    /// Takes in an address and returns those that are expected next, the nearest first; none if there is no pattern. With a
    /// stride, two equal distances in a row are one; in a Markov chain, a successor that came at least twice and more than
    /// half of the times.
    #[must_use = "the prediction is all that this is for"]
    pub fn observe(&mut self, address: u64) -> Vec<u64> {
        let before = self.last.replace(address);
        match &mut self.state {
            State::Stride { unit, last } => {
                let distance = before.map(|before| i128::from(address) - i128::from(before));
                let confirmed = distance.filter(|distance| *last == Some(*distance));
                *last = distance;
                let Some(stride) = confirmed.filter(|stride| *stride == 1 || (!*unit && *stride != 0)) else {
                    return Vec::new();
                };
                // What is no address any more ends the sequence.
                let ahead = |step: usize| u64::try_from(i128::from(address) + stride * (step as i128)).ok();
                (1..=self.depth).map_while(ahead).collect()
            }
            State::Markov { most, order, successors } => {
                if let Some(before) = before {
                    if !successors.contains_key(&before) {
                        if order.len() == *most
                            && let Some(oldest) = order.pop_front()
                        {
                            successors.remove(&oldest);
                        }
                        order.push_back(before);
                    }
                    successors.entry(before).or_default().add(address);
                }
                let next = |at: &u64| successors.get(at).and_then(Successors::likely);
                core::iter::successors(next(&address), next).take(self.depth).collect()
            }
        }
    }
}
