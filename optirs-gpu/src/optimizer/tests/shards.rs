//! Shards and ranges, really executed: the same bits as on a device without limits.

use scirs2_core::gpu::GpuBackend;
use scirs2_core::ndarray::Array1;

use super::everything::{Everything, EverythingParams};
use super::values;
use crate::{Device, DeviceConfig, DeviceLimits, LimitsChoice, Optimizer, ParamSet};

const LENGTHS: [usize; 11] = [0, 1, 63, 64, 65, 8191, 8192, 8193, 40_000, 3, 100_001];

pub fn limited(binding_words: u64, grid_width: u32) -> Device {
    let limits = DeviceLimits {
        buffer_bytes: 4 * (binding_words + 64),
        binding_bytes: 4 * binding_words,
        alignment_bytes: 256,
        grid_width,
    };
    let config = DeviceConfig {
        backend: Some(GpuBackend::Cpu),
        limits: LimitsChoice::AtMost(limits),
        ..DeviceConfig::default()
    };
    Device::with_config(config).unwrap()
}

/// Something without pattern, from -1 to 1.
pub fn noise(len: usize, seed: u32) -> Array1<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    Array1::from_shape_simple_fn(len, || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    })
}

/// Parameters and all states, as bits, after steps over changing sets of tensors, one of which joins late.
fn train(device: &Device) -> Vec<Vec<u32>> {
    let tensors = LENGTHS.iter().enumerate().map(|(place, len)| (format!("t{place}"), noise(*len, place as u32)));
    let mut params = ParamSet::new(device, tensors).unwrap();
    let mut optimizer = Optimizer::<Everything>::on(device, EverythingParams { rate: 1e-3, start: 0.0 }).unwrap();
    optimizer.set_scalar("loss", 0.1).unwrap();
    for step in 0..5 {
        if step == 3 {
            params.add("late", &noise(30_000, 99)).unwrap();
        }
        params.clear_grads();
        let names: Vec<String> = params.names().map(str::to_owned).collect();
        for (place, name) in names.iter().enumerate() {
            let len = params.shape(name).unwrap()[0];
            optimizer.write_input(&params, "weight", name, &noise(len, 7 + step)).unwrap();
            if step == 0 || !(place as u32 + step).is_multiple_of(3) {
                params.write_grad(name, &noise(len, 31 * step + place as u32)).unwrap();
            }
        }
        optimizer.step(&mut params).unwrap();
        optimizer.run_entry("double", &mut params).unwrap();
    }
    let mut all = Vec::new();
    for name in params.names() {
        let mut bits = |values: Vec<f32>| all.push(values.into_iter().map(f32::to_bits).collect());
        bits(values(&params, name));
        if params.shape(name).unwrap()[0] > 0 {
            for state in ["m", "p0", "c", "t", "d", "h"] {
                bits(optimizer.state(state, name).unwrap().into_raw_vec_and_offset().0);
            }
        }
    }
    all
}

#[test]
fn limits_do_not_change_a_bit() {
    let expected = train(&Device::cpu());
    // Three states of a chunk just fit; more, and a grid that is the bottleneck; a size without a pattern.
    for (binding_words, grid_width) in [(24_576, 65_535), (65_536, 5), (30_000, 7)] {
        let device = limited(binding_words, grid_width);
        assert!(train(&device) == expected, "{binding_words} words, grid {grid_width}");
    }
}

#[test]
fn a_tensor_larger_than_a_buffer_is_whole_to_its_user() {
    let device = limited(24_576, 65_535);
    let values = noise(100_001, 5);
    let mut params = ParamSet::new(&device, [("big", values.slice(scirs2_core::ndarray::s![..;-1]))]).unwrap();
    assert!(params.tensors()[0].parts.len() > 1);
    let read = params.read("big").unwrap();
    assert!(read.iter().eq(values.iter().rev()));
    params.write("big", &values).unwrap();
    assert!(params.read("big").unwrap().iter().eq(values.iter()));
}
