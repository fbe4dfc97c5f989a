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
    /// `hyper.alpha`
    alpha: f32,
    /// `1.0 - hyper.alpha`
    one_minus_alpha: f32,
    /// `hyper.epsilon`
    epsilon: f32,
    /// `hyper.momentum`
    momentum: f32,
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
            alpha: f32::from_bits(words[4]),
            one_minus_alpha: f32::from_bits(words[5]),
            epsilon: f32::from_bits(words[6]),
            momentum: f32::from_bits(words[7]),
            learning_rate: f32::from_bits(words[8]),
            learning_rate_is_not_0: words[9],
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.weight_decay.to_bits();
        words[4] = self.alpha.to_bits();
        words[5] = self.one_minus_alpha.to_bits();
        words[6] = self.epsilon.to_bits();
        words[7] = self.momentum.to_bits();
        words[8] = self.learning_rate.to_bits();
        words[9] = self.learning_rate_is_not_0;
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, RmspropParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let weight_decay = math::decimal(hyper.weight_decay);
    let alpha = math::decimal(hyper.alpha);
    let epsilon = math::decimal(hyper.epsilon);
    let momentum = math::decimal(hyper.momentum);
    let learning_rate = math::decimal(hyper.learning_rate);
    // if hyper.learning_rate != 0.0 {
    let learning_rate_is_not_0 = learning_rate != 0.0;
    let row = Row {
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        weight_decay: math::to_f32(weight_decay, "hyper.weight_decay")?,
        alpha: math::to_f32(alpha, "hyper.alpha")?,
        one_minus_alpha: math::to_f32(1.0 - alpha, "1.0 - hyper.alpha")?,
        epsilon: math::to_f32(epsilon, "hyper.epsilon")?,
        momentum: math::to_f32(momentum, "hyper.momentum")?,
        learning_rate: if learning_rate_is_not_0 { math::to_f32(learning_rate, "hyper.learning_rate")? } else { 0.0 },
        learning_rate_is_not_0: u32::from(learning_rate_is_not_0),
    };
    row.write(words);
    Ok(())
}
