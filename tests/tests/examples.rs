//! The example `schedule_and_groups`, on every device: it is run, not just compiled.

#[path = "../../optirs-gpu/examples/digits/data.rs"]
mod data;
#[path = "../../optirs-gpu/examples/digits/model.rs"]
mod model;
#[path = "../../optirs-gpu/examples/schedule_and_groups/training.rs"]
mod training;

use optirs_gpu_tests::devices;

#[test]
fn a_training_that_goes_on_from_a_checkpoint_ends_as_one_without_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let digits = data::Digits::split().unwrap();
    for device in devices::all() {
        let outcome = training::run(&device, &digits, &folder.path().join("training.safetensors")).unwrap();
        assert!(outcome.difference == 0.0, "{} on {device}", outcome.difference);
        assert!(outcome.accuracy > 0.94, "{} on {device}", outcome.accuracy);
    }
}
