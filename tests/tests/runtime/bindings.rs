//! Gradients that a kernel or a copy of the caller writes in place.

use optirs_gpu::rule::Rule;
use optirs_gpu::{
    Clipping, Device, DeviceConfig, DeviceLimits, GpuLamb, GpuOptimError, GpuSgd, GradientAccumulator, LambParams,
    LimitsChoice, Optimizer, ParamSet, SgdParams, Snapshot, TensorBinding, WeightAverage, rules,
};
use optirs_gpu_tests::devices;
use scirs2_core::ndarray::{Array1, arr1};

use crate::{noise, values};

fn write(device: &optirs_gpu::Device, binding: &TensorBinding, values: &[f32]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(bytes.len() as u64, binding.size);
    let (_, queue) = device.wgpu().unwrap();
    queue.write_buffer(&binding.buffer, binding.offset, &bytes);
}

#[test]
fn a_gradient_written_in_place_is_used() {
    let Some(device) = devices::gpu(DeviceConfig::default()) else { return };
    let mut params = ParamSet::new(&device, [("a", noise(70, 1)), ("b", arr1(&[1.0, 2.0, 3.0]))]).unwrap();
    let mut optimizer = GpuSgd::on(&device, SgdParams { learning_rate: 0.5, ..SgdParams::default() }).unwrap();
    let binding = params.grad_binding("b").unwrap();
    assert_eq!((binding.offset, binding.size), (512, 12), "64 elements apart at least");
    write(&device, &binding, &[2.0, 4.0, -2.0]);
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "b"), [0.0, 0.0, 4.0]);
    assert_eq!(values(&params, "a"), noise(70, 1).to_vec(), "`a` has no gradient");

    write(&device, &params.param_binding("b").unwrap(), &[5.0, 5.0, 5.0]);
    params.clear_grads();
    params.set_grad_present("b").unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "b"), [4.0, 3.0, 6.0]);
}

#[test]
fn a_tensor_in_several_buffers_has_several_bindings() {
    let limits = DeviceLimits { buffer_bytes: 65_536, binding_bytes: 65_536, alignment_bytes: 256, grid_width: 65_535 };
    let config = DeviceConfig { limits: LimitsChoice::AtMost(limits), ..DeviceConfig::default() };
    let Some(device) = devices::gpu(config) else { return };
    let mut params = ParamSet::new(&device, [("big", noise(40_000, 1)), ("none", Array1::zeros(0))]).unwrap();
    let error = params.grad_binding("big").unwrap_err();
    assert!(matches!(&error, GpuOptimError::UnsupportedOperation(text) if text.contains("`grad_bindings`")), "{error}");
    assert!(!params.has_grad("big").unwrap());
    assert!(params.param_binding("none").unwrap_err().to_string().contains("empty"));
    assert!(params.grad_bindings("none").unwrap().is_empty());
    let bindings = params.grad_bindings("big").unwrap();
    assert_eq!(bindings.iter().map(|binding| binding.size / 4).collect::<Vec<_>>(), [16_384, 16_384, 7232]);
    let gradient = noise(40_000, 2);
    let mut done = 0;
    for binding in &bindings {
        let len = binding.size as usize / 4;
        write(&device, binding, &gradient.as_slice().unwrap()[done..done + len]);
        done += len;
    }
    let mut optimizer = GpuSgd::on(&device, SgdParams { learning_rate: 1.0, ..SgdParams::default() }).unwrap();
    optimizer.step(&mut params).unwrap();
    let expected: Vec<f32> = noise(40_000, 1).iter().zip(&gradient).map(|(p, g)| p - g).collect();
    assert_eq!(values(&params, "big"), expected);
}

