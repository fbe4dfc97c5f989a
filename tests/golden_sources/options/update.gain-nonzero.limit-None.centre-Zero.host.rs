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
    /// `hyper.gain`
    gain: f32,
    /// `(step % hyper.period) as f32 / hyper.period as f32`
    cycle: f32,
    /// `hyper.gain.min(1.0)`
    min_gain_1: f32,
    /// `hyper.learning_rate`
    learning_rate: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            grad_scale: f32::from_bits(words[0]),
            clip_value: f32::from_bits(words[1]),
            minus_clip_value: f32::from_bits(words[2]),
            gain: f32::from_bits(words[3]),
            cycle: f32::from_bits(words[4]),
            min_gain_1: f32::from_bits(words[5]),
            learning_rate: f32::from_bits(words[6]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.gain.to_bits();
        words[4] = self.cycle.to_bits();
        words[5] = self.min_gain_1.to_bits();
        words[6] = self.learning_rate.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, OptionsParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let gain = math::decimal(hyper.gain);
    let step = math::whole(context.step);
    let period = i64::from(hyper.period);
    let learning_rate = math::decimal(hyper.learning_rate);
    // let cycle = (step % hyper.period) as f32 / hyper.period as f32;
    let cycle = math::remainder(step, period) as f64 / period as f64;
    let row = Row {
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        gain: math::to_f32(gain, "hyper.gain")?,
        cycle: math::to_f32(cycle, "(step % hyper.period) as f32 / hyper.period as f32")?,
        min_gain_1: math::to_f32(math::min(gain, 1.0), "hyper.gain.min(1.0)")?,
        learning_rate: math::to_f32(learning_rate, "hyper.learning_rate")?,
    };
    row.write(words);
    Ok(())
}
