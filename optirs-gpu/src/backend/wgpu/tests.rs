//! The back end on a real driver, with a program written by hand against the ABI of [`crate::rule::records`].

use std::sync::Arc;

use super::*;
use crate::backend::{Range, Slice};
use crate::device::{Device, DeviceConfig, DeviceLimits, LimitsChoice};
use crate::rule::cpu::{ChunkArguments, TensorArguments};
use crate::rule::records::{ChunkRecord, TensorRecord};
use crate::rule::{Binding, Kernel, KernelKind, Role, RowReads, Variant};

const READ: bool = false;
const WRITE: bool = true;

const fn binds(role: Role, writes: bool) -> Binding {
    Binding { role, writes }
}

fn unused_pass(_: &mut ChunkArguments<'_>) {}
fn unused_finish(_: &mut TensorArguments<'_>) {}

/// `param -= rate * grad`, and the tensor's number of elements, counted chunk by chunk, into its first scalar.
static PROGRAM: Program = Program {
    name: "update",
    takes_grad: true,
    mode: None,
    wgsl: include_str!("tests.wgsl"),
    msl: "",
    row_words: 1,
    partial_words: 1,
    bytes_per_element: 12,
    reads: RowReads { step: false, shape: false, host_states: false },
    kernels: &[
        Kernel {
            name: "update_pass1",
            kind: KernelKind::Pass(unused_pass),
            bindings: &[
                binds(Role::Hyper, READ),
                binds(Role::Chunks, READ),
                binds(Role::Param, WRITE),
                binds(Role::Gradient, READ),
                binds(Role::Scalars, READ),
                binds(Role::Partials, WRITE),
            ],
        },
        Kernel {
            name: "update_finish1_tensor",
            kind: KernelKind::FinishTensor(unused_finish),
            bindings: &[binds(Role::Chunks, READ), binds(Role::Scalars, WRITE), binds(Role::Partials, READ)],
        },
    ],
};

static VARIANT: Variant = Variant {
    options: &[],
    element_states: &[],
    host_states: &[],
    all_states: &[],
    tensor_states: &[],
    all_words: 0,
    tensor_words: 1,
    programs: &[PROGRAM],
};

/// A device, or none where the machine has no driver; then the test is skipped, unless one is required.
fn device(config: DeviceConfig) -> Option<Device> {
    match Device::with_config(DeviceConfig { allow_software: true, ..config }) {
        Ok(device) => Some(device),
        Err(error) if std::env::var("OPTIRS_REQUIRE_GPU").is_ok_and(|value| value == "1") => panic!("{error}"),
        Err(error) => {
            println!("SKIP: {error}");
            None
        }
    }
}

fn backend(device: &Device) -> Arc<WgpuBackend> {
    Arc::clone(device.wgpu_backend().unwrap())
}

fn whole(buffer: &Buffer) -> Slice {
    Slice { buffer: buffer.clone(), start: 0, words: buffer.words }
}

fn upload(backend: &WgpuBackend, label: &str, words: &[u32]) -> Buffer {
    let buffer = backend.allocate(label, words.len() as u64).unwrap();
    backend.write(&buffer, 0, words).unwrap();
    buffer
}

fn download(backend: &WgpuBackend, buffer: &Buffer) -> Vec<u32> {
    let mut words = vec![0; buffer.words as usize];
    backend.read(buffer, 0, &mut words).unwrap();
    words
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|&word| f32::from_bits(word)).collect()
}

/// A table of one tensor, cut into chunks of `size` elements, parameters and gradients at these starts.
fn table(len: u32, size: u32, starts: (u32, u32), with_chunks: bool) -> (Vec<u32>, u32) {
    let count = len.div_ceil(size);
    let chunks = if with_chunks { count } else { 0 };
    let mut words = vec![chunks, 1, f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits(), 0, 0, 0, 0];
    words.extend(TensorRecord { len, partials: count, clip: 1, ..TensorRecord::default() }.to_words());
    for chunk in 0..chunks {
        let first = chunk * size;
        let record = ChunkRecord {
            param_start: starts.0 + first,
            grad_start: starts.1 + first,
            len: size.min(len - first),
            partial: chunk,
            ..ChunkRecord::default()
        };
        words.extend(record.to_words());
    }
    (words, chunks)
}

/// Runs [`PROGRAM`] at rate 0.5 over one tensor; what the finish counted.
fn step(
    backend: &WgpuBackend,
    len: u32,
    param: &Slice,
    grad: &Slice,
    starts: (u32, u32),
) -> Result<u32, GpuOptimError> {
    let (words, chunks) = table(len, 64, starts, true);
    let table_buffer = upload(backend, "table", &words);
    let tensors = upload(backend, "tensors", &table(len, 64, starts, false).0);
    let hyper = upload(backend, "hyper", &[0.5f32.to_bits()]);
    let scalars = upload(backend, "scalars", &[0; 8]);
    let partials = backend.allocate("partials", chunks.into())?;
    let arenas = vec![(Role::Param, param.clone()), (Role::Gradient, grad.clone())];
    let range = Range { table: whole(&table_buffer), chunks, arenas };
    backend.prepare(&PROGRAM)?;
    backend.run(&Launch {
        variant: &VARIANT,
        program: &PROGRAM,
        hyper: &whole(&hyper),
        scalars: &whole(&scalars),
        partials: Some(&whole(&partials)),
        ranges: &[range],
        tensors: &whole(&tensors),
        tensor_count: 1,
    })?;
    let mut counted = [0];
    backend.read(&scalars, 4, &mut counted)?;
    Ok(counted[0])
}

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
