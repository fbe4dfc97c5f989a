//! Published rules as graphs.

use optimizer_specs::ir::{Graph, Op};
use optimizer_specs::plan::Context;

use crate::write::{PARAM, Sheet, Value};

pub type Planned = (Graph, Context);

/// Plain SGD.
pub fn sgd() -> Planned {
    let s = Sheet::new(&["learning_rate"]);
    s.store(PARAM, s.load(PARAM) - s.hyper("learning_rate") * s.grad());
    s.finish()
}

/// SGD with momentum, the first gradient undampened.
pub fn momentum() -> Planned {
    let s = Sheet::new(&["learning_rate", "momentum"]);
    let b = s.element("momentum_buffer");
    let first = s.op(Op::Step).is(s.op(Op::Int(1)));
    let buffer = first.then(s.grad(), s.hyper("momentum") * s.load(b) + s.grad());
    s.store(b, buffer);
    s.store(PARAM, s.load(PARAM) - s.hyper("learning_rate") * buffer);
    s.finish()
}

struct Moments<'s> {
    m: Value<'s>,
    v: Value<'s>,
    bias1: Value<'s>,
    bias2: Value<'s>,
}

/// Moments of Adam of this gradient, stored in `m` and `v`.
fn moments<'s>(s: &'s Sheet, g: Value<'s>) -> Moments<'s> {
    let (m, v) = (s.element("m"), s.element("v"));
    let one = s.real(1.0);
    let (beta1, beta2) = (s.hyper("beta1"), s.hyper("beta2"));
    let moments = Moments {
        m: (beta1 * s.load(m) + (one - beta1) * g).named("m"),
        v: (beta2 * s.load(v) + (one - beta2) * g * g).named("v"),
        bias1: (one - beta1.powi(s.op(Op::Step))).named("bias1"),
        bias2: (one - beta2.powi(s.op(Op::Step))).named("bias2"),
    };
    s.store(m, moments.m);
    s.store(v, moments.v);
    moments
}

const ADAM: [&str; 5] = ["learning_rate", "beta1", "beta2", "epsilon", "weight_decay"];

/// Adam.
pub fn adam() -> Planned {
    let s = Sheet::new(&ADAM);
    let g = s.grad() + s.hyper("weight_decay") * s.load(PARAM);
    let a = moments(&s, g);
    let denominator = (a.v / a.bias2).sqrt() + s.hyper("epsilon");
    s.store(PARAM, s.load(PARAM) - s.hyper("learning_rate") / a.bias1 * a.m / denominator);
    s.finish()
}

/// The step of LAMB with this gradient.
fn lamb_step<'s>(s: &'s Sheet, g: Value<'s>) {
    let a = moments(s, g);
    let decayed = s.hyper("weight_decay") * s.load(PARAM);
    let u = (a.m / a.bias1 / ((a.v / a.bias2).sqrt() + s.hyper("epsilon")) + decayed).named("u");
    let (p_norm, u_norm) = (s.load(PARAM).norm().named("p_norm"), u.norm().named("u_norm"));
    let zero = s.real(0.0);
    let both = p_norm.above(zero).and(u_norm.above(zero));
    let trust = both.then(p_norm / u_norm, s.real(1.0)).named("trust");
    s.store(PARAM, s.load(PARAM) - s.hyper("learning_rate") * trust * u);
}

/// LAMB.
pub fn lamb() -> Planned {
    let s = Sheet::new(&ADAM);
    lamb_step(&s, s.grad());
    s.finish()
}

/// LAMB as in apex: the gradient is clipped by its norm over all tensors.
pub fn lamb_apex() -> Planned {
    let s = Sheet::new(&["learning_rate", "beta1", "beta2", "epsilon", "weight_decay", "*max_grad_norm"]);
    let (total, limit) = (s.grad().all_norm().named("total"), s.hyper("max_grad_norm"));
    let clip = total.above(limit).then(total / limit, s.real(1.0)).named("clip");
    lamb_step(&s, s.grad() / clip);
    s.finish()
}

/// Prodigy without bias correction.
pub fn prodigy() -> Planned {
    let s = Sheet::new(&["*learning_rate", "*beta1", "*beta2", "epsilon", "weight_decay", "*d0", "*d_coef"]);
    let (m, v, sum, p0) = (s.element("m"), s.element("v"), s.element("s"), s.element("p0"));
    let (d_state, d_max_state, numerator_state) = (s.all("d"), s.all("d_max"), s.all("numerator"));
    let (one, zero) = (s.real(1.0), s.real(0.0));
    let (beta1, beta2, g, p) = (s.hyper("beta1"), s.hyper("beta2"), s.grad(), s.load(PARAM));
    let beta3 = beta2.sqrt().named("beta3");
    let d = s.load(d_state);
    let d_lr = (d * s.hyper("learning_rate")).named("d_lr");
    let gain = (d / s.hyper("d0")).named("gain");
    let sum_new = beta3 * s.load(sum) + gain * d_lr * g;
    let along = (g * (s.load(p0) - p)).all_sum();
    let numerator = beta3 * s.load(numerator_state) + gain * d_lr * along;
    let den = sum_new.abs().all_sum().named("den");
    let m_new = beta1 * s.load(m) + d * (one - beta1) * g;
    let v_new = beta2 * s.load(v) + d * d * (one - beta2) * (g * g);
    let moved = den.above(zero);
    let d_hat = (s.hyper("d_coef") * numerator / den).named("d_hat");
    let d_max = moved.then(s.load(d_max_state).max(d_hat), s.load(d_max_state));
    let d_new = moved.then(d_max, d);
    let decayed = p * (one - s.hyper("weight_decay") * d_lr);
    let stepped = decayed - d_lr * m_new / (v_new.sqrt() + d_new * s.hyper("epsilon"));
    s.store(m, m_new);
    s.store(v, v_new);
    s.store(sum, sum_new);
    s.store(d_state, d_new);
    s.store(d_max_state, d_max);
    s.store(numerator_state, numerator);
    s.store(PARAM, moved.then(stepped, p));
    s.finish()
}

