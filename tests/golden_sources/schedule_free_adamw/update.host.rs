/// What the host computes for `update`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `hyper.learning_rate * warm`
    rate: f32,
    /// `if weight_sum != 0.0 { weight / weight_sum } else { 0.0 }`
    c: f32,
    /// `hyper.beta2`
    beta2: f32,
    /// `1.0 - hyper.beta2.powi(step)`
    bias2: f32,
    /// `1.0 - hyper.beta2`
    one_minus_beta2: f32,
    /// `grad_scale`
    grad_scale: f32,
    /// `clip_value`
    clip_value: f32,
    /// `-clip_value`
    minus_clip_value: f32,
    /// `hyper.epsilon`
    epsilon: f32,
    /// `hyper.weight_decay`
    weight_decay: f32,
    /// `rate * (hyper.beta1 * (1.0 - c) - 1.0)`
    rate_times_beta1_times_one_minus_c_minus_1: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            rate: f32::from_bits(words[0]),
            c: f32::from_bits(words[1]),
            beta2: f32::from_bits(words[2]),
            bias2: f32::from_bits(words[3]),
            one_minus_beta2: f32::from_bits(words[4]),
            grad_scale: f32::from_bits(words[5]),
            clip_value: f32::from_bits(words[6]),
            minus_clip_value: f32::from_bits(words[7]),
            epsilon: f32::from_bits(words[8]),
            weight_decay: f32::from_bits(words[9]),
            rate_times_beta1_times_one_minus_c_minus_1: f32::from_bits(words[10]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.rate.to_bits();
        words[1] = self.c.to_bits();
        words[2] = self.beta2.to_bits();
        words[3] = self.bias2.to_bits();
        words[4] = self.one_minus_beta2.to_bits();
        words[5] = self.grad_scale.to_bits();
        words[6] = self.clip_value.to_bits();
        words[7] = self.minus_clip_value.to_bits();
        words[8] = self.epsilon.to_bits();
        words[9] = self.weight_decay.to_bits();
        words[10] = self.rate_times_beta1_times_one_minus_c_minus_1.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, ScheduleFreeAdamWParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let step = math::whole(context.step);
    let warmup_steps = i64::from(hyper.warmup_steps);
    let learning_rate = math::decimal(hyper.learning_rate);
    let rate_max = host_states[1];
    let r = math::decimal(hyper.r);
    let weight_lr_power = math::decimal(hyper.weight_lr_power);
    let weight_sum = host_states[0];
    let beta2 = math::decimal(hyper.beta2);
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let epsilon = math::decimal(hyper.epsilon);
    let weight_decay = math::decimal(hyper.weight_decay);
    let beta1 = math::decimal(hyper.beta1);
    // let warm = if step < hyper.warmup_steps { step as f32 / hyper.warmup_steps as f32 } else { 1.0 };
    let t1 = step as f64;
    let warm = if step < warmup_steps { t1 / warmup_steps as f64 } else { 1.0 };
    // let rate = hyper.learning_rate * warm;
    let rate = learning_rate * warm;
    // state.rate_max = state.rate_max.max(rate);
    let rate_max_2 = math::max(rate_max, rate);
    // let weight = (step as f32).powf(hyper.r) * state.rate_max.powf(hyper.weight_lr_power);
    let weight = t1.powf(r) * rate_max_2.powf(weight_lr_power);
    // state.weight_sum += weight;
    let weight_sum_2 = weight_sum + weight;
    // let c = if state.weight_sum != 0.0 { weight / state.weight_sum } else { 0.0 };
    let c = if weight_sum_2 != 0.0 { weight / weight_sum_2 } else { 0.0 };
    // let bias2 = 1.0 - hyper.beta2.powi(step);
    let bias2 = 1.0 - math::powi(beta2, step);
    let row = Row {
        rate: math::to_f32(rate, "hyper.learning_rate * warm")?,
        c: math::to_f32(c, "if weight_sum != 0.0 { weight / weight_sum } else { 0.0 }")?,
        beta2: math::to_f32(beta2, "hyper.beta2")?,
        bias2: math::to_f32(bias2, "1.0 - hyper.beta2.powi(step)")?,
        one_minus_beta2: math::to_f32(1.0 - beta2, "1.0 - hyper.beta2")?,
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        epsilon: math::to_f32(epsilon, "hyper.epsilon")?,
        weight_decay: math::to_f32(weight_decay, "hyper.weight_decay")?,
        rate_times_beta1_times_one_minus_c_minus_1: math::to_f32(rate * (beta1 * (1.0 - c) - 1.0), "rate * (hyper.beta1 * (1.0 - c) - 1.0)")?,
    };
    let weight_sum_new = math::finite(weight_sum_2, "state.weight_sum = state.weight_sum + weight")?;
    let rate_max_new = math::finite(rate_max_2, "state.rate_max = state.rate_max.max(rate)")?;
    host_states[0] = weight_sum_new;
    host_states[1] = rate_max_new;
    row.write(words);
    Ok(())
}
