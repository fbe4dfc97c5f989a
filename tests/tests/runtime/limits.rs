//! Small limits, so that shards, ranges and two-dimensional grids are really executed: the same bits as without.

use optirs_gpu::{AdamParams, Device, DeviceConfig, DeviceLimits, GpuLamb, LimitsChoice, Optimizer, ParamSet, rules};
use optirs_gpu_tests::devices;
use scirs2_core::gpu::GpuBackend;
use scirs2_core::ndarray::s;

use crate::{bits, noise};

const LENGTHS: [usize; 9] = [1, 63, 65, 0, 8192, 40_000, 8193, 100_001, 5];

fn config(backend: GpuBackend, binding_words: u64, grid_width: u32) -> DeviceConfig {
    let limits = DeviceLimits {
        buffer_bytes: 4 * binding_words,
        binding_bytes: 4 * binding_words,
        alignment_bytes: 256,
        grid_width,
    };
    DeviceConfig { backend: Some(backend), limits: LimitsChoice::AtMost(limits), ..DeviceConfig::default() }
}

/// Parameters as bits after steps of a rule over changing sets of tensors.
fn train<R: optirs_gpu::rule::Rule>(device: &Device, params: R::Params) -> Vec<Vec<u32>> {
    let tensors = LENGTHS.iter().enumerate().map(|(place, len)| (format!("t{place}"), noise(*len, place as u32)));
    let mut set = ParamSet::new(device, tensors).unwrap();
    let mut optimizer = Optimizer::<R>::on(device, params).unwrap();
    for step in 0..4 {
        set.clear_grads();
        for (place, len) in LENGTHS.iter().enumerate() {
            if step == 0 || !(place as u32 + step).is_multiple_of(3) {
                set.write_grad(&format!("t{place}"), &noise(*len, 31 * step + place as u32)).unwrap();
            }
        }
        optimizer.step(&mut set).unwrap();
    }
    (0..LENGTHS.len()).map(|place| bits(&set, &format!("t{place}"))).collect()
}

#[test]
fn limits_do_not_change_a_bit() {
    for device in devices::all() {
        let adam = train::<rules::Adam>(&device, AdamParams::default());
        let lamb = train::<rules::Lamb>(&device, AdamParams::default().into());
        // Two states of a chunk just fit; a narrow grid; both of another size.
        for (words, grid) in [(16_384, 65_535), (65_536, 5), (20_000, 7)] {
            let small = small(device.backend(), words, grid);
            assert!(train::<rules::Adam>(&small, AdamParams::default()) == adam, "{words} words, {grid} wide");
            assert!(train::<rules::Lamb>(&small, AdamParams::default().into()) == lamb, "{words} words, {grid} wide");
        }
    }
}

/// A device of a back end that there is.
fn small(backend: GpuBackend, words: u64, grid: u32) -> Device {
    let config = DeviceConfig { allow_software: true, ..config(backend, words, grid) };
    Device::with_config(config).unwrap()
}

#[test]
fn a_tensor_larger_than_a_buffer_is_whole_to_its_user() {
    for device in devices::all() {
        let device = small(device.backend(), 16_384, 65_535);
        let expected = noise(100_001, 5);
        let params = ParamSet::new(&device, [("big", expected.slice(s![..;-1]))]).unwrap();
        assert!(params.read("big").unwrap().iter().eq(expected.iter().rev()));
        assert_eq!(device.memory().buffers, 2 * 7, "7 parts of parameters and gradients");
    }
}

#[test]
fn the_states_move_between_devices_of_other_limits() {
    // One reads the other's states through their logical order, whatever the layout was.
    let wide = Device::cpu();
    let small = small(GpuBackend::Cpu, 16_384, 65_535);
    for device in [wide, small] {
        let mut params = ParamSet::new(&device, [("w", noise(50_000, 1))]).unwrap();
        let mut stays = GpuLamb::on(&device, AdamParams::default()).unwrap();
        params.write_grad("w", &noise(50_000, 2)).unwrap();
        stays.step(&mut params).unwrap();
        let state = stays.state("m", "w").unwrap();
        assert!(state.iter().zip(&noise(50_000, 2)).all(|(m, g)| (m - 0.1 * g).abs() < 1e-7));
        stays.move_to_cpu().unwrap();
        assert_eq!(stays.state("m", "w").unwrap(), state);
        stays.move_to_gpu().unwrap();
        params.set_grad_missing("w").unwrap();
        params.add("x", &noise(3, 3)).unwrap();
        params.write_grad("x", &noise(3, 4)).unwrap();
        stays.step(&mut params).unwrap();
        assert_eq!(stays.state("m", "w").unwrap(), state);
    }
}