/// NovoGrad.
pub fn novograd() -> Planned {
    let s = Sheet::new(&ADAM);
    let (m, v) = (s.element("m"), s.tensor("v"));
    let (one, beta2, g) = (s.real(1.0), s.hyper("beta2"), s.grad());
    let g2 = (g * g).sum().named("g2");
    let first = s.op(Op::Step).is(s.op(Op::Int(1)));
    let v_new = first.then(g2, beta2 * s.load(v) + (one - beta2) * g2);
    let scaled = g / (v_new.sqrt() + s.hyper("epsilon")) + s.hyper("weight_decay") * s.load(PARAM);
    let m_new = s.hyper("beta1") * s.load(m) + scaled;
    s.store(m, m_new);
    s.store(v, v_new);
    s.store(PARAM, s.load(PARAM) - s.hyper("learning_rate") * m_new);
    s.finish()
}

/// Which value the mask of cautious AdamW compares with the gradient.
#[derive(Clone, Copy)]
pub enum Mask {
    Moment,
    Update,
}

/// Cautious AdamW.
pub fn cautious(mask: Mask) -> Planned {
    let s = Sheet::new(&ADAM);
    let g = s.grad();
    let a = moments(&s, g);
    let u = (a.m / ((a.v / a.bias2).sqrt() + s.hyper("epsilon"))).named("u");
    let of = match mask {
        Mask::Moment => a.m,
        Mask::Update => u,
    };
    let (one, zero) = (s.real(1.0), s.real(0.0));
    let keep = (of * g).above(zero).named("keep");
    let scale = s.op(Op::Len).to_real() / (keep.count().to_real() + one);
    let decayed = s.load(PARAM) * (one - s.hyper("learning_rate") * s.hyper("weight_decay"));
    let kept = keep.then(scale * u, zero);
    s.store(PARAM, decayed - s.hyper("learning_rate") / a.bias1 * kept);
    s.finish()
}

/// Lion with a trust ratio over its update.
pub fn lion_trust() -> Planned {
    let s = Sheet::new(&ADAM);
    let m = s.element("m");
    let (one, g, beta1, beta2) = (s.real(1.0), s.grad(), s.hyper("beta1"), s.hyper("beta2"));
    let sign = (beta1 * s.load(m) + (one - beta1) * g).sign();
    let u = (sign + s.hyper("weight_decay") * s.load(PARAM)).named("u");
    let trust = (s.load(PARAM).norm() / u.norm()).named("trust");
    s.store(m, beta2 * s.load(m) + (one - beta2) * g);
    s.store(PARAM, s.load(PARAM) - s.hyper("learning_rate") * trust * u);
    s.finish()
}

/// Stable-SPAM without its resets: a chain of two reductions.
pub fn stable_spam() -> Planned {
    let s = Sheet::new(&["learning_rate", "beta1", "beta2", "epsilon", "gamma", "theta"]);
    let (top_state, norm_state) = (s.tensor("m_max"), s.tensor("m_norm"));
    let (one, g, theta, gamma) = (s.real(1.0), s.grad(), s.hyper("theta"), s.hyper("gamma"));
    let top = g.abs().greatest().named("top");
    let m_max = theta * s.load(top_state) + (one - theta) * top;
    let limit = (m_max / (one - theta.powi(s.op(Op::Step)))).named("limit");
    let clipped = g.abs().above(limit).then(g / top * limit, g).named("clipped");
    let size = clipped.norm().named("size");
    let m_norm = gamma * s.load(norm_state) + (one - gamma) * size;
    let a = moments(&s, clipped / size * m_norm);
    s.store(top_state, m_max);
    s.store(norm_state, m_norm);
    let denominator = (a.v / a.bias2).sqrt() + s.hyper("epsilon");
    s.store(PARAM, s.load(PARAM) - s.hyper("learning_rate") / a.bias1 * a.m / denominator);
    s.finish()
}

/// All of them.
pub fn all() -> Vec<(&'static str, Planned)> {
    vec![
        ("sgd", sgd()),
        ("momentum", momentum()),
        ("adam", adam()),
        ("lamb", lamb()),
        ("lamb_apex", lamb_apex()),
        ("prodigy", prodigy()),
        ("novograd", novograd()),
        ("cautious by m", cautious(Mask::Moment)),
        ("cautious by u", cautious(Mask::Update)),
        ("lion_trust", lion_trust()),
        ("stable_spam", stable_spam()),
    ]
}
