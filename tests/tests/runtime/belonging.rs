//! Which set an optimizer belongs to, and which tensors can stop it: those that take part, of the set that its states are of.

use optirs_gpu::device::GpuBackend;
use optirs_gpu::ndarray::{Array1, Array2, arr1};
use optirs_gpu::{
    AdamParams, Device, DeviceConfig, DeviceLimits, GpuAdam, GpuOptimError, LimitsChoice, Optimizer, ParamSet,
    gpu_optimizer,
};

use crate::{bits, values};

#[gpu_optimizer]
#[require(ndim() == 2 || need == 0, "matrices only")]
mod matrices {
    pub struct MatricesParams {
        #[hyper(default = 0.5)]
        pub learning_rate: f32,
        #[hyper(default = 1)]
        pub need: u32,
    }
    fn update(param: &mut f32, grad: f32, #[scalar] heat: f32, hyper: &MatricesParams) {
        *param -= hyper.learning_rate * heat * grad * (ndim() as f32);
    }
    #[entry]
    fn __double(param: &mut f32) {
        *param *= 1.0 + norm(*param) * 0.0 + 1.0;
    }
}

use matrices::{Matrices, MatricesParams};

fn pair(device: &Device) -> ParamSet {
    let mut params = ParamSet::new(device, [("w", Array2::<f32>::ones((2, 2)))]).unwrap();
    params.add("b", &Array1::<f32>::ones(3)).unwrap();
    params.write_grad("w", &Array2::ones((2, 2))).unwrap();
    params
}

fn ready(device: &Device) -> Optimizer<Matrices> {
    let mut optimizer = Optimizer::on(device, MatricesParams::default()).unwrap();
    optimizer.set_scalar("heat", 1.0).unwrap();
    optimizer
}

#[test]
fn a_shape_is_asked_about_when_its_tensor_takes_part() {
    let device = Device::cpu();
    let (mut params, mut optimizer) = (pair(&device), ready(&device));
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "w"), [0.0; 4]);
    params.write_grad("b", &Array1::ones(3)).unwrap();
    let refused = optimizer.step(&mut params).unwrap_err();
    assert_eq!(refused.to_string(), "tensor `b` of shape [3]: matrices only");
    assert_eq!(optimizer.step_count(), 1);
    params.freeze("b").unwrap();
    optimizer.step(&mut params).unwrap();
    params.remove("b").unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(optimizer.step_count(), 3);
}

#[test]
fn a_removed_tensor_forbids_no_hyper_parameters() {
    let device = Device::cpu();
    let (mut params, mut optimizer) = (pair(&device), ready(&device));
    params.write_grad("b", &Array1::ones(3)).unwrap();
    let any = MatricesParams { need: 0, ..MatricesParams::default() };
    let group = optimizer.add_group(&params, any, ["b"]).unwrap();
    optimizer.step(&mut params).unwrap();
    let refused = optimizer.set_group_params(group, MatricesParams::default()).unwrap_err();
    assert!(refused.to_string().contains("tensor `b`"), "{refused}");
    params.remove("b").unwrap();
    optimizer.step(&mut params).unwrap();
    optimizer.set_group_params(group, MatricesParams::default()).unwrap();
    optimizer.remove_group(group).unwrap();
}

#[test]
fn entries_of_reserved_names_run_everywhere() {
    for device in optirs_gpu_tests::devices::all() {
        let (mut params, mut optimizer) = (pair(&device), ready(&device));
        optimizer.step(&mut params).unwrap();
        params.remove("b").unwrap();
        params.write("w", &Array2::<f32>::ones((2, 2))).unwrap();
        optimizer.run_entry("__double", &mut params).unwrap();
        assert_eq!(values(&params, "w"), [2.0; 4], "on {device}");
    }
}

#[test]
fn an_optimizer_is_of_the_set_that_it_has_stepped_and_of_none_before() {
    let device = Device::cpu();
    let (mut one, mut other) = (pair(&device), pair(&device));
    other.remove("b").unwrap();
    let mut optimizer: Optimizer<Matrices> = Optimizer::on(&device, MatricesParams::default()).unwrap();
    optimizer.step(&mut one).unwrap_err();
    optimizer.set_scalar("heat", 1.0).unwrap();
    optimizer.step(&mut other).unwrap();
    assert!(matches!(optimizer.step(&mut one), Err(GpuOptimError::InvalidState(_))));
    assert_eq!(bits(&one, "w"), [1.0_f32.to_bits(); 4]);
}

