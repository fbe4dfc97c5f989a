/// What the host computes for `update`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `hyper.beta1`
    beta1: f32,
    /// `hyper.beta2`
    beta2: f32,
    /// `1.0 - hyper.beta2.powi(step)`
    bias2: f32,
    /// `1.0 - hyper.beta1`
    one_minus_beta1: f32,
    /// `grad_scale`
    grad_scale: f32,
    /// `clip_value`
    clip_value: f32,
    /// `-clip_value`
    minus_clip_value: f32,
    /// `1.0 - hyper.beta2`
    one_minus_beta2: f32,
    /// `len() as f32`
    len: f32,
    /// `hyper.epsilon`
    epsilon: f32,
    /// `hyper.learning_rate != 0.0`
    learning_rate_is_not_0: u32,
    /// `1.0 - hyper.learning_rate * hyper.weight_decay`
    one_minus_learning_rate_times_weight_decay: f32,
    /// `hyper.learning_rate / bias1`
    learning_rate_over_bias1: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            beta1: f32::from_bits(words[0]),
            beta2: f32::from_bits(words[1]),
            bias2: f32::from_bits(words[2]),
            one_minus_beta1: f32::from_bits(words[3]),
            grad_scale: f32::from_bits(words[4]),
            clip_value: f32::from_bits(words[5]),
            minus_clip_value: f32::from_bits(words[6]),
            one_minus_beta2: f32::from_bits(words[7]),
            len: f32::from_bits(words[8]),
            epsilon: f32::from_bits(words[9]),
            learning_rate_is_not_0: words[10],
            one_minus_learning_rate_times_weight_decay: f32::from_bits(words[11]),
            learning_rate_over_bias1: f32::from_bits(words[12]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.beta1.to_bits();
        words[1] = self.beta2.to_bits();
        words[2] = self.bias2.to_bits();
        words[3] = self.one_minus_beta1.to_bits();
        words[4] = self.grad_scale.to_bits();
        words[5] = self.clip_value.to_bits();
        words[6] = self.minus_clip_value.to_bits();
        words[7] = self.one_minus_beta2.to_bits();
        words[8] = self.len.to_bits();
        words[9] = self.epsilon.to_bits();
        words[10] = self.learning_rate_is_not_0;
        words[11] = self.one_minus_learning_rate_times_weight_decay.to_bits();
        words[12] = self.learning_rate_over_bias1.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, CautiousAdamWParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let beta1 = math::decimal(hyper.beta1);
    let step = math::whole(context.step);
    let beta2 = math::decimal(hyper.beta2);
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let len = math::len(context.shape);
    let epsilon = math::decimal(hyper.epsilon);
    let learning_rate = math::decimal(hyper.learning_rate);
    let weight_decay = math::decimal(hyper.weight_decay);
    // let bias1 = 1.0 - hyper.beta1.powi(step);
    let bias1 = 1.0 - math::powi(beta1, step);
    // let bias2 = 1.0 - hyper.beta2.powi(step);
    let bias2 = 1.0 - math::powi(beta2, step);
    // if hyper.learning_rate != 0.0 {
    let learning_rate_is_not_0 = learning_rate != 0.0;
    let row = Row {
        beta1: math::to_f32(beta1, "hyper.beta1")?,
        beta2: math::to_f32(beta2, "hyper.beta2")?,
        bias2: if learning_rate_is_not_0 { math::to_f32(bias2, "1.0 - hyper.beta2.powi(step)")? } else { 0.0 },
        one_minus_beta1: math::to_f32(1.0 - beta1, "1.0 - hyper.beta1")?,
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        one_minus_beta2: math::to_f32(1.0 - beta2, "1.0 - hyper.beta2")?,
        len: if learning_rate_is_not_0 { math::to_f32(len as f64, "len() as f32")? } else { 0.0 },
        epsilon: if learning_rate_is_not_0 { math::to_f32(epsilon, "hyper.epsilon")? } else { 0.0 },
        learning_rate_is_not_0: u32::from(learning_rate_is_not_0),
        one_minus_learning_rate_times_weight_decay: if learning_rate_is_not_0 {
            math::to_f32(1.0 - learning_rate * weight_decay, "1.0 - hyper.learning_rate * hyper.weight_decay")?
        } else {
            0.0
        },
        learning_rate_over_bias1: if learning_rate_is_not_0 {
            math::to_f32(learning_rate / bias1, "hyper.learning_rate / bias1")?
        } else {
            0.0
        },
    };
    row.write(words);
    Ok(())
}
