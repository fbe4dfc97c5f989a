/// What the host computes for `update`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `1.0 - hyper.decay`
    weight: f32,
    /// `step == 1`
    step_is_1: u32,
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
            weight: f32::from_bits(words[0]),
            step_is_1: words[1],
            grad_scale: f32::from_bits(words[2]),
            clip_value: f32::from_bits(words[3]),
            minus_clip_value: f32::from_bits(words[4]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.weight.to_bits();
        words[1] = self.step_is_1;
        words[2] = self.grad_scale.to_bits();
        words[3] = self.clip_value.to_bits();
        words[4] = self.minus_clip_value.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, AverageParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let decay = math::decimal(hyper.decay.unwrap_or_default());
    let step = math::whole(context.step);
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    // let weight = if let Some(decay) = hyper.decay { 1.0 - decay } else { 1.0 / step as f32 };
    let weight = 1.0 - decay;
    // *param = if step == 1 { grad } else { lerp(*param, grad, weight) };
    let step_is_1 = step == 1;
    let row = Row {
        weight: if !step_is_1 { math::to_f32(weight, "1.0 - hyper.decay")? } else { 0.0 },
        step_is_1: u32::from(step_is_1),
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
    };
    row.write(words);
    Ok(())
}
