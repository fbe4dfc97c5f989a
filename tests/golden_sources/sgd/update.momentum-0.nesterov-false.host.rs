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
            weight_decay: f32::from_bits(words[3]),
            learning_rate: f32::from_bits(words[4]),
            learning_rate_is_not_0: words[5],
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.weight_decay.to_bits();
        words[4] = self.learning_rate.to_bits();
        words[5] = self.learning_rate_is_not_0;
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, SgdParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let weight_decay = math::decimal(hyper.weight_decay);
    let learning_rate = math::decimal(hyper.learning_rate);
    // if hyper.learning_rate != 0.0 {
    let learning_rate_is_not_0 = learning_rate != 0.0;
    let row = Row {
        grad_scale: if learning_rate_is_not_0 { math::to_f32(grad_scale, "grad_scale")? } else { 0.0 },
        clip_value: if learning_rate_is_not_0 { math::limit(clip_value) } else { 0.0 },
        minus_clip_value: if learning_rate_is_not_0 { math::limit(-clip_value) } else { 0.0 },
        weight_decay: if learning_rate_is_not_0 { math::to_f32(weight_decay, "hyper.weight_decay")? } else { 0.0 },
        learning_rate: if learning_rate_is_not_0 { math::to_f32(learning_rate, "hyper.learning_rate")? } else { 0.0 },
        learning_rate_is_not_0: u32::from(learning_rate_is_not_0),
    };
    row.write(words);
    Ok(())
}