/// A buffer of the caller's, with these contents.
fn buffer(device: &optirs_gpu::Device, contents: &[f32]) -> wgpu::Buffer {
    let (raw, queue) = device.wgpu().unwrap();
    let buffer = raw.create_buffer(&wgpu::BufferDescriptor {
        label: Some("of the caller"),
        size: 4 * contents.len() as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let bytes: Vec<u8> = contents.iter().flat_map(|value| value.to_le_bytes()).collect();
    queue.write_buffer(&buffer, 0, &bytes);
    buffer
}

fn at(buffer: &wgpu::Buffer, start: u64, len: u64) -> TensorBinding {
    TensorBinding { buffer: buffer.clone(), offset: 4 * start, size: 4 * len }
}

/// Adam's pass reads gradients and writes parameters; LAMB's each do one of both.
#[test]
fn tensors_of_others_are_stepped_in_place() {
    let Some(device) = devices::gpu(DeviceConfig::default()) else { return };
    step_in_place::<rules::Adam>(&device);
    step_in_place::<rules::Lamb>(&device);
}

fn step_in_place<R: Rule>(device: &Device) {
    let both = noise(40_000, 1).to_vec();
    let separate = noise(400, 2).to_vec();
    let one = buffer(device, &both);
    let (weights, gradients) = (buffer(device, &separate), buffer(device, &noise(800, 3).to_vec()));
    // By turns: p and g as two slices of one buffer, and p and g in buffers of their own at other starts.
    let mut bound = ParamSet::new(device, [("own", noise(1000, 4))]).unwrap();
    bound.add_bound("a", &[100, 97], &at(&one, 4, 9700), &at(&one, 20_000, 9700)).unwrap();
    bound.add_bound("x", &[101], &at(&weights, 0, 101), &at(&gradients, 300, 101)).unwrap();
    bound.add_bound("b", &[3], &at(&one, 9704, 3), &at(&one, 39_996, 3)).unwrap();
    bound.add_bound("y", &[50], &at(&weights, 104, 50), &at(&gradients, 4, 50)).unwrap();
    bound.write_grad("own", &noise(1000, 5)).unwrap();
    let mut copied = ParamSet::new(device, [("own", noise(1000, 4))]).unwrap();
    copied.write_grad("own", &noise(1000, 5)).unwrap();
    for name in ["a", "x", "b", "y"] {
        copied.add(name, &bound.read(name).unwrap()).unwrap();
        copied.write_grad(name, &bound.read_grad(name).unwrap()).unwrap();
    }
    assert_eq!(values(&bound, "b"), both[9704..9707]);
    let [mut in_place, mut apart] = [(); 2].map(|()| Optimizer::<R>::on(device, R::Params::default()).unwrap());
    for _ in 0..3 {
        in_place.step(&mut bound).unwrap();
        apart.step(&mut copied).unwrap();
    }
    for name in ["own", "a", "x", "b", "y"] {
        assert!(values(&bound, name) == values(&copied, name), "{name} by {}", R::NAME);
        assert!(in_place.state("v", name).unwrap() == apart.state("v", name).unwrap(), "{name} by {}", R::NAME);
    }
    // What lies beside and between the tensors is as it was.
    let nothing: [(&str, Array1<f32>); 0] = [];
    let mut whole = ParamSet::new(device, nothing).unwrap();
    whole.add_bound("all", &[40_000], &at(&one, 0, 40_000), &at(&gradients, 0, 800)).unwrap_err();
    whole.add_bound("rest", &[10_000], &at(&one, 9708, 10_000), &at(&one, 30_000, 10_000)).unwrap();
    assert_eq!(values(&whole, "rest"), both[9708..19_708]);
}

#[test]
fn memory_that_a_step_would_write_twice_is_refused_by_name() {
    let Some(device) = devices::gpu(DeviceConfig::default()) else { return };
    let (one, other) = (buffer(&device, &[1.0; 200]), buffer(&device, &[1.0; 203]));
    let mut params = ParamSet::new(&device, [("own", arr1(&[1.0]))]).unwrap();
    params.add_bound("w", &[50], &at(&one, 0, 50), &at(&other, 0, 50)).unwrap();
    let text = |result: Result<(), GpuOptimError>| result.unwrap_err().to_string();
    let same = params.add_bound("v", &[50], &at(&one, 0, 50), &at(&other, 60, 50));
    assert!(text(same).contains("tensors `v` and `w` overlap"));
    let twice = params.add_bound("w", &[50], &at(&one, 100, 50), &at(&other, 100, 50));
    assert!(matches!(twice, Err(GpuOptimError::DuplicateTensor(name)) if name == "w"));
    let own = params.add_bound("v", &[50], &at(&one, 100, 50), &at(&one, 148, 50));
    assert!(text(own).contains("tensor `v`: its parameters and gradients overlap"));
    let of_another = params.add_bound("v", &[50], &at(&one, 100, 50), &at(&one, 48, 50));
    assert!(text(of_another).contains("tensors `v` and `w` overlap"));
    let start = params.add_bound("v", &[50], &at(&one, 101, 50), &at(&other, 100, 50));
    assert!(text(start).contains("must start on a multiple of 16"));
    let end = params.add_bound("v", &[3], &at(&other, 200, 3), &at(&one, 100, 3));
    assert!(text(end).contains("the buffer must reach to the next one"));
    let shape = params.add_bound("v", &[7, 7], &at(&one, 100, 50), &at(&other, 100, 50));
    let said = "tensor `v`: f32 of shape [7, 7] take 196 bytes, but the binding of its parameters has 200";
    assert_eq!(text(shape), said);
    let odd = TensorBinding { size: 25, ..at(&other, 100, 6) };
    let bytes = text(params.add_bound("v", &[6], &at(&one, 100, 6), &odd));
    assert_eq!(bytes, "tensor `v`: f32 of shape [6] take 24 bytes, but the binding of its gradients has 25");
    let huge = params.add_bound("v", &[usize::MAX; 3], &at(&one, 100, 50), &at(&other, 100, 50));
    assert!(matches!(huge, Err(GpuOptimError::BindingSize { needed: u64::MAX, actual: 200, .. })));
    assert_eq!(params.len(), 2);
    params.add_bound("v", &[50], &at(&one, 100, 50), &at(&other, 0, 50)).unwrap();
    let mut optimizer = GpuSgd::on(&device, SgdParams { learning_rate: 1.0, ..SgdParams::default() }).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!((values(&params, "v"), values(&params, "own")), (vec![0.0; 50], vec![1.0]));
}

#[test]
fn buffers_that_the_device_cannot_bind_are_refused_by_name() {
    let (Some(device), Some(other)) = (devices::gpu(DeviceConfig::default()), devices::gpu(DeviceConfig::default()))
    else {
        return;
    };
    let (raw, _) = device.wgpu().unwrap();
    let usage = wgpu::BufferUsages::COPY_DST;
    let plain = wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false };
    let [own, of_another, destroyed, unusable] =
        [buffer(&device, &[1.0; 8]), buffer(&other, &[2.0; 4]), buffer(&device, &[3.0; 4]), raw.create_buffer(&plain)];
    destroyed.destroy();
    // In another instance, and of a number that there is not in this one.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN | wgpu::Backends::METAL));
    let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name == device.name()).unwrap();
    let (strange, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default())).unwrap();
    // Never closed: NVIDIA's driver can deadlock where the thread of another test ends meanwhile.
    std::mem::forget((strange.clone(), queue));
    let usage = wgpu::BufferUsages::STORAGE;
    let alike = wgpu::BufferDescriptor { label: None, size: 16, usage, mapped_at_creation: false };
    let strange: Vec<_> = (0..20_000).map(|_| strange.create_buffer(&alike)).collect();

    let mut params = ParamSet::new(&device, [("own", arr1(&[1.0]))]).unwrap();
    for (unfit, reason) in [
        (&of_another, "cannot be bound: give one that was made on the set's own `wgpu::Device`"),
        (&destroyed, "cannot be bound: give one that was made on the set's own `wgpu::Device` and is not destroyed"),
        (&unusable, "must have the usage STORAGE"),
        (strange.last().unwrap(), "it is of another `wgpu::Instance`"),
    ] {
        for (half, [param, grad]) in [("parameters", [unfit, &own]), ("gradients", [&own, unfit])] {
            let error = params.add_bound("v", &[4], &at(param, 0, 4), &at(grad, 0, 4)).unwrap_err();
            let typed = matches!(error, GpuOptimError::InvalidState(_) | GpuOptimError::UnsupportedOperation(_));
            let text = error.to_string();
            assert!(typed && text.contains(&format!("tensor `v`: the buffer of its {half} ")), "{text}");
            assert!(text.contains(reason), "{text}");
        }
    }
    assert_eq!(params.names().collect::<Vec<_>>(), ["own"]);
    params.add_bound("v", &[4], &at(&own, 0, 4), &at(&own, 4, 4)).unwrap();
    let mut optimizer = GpuSgd::on(&device, SgdParams { learning_rate: 0.5, ..SgdParams::default() }).unwrap();
    optimizer.step(&mut params).unwrap();
    assert_eq!(values(&params, "v"), [0.5; 4]);
}

