//! A device that is lost at each place where it can be: the call that meets it says so and has changed nothing that is left
//! without the device, and a run from the start on another device ends as an undisturbed one.

use std::sync::Arc;

use super::training::{CALLS, Place, Training, undisturbed};
use crate::backend::faulty::Faulty;
use crate::backend::wgpu;
use crate::{Device, DeviceConfig, GpuOptimError};

impl Training {
    /// Goes to another device, as the documentation of a lost one says. The group of `b` is still there afterwards, and so
    /// is the value of the scalar.
    fn begin_again(&mut self, device: &Device) {
        self.device = device.clone();
        self.params = None;
        if let Some(optimizer) = &mut self.optimizer {
            optimizer.reset();
            optimizer.move_to(device).unwrap();
        }
    }

    /// What a user sees without the device.
    fn counted(&self) -> Vec<String> {
        let mut counted = Vec::new();
        let Some(params) = &self.params else { return counted };
        counted.extend(params.names().map(|name| format!("{name}: {:?}", params.has_grad(name).ok())));
        let Some(optimizer) = &self.optimizer else { return counted };
        counted.push(format!("{} steps, {:?} mode", optimizer.step_count(), optimizer.mode()));
        for name in params.names() {
            let age = optimizer.host_state("age", name).ok();
            counted.push(format!("{name}: {:?} steps, age {age:?}", optimizer.tensor_step_count(name).unwrap_or(0)));
        }
        counted
    }
}

/// Runs the training for each place at which a device can be lost, up to a call, each time on a device that `open` opens,
/// and then again on another one. At most so many devices are lost, at places that are spread evenly; returns how many.
fn with_losses(up_to: &str, most: usize, open: impl Fn() -> (Arc<Faulty>, Device), other: &Device) -> usize {
    let (faulty, like) = open();
    let (expected, mut places) = undisturbed(&faulty, &like);
    let end = CALLS.iter().position(|(name, _)| *name == up_to).unwrap();
    places.retain(|(index, _)| *index <= end);
    let every = places.len().div_ceil(most);
    let places: Vec<Place> = places.into_iter().step_by(every).collect();
    for (failing, place) in &places {
        let (faulty, like) = open();
        let mut training = Training::on(faulty.device(&like));
        for (_, call) in &CALLS[..*failing] {
            call(&mut training).unwrap();
        }
        let (name, call) = CALLS[*failing];
        let before = training.counted();
        faulty.set(*place);
        for attempt in ["the call", "the call once more"] {
            let error = call(&mut training).expect_err(name);
            assert!(matches!(error, GpuOptimError::DeviceLost(_)), "{name}, loss {place}, {attempt}: {error}");
            assert_eq!(training.counted(), before, "{name}, loss {place}, {attempt}");
        }
        training.begin_again(other);
        let has_optimizer = training.optimizer.is_some();
        for (name, call) in CALLS.iter().filter(|(name, _)| !(has_optimizer && *name == "an optimizer")) {
            call(&mut training).unwrap_or_else(|error| panic!("{name} after loss {place}: {error}"));
        }
        assert!(training.seen() == expected, "{name} lost its device at {place}: the run ended otherwise");
    }
    places.len()
}

#[test]
fn a_device_lost_before_any_call_to_it_says_so_and_another_goes_on() {
    let gpu = || wgpu::tests::device(DeviceConfig::default());
    let Some(other) = gpu() else { return };
    let open = || {
        let device = gpu().unwrap();
        let raw = device.wgpu().unwrap().0.clone();
        let destroy = move |_| {
            raw.destroy();
            Ok(())
        };
        (Faulty::new(&device, |_| true, Box::new(destroy)), device)
    };
    // A lost device of a GPU cannot be closed everywhere, and there is no room for many.
    let (least, most) = if other.is_software() { (50, usize::MAX) } else { (10, 20) };
    let losses = with_losses("a move to the host", most, open, &other);
    assert!((least..=most).contains(&losses), "{losses} devices were lost");
}
