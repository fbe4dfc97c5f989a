/// What the host computes for `update`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `hyper.beta1`
    beta1: f32,
    /// `1.0 - hyper.beta1`
    one_minus_beta1: f32,
    /// `grad_scale`
    grad_scale: f32,
    /// `clip_value`
    clip_value: f32,
    /// `-clip_value`
    minus_clip_value: f32,
    /// `hyper.rho * batch_size`
    rho_times_batch_size: f32,
    /// `hyper.epsilon`
    epsilon: f32,
    /// `hyper.learning_rate`
    learning_rate: f32,
    /// `hyper.learning_rate != 0.0`
    learning_rate_is_not_0: u32,
    /// `1.0 - hyper.learning_rate * hyper.weight_decay`
    one_minus_learning_rate_times_weight_decay: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            beta1: f32::from_bits(words[0]),
            one_minus_beta1: f32::from_bits(words[1]),
            grad_scale: f32::from_bits(words[2]),
            clip_value: f32::from_bits(words[3]),
            minus_clip_value: f32::from_bits(words[4]),
            rho_times_batch_size: f32::from_bits(words[5]),
            epsilon: f32::from_bits(words[6]),
            learning_rate: f32::from_bits(words[7]),
            learning_rate_is_not_0: words[8],
            one_minus_learning_rate_times_weight_decay: f32::from_bits(words[9]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.beta1.to_bits();
        words[1] = self.one_minus_beta1.to_bits();
        words[2] = self.grad_scale.to_bits();
        words[3] = self.clip_value.to_bits();
        words[4] = self.minus_clip_value.to_bits();
        words[5] = self.rho_times_batch_size.to_bits();
        words[6] = self.epsilon.to_bits();
        words[7] = self.learning_rate.to_bits();
        words[8] = self.learning_rate_is_not_0;
        words[9] = self.one_minus_learning_rate_times_weight_decay.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, SophiaParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let beta1 = math::decimal(hyper.beta1);
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let rho = math::decimal(hyper.rho);
    let batch_size = f64::from(context.scalars[0]);
    let epsilon = math::decimal(hyper.epsilon);
    let learning_rate = math::decimal(hyper.learning_rate);
    let weight_decay = math::decimal(hyper.weight_decay);
    // if hyper.learning_rate != 0.0 {
    let learning_rate_is_not_0 = learning_rate != 0.0;
    let row = Row {
        beta1: math::to_f32(beta1, "hyper.beta1")?,
        one_minus_beta1: math::to_f32(1.0 - beta1, "1.0 - hyper.beta1")?,
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        rho_times_batch_size: if learning_rate_is_not_0 {
            math::to_f32(rho * batch_size, "hyper.rho * batch_size")?
        } else {
            0.0
        },
        epsilon: if learning_rate_is_not_0 { math::to_f32(epsilon, "hyper.epsilon")? } else { 0.0 },
        learning_rate: if learning_rate_is_not_0 { math::to_f32(learning_rate, "hyper.learning_rate")? } else { 0.0 },
        learning_rate_is_not_0: u32::from(learning_rate_is_not_0),
        one_minus_learning_rate_times_weight_decay: if learning_rate_is_not_0 {
            math::to_f32(1.0 - learning_rate * weight_decay, "1.0 - hyper.learning_rate * hyper.weight_decay")?
        } else {
            0.0
        },
    };
    row.write(words);
    Ok(())
}
