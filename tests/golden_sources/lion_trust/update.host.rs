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
    /// `hyper.beta1`
    beta1: f32,
    /// `hyper.weight_decay`
    weight_decay: f32,
    /// `hyper.beta2`
    beta2: f32,
    /// `hyper.learning_rate`
    learning_rate: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            grad_scale: f32::from_bits(words[0]),
            clip_value: f32::from_bits(words[1]),
            minus_clip_value: f32::from_bits(words[2]),
            beta1: f32::from_bits(words[3]),
            weight_decay: f32::from_bits(words[4]),
            beta2: f32::from_bits(words[5]),
            learning_rate: f32::from_bits(words[6]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.beta1.to_bits();
        words[4] = self.weight_decay.to_bits();
        words[5] = self.beta2.to_bits();
        words[6] = self.learning_rate.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, LionTrustParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let beta1 = math::decimal(hyper.beta1);
    let weight_decay = math::decimal(hyper.weight_decay);
    let beta2 = math::decimal(hyper.beta2);
    let learning_rate = math::decimal(hyper.learning_rate);
    let row = Row {
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        beta1: math::to_f32(beta1, "hyper.beta1")?,
        weight_decay: math::to_f32(weight_decay, "hyper.weight_decay")?,
        beta2: math::to_f32(beta2, "hyper.beta2")?,
        learning_rate: math::to_f32(learning_rate, "hyper.learning_rate")?,
    };
    row.write(words);
    Ok(())
}
