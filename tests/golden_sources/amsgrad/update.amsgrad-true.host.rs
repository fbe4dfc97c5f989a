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
    /// `hyper.weight_decay`
    weight_decay: f32,
    /// `hyper.beta1`
    beta1: f32,
    /// `1.0 - hyper.beta1`
    one_minus_beta1: f32,
    /// `hyper.beta2`
    beta2: f32,
    /// `1.0 - hyper.beta2`
    one_minus_beta2: f32,
    /// `hyper.learning_rate / bias1`
    learning_rate_over_bias1: f32,
    /// `bias2.sqrt()`
    sqrt_bias2: f32,
    /// `hyper.epsilon`
    epsilon: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            grad_scale: f32::from_bits(words[0]),
            clip_value: f32::from_bits(words[1]),
            minus_clip_value: f32::from_bits(words[2]),
            weight_decay: f32::from_bits(words[3]),
            beta1: f32::from_bits(words[4]),
            one_minus_beta1: f32::from_bits(words[5]),
            beta2: f32::from_bits(words[6]),
            one_minus_beta2: f32::from_bits(words[7]),
            learning_rate_over_bias1: f32::from_bits(words[8]),
            sqrt_bias2: f32::from_bits(words[9]),
            epsilon: f32::from_bits(words[10]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.weight_decay.to_bits();
        words[4] = self.beta1.to_bits();
        words[5] = self.one_minus_beta1.to_bits();
        words[6] = self.beta2.to_bits();
        words[7] = self.one_minus_beta2.to_bits();
        words[8] = self.learning_rate_over_bias1.to_bits();
        words[9] = self.sqrt_bias2.to_bits();
        words[10] = self.epsilon.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, AmsGradParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let weight_decay = math::decimal(hyper.weight_decay);
    let beta1 = math::decimal(hyper.beta1);
    let beta2 = math::decimal(hyper.beta2);
    let step = math::whole(context.step);
    let learning_rate = math::decimal(hyper.learning_rate);
    let epsilon = math::decimal(hyper.epsilon);
    // let bias1 = 1.0 - hyper.beta1.powi(step);
    let bias1 = 1.0 - math::powi(beta1, step);
    // let bias2 = 1.0 - hyper.beta2.powi(step);
    let bias2 = 1.0 - math::powi(beta2, step);
    let row = Row {
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        weight_decay: math::to_f32(weight_decay, "hyper.weight_decay")?,
        beta1: math::to_f32(beta1, "hyper.beta1")?,
        one_minus_beta1: math::to_f32(1.0 - beta1, "1.0 - hyper.beta1")?,
        beta2: math::to_f32(beta2, "hyper.beta2")?,
        one_minus_beta2: math::to_f32(1.0 - beta2, "1.0 - hyper.beta2")?,
        learning_rate_over_bias1: math::to_f32(learning_rate / bias1, "hyper.learning_rate / bias1")?,
        sqrt_bias2: math::to_f32(bias2.sqrt(), "bias2.sqrt()")?,
        epsilon: math::to_f32(epsilon, "hyper.epsilon")?,
    };
    row.write(words);
    Ok(())
}
