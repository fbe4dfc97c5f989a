//! Standard rules, and options of theirs, that no library's trajectory proves, against the steps of their papers and authors' code in f64.
//!
//! They are written out here for vectors, operation by operation, and share nothing with the rules.

use optirs_gpu::ndarray::Array1;
use optirs_gpu::rule::Rule;
use optirs_gpu::rules::{
    CautiousAdamW, CautiousAdamWParams, Ftrl, FtrlParams, LambApex, LambApexParams, Padam, PadamParams, Sophia,
    SophiaParams,
};
use optirs_gpu::{Device, Optimizer, ParamSet};

use crate::parity::random::Random;

/// Trains with a rule and with its formula; the worst |Δ| / max(1, |p|) over all steps and elements.
pub type Check = fn(&Device) -> f64;

/// The rules, by module name.
pub const CHECKS: &[(&str, Check)] = &[
    ("cautious_adamw", cautious_adamw),
    ("ftrl", ftrl),
    ("lamb_apex", lamb_apex),
    ("padam", padam),
    ("sophia", sophia),
];

const STEPS: i32 = 12;
const LENGTHS: [usize; 2] = [300, 7];

/// Tensors in f64, whose values are f32.
type Tensors = Vec<Vec<f64>>;

fn noise(random: &mut Random, scale: f64) -> Tensors {
    let value = |random: &mut Random| f64::from((scale * (2.0 * random.fraction() - 1.0)) as f32);
    LENGTHS.map(|length| (0..length).map(|_| value(random)).collect()).into()
}

fn zeros() -> Tensors {
    LENGTHS.map(|length| vec![0.0; length]).into()
}

fn norm<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// A decaying mean, in place.
fn blend(mean: &mut f64, value: f64, beta: f64) {
    *mean = beta * *mean + (1.0 - beta) * value;
}

/// A rule in training, and how far it has been from its formula.
struct Training<R: Rule> {
    params: ParamSet,
    optimizer: Optimizer<R>,
    /// What the formula makes of the parameters.
    expected: Tensors,
    worst: f64,
}

const NAMES: [&str; 2] = ["first", "second"];

fn array(values: &[f64]) -> Array1<f32> {
    values.iter().map(|&value| value as f32).collect()
}

impl<R: Rule> Training<R> {
    fn new(device: &Device, params: R::Params, start: Tensors) -> Self {
        let optimizer = Optimizer::on(device, params).unwrap();
        let arrays: Vec<_> = start.iter().map(|values| array(values)).collect();
        let params = ParamSet::new(device, NAMES.into_iter().zip(arrays)).unwrap();
        Self { params, optimizer, expected: start, worst: 0.0 }
    }

    /// Steps the rule; the formula has done its step.
    fn step(&mut self, gradient: &Tensors) {
        for (name, gradient) in NAMES.iter().zip(gradient) {
            self.params.write_grad(name, &array(gradient)).unwrap();
        }
        self.optimizer.step(&mut self.params).unwrap();
        for (name, expected) in NAMES.iter().zip(&self.expected) {
            for (&value, expected) in self.params.read(name).unwrap().iter().zip(expected) {
                let apart = (f64::from(value) - expected).abs() / expected.abs().max(1.0);
                // A NaN must count as the worst of all.
                self.worst = if apart.is_nan() { f64::INFINITY } else { self.worst.max(apart) };
            }
        }
    }
}

