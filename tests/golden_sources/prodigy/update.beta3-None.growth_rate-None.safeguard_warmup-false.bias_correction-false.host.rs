/// What the host computes for `update`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `hyper.beta2`
    beta2: f32,
    /// `hyper.beta2.sqrt()`
    beta3: f32,
    /// `hyper.learning_rate * 1.0`
    learning_rate_times_1: f32,
    /// `hyper.d0`
    d0: f32,
    /// `grad_scale`
    grad_scale: f32,
    /// `clip_value`
    clip_value: f32,
    /// `-clip_value`
    minus_clip_value: f32,
    /// `hyper.beta1`
    beta1: f32,
    /// `1.0 - hyper.beta1`
    one_minus_beta1: f32,
    /// `1.0 - hyper.beta2`
    one_minus_beta2: f32,
    /// `hyper.d_coef`
    d_coef: f32,
    /// `hyper.epsilon`
    epsilon: f32,
    /// `hyper.learning_rate != 0.0`
    learning_rate_is_not_0: u32,
    /// `hyper.weight_decay`
    weight_decay: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            beta2: f32::from_bits(words[0]),
            beta3: f32::from_bits(words[1]),
            learning_rate_times_1: f32::from_bits(words[2]),
            d0: f32::from_bits(words[3]),
            grad_scale: f32::from_bits(words[4]),
            clip_value: f32::from_bits(words[5]),
            minus_clip_value: f32::from_bits(words[6]),
            beta1: f32::from_bits(words[7]),
            one_minus_beta1: f32::from_bits(words[8]),
            one_minus_beta2: f32::from_bits(words[9]),
            d_coef: f32::from_bits(words[10]),
            epsilon: f32::from_bits(words[11]),
            learning_rate_is_not_0: words[12],
            weight_decay: f32::from_bits(words[13]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.beta2.to_bits();
        words[1] = self.beta3.to_bits();
        words[2] = self.learning_rate_times_1.to_bits();
        words[3] = self.d0.to_bits();
        words[4] = self.grad_scale.to_bits();
        words[5] = self.clip_value.to_bits();
        words[6] = self.minus_clip_value.to_bits();
        words[7] = self.beta1.to_bits();
        words[8] = self.one_minus_beta1.to_bits();
        words[9] = self.one_minus_beta2.to_bits();
        words[10] = self.d_coef.to_bits();
        words[11] = self.epsilon.to_bits();
        words[12] = self.learning_rate_is_not_0;
        words[13] = self.weight_decay.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, ProdigyParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let beta2 = math::decimal(hyper.beta2);
    let learning_rate = math::decimal(hyper.learning_rate);
    let d0 = math::decimal(hyper.d0);
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let beta1 = math::decimal(hyper.beta1);
    let d_coef = math::decimal(hyper.d_coef);
    let epsilon = math::decimal(hyper.epsilon);
    let weight_decay = math::decimal(hyper.weight_decay);
    // let beta3 = hyper.beta3.unwrap_or(hyper.beta2.sqrt());
    let beta3 = beta2.sqrt();
    // if hyper.learning_rate != 0.0 {
    let learning_rate_is_not_0 = learning_rate != 0.0;
    let row = Row {
        beta2: math::to_f32(beta2, "hyper.beta2")?,
        beta3: math::to_f32(beta3, "hyper.beta2.sqrt()")?,
        learning_rate_times_1: math::to_f32(learning_rate * 1.0, "hyper.learning_rate * 1.0")?,
        d0: math::to_f32(d0, "hyper.d0")?,
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        beta1: math::to_f32(beta1, "hyper.beta1")?,
        one_minus_beta1: math::to_f32(1.0 - beta1, "1.0 - hyper.beta1")?,
        one_minus_beta2: math::to_f32(1.0 - beta2, "1.0 - hyper.beta2")?,
        d_coef: math::to_f32(d_coef, "hyper.d_coef")?,
        epsilon: if learning_rate_is_not_0 { math::to_f32(epsilon, "hyper.epsilon")? } else { 0.0 },
        learning_rate_is_not_0: u32::from(learning_rate_is_not_0),
        weight_decay: if learning_rate_is_not_0 { math::to_f32(weight_decay, "hyper.weight_decay")? } else { 0.0 },
    };
    row.write(words);
    Ok(())
}
