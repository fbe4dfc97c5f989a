//! Collections against reachability by the closure of a matrix.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Call {
    Insert,
    Retain(usize),
    Release(usize),
    Refer(usize, usize),
    Forget(usize, usize),
    Collect,
    CollectYoung,
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let any = any::<usize>;
    let call = prop_oneof![
        5 => Just(Call::Insert),
        2 => any().prop_map(Call::Retain),
        2 => any().prop_map(Call::Release),
        8 => (any(), any()).prop_map(|(from, to)| Call::Refer(from, to)),
        3 => (any(), any()).prop_map(|(from, to)| Call::Forget(from, to)),
        1 => Just(Call::Collect),
        3 => Just(Call::CollectYoung),
    ];
    prop::collection::vec(call, 1..if cfg!(miri) { 25 } else { 150 })
}

/// What the heap should know: objects in the order in which they were made.
#[derive(Default)]
struct Model {
    objects: Vec<(Handle, u32)>,
    edges: Vec<(Handle, Handle)>,
    roots: Vec<Handle>,
}

impl Model {
    fn pick(&self, at: usize) -> Option<Handle> {
        (!self.objects.is_empty()).then(|| self.objects[at % self.objects.len()].0)
    }

    /// Everything that is reached from these by steps through objects that `through` allows, by repeating until nothing new
    /// is found.
    fn reached(&self, mut found: Vec<Handle>, through: impl Fn(Handle) -> bool) -> Vec<Handle> {
        loop {
            let is_new =
                |edge: &&(Handle, Handle)| found.contains(&edge.0) && through(edge.0) && !found.contains(&edge.1);
            match self.edges.iter().find(is_new) {
                Some(edge) => found.push(edge.1),
                None => return found,
            }
        }
    }

    /// Drops what is garbage, and lets those that were looked at and survived grow older.
    fn keep(&mut self, garbage: &[Handle], looked_at: impl Fn(u32) -> bool) {
        self.objects.retain(|object| !garbage.contains(&object.0));
        self.edges.retain(|edge| !garbage.contains(&edge.0));
        for (_, age) in self.objects.iter_mut().filter(|object| looked_at(object.1)) {
            *age += 1;
        }
    }
}

proptest! {
    #[test]
    fn garbage_is_what_cannot_be_reached(calls in calls(), promotion in 0..4u32) {
        let mut heap = Heap::new(promotion);
        let mut model = Model::default();
        for call in &calls {
            match *call {
                Call::Insert => model.objects.push((heap.insert(), 0)),
                Call::Retain(at) => {
                    if let Some(object) = model.pick(at) {
                        heap.retain(object).unwrap();
                        model.roots.push(object);
                    }
                }
                Call::Release(at) if !model.roots.is_empty() => {
                    let root = model.roots.swap_remove(at % model.roots.len());
                    heap.release(root).unwrap();
                }
                Call::Release(_) => {}
                Call::Refer(from, to) => {
                    if let (Some(from), Some(to)) = (model.pick(from), model.pick(to)) {
                        heap.refer(from, to).unwrap();
                        model.edges.push((from, to));
                    }
                }
                Call::Forget(from, to) => {
                    if let (Some(from), Some(to)) = (model.pick(from), model.pick(to)) {
                        let place = model.edges.iter().position(|edge| *edge == (from, to));
                        prop_assert_eq!(heap.forget(from, to).unwrap(), place.is_some());
                        place.map(|place| model.edges.swap_remove(place));
                    }
                }
                Call::Collect => {
                    let alive = model.reached(model.roots.clone(), |_| true);
                    let all = model.objects.iter().map(|object| object.0);
                    let expected: Vec<Handle> = all.filter(|object| !alive.contains(object)).collect();
                    prop_assert_eq!(&heap.collect(), &expected);
                    model.keep(&expected, |_| true);
                }
                Call::CollectYoung => {
                    // Old objects are kept, and keep whom they refer to.
                    let is_old = |object: &&(Handle, u32)| object.1 >= promotion;
                    let mut starts: Vec<Handle> = model.objects.iter().filter(is_old).map(|object| object.0).collect();
                    starts.extend(&model.roots);
                    let alive = model.reached(starts, |_| true);
                    let all = model.objects.iter().map(|object| object.0);
                    let expected: Vec<Handle> = all.filter(|object| !alive.contains(object)).collect();
                    prop_assert_eq!(&heap.collect_young(), &expected);
                    model.keep(&expected, |age| age < promotion);
                }
            }
            prop_assert!(model.objects.iter().all(|object| heap.contains(object.0)));
        }
    }
}

#[test]
fn handles_of_what_was_collected_and_of_another_heap_are_errors() {
    let (mut heap, mut other) = (Heap::new(1), Heap::new(1));
    let (gone, foreign) = (heap.insert(), other.insert());
    assert_eq!(heap.collect(), [gone]);
    let kept = heap.insert();
    assert_eq!(heap.retain(gone), Err(MemoryError::FreedTwice { offset: 0 }));
    assert_eq!(heap.refer(kept, gone), Err(MemoryError::FreedTwice { offset: 0 }));
    assert_eq!(heap.refer(foreign, kept), Err(MemoryError::Foreign { offset: 0 }));
    assert!(matches!(heap.release(kept), Err(MemoryError::Invalid { value: 0, .. })));
    assert!(!heap.contains(foreign) && !heap.contains(gone) && heap.contains(kept));
}

#[test]
fn a_circle_is_garbage_once_nobody_outside_refers_to_it() {
    let mut heap = Heap::new(1);
    let circle = [(); 3].map(|()| heap.insert());
    for place in 0..3 {
        heap.refer(circle[place], circle[(place + 1) % 3]).unwrap();
    }
    heap.retain(circle[0]).unwrap();
    assert_eq!(heap.collect(), []);
    heap.release(circle[0]).unwrap();
    assert_eq!(heap.collect_young(), [], "all of them are old by now");
    assert_eq!(heap.collect(), circle);
}
