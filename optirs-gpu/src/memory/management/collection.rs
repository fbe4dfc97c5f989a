//! Garbage collection over a graph of handles: mark and sweep (McCarthy, CACM 3(4), 1960), and collections of the young
//! alone, as most objects die young (Ungar, Generation Scavenging, 1984).

use std::collections::{BTreeMap, BTreeSet};

use super::MemoryError;
use crate::memory::allocation::unique;

/// An object of a [`Heap`]. A number is never given out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    owner: u64,
    number: u64,
}

#[derive(Debug, Clone)]
struct Object {
    /// Whom it refers to; someone may be there several times.
    targets: Vec<u64>,
    /// Collections that it has survived.
    age: u32,
    /// How many times it was made a root and not released.
    roots: u32,
}

/// Objects that refer to one another, some of them roots. What no chain of references from a root leads to is garbage.
///
/// ```
/// use optirs_gpu::memory::management::Heap;
///
/// let mut heap = Heap::new(2);
/// let (step, gradient) = (heap.insert(), heap.insert());
/// heap.retain(step)?;
/// heap.refer(step, gradient)?;
/// assert_eq!(heap.collect(), []);
/// heap.release(step)?;
/// assert_eq!(heap.collect(), [step, gradient]);
/// # Ok::<(), optirs_gpu::memory::MemoryError>(())
/// ```
#[derive(Debug)]
pub struct Heap {
    owner: u64,
    next: u64,
    promotion: u32,
    objects: BTreeMap<u64, Object>,
    /// Those that are not old.
    young: BTreeSet<u64>,
    /// Those that were retained more often than released.
    roots: BTreeSet<u64>,
    /// The remembered set: old objects that refer to young ones, and perhaps some that no longer do.
    remembered: BTreeSet<u64>,
}

impl Heap {
    /// An empty heap whose objects are old once they have survived `promotion` collections.
    #[must_use]
    pub fn new(promotion: u32) -> Self {
        Self {
            owner: unique(),
            next: 0,
            promotion,
            objects: BTreeMap::new(),
            young: BTreeSet::new(),
            roots: BTreeSet::new(),
            remembered: BTreeSet::new(),
        }
    }

    /// A new object, which refers to nobody and is no root: the next collection frees it unless that changes.
    #[must_use]
    pub fn insert(&mut self) -> Handle {
        let number = self.next;
        self.next += 1;
        self.objects.insert(number, Object { targets: Vec::new(), age: 0, roots: 0 });
        if self.promotion > 0 {
            self.young.insert(number);
        }
        Handle { owner: self.owner, number }
    }

    /// Makes an object a root, until it has been released as many times.
    ///
    /// # Errors
    /// [`MemoryError::FreedTwice`] if the object was collected, [`MemoryError::Foreign`] if it is another heap's; so also in
    /// the other calls.
    pub fn retain(&mut self, object: Handle) -> Result<(), MemoryError> {
        self.object(object)?.roots += 1;
        self.roots.insert(object.number);
        Ok(())
    }

    /// Takes back one [`Heap::retain`].
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if the object is no root.
    pub fn release(&mut self, object: Handle) -> Result<(), MemoryError> {
        let roots = &mut self.object(object)?.roots;
        let none =
            MemoryError::Invalid { what: "the number of times that it was retained", value: 0, needed: "at least 1" };
        *roots = roots.checked_sub(1).ok_or(none)?;
        if *roots == 0 {
            self.roots.remove(&object.number);
        }
        Ok(())
    }

    /// Adds a reference.
    ///
    /// # Errors
    /// As [`Heap::retain`], for either end.
    pub fn refer(&mut self, from: Handle, to: Handle) -> Result<(), MemoryError> {
        self.object(to)?;
        self.object(from)?.targets.push(to.number);
        // The write barrier: what is young is looked for from the roots and from here.
        if self.is_old(from.number) && !self.is_old(to.number) {
            self.remembered.insert(from.number);
        }
        Ok(())
    }

    /// Takes one reference away. Whether there was one.
    ///
    /// # Errors
    /// As [`Heap::retain`], for `from`.
    pub fn forget(&mut self, from: Handle, to: Handle) -> Result<bool, MemoryError> {
        let targets = &mut self.object(from)?.targets;
        let place = targets.iter().position(|target| *target == to.number && to.owner == from.owner);
        Ok(place.map(|place| targets.swap_remove(place)).is_some())
    }

    /// Whether the object has not been collected.
    #[must_use]
    pub fn contains(&self, object: Handle) -> bool {
        object.owner == self.owner && self.objects.contains_key(&object.number)
    }

    /// Frees all garbage, and returns it in the order in which it was made.
    pub fn collect(&mut self) -> Vec<Handle> {
        let roots = self.roots.iter().copied().collect();
        self.sweep(roots, self.objects.keys().copied().collect())
    }

    /// Frees the garbage among the young objects, without a look at the old ones but for roots and those that refer to
    /// young ones. An old object keeps whom it refers to, even if it is garbage itself; [`Heap::collect`] frees both.
    pub fn collect_young(&mut self) -> Vec<Handle> {
        let mut starts: Vec<u64> = self.roots.iter().copied().collect();
        let remembered = self.remembered.iter().filter_map(|old| self.objects.get(old));
        starts.extend(remembered.flat_map(|old| &old.targets));
        self.sweep(starts, self.young.clone())
    }

    /// Marks from `pending` on and frees what is not marked, among the objects in scope.
    fn sweep(&mut self, mut pending: Vec<u64>, scope: BTreeSet<u64>) -> Vec<Handle> {
        let mut marked = BTreeSet::new();
        while let Some(number) = pending.pop() {
            if scope.contains(&number) && marked.insert(number) {
                pending.extend(self.objects.get(&number).into_iter().flat_map(|object| &object.targets));
            }
        }
        let garbage: Vec<u64> = scope.difference(&marked).copied().collect();
        for number in &garbage {
            self.objects.remove(number);
            self.young.remove(number);
        }
        for number in &marked {
            if let Some(object) = self.objects.get_mut(number) {
                object.age = object.age.saturating_add(1);
                if object.age >= self.promotion {
                    self.young.remove(number);
                }
            }
        }
        // Those that are old by now may be the only ones that know a young object.
        let candidates: Vec<u64> = marked.into_iter().chain(self.remembered.iter().copied()).collect();
        let knows_young = |number: &u64| {
            let object = self.objects.get(number);
            self.is_old(*number)
                && object.is_some_and(|object| object.targets.iter().any(|target| !self.is_old(*target)))
        };
        self.remembered = candidates.into_iter().filter(knows_young).collect();
        garbage.into_iter().map(|number| Handle { owner: self.owner, number }).collect()
    }

    fn is_old(&self, number: u64) -> bool {
        self.objects.get(&number).is_some_and(|object| object.age >= self.promotion)
    }

    fn object(&mut self, handle: Handle) -> Result<&mut Object, MemoryError> {
        let offset = handle.number;
        if handle.owner != self.owner {
            return Err(MemoryError::Foreign { offset });
        }
        self.objects.get_mut(&offset).ok_or(MemoryError::FreedTwice { offset })
    }
}
