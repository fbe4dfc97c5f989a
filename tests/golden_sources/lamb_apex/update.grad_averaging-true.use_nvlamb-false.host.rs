/// What the host computes for `update`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `grad_scale`
    grad_scale: f32,
    /// `clip_value`
    clip_value: f32,
    /// `-clip_value`
    minus_clip_value: f32,
    /// `hyper.max_grad_norm`
    max_grad_norm: f32,
    /// `hyper.max_grad_norm > 0.0`
    max_grad_norm_above_0: u32,
    /// `hyper.beta1`
    beta1: f32,
    /// `1.0 - hyper.beta1`
    weight: f32,
    /// `1.0 - hyper.beta1.powi(step)`
    bias1: f32,
    /// `hyper.beta2`
    beta2: f32,
    /// `1.0 - hyper.beta2.powi(step)`
    bias2: f32,
    /// `1.0 - hyper.beta2`
    one_minus_beta2: f32,
    /// `hyper.epsilon`
    epsilon: f32,
    /// `hyper.weight_decay`
    weight_decay: f32,
    /// `hyper.weight_decay != 0.0`
    weight_decay_is_not_0: u32,
    /// `hyper.learning_rate`
    learning_rate: f32,
    /// `hyper.learning_rate != 0.0`
    learning_rate_is_not_0: u32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            grad_scale: f32::from_bits(words[0]),
            clip_value: f32::from_bits(words[1]),
            minus_clip_value: f32::from_bits(words[2]),
            max_grad_norm: f32::from_bits(words[3]),
            max_grad_norm_above_0: words[4],
            beta1: f32::from_bits(words[5]),
            weight: f32::from_bits(words[6]),
            bias1: f32::from_bits(words[7]),
            beta2: f32::from_bits(words[8]),
            bias2: f32::from_bits(words[9]),
            one_minus_beta2: f32::from_bits(words[10]),
            epsilon: f32::from_bits(words[11]),
            weight_decay: f32::from_bits(words[12]),
            weight_decay_is_not_0: words[13],
            learning_rate: f32::from_bits(words[14]),
            learning_rate_is_not_0: words[15],
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.max_grad_norm.to_bits();
        words[4] = self.max_grad_norm_above_0;
        words[5] = self.beta1.to_bits();
        words[6] = self.weight.to_bits();
        words[7] = self.bias1.to_bits();
        words[8] = self.beta2.to_bits();
        words[9] = self.bias2.to_bits();
        words[10] = self.one_minus_beta2.to_bits();
        words[11] = self.epsilon.to_bits();
        words[12] = self.weight_decay.to_bits();
        words[13] = self.weight_decay_is_not_0;
        words[14] = self.learning_rate.to_bits();
        words[15] = self.learning_rate_is_not_0;
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, LambApexParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let max_grad_norm = math::decimal(hyper.max_grad_norm);
    let beta1 = math::decimal(hyper.beta1);
    let step = math::whole(context.step);
    let beta2 = math::decimal(hyper.beta2);
    let epsilon = math::decimal(hyper.epsilon);
    let weight_decay = math::decimal(hyper.weight_decay);
    let learning_rate = math::decimal(hyper.learning_rate);
    // let weight = if hyper.grad_averaging { 1.0 - hyper.beta1 } else { 1.0 };
    let weight = 1.0 - beta1;
    // let bias1 = 1.0 - hyper.beta1.powi(step);
    let bias1 = 1.0 - math::powi(beta1, step);
    // let bias2 = 1.0 - hyper.beta2.powi(step);
    let bias2 = 1.0 - math::powi(beta2, step);
    // if hyper.learning_rate != 0.0 {
    let learning_rate_is_not_0 = learning_rate != 0.0;
    let row = Row {
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        max_grad_norm: math::to_f32(max_grad_norm, "hyper.max_grad_norm")?,
        max_grad_norm_above_0: u32::from(max_grad_norm > 0.0),
        beta1: math::to_f32(beta1, "hyper.beta1")?,
        weight: math::to_f32(weight, "1.0 - hyper.beta1")?,
        bias1: if learning_rate_is_not_0 { math::to_f32(bias1, "1.0 - hyper.beta1.powi(step)")? } else { 0.0 },
        beta2: math::to_f32(beta2, "hyper.beta2")?,
        bias2: if learning_rate_is_not_0 { math::to_f32(bias2, "1.0 - hyper.beta2.powi(step)")? } else { 0.0 },
        one_minus_beta2: math::to_f32(1.0 - beta2, "1.0 - hyper.beta2")?,
        epsilon: if learning_rate_is_not_0 { math::to_f32(epsilon, "hyper.epsilon")? } else { 0.0 },
        weight_decay: if learning_rate_is_not_0 { math::to_f32(weight_decay, "hyper.weight_decay")? } else { 0.0 },
        weight_decay_is_not_0: if learning_rate_is_not_0 { u32::from(weight_decay != 0.0) } else { 0 },
        learning_rate: if learning_rate_is_not_0 { math::to_f32(learning_rate, "hyper.learning_rate")? } else { 0.0 },
        learning_rate_is_not_0: u32::from(learning_rate_is_not_0),
    };
    row.write(words);
    Ok(())
}
