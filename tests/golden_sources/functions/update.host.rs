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
    /// `hyper.power`
    power: f32,
    /// `hyper.learning_rate`
    learning_rate: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            grad_scale: f32::from_bits(words[0]),
            clip_value: f32::from_bits(words[1]),
            minus_clip_value: f32::from_bits(words[2]),
            power: f32::from_bits(words[3]),
            learning_rate: f32::from_bits(words[4]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.power.to_bits();
        words[4] = self.learning_rate.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, FunctionsParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let power = math::decimal(hyper.power);
    let learning_rate = math::decimal(hyper.learning_rate);
    let row = Row {
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        power: math::to_f32(power, "hyper.power")?,
        learning_rate: math::to_f32(learning_rate, "hyper.learning_rate")?,
    };
    row.write(words);
    Ok(())
}
