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
    /// `len() as f32`
    len: f32,
    /// `hyper.threshold`
    threshold: f32,
    /// `all::len() as f32`
    all_len: f32,
    /// `hyper.learning_rate`
    learning_rate: f32,
    /// `run as f32`
    run: f32,
    /// `step > 2`
    step_above_2: u32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            grad_scale: f32::from_bits(words[0]),
            clip_value: f32::from_bits(words[1]),
            minus_clip_value: f32::from_bits(words[2]),
            len: f32::from_bits(words[3]),
            threshold: f32::from_bits(words[4]),
            all_len: f32::from_bits(words[5]),
            learning_rate: f32::from_bits(words[6]),
            run: f32::from_bits(words[7]),
            step_above_2: words[8],
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.len.to_bits();
        words[4] = self.threshold.to_bits();
        words[5] = self.all_len.to_bits();
        words[6] = self.learning_rate.to_bits();
        words[7] = self.run.to_bits();
        words[8] = self.step_above_2;
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, ReductionsParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let len = math::len(context.shape);
    let threshold = math::decimal(hyper.threshold);
    let all_len = math::whole(context.all_len);
    let learning_rate = math::decimal(hyper.learning_rate);
    let run = math::whole(context.run);
    let step = math::whole(context.step);
    let row = Row {
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        len: math::to_f32(len as f64, "len() as f32")?,
        threshold: math::to_f32(threshold, "hyper.threshold")?,
        all_len: math::to_f32(all_len as f64, "all::len() as f32")?,
        learning_rate: math::to_f32(learning_rate, "hyper.learning_rate")?,
        run: math::to_f32(run as f64, "run as f32")?,
        step_above_2: u32::from(step > 2),
    };
    row.write(words);
    Ok(())
}