/// Liang et al., arXiv:2411.16085, Algorithm 2.
fn cautious_adamw(device: &Device) -> f64 {
    let mut random = Random::new(1);
    let (lr, beta1, beta2, eps, decay) = (0.01, 0.9, 0.99, 1e-8, 0.1);
    let params = CautiousAdamWParams {
        learning_rate: lr as f32,
        beta1: beta1 as f32,
        beta2: beta2 as f32,
        epsilon: eps as f32,
        weight_decay: decay as f32,
    };
    let mut training = Training::<CautiousAdamW>::new(device, params, noise(&mut random, 1.0));
    let (mut m, mut v) = (zeros(), zeros());
    for step in 1..=STEPS {
        let gradient = noise(&mut random, 2.0);
        for tensor in 0..LENGTHS.len() {
            let g = &gradient[tensor];
            let mut update = Vec::new();
            for (i, &g) in g.iter().enumerate() {
                blend(&mut m[tensor][i], g, beta1);
                blend(&mut v[tensor][i], g * g, beta2);
                let (m_hat, v_hat) = (m[tensor][i] / (1.0 - beta1.powi(step)), v[tensor][i] / (1.0 - beta2.powi(step)));
                update.push(m_hat / (v_hat.sqrt() + eps));
            }
            let agrees: Vec<bool> = update.iter().zip(g).map(|(u, g)| u * g > 0.0).collect();
            let kept = agrees.iter().filter(|agrees| **agrees).count();
            let scale = g.len() as f64 / (kept as f64 + 1.0);
            for ((p, u), agrees) in training.expected[tensor].iter_mut().zip(update).zip(agrees) {
                *p -= lr * decay * *p;
                *p -= if agrees { lr * scale * u } else { 0.0 };
            }
        }
        training.step(&gradient);
    }
    training.worst
}

/// `FusedLAMB` of NVIDIA's apex, with each of its two options on and off.
fn lamb_apex(device: &Device) -> f64 {
    let options = [(true, false), (false, false), (true, true), (false, true)];
    options.map(|(averaging, nvlamb)| lamb_apex_with(device, averaging, nvlamb)).into_iter().fold(0.0, f64::max)
}

fn lamb_apex_with(device: &Device, averaging: bool, nvlamb: bool) -> f64 {
    let mut worst = 0.0_f64;
    for decay in [0.0, 0.1] {
        let mut random = Random::new(2);
        let (lr, beta1, beta2, eps, limit) = (0.01, 0.9, 0.99, 1e-6, 5.0);
        let params = LambApexParams {
            learning_rate: lr as f32,
            beta1: beta1 as f32,
            beta2: beta2 as f32,
            epsilon: eps as f32,
            weight_decay: decay as f32,
            max_grad_norm: limit as f32,
            grad_averaging: averaging,
            use_nvlamb: nvlamb,
        };
        let mut training = Training::<LambApex>::new(device, params, noise(&mut random, 1.0));
        let (mut m, mut v) = (zeros(), zeros());
        for step in 1..=STEPS {
            // Of odd steps the norm is above the limit, of even ones below.
            let gradient = noise(&mut random, if step % 2 == 1 { 2.0 } else { 0.1 });
            let total = norm(gradient.iter().flatten());
            let clip = if total > limit { total / limit } else { 1.0 };
            let beta3 = if averaging { 1.0 - beta1 } else { 1.0 };
            for tensor in 0..LENGTHS.len() {
                let mut update = Vec::new();
                for (i, &g) in gradient[tensor].iter().enumerate() {
                    let g = g / clip;
                    m[tensor][i] = beta1 * m[tensor][i] + beta3 * g;
                    blend(&mut v[tensor][i], g * g, beta2);
                    let m_hat = m[tensor][i] / (1.0 - beta1.powi(step));
                    let v_hat = v[tensor][i] / (1.0 - beta2.powi(step));
                    update.push(m_hat / (v_hat.sqrt() + eps) + decay * training.expected[tensor][i]);
                }
                let (p_norm, u_norm) = (norm(&training.expected[tensor]), norm(&update));
                let adapts = (nvlamb || decay != 0.0) && p_norm != 0.0 && u_norm != 0.0;
                let ratio = if adapts { p_norm / u_norm } else { 1.0 };
                for (p, u) in training.expected[tensor].iter_mut().zip(update) {
                    *p -= lr * ratio * u;
                }
            }
            training.step(&gradient);
        }
        worst = worst.max(training.worst);
    }
    worst
}

