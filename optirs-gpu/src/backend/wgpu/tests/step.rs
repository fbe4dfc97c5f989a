//! Transfers, steps and limits.

use super::*;
use crate::device::{DeviceLimits, LimitsChoice};

#[test]
fn words_come_back_from_where_they_were_written_and_the_rest_is_zero() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let first = backend.allocate("first", 9).unwrap();
    backend.write(&first, 3, &[1, 2, 3]).unwrap();
    assert_eq!(download(&backend, &first), [0, 0, 0, 1, 2, 3, 0, 0, 0]);
    let second = backend.allocate("second", 5).unwrap();
    backend.copy(&first, 4, &second, 1, 2).unwrap();
    assert_eq!(download(&backend, &second), [0, 2, 3, 0, 0]);
    assert!(matches!(backend.write(&second, 4, &[1, 2]), Err(GpuOptimError::InvalidState(_))));
    assert!(matches!(backend.read(&second, u64::MAX, &mut [0]), Err(GpuOptimError::InvalidState(_))));
    backend.write(&second, 5, &[]).unwrap();
    backend.read(&second, 5, &mut []).unwrap();
}

#[test]
fn transfers_larger_than_a_piece_are_whole() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let words: Vec<u32> = (0..(9 << 20) + 5).map(|word: u32| word.wrapping_mul(2_654_435_761)).collect();
    let buffer = upload(&backend, "large", &words);
    assert!(download(&backend, &buffer) == words);
}

#[test]
fn where_buffers_are_small_staging_memory_is_no_larger() {
    for buffer_bytes in [256 << 10, 48 << 10] {
        let most = DeviceLimits { buffer_bytes, binding_bytes: buffer_bytes, ..DeviceLimits::WEBGPU };
        let config = DeviceConfig { limits: LimitsChoice::AtMost(most), ..DeviceConfig::default() };
        let Some(device) = device(config) else { return };
        let backend = backend(&device);
        let words: Vec<u32> = (0..buffer_bytes as u32 / 4).map(|word| word.wrapping_mul(2_654_435_761)).collect();
        for length in [4, words.len() / 2 + 1, words.len()] {
            let buffer = upload(&backend, "all", &words[..length]);
            assert!(download(&backend, &buffer) == words[..length], "{length} words");
        }
    }
}

#[test]
fn a_step_updates_its_tensor_and_nothing_else_and_the_finish_sees_the_pass() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let param = upload(&backend, "param", &bits(&[10.0; 1000]));
    let grad = upload(&backend, "grad", &bits(&[2.0; 1000]));
    assert_eq!(step(&backend, 613, &whole(&param), &whole(&grad), (64, 128)).unwrap(), 613);
    let mut expected = [10.0; 1000];
    expected[64..64 + 613].fill(9.0);
    assert_eq!(floats(&download(&backend, &param)), expected);
}

#[test]
fn a_narrow_grid_reaches_every_chunk() {
    let most = DeviceLimits { grid_width: 3, ..DeviceLimits::WEBGPU };
    let config = DeviceConfig { limits: LimitsChoice::AtMost(most), ..DeviceConfig::default() };
    let Some(device) = device(config) else { return };
    assert_eq!(device.limits().grid_width, 3);
    let backend = backend(&device);
    let param = upload(&backend, "param", &bits(&[10.0; 512]));
    let grad = upload(&backend, "grad", &bits(&[2.0; 512]));
    assert_eq!(step(&backend, 500, &whole(&param), &whole(&grad), (0, 0)).unwrap(), 500);
    assert_eq!(floats(&download(&backend, &param))[..500], [9.0; 500]);
    let error = step(&backend, 64 * 10, &whole(&param), &whole(&grad), (0, 0)).unwrap_err().to_string();
    assert_eq!(error, "a dispatch needs 10 workgroups, but this device allows at most 9");
}

#[test]
fn parameters_and_gradients_may_lie_in_one_buffer() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let mut both = vec![10.0; 256];
    both.extend([2.0; 256]);
    let both = upload(&backend, "both", &bits(&both));
    let part = |start| Slice { buffer: both.clone(), start, words: 256 };
    assert_eq!(step(&backend, 200, &part(0), &part(256), (0, 0)).unwrap(), 200);
    let after = floats(&download(&backend, &both));
    assert_eq!((after[0], after[199], after[200], after[256]), (9.0, 9.0, 10.0, 2.0));
}

#[test]
fn what_is_freed_is_not_kept_by_bind_groups() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    let backend = backend(&device);
    let param = upload(&backend, "param", &bits(&[10.0; 64]));
    let grad = upload(&backend, "grad", &bits(&[2.0; 64]));
    step(&backend, 64, &whole(&param), &whole(&grad), (0, 0)).unwrap();
    assert_eq!(device.memory(), DeviceMemory { allocations: 7, buffers: 2, bytes: 512 });
    drop((param, grad));
    assert_eq!(device.memory(), DeviceMemory { allocations: 7, buffers: 0, bytes: 0 });
    assert_eq!(backend.groups.len(), 0);
}

#[test]
fn a_buffer_beyond_the_limits_is_refused_with_both_numbers() {
    let config = DeviceConfig { limits: LimitsChoice::WebGpu, ..DeviceConfig::default() };
    let Some(device) = device(config) else { return };
    let error = backend(&device).allocate("param", (256 << 18) + 1).unwrap_err().to_string();
    assert_eq!(error, "buffer `param` needs 268435472 bytes, but this device allows at most 268435456");
}

#[test]
fn a_buffer_of_another_device_is_an_error() {
    let Some(one) = device(DeviceConfig::default()) else { return };
    let Some(other) = device(DeviceConfig::default()) else { return };
    let buffer = backend(&one).allocate("param", 4).unwrap();
    let error = backend(&other).read(&buffer, 0, &mut [0]).unwrap_err().to_string();
    assert_eq!(error, "invalid state: the buffer belongs to another device");
}

#[test]
fn shader_text_that_does_not_compile_is_an_error() {
    let Some(device) = device(DeviceConfig::default()) else { return };
    static BROKEN: Program = Program { wgsl: "fn update_pass1(", ..PROGRAM };
    let error = backend(&device).prepare(&BROKEN).unwrap_err().to_string();
    assert!(error.starts_with("the device refused it: program `update` does not compile: "), "{error}");
}
