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
    /// `hyper.eta_plus`
    eta_plus: f32,
    /// `hyper.eta_minus`
    eta_minus: f32,
    /// `hyper.step_min`
    step_min: f32,
    /// `hyper.step_max`
    step_max: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            grad_scale: f32::from_bits(words[0]),
            clip_value: f32::from_bits(words[1]),
            minus_clip_value: f32::from_bits(words[2]),
            eta_plus: f32::from_bits(words[3]),
            eta_minus: f32::from_bits(words[4]),
            step_min: f32::from_bits(words[5]),
            step_max: f32::from_bits(words[6]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.eta_plus.to_bits();
        words[4] = self.eta_minus.to_bits();
        words[5] = self.step_min.to_bits();
        words[6] = self.step_max.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, RpropParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let eta_plus = math::decimal(hyper.eta_plus);
    let eta_minus = math::decimal(hyper.eta_minus);
    let step_min = math::decimal(hyper.step_min);
    let step_max = math::decimal(hyper.step_max);
    let row = Row {
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        eta_plus: math::to_f32(eta_plus, "hyper.eta_plus")?,
        eta_minus: math::to_f32(eta_minus, "hyper.eta_minus")?,
        step_min: math::to_f32(step_min, "hyper.step_min")?,
        step_max: math::to_f32(step_max, "hyper.step_max")?,
    };
    row.write(words);
    Ok(())
}
