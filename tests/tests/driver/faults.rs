//! Each call to the driver fails in turn, in each call of a short training run.

use std::collections::HashMap;

use optirs_gpu::{Device, GpuOptimError};

use crate::calls::{self, Fault};
use crate::session::{CALLS, Session};
use crate::{instance, turn};

/// What an undisturbed run leads to, and where it can meet a fault: in which call of [`CALLS`], at which function, after
/// how many others.
struct Undisturbed {
    seen: Vec<Vec<u32>>,
    places: Vec<(usize, &'static str, usize)>,
}

fn undisturbed(device: Device, fault: Fault) -> Undisturbed {
    let mut session = Session::on(device);
    let mut places = Vec::new();
    for (index, (_, call)) in CALLS.iter().enumerate() {
        // A fault that is never met, so that those are counted that could meet it.
        calls::expect(Some((fault, usize::MAX - 1)));
        call(&mut session).unwrap();
        places.extend(calls::seen().into_iter().enumerate().map(|(after, name)| (index, name, after)));
    }
    calls::expect(None);
    Undisturbed { seen: session.seen(), places }
}

/// Runs all calls, from this one on.
fn go_on(session: &mut Session, from: usize, what: &str) {
    for (name, call) in &CALLS[from..] {
        call(session).unwrap_or_else(|error| panic!("{what}: {name} afterwards: {error}"));
    }
}

#[test]
fn a_call_for_which_the_driver_has_no_memory_says_so_and_what_follows_is_right() {
    let _turn = turn();
    let Some(device) = instance::open() else { return };
    let Undisturbed { seen, places } = undisturbed(device, Fault::OutOfMemory);
    let mut outcomes = HashMap::<_, u32>::new();
    for (index, function, after) in &places {
        let mut session = Session::on(instance::open().unwrap());
        for (_, call) in &CALLS[..*index] {
            call(&mut session).unwrap();
        }
        let (name, call) = CALLS[*index];
        let what = format!("{function}, call {after} of {name}");
        let before = (session.counted(), session.held());
        calls::expect(Some((Fault::OutOfMemory, *after)));
        let result = call(&mut session);
        assert!(calls::is_met(), "{what}");
        calls::expect(None);
        let is_lost = matches!(session.device.wait(), Err(GpuOptimError::DeviceLost(_)));
        let outcome = match result {
            Ok(()) => "did without",
            Err(error) => {
                assert_eq!((session.counted(), session.held()), before, "{what}");
                match error {
                    GpuOptimError::OutOfMemory(_) => "out of memory",
                    // wgpu gives a device up where it cannot go on without the memory.
                    GpuOptimError::DeviceLost(_) => "lost",
                    other => panic!("{what}: {other}"),
                }
            }
        };
        *outcomes.entry(outcome).or_default() += 1;
        match (outcome, is_lost) {
            (_, true) => {
                session.begin_again(instance::open().unwrap());
                go_on(&mut session, 0, &what);
            }
            ("did without", false) => go_on(&mut session, index + 1, &what),
            ("out of memory", false) => go_on(&mut session, *index, &what),
            (_, false) => panic!("{what}: lost, and then not"),
        }
        assert!(session.seen() == seen, "{what}: other results");
    }
    println!("{} faults: {outcomes:?}", places.len());
    assert!(outcomes["out of memory"] > 5 && outcomes["lost"] > 5, "{outcomes:?}");
}

#[test]
fn a_device_that_its_driver_loses_says_so_whatever_it_was_asked_and_another_goes_on() {
    let _turn = turn();
    let Some(device) = instance::open() else { return };
    let Undisturbed { seen, places } = undisturbed(device, Fault::Lost);
    assert!(places.len() > 10, "{places:?}");
    for (index, function, after) in &places {
        let mut session = Session::on(instance::open().unwrap());
        for (_, call) in &CALLS[..*index] {
            call(&mut session).unwrap();
        }
        let (name, call) = CALLS[*index];
        let what = format!("{function}, call {after} of {name}");
        let before = session.counted();
        calls::expect(Some((Fault::Lost, *after)));
        let first = call(&mut session);
        assert!(calls::is_met(), "{what}");
        // A write may have been taken before; whatever comes next says it.
        let is_write = matches!(name, "a set" | "a gradient" | "another gradient");
        let is_lost = |result: &Result<(), _>| matches!(result, Err(GpuOptimError::DeviceLost(_)));
        assert!(is_lost(&first) || (is_write && first.is_ok()), "{what}: {first:?}");
        assert_eq!(session.counted(), before, "{what}");
        for result in [session.device.wait(), call(&mut session), session.device.wait()] {
            assert!(is_lost(&result), "{what}, and then: {result:?}");
        }
        let lost = session.device.clone();
        session.begin_again(instance::open().unwrap());
        // The last of the lost device goes while its driver still says that it is lost; the next one is another.
        drop(lost);
        calls::expect(None);
        go_on(&mut session, 0, &what);
        assert!(session.seen() == seen, "{what}: other results");
    }
    println!("{} losses", places.len());
}
