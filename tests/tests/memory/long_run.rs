//! A long run: what is in use after it is what was in use when it had begun.

use optirs_gpu::{AdamWParams, Device, DeviceConfig, DeviceMemory, GpuAdamW, GpuLamb, LambParams, ParamSet};
use optirs_gpu_tests::devices;
use scirs2_core::ndarray::Array1;

use crate::{counting, turn};

/// Steps until every table, pipeline and buffer that the run uses has been made.
const WARM_UP: u64 = 1000;

/// Two optimizers of different rules, and gradients that change, come and go.
struct Run {
    device: Device,
    params: [ParamSet; 2],
    adamw: GpuAdamW,
    lamb: GpuLamb,
    gradients: Vec<Array1<f32>>,
    taken: u64,
}

/// What is in use: by the host, by the runtime on the device, and by wgpu on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
struct InUse {
    host: (usize, usize),
    device: DeviceMemory,
    wgpu: Option<u64>,
}

impl Run {
    fn new(device: Device) -> Run {
        let tensors = || [("w", Array1::<f32>::ones(300)), ("b", Array1::ones(3)), ("c", Array1::ones(70))];
        let params = [(); 2].map(|()| ParamSet::new(&device, tensors()).unwrap());
        let adamw = GpuAdamW::on(&device, AdamWParams::default()).unwrap();
        let lamb = GpuLamb::on(&device, LambParams::default()).unwrap();
        let gradients = (0..7).map(|k| Array1::from_shape_fn(300, |index| ((index + k) as f32).sin())).collect();
        Run { device, params, adamw, lamb, gradients, taken: 0 }
    }

    /// One step of both, with a schedule, in which tensors take part by turns; a read now and then.
    fn step(&mut self) {
        self.taken += 1;
        let gradient = &self.gradients[(self.taken % 7) as usize];
        for set in &mut self.params {
            set.write_grad("w", gradient).unwrap();
            let turn = if self.taken.is_multiple_of(3) { "b" } else { "c" };
            set.clear_grads();
            set.set_grad_present("w").unwrap();
            set.set_grad_present(turn).unwrap();
        }
        let learning_rate = 1e-4 / (1.0 + self.taken as f32 / 1000.0);
        self.adamw.set_params(AdamWParams { learning_rate, ..AdamWParams::default() }).unwrap();
        let [first, second] = &mut self.params;
        self.adamw.step(first).unwrap();
        self.lamb.step(second).unwrap();
        if self.taken.is_multiple_of(500) {
            assert!(first.read("w").unwrap().iter().chain(&second.read("w").unwrap()).all(|value| value.is_finite()));
        }
    }

    fn in_use(&self) -> InUse {
        self.device.wait().unwrap();
        let report = self.device.wgpu().and_then(|(device, _)| device.generate_allocator_report());
        let wgpu = report.map(|report| report.total_allocated_bytes);
        InUse { host: counting::in_use(), device: self.device.memory(), wgpu }
    }

    /// Compares at ten points of the run. Where steps are waited for, which the CPU and a software driver do, not a byte
    /// may come; else wgpu may keep a little more when more steps happen to be in flight than ever before.
    fn stays_flat(mut self, steps: u64) {
        (0..WARM_UP).for_each(|_| self.step());
        let begun = self.in_use();
        let waits = self.device.wgpu().is_none() || self.device.is_software();
        let (more_bytes, more_pieces) = if waits { (0, 0) } else { (32 << 10, 100) };
        for _ in 0..10 {
            (0..steps / 10).for_each(|_| self.step());
            let now = self.in_use();
            let what = format!("{begun:?}, and after {} steps on {}: {now:?}", self.taken, self.device);
            assert_eq!((now.device, now.wgpu), (begun.device, begun.wgpu), "{what}");
            assert!(now.host.0 <= begun.host.0 + more_bytes && now.host.1 <= begun.host.1 + more_pieces, "{what}");
        }
        assert_eq!((self.adamw.step_count(), self.lamb.step_count()), (steps + WARM_UP, steps + WARM_UP));
    }
}

#[test]
fn a_hundred_thousand_steps_on_the_cpu_leave_memory_as_it_was() {
    let _turn = turn();
    Run::new(Device::cpu()).stays_flat(100_000);
}

#[test]
fn a_long_run_on_a_gpu_leaves_memory_as_it_was() {
    let _turn = turn();
    let Some(device) = devices::gpu(DeviceConfig::default()) else { return };
    let steps = std::env::var("OPTIRS_GPU_STEPS").map_or(10_000, |steps| steps.parse().unwrap());
    Run::new(device).stays_flat(steps);
}

#[test]
fn steps_that_fail_leave_memory_as_it_was() {
    let _turn = turn();
    for device in devices::all() {
        let mut run = Run::new(device);
        (0..100).for_each(|_| run.step());
        let [first, _] = &mut run.params;
        let mut other = ParamSet::new(first.device(), [("w", Array1::<f32>::ones(300))]).unwrap();
        other.write_grad("w", &run.gradients[0]).unwrap();
        let mut fail = |run: &mut Run| {
            run.adamw.step(&mut other).unwrap_err();
            run.params[0].write_grad("v", &run.gradients[0]).unwrap_err();
            run.params[0].add("w", &run.gradients[0]).unwrap_err();
            run.adamw.add_group(&run.params[0], AdamWParams::default(), ["v"]).unwrap_err();
        };
        fail(&mut run);
        let begun = run.in_use();
        (0..1000).for_each(|_| fail(&mut run));
        assert_eq!(run.in_use(), begun);
    }
}

#[test]
fn everything_is_given_back_at_the_end() {
    let _turn = turn();
    for device in devices::all() {
        let train = || {
            let mut run = Run::new(device.clone());
            (0..20).for_each(|_| run.step());
            run.in_use();
        };
        let in_use = || {
            (0..20).for_each(|_| train());
            device.wait().unwrap();
            let memory = device.memory();
            assert_eq!((memory.buffers, memory.bytes), (0, 0));
            counting::in_use()
        };
        // Drivers and wgpu keep what they have grown to, and how far depends on when submissions end. What is not given
        // back makes every round larger than the one before.
        let rounds: Vec<_> = (0..8).map(|_| in_use()).collect();
        assert!(rounds.windows(2).any(|pair| pair[0] == pair[1]), "on {device}: {rounds:?}");
    }
}
