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
    /// `step == 1`
    step_is_1: u32,
    /// `hyper.beta2`
    beta2: f32,
    /// `hyper.beta1`
    beta1: f32,
    /// `1.0 - hyper.beta1`
    one_minus_beta1: f32,
    /// `1.0 - hyper.beta2`
    one_minus_beta2: f32,
    /// `hyper.beta3`
    beta3: f32,
    /// `1.0 - hyper.beta3`
    one_minus_beta3: f32,
    /// `1.0 - hyper.beta1.powi(step)`
    bias1: f32,
    /// `1.0 - hyper.beta3.powi(step)`
    bias3: f32,
    /// `hyper.epsilon`
    epsilon: f32,
    /// `hyper.beta2 / bias2`
    beta2_over_bias2: f32,
    /// `hyper.learning_rate`
    learning_rate: f32,
    /// `1.0 + decay`
    one_plus_decay: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            grad_scale: f32::from_bits(words[0]),
            clip_value: f32::from_bits(words[1]),
            minus_clip_value: f32::from_bits(words[2]),
            step_is_1: words[3],
            beta2: f32::from_bits(words[4]),
            beta1: f32::from_bits(words[5]),
            one_minus_beta1: f32::from_bits(words[6]),
            one_minus_beta2: f32::from_bits(words[7]),
            beta3: f32::from_bits(words[8]),
            one_minus_beta3: f32::from_bits(words[9]),
            bias1: f32::from_bits(words[10]),
            bias3: f32::from_bits(words[11]),
            epsilon: f32::from_bits(words[12]),
            beta2_over_bias2: f32::from_bits(words[13]),
            learning_rate: f32::from_bits(words[14]),
            one_plus_decay: f32::from_bits(words[15]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.step_is_1;
        words[4] = self.beta2.to_bits();
        words[5] = self.beta1.to_bits();
        words[6] = self.one_minus_beta1.to_bits();
        words[7] = self.one_minus_beta2.to_bits();
        words[8] = self.beta3.to_bits();
        words[9] = self.one_minus_beta3.to_bits();
        words[10] = self.bias1.to_bits();
        words[11] = self.bias3.to_bits();
        words[12] = self.epsilon.to_bits();
        words[13] = self.beta2_over_bias2.to_bits();
        words[14] = self.learning_rate.to_bits();
        words[15] = self.one_plus_decay.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, AdanParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let step = math::whole(context.step);
    let beta2 = math::decimal(hyper.beta2);
    let beta1 = math::decimal(hyper.beta1);
    let beta3 = math::decimal(hyper.beta3);
    let epsilon = math::decimal(hyper.epsilon);
    let learning_rate = math::decimal(hyper.learning_rate);
    let weight_decay = math::decimal(hyper.weight_decay);
    // let bias1 = 1.0 - hyper.beta1.powi(step);
    let bias1 = 1.0 - math::powi(beta1, step);
    // let bias2 = 1.0 - hyper.beta2.powi(step);
    let bias2 = 1.0 - math::powi(beta2, step);
    // let bias3 = 1.0 - hyper.beta3.powi(step);
    let bias3 = 1.0 - math::powi(beta3, step);
    // let decay = hyper.learning_rate * hyper.weight_decay;
    let decay = learning_rate * weight_decay;
    let row = Row {
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        step_is_1: u32::from(step == 1),
        beta2: math::to_f32(beta2, "hyper.beta2")?,
        beta1: math::to_f32(beta1, "hyper.beta1")?,
        one_minus_beta1: math::to_f32(1.0 - beta1, "1.0 - hyper.beta1")?,
        one_minus_beta2: math::to_f32(1.0 - beta2, "1.0 - hyper.beta2")?,
        beta3: math::to_f32(beta3, "hyper.beta3")?,
        one_minus_beta3: math::to_f32(1.0 - beta3, "1.0 - hyper.beta3")?,
        bias1: math::to_f32(bias1, "1.0 - hyper.beta1.powi(step)")?,
        bias3: math::to_f32(bias3, "1.0 - hyper.beta3.powi(step)")?,
        epsilon: math::to_f32(epsilon, "hyper.epsilon")?,
        beta2_over_bias2: math::to_f32(beta2 / bias2, "hyper.beta2 / bias2")?,
        learning_rate: math::to_f32(learning_rate, "hyper.learning_rate")?,
        one_plus_decay: math::to_f32(1.0 + decay, "1.0 + decay")?,
    };
    row.write(words);
    Ok(())
}
