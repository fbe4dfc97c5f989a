/// What the host computes for `update`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `hyper.learning_rate`
    learning_rate: f32,
    /// `grad_scale`
    grad_scale: f32,
    /// `clip_value`
    clip_value: f32,
    /// `-clip_value`
    minus_clip_value: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            learning_rate: f32::from_bits(words[0]),
            grad_scale: f32::from_bits(words[1]),
            clip_value: f32::from_bits(words[2]),
            minus_clip_value: f32::from_bits(words[3]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.learning_rate.to_bits();
        words[1] = self.grad_scale.to_bits();
        words[2] = self.clip_value.to_bits();
        words[3] = self.minus_clip_value.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, SamSgdParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let learning_rate = math::decimal(hyper.learning_rate);
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let row = Row {
        learning_rate: math::to_f32(learning_rate, "hyper.learning_rate")?,
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
    };
    row.write(words);
    Ok(())
}
