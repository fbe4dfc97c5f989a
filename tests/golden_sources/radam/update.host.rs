/// What the host computes for `update`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `hyper.beta2`
    beta2: f32,
    /// `hyper.beta1`
    beta1: f32,
    /// `1.0 - hyper.beta1.powi(step)`
    bias1: f32,
    /// `1.0 - hyper.beta2`
    one_minus_beta2: f32,
    /// `grad_scale`
    grad_scale: f32,
    /// `clip_value`
    clip_value: f32,
    /// `-clip_value`
    minus_clip_value: f32,
    /// `hyper.weight_decay`
    weight_decay: f32,
    /// `1.0 - hyper.beta1`
    one_minus_beta1: f32,
    /// `rho > 5.0`
    rho_above_5: u32,
    /// `hyper.learning_rate`
    learning_rate: f32,
    /// `hyper.learning_rate * rect * bias2.sqrt()`
    learning_rate_times_rect_times_sqrt_bias2: f32,
    /// `hyper.epsilon`
    epsilon: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            beta2: f32::from_bits(words[0]),
            beta1: f32::from_bits(words[1]),
            bias1: f32::from_bits(words[2]),
            one_minus_beta2: f32::from_bits(words[3]),
            grad_scale: f32::from_bits(words[4]),
            clip_value: f32::from_bits(words[5]),
            minus_clip_value: f32::from_bits(words[6]),
            weight_decay: f32::from_bits(words[7]),
            one_minus_beta1: f32::from_bits(words[8]),
            rho_above_5: words[9],
            learning_rate: f32::from_bits(words[10]),
            learning_rate_times_rect_times_sqrt_bias2: f32::from_bits(words[11]),
            epsilon: f32::from_bits(words[12]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.beta2.to_bits();
        words[1] = self.beta1.to_bits();
        words[2] = self.bias1.to_bits();
        words[3] = self.one_minus_beta2.to_bits();
        words[4] = self.grad_scale.to_bits();
        words[5] = self.clip_value.to_bits();
        words[6] = self.minus_clip_value.to_bits();
        words[7] = self.weight_decay.to_bits();
        words[8] = self.one_minus_beta1.to_bits();
        words[9] = self.rho_above_5;
        words[10] = self.learning_rate.to_bits();
        words[11] = self.learning_rate_times_rect_times_sqrt_bias2.to_bits();
        words[12] = self.epsilon.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, RAdamParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let beta2 = math::decimal(hyper.beta2);
    let step = math::whole(context.step);
    let beta1 = math::decimal(hyper.beta1);
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let weight_decay = math::decimal(hyper.weight_decay);
    let learning_rate = math::decimal(hyper.learning_rate);
    let epsilon = math::decimal(hyper.epsilon);
    // let beta2_t = hyper.beta2.powi(step);
    let beta2_t = math::powi(beta2, step);
    // let bias1 = 1.0 - hyper.beta1.powi(step);
    let bias1 = 1.0 - math::powi(beta1, step);
    // let bias2 = 1.0 - beta2_t;
    let bias2 = 1.0 - beta2_t;
    // let rho_inf = 2.0 / (1.0 - hyper.beta2) - 1.0;
    let one_minus_beta2 = 1.0 - beta2;
    let rho_inf = 2.0 / one_minus_beta2 - 1.0;
    // let rho = rho_inf - 2.0 * step as f32 * beta2_t / bias2;
    let rho = rho_inf - 2.0 * step as f64 * beta2_t / bias2;
    // if rho > 5.0 {
    let rho_above_5 = rho > 5.0;
    // let rect = ((rho - 4.0) * (rho - 2.0) * rho_inf / ((rho_inf - 4.0) * (rho_inf - 2.0) * rho)).sqrt();
    let rect = ((rho - 4.0) * (rho - 2.0) * rho_inf / ((rho_inf - 4.0) * (rho_inf - 2.0) * rho)).sqrt();
    let row = Row {
        beta2: math::to_f32(beta2, "hyper.beta2")?,
        beta1: math::to_f32(beta1, "hyper.beta1")?,
        bias1: math::to_f32(bias1, "1.0 - hyper.beta1.powi(step)")?,
        one_minus_beta2: math::to_f32(one_minus_beta2, "1.0 - hyper.beta2")?,
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        weight_decay: math::to_f32(weight_decay, "hyper.weight_decay")?,
        one_minus_beta1: math::to_f32(1.0 - beta1, "1.0 - hyper.beta1")?,
        rho_above_5: u32::from(rho_above_5),
        learning_rate: if !rho_above_5 { math::to_f32(learning_rate, "hyper.learning_rate")? } else { 0.0 },
        learning_rate_times_rect_times_sqrt_bias2: if rho_above_5 {
            math::to_f32(learning_rate * rect * bias2.sqrt(), "hyper.learning_rate * rect * bias2.sqrt()")?
        } else {
            0.0
        },
        epsilon: if rho_above_5 { math::to_f32(epsilon, "hyper.epsilon")? } else { 0.0 },
    };
    row.write(words);
    Ok(())
}
