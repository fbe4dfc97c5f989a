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
    /// `step == 1`
    step_is_1: u32,
    /// `hyper.beta2`
    beta2: f32,
    /// `1.0 - hyper.beta2`
    one_minus_beta2: f32,
    /// `hyper.epsilon`
    epsilon: f32,
    /// `hyper.beta1`
    beta1: f32,
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
            step_is_1: words[3],
            beta2: f32::from_bits(words[4]),
            one_minus_beta2: f32::from_bits(words[5]),
            epsilon: f32::from_bits(words[6]),
            beta1: f32::from_bits(words[7]),
            weight_decay: f32::from_bits(words[8]),
            learning_rate: f32::from_bits(words[9]),
            learning_rate_is_not_0: words[10],
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.step_is_1;
        words[4] = self.beta2.to_bits();
        words[5] = self.one_minus_beta2.to_bits();
        words[6] = self.epsilon.to_bits();
        words[7] = self.beta1.to_bits();
        words[8] = self.weight_decay.to_bits();
        words[9] = self.learning_rate.to_bits();
        words[10] = self.learning_rate_is_not_0;
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, NovoGradParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let step = math::whole(context.step);
    let beta2 = math::decimal(hyper.beta2);
    let epsilon = math::decimal(hyper.epsilon);
    let beta1 = math::decimal(hyper.beta1);
    let weight_decay = math::decimal(hyper.weight_decay);
    let learning_rate = math::decimal(hyper.learning_rate);
    // state.v = if step == 1 { squared_norm } else { hyper.beta2 * state.v + (1.0 - hyper.beta2) * squared_norm };
    let step_is_1 = step == 1;
    // if hyper.learning_rate != 0.0 {
    let learning_rate_is_not_0 = learning_rate != 0.0;
    let t1 = !step_is_1;
    let row = Row {
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        step_is_1: u32::from(step_is_1),
        beta2: if t1 { math::to_f32(beta2, "hyper.beta2")? } else { 0.0 },
        one_minus_beta2: if t1 { math::to_f32(1.0 - beta2, "1.0 - hyper.beta2")? } else { 0.0 },
        epsilon: math::to_f32(epsilon, "hyper.epsilon")?,
        beta1: math::to_f32(beta1, "hyper.beta1")?,
        weight_decay: math::to_f32(weight_decay, "hyper.weight_decay")?,
        learning_rate: if learning_rate_is_not_0 { math::to_f32(learning_rate, "hyper.learning_rate")? } else { 0.0 },
        learning_rate_is_not_0: u32::from(learning_rate_is_not_0),
    };
    row.write(words);
    Ok(())
}