#[test]
fn tensors_far_inside_of_a_large_buffer_are_stepped_in_place() {
    let limits =
        DeviceLimits { buffer_bytes: 1 << 20, binding_bytes: 1 << 16, alignment_bytes: 256, grid_width: 65_535 };
    let config = DeviceConfig { limits: LimitsChoice::AtMost(limits), ..DeviceConfig::default() };
    let Some(device) = devices::gpu(config) else { return };
    let contents = noise(100_000, 1).to_vec();
    let [weights, gradients] = [(); 2].map(|()| buffer(&device, &contents));
    let nothing: [(&str, Array1<f32>); 0] = [];
    let mut params = ParamSet::new(&device, nothing).unwrap();
    params.add_bound("w", &[300], &at(&weights, 40_004, 300), &at(&gradients, 90_008, 300)).unwrap();
    let mut optimizer = GpuSgd::on(&device, SgdParams { learning_rate: 1.0, ..SgdParams::default() }).unwrap();
    optimizer.step(&mut params).unwrap();
    let pairs = contents[40_004..].iter().zip(&contents[90_008..]).take(300);
    assert_eq!(values(&params, "w"), pairs.map(|(w, g)| w - g).collect::<Vec<_>>());
}

#[test]
fn averages_sums_and_the_guard_take_tensors_of_others_where_they_are() {
    let Some(device) = devices::gpu(DeviceConfig::default()) else { return };
    let one = buffer(&device, &noise(4000, 1).to_vec());
    let apart = buffer(&device, &noise(400, 2).to_vec());
    let mut bound = ParamSet::new(&device, [("own", noise(100, 3))]).unwrap();
    bound.write_grad("own", &noise(100, 4)).unwrap();
    bound.add_bound("a", &[1000], &at(&one, 4, 1000), &at(&one, 2000, 1000)).unwrap();
    bound.add_bound("x", &[101], &at(&one, 1004, 101), &at(&apart, 8, 101)).unwrap();
    let names = ["own", "a", "x"];
    let mut copied = ParamSet::new(&device, [("own", bound.read("own").unwrap())]).unwrap();
    for name in names {
        if name != "own" {
            copied.add(name, &bound.read(name).unwrap()).unwrap();
        }
        copied.write_grad(name, &bound.read_grad(name).unwrap()).unwrap();
    }
    let train = |params: &mut ParamSet| {
        let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
        optimizer.set_clipping(Clipping::TensorNorm(0.5)).unwrap();
        let (mut average, mut before) = (WeightAverage::mean(params).unwrap(), Snapshot::of(params).unwrap());
        let mut gradients = GradientAccumulator::new(params).unwrap();
        for _ in 0..3 {
            gradients.add(params).unwrap();
            gradients.add(params).unwrap();
            gradients.sum_into(params).unwrap();
            optimizer.step(params).unwrap();
            average.update(params).unwrap();
        }
        let norms = [optimizer.grad_norm().unwrap(), before.distance(params).unwrap()];
        average.copy_to(params).unwrap();
        let all: Vec<f32> = names.iter().flat_map(|name| values(params, name)).collect();
        (all, norms.map(f32::to_bits))
    };
    assert!(train(&mut bound) == train(&mut copied));
    // Beside and between the tensors everything is as it was.
    let nothing: [(&str, Array1<f32>); 0] = [];
    let mut rest = ParamSet::new(&device, nothing).unwrap();
    rest.add_bound("behind", &[100], &at(&one, 3900, 100), &at(&apart, 200, 100)).unwrap();
    assert_eq!(values(&rest, "behind"), noise(4000, 1).to_vec()[3900..]);
    assert_eq!(rest.read_grad("behind").unwrap().into_raw_vec_and_offset().0, noise(400, 2).to_vec()[200..300]);
}