fn vector(device: &Device, value: f32) -> ParamSet {
    let mut params = ParamSet::new(device, [("w", arr1(&[value; 3]))]).unwrap();
    params.write_grad("w", &arr1(&[1.0_f32; 3])).unwrap();
    params
}

#[test]
fn a_checkpoint_is_of_the_set_that_is_stepped_and_loads_into_one() {
    let device = Device::cpu();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("adam.safetensors");
    let (mut stepped, other, mut loaded) = (vector(&device, 1.0), vector(&device, 7.0), vector(&device, 3.0));
    let mut adam = GpuAdam::on(&device, AdamParams::default()).unwrap();
    adam.step(&mut stepped).unwrap();
    assert!(matches!(adam.save(&other, &file), Err(GpuOptimError::InvalidState(_))));
    assert!(!file.exists());
    adam.save(&stepped, &file).unwrap();
    adam.load(&mut loaded, &file).unwrap();
    assert!(matches!(adam.step(&mut stepped), Err(GpuOptimError::InvalidState(_))));
    adam.step(&mut loaded).unwrap();
    assert_eq!(adam.step_count(), 2);
}

#[test]
fn a_checkpoint_of_values_that_no_step_takes_is_refused() {
    let device = Device::cpu();
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (folder.path().join("good"), folder.path().join("bad"));
    let (mut params, mut optimizer) = (vector(&device, 1.0), GpuAdam::on(&device, AdamParams::default()).unwrap());
    optimizer.set_grad_scale(0.125).unwrap();
    optimizer.step(&mut params).unwrap();
    optimizer.save(&params, &good).unwrap();
    let bytes = std::fs::read(&good).unwrap();
    let place = bytes.windows(5).position(|window| window == b"0.125").unwrap();
    for text in [b"  NaN", b"  inf", b" -inf"] {
        let mut changed = bytes.clone();
        changed[place..place + 5].copy_from_slice(text);
        std::fs::write(&bad, changed).unwrap();
        assert!(matches!(optimizer.load(&mut params, &bad), Err(GpuOptimError::Checkpoint { .. })));
    }
    optimizer.step(&mut params).unwrap();
    assert_eq!(optimizer.step_count(), 2);
}

#[test]
fn a_counter_at_its_end_is_an_error() {
    let device = Device::cpu();
    let (mut params, mut adam) = (vector(&device, 1.0), GpuAdam::on(&device, AdamParams::default()).unwrap());
    adam.step(&mut params).unwrap();
    let before = bits(&params, "w");
    adam.set_step_count(u64::MAX);
    assert!(matches!(adam.step(&mut params), Err(GpuOptimError::InvalidState(_))));
    adam.set_step_count(1);
    adam.set_tensor_step_count(&params, "w", u64::MAX).unwrap();
    assert!(matches!(adam.step(&mut params), Err(GpuOptimError::InvalidState(_))));
    assert_eq!(bits(&params, "w"), before);
    adam.set_tensor_step_count(&params, "w", 1).unwrap();
    adam.step(&mut params).unwrap();
}

#[test]
fn limits_within_which_nothing_can_be_done_are_refused_by_name() {
    let usable = DeviceLimits { buffer_bytes: 1 << 20, binding_bytes: 1 << 20, alignment_bytes: 256, grid_width: 5 };
    for (field, limits) in [
        ("alignment_bytes", DeviceLimits { alignment_bytes: 1 << 40, ..usable }),
        ("buffer_bytes", DeviceLimits { buffer_bytes: 0, ..usable }),
        ("binding_bytes", DeviceLimits { binding_bytes: 8, ..usable }),
        ("grid_width", DeviceLimits { grid_width: 0, ..usable }),
    ] {
        let limits = LimitsChoice::AtMost(limits);
        let config = DeviceConfig { backend: Some(GpuBackend::Cpu), limits, ..DeviceConfig::default() };
        match Device::with_config(config) {
            Err(GpuOptimError::OutOfRange { field: named, .. }) => assert_eq!(named, field),
            other => panic!("{field}: {other:?}"),
        }
    }
}
