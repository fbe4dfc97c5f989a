/// What the host computes for `update`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `hyper.learning_rate`
    learning_rate: f32,
    /// `hyper.learning_rate != 0.0`
    learning_rate_is_not_0: u32,
    /// `grad_scale`
    grad_scale: f32,
    /// `clip_value`
    clip_value: f32,
    /// `-clip_value`
    minus_clip_value: f32,
    /// `hyper.beta`
    beta: f32,
    /// `hyper.lambda2`
    lambda2: f32,
    /// `hyper.lambda1`
    lambda1: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            learning_rate: f32::from_bits(words[0]),
            learning_rate_is_not_0: words[1],
            grad_scale: f32::from_bits(words[2]),
            clip_value: f32::from_bits(words[3]),
            minus_clip_value: f32::from_bits(words[4]),
            beta: f32::from_bits(words[5]),
            lambda2: f32::from_bits(words[6]),
            lambda1: f32::from_bits(words[7]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.learning_rate.to_bits();
        words[1] = self.learning_rate_is_not_0;
        words[2] = self.grad_scale.to_bits();
        words[3] = self.clip_value.to_bits();
        words[4] = self.minus_clip_value.to_bits();
        words[5] = self.beta.to_bits();
        words[6] = self.lambda2.to_bits();
        words[7] = self.lambda1.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, FtrlParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let learning_rate = math::decimal(hyper.learning_rate);
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let beta = math::decimal(hyper.beta);
    let lambda2 = math::decimal(hyper.lambda2);
    let lambda1 = math::decimal(hyper.lambda1);
    // if hyper.learning_rate != 0.0 {
    let learning_rate_is_not_0 = learning_rate != 0.0;
    let row = Row {
        learning_rate: if learning_rate_is_not_0 { math::to_f32(learning_rate, "hyper.learning_rate")? } else { 0.0 },
        learning_rate_is_not_0: u32::from(learning_rate_is_not_0),
        grad_scale: if learning_rate_is_not_0 { math::to_f32(grad_scale, "grad_scale")? } else { 0.0 },
        clip_value: if learning_rate_is_not_0 { math::limit(clip_value) } else { 0.0 },
        minus_clip_value: if learning_rate_is_not_0 { math::limit(-clip_value) } else { 0.0 },
        beta: if learning_rate_is_not_0 { math::to_f32(beta, "hyper.beta")? } else { 0.0 },
        lambda2: if learning_rate_is_not_0 { math::to_f32(lambda2, "hyper.lambda2")? } else { 0.0 },
        lambda1: if learning_rate_is_not_0 { math::to_f32(lambda1, "hyper.lambda1")? } else { 0.0 },
    };
    row.write(words);
    Ok(())
}