/// Liu et al., ICLR 2024, Algorithm 3, with a new estimate of the Hessian before every third step.
fn sophia(device: &Device) -> f64 {
    let mut random = Random::new(3);
    let (lr, beta1, beta2, rho, eps, decay, batch) = (0.01, 0.965, 0.99, 0.04, 1e-15, 0.1, 480.0);
    let params = SophiaParams {
        learning_rate: lr as f32,
        beta1: beta1 as f32,
        beta2: beta2 as f32,
        rho: rho as f32,
        epsilon: eps as f32,
        weight_decay: decay as f32,
    };
    let mut training = Training::<Sophia>::new(device, params, noise(&mut random, 1.0));
    training.optimizer.set_scalar("batch_size", batch as f32).unwrap();
    let (mut m, mut h) = (zeros(), zeros());
    for step in 1..=STEPS {
        if step % 3 == 0 {
            let estimate: Tensors =
                noise(&mut random, 1.0).into_iter().map(|values| values.iter().map(|x| x.abs()).collect()).collect();
            for tensor in 0..LENGTHS.len() {
                let name = NAMES[tensor];
                training.optimizer.write_input(&training.params, "hessian", name, &array(&estimate[tensor])).unwrap();
                h[tensor].iter_mut().zip(&estimate[tensor]).for_each(|(h, &x)| blend(h, x, beta2));
            }
            training.optimizer.run_entry("refresh", &mut training.params).unwrap();
        }
        let gradient = noise(&mut random, 1.0);
        for tensor in 0..LENGTHS.len() {
            for (i, &g) in gradient[tensor].iter().enumerate() {
                blend(&mut m[tensor][i], g, beta1);
                let m = m[tensor][i];
                let ratio = (m.abs() / (rho * batch * h[tensor][i] + eps)).min(1.0);
                let p = &mut training.expected[tensor][i];
                *p *= 1.0 - lr * decay;
                *p -= lr * ratio * if m == 0.0 { 0.0 } else { m.signum() };
            }
        }
        training.step(&gradient);
    }
    training.worst
}

/// FTRL-Proximal with a power that is given, as `optimizer-specs/specs/ftrl.rs` states it.
fn ftrl(device: &Device) -> f64 {
    let mut random = Random::new(4);
    let (lr, power, beta, lambda1, lambda2) = (0.1, 0.75, 0.5, 0.25, 0.125);
    let params = FtrlParams {
        learning_rate: lr as f32,
        lr_power: Some(-power as f32),
        beta: beta as f32,
        lambda1: lambda1 as f32,
        lambda2: lambda2 as f32,
    };
    let mut training = Training::<Ftrl>::new(device, params, noise(&mut random, 1.0));
    let (mut z, mut n) = (zeros(), zeros());
    for _ in 1..=STEPS {
        let gradient = noise(&mut random, 2.0);
        for (tensor, gradient) in gradient.iter().enumerate() {
            for (i, g) in gradient.iter().enumerate() {
                let (p, z, n) = (&mut training.expected[tensor][i], &mut z[tensor][i], &mut n[tensor][i]);
                let before = n.powf(power);
                *n += g * g;
                *z += g - (n.powf(power) - before) / lr * *p;
                let held = (z.signum() * lambda1 - *z) / ((beta + n.powf(power)) / lr + lambda2);
                *p = if z.abs() < lambda1 { 0.0 } else { held };
            }
        }
        training.step(&gradient);
    }
    training.worst
}

/// Padam with a power that is given: Chen et al., IJCAI 2020, Algorithm 1, with the second moment as it is.
fn padam(device: &Device) -> f64 {
    let mut random = Random::new(5);
    let (lr, beta1, beta2, partial, eps, decay) = (0.01, 0.9_f64, 0.99_f64, 0.125, 1e-6, 0.1);
    let params = PadamParams {
        learning_rate: lr as f32,
        beta1: beta1 as f32,
        beta2: beta2 as f32,
        partial: Some(partial as f32),
        epsilon: eps as f32,
        weight_decay: decay as f32,
    };
    let mut training = Training::<Padam>::new(device, params, noise(&mut random, 1.0));
    let (mut m, mut v) = (zeros(), zeros());
    for step in 1..=STEPS {
        let gradient = noise(&mut random, 2.0);
        let rate = lr * (1.0 - beta2.powi(step)).sqrt() / (1.0 - beta1.powi(step));
        for (tensor, gradient) in gradient.iter().enumerate() {
            for (i, g) in gradient.iter().enumerate() {
                let p = &mut training.expected[tensor][i];
                let g = g + decay * *p;
                blend(&mut m[tensor][i], g, beta1);
                blend(&mut v[tensor][i], g * g, beta2);
                *p -= rate * m[tensor][i] / (v[tensor][i].sqrt() + eps).powf(2.0 * partial);
            }
        }
        training.step(&gradient);
    }
    training.worst
}
