//! Steps recorded into the caller's encoder are those that `step` takes, bit for bit, in the caller's order.

use optirs_gpu::{
    AdamParams, Clipping, Device, DeviceConfig, GpuAdam, GpuLamb, GpuOptimError, LambParams, Optimizer, ParamSet,
    rule::Rule,
};
use optirs_gpu_tests::devices;

use crate::{bits, noise};

const LENGTHS: [usize; 3] = [300, 9000, 65];

fn set(device: &Device) -> ParamSet {
    ParamSet::new(device, (0..).zip(LENGTHS).map(|(seed, len)| (format!("t{seed}"), noise(len, seed)))).unwrap()
}

fn give_gradients(params: &mut ParamSet, step: u32) {
    for (place, len) in (0..).zip(LENGTHS) {
        params.write_grad(&format!("t{place}"), &noise(len, 100 * step + place)).unwrap();
    }
}

fn encoder(device: &Device) -> wgpu::CommandEncoder {
    device.wgpu().unwrap().0.create_command_encoder(&Default::default())
}

fn submit(device: &Device, encoder: wgpu::CommandEncoder) {
    device.wgpu().unwrap().1.submit([encoder.finish()]);
}

/// What four steps leave; `record` says which of them are recorded, and which of these end a submission.
fn trained<R: Rule>(device: &Device, hyper: impl Into<R::Params>, record: [Option<bool>; 4]) -> Vec<Vec<u32>> {
    let mut params = set(device);
    let mut optimizer = Optimizer::<R>::on(device, hyper).unwrap();
    give_gradients(&mut params, 1);
    let mut open = None;
    for recorded in record {
        match recorded {
            None => optimizer.step(&mut params).unwrap(),
            Some(ends) => {
                let mut commands = open.take().unwrap_or_else(|| encoder(device));
                optimizer.record_step(&mut params, &mut commands).unwrap();
                if ends {
                    submit(device, commands);
                } else {
                    open = Some(commands);
                }
            }
        }
    }
    assert_eq!(optimizer.step_count(), 4);
    let states = R::STATES.iter().filter(|state| state.kind == optirs_gpu::rule::StateKind::Element);
    let mut seen: Vec<_> = (0..LENGTHS.len()).map(|place| bits(&params, &format!("t{place}"))).collect();
    for state in states {
        let values = optimizer.state(state.name, "t1").unwrap();
        seen.push(values.iter().map(|value| value.to_bits()).collect());
    }
    seen
}

#[test]
fn recorded_steps_leave_the_bits_of_steps() {
    let Some(device) = devices::gpu(DeviceConfig::default()) else { return };
    let (one, more) = (Some(true), Some(false));
    for record in [[one; 4], [None, one, None, one], [more, more, more, one], [None, more, one, None]] {
        let adam = |record| trained::<optirs_gpu::rules::Adam>(&device, AdamParams::default(), record);
        assert!(adam(record) == adam([None; 4]), "Adam, {record:?}");
        let lamb = |record| trained::<optirs_gpu::rules::Lamb>(&device, LambParams::default(), record);
        assert!(lamb(record) == lamb([None; 4]), "LAMB, {record:?}");
    }
}

#[test]
fn commands_before_and_after_a_recorded_step_are_the_callers() {
    let Some(device) = devices::gpu(DeviceConfig::default()) else { return };
    let mut params = set(&device);
    let mut copy = set(&device);
    give_gradients(&mut copy, 7);
    let (mut recorded, mut stepped) =
        (GpuAdam::on(&device, AdamParams::default()).unwrap(), GpuAdam::on(&device, AdamParams::default()).unwrap());
    let after = {
        let mut commands = encoder(&device);
        // The gradients come by a copy on the device, behind which the step stands, and before which it would find zeros.
        for name in ["t0", "t1", "t2"] {
            let (from, to) = (copy.grad_binding(name).unwrap(), params.grad_binding(name).unwrap());
            params.set_grad_present(name).unwrap();
            commands.copy_buffer_to_buffer(&from.buffer, from.offset, &to.buffer, to.offset, to.size);
        }
        recorded.record_step(&mut params, &mut commands).unwrap();
        let updated = params.param_binding("t0").unwrap();
        let after = device.wgpu().unwrap().0.create_buffer(&wgpu::BufferDescriptor {
            label: Some("of the caller"),
            size: updated.size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        commands.copy_buffer_to_buffer(&updated.buffer, updated.offset, &after, 0, updated.size);
        submit(&device, commands);
        after
    };
    stepped.step(&mut copy).unwrap();
    assert!(bits(&params, "t0") == bits(&copy, "t0"));
    let mut seen = ParamSet::new(&device, [("other", noise(4, 1))]).unwrap();
    let binding = optirs_gpu::TensorBinding { buffer: after.clone(), offset: 0, size: 4 * 128 };
    let gradients = optirs_gpu::TensorBinding { buffer: after, offset: 4 * 128, size: 4 * 128 };
    seen.add_bound("after", &[128], &binding, &gradients).unwrap();
    assert!(bits(&seen, "after") == bits(&copy, "t0")[..128]);
}

#[test]
fn what_cannot_be_recorded_is_refused_and_nothing_is_counted() {
    let mut on_the_cpu = set(&Device::cpu());
    let cpu = on_the_cpu.device().clone();
    let Some(device) = devices::gpu(DeviceConfig::default()) else { return };
    let mut commands = encoder(&device);
    give_gradients(&mut on_the_cpu, 1);
    let mut adam = GpuAdam::on(&cpu, AdamParams::default()).unwrap();
    let refused = adam.record_step(&mut on_the_cpu, &mut commands).unwrap_err();
    assert!(matches!(refused, GpuOptimError::UnsupportedOperation(_)), "{refused}");

    let mut params = set(&device);
    let mut lamb = GpuLamb::on(&device, LambParams::default()).unwrap();
    lamb.set_clipping(Clipping::GlobalNorm(1.0)).unwrap();
    give_gradients(&mut params, 1);
    let before: Vec<_> = ["t0", "t1", "t2"].map(|name| bits(&params, name)).into();
    let refused = lamb.record_step(&mut params, &mut commands).unwrap_err();
    assert!(refused.to_string().contains("clip by value"), "{refused}");
    submit(&device, commands);
    assert_eq!(lamb.step_count(), 0);
    assert!(before == ["t0", "t1", "t2"].map(|name| bits(&params, name)));

    // By value it is clipped within the step, and can be recorded.
    lamb.set_clipping(Clipping::Value(0.5)).unwrap();
    let mut commands = encoder(&device);
    lamb.record_step(&mut params, &mut commands).unwrap();
    submit(&device, commands);
    assert_eq!(lamb.step_count(), 1);
    assert!(before[0] != bits(&params, "t0"));
}
