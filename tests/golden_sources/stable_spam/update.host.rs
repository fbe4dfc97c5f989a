/// What the host computes for `update`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `step % hyper.reset == 0`
    step_modulo_reset_is_0: u32,
    /// `1.0 - hyper.learning_rate * hyper.weight_decay`
    one_minus_learning_rate_times_weight_decay: f32,
    /// `grad_scale`
    grad_scale: f32,
    /// `clip_value`
    clip_value: f32,
    /// `-clip_value`
    minus_clip_value: f32,
    /// `hyper.theta`
    theta: f32,
    /// `1.0 - hyper.theta`
    one_minus_theta: f32,
    /// `1.0 - hyper.theta.powi(step)`
    one_minus_theta_to_step: f32,
    /// `hyper.gamma1`
    gamma1: f32,
    /// `1.0 - hyper.gamma1`
    one_minus_gamma1: f32,
    /// `hyper.gamma2`
    gamma2: f32,
    /// `1.0 - hyper.gamma2`
    one_minus_gamma2: f32,
    /// `1.0 - hyper.gamma1.powi(step)`
    one_minus_gamma1_to_step: f32,
    /// `1.0 - hyper.gamma2.powi(step)`
    one_minus_gamma2_to_step: f32,
    /// `hyper.epsilon`
    epsilon: f32,
    /// `hyper.beta1`
    beta1: f32,
    /// `1.0 - hyper.beta1`
    one_minus_beta1: f32,
    /// `hyper.beta2`
    beta2: f32,
    /// `1.0 - hyper.beta2`
    one_minus_beta2: f32,
    /// `1.0 - hyper.beta2.powi(t)`
    bias2: f32,
    /// `hyper.learning_rate / bias1`
    learning_rate_over_bias1: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            step_modulo_reset_is_0: words[0],
            one_minus_learning_rate_times_weight_decay: f32::from_bits(words[1]),
            grad_scale: f32::from_bits(words[2]),
            clip_value: f32::from_bits(words[3]),
            minus_clip_value: f32::from_bits(words[4]),
            theta: f32::from_bits(words[5]),
            one_minus_theta: f32::from_bits(words[6]),
            one_minus_theta_to_step: f32::from_bits(words[7]),
            gamma1: f32::from_bits(words[8]),
            one_minus_gamma1: f32::from_bits(words[9]),
            gamma2: f32::from_bits(words[10]),
            one_minus_gamma2: f32::from_bits(words[11]),
            one_minus_gamma1_to_step: f32::from_bits(words[12]),
            one_minus_gamma2_to_step: f32::from_bits(words[13]),
            epsilon: f32::from_bits(words[14]),
            beta1: f32::from_bits(words[15]),
            one_minus_beta1: f32::from_bits(words[16]),
            beta2: f32::from_bits(words[17]),
            one_minus_beta2: f32::from_bits(words[18]),
            bias2: f32::from_bits(words[19]),
            learning_rate_over_bias1: f32::from_bits(words[20]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.step_modulo_reset_is_0;
        words[1] = self.one_minus_learning_rate_times_weight_decay.to_bits();
        words[2] = self.grad_scale.to_bits();
        words[3] = self.clip_value.to_bits();
        words[4] = self.minus_clip_value.to_bits();
        words[5] = self.theta.to_bits();
        words[6] = self.one_minus_theta.to_bits();
        words[7] = self.one_minus_theta_to_step.to_bits();
        words[8] = self.gamma1.to_bits();
        words[9] = self.one_minus_gamma1.to_bits();
        words[10] = self.gamma2.to_bits();
        words[11] = self.one_minus_gamma2.to_bits();
        words[12] = self.one_minus_gamma1_to_step.to_bits();
        words[13] = self.one_minus_gamma2_to_step.to_bits();
        words[14] = self.epsilon.to_bits();
        words[15] = self.beta1.to_bits();
        words[16] = self.one_minus_beta1.to_bits();
        words[17] = self.beta2.to_bits();
        words[18] = self.one_minus_beta2.to_bits();
        words[19] = self.bias2.to_bits();
        words[20] = self.learning_rate_over_bias1.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, StableSpamParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let step = math::whole(context.step);
    let reset = i64::from(hyper.reset);
    let learning_rate = math::decimal(hyper.learning_rate);
    let weight_decay = math::decimal(hyper.weight_decay);
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let theta = math::decimal(hyper.theta);
    let gamma1 = math::decimal(hyper.gamma1);
    let gamma2 = math::decimal(hyper.gamma2);
    let epsilon = math::decimal(hyper.epsilon);
    let beta1 = math::decimal(hyper.beta1);
    let beta2 = math::decimal(hyper.beta2);
    // if step % hyper.reset == 0 {
    let t1 = math::remainder(step, reset);
    // let t = 1 + step % hyper.reset;
    let t = 1_i64.saturating_add(t1);
    // let bias1 = 1.0 - hyper.beta1.powi(t);
    let bias1 = 1.0 - math::powi(beta1, t);
    // let bias2 = 1.0 - hyper.beta2.powi(t);
    let bias2 = 1.0 - math::powi(beta2, t);
    let row = Row {
        step_modulo_reset_is_0: u32::from(t1 == 0),
        one_minus_learning_rate_times_weight_decay: math::to_f32(1.0 - learning_rate * weight_decay, "1.0 - hyper.learning_rate * hyper.weight_decay")?,
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        theta: math::to_f32(theta, "hyper.theta")?,
        one_minus_theta: math::to_f32(1.0 - theta, "1.0 - hyper.theta")?,
        one_minus_theta_to_step: math::to_f32(1.0 - math::powi(theta, step), "1.0 - hyper.theta.powi(step)")?,
        gamma1: math::to_f32(gamma1, "hyper.gamma1")?,
        one_minus_gamma1: math::to_f32(1.0 - gamma1, "1.0 - hyper.gamma1")?,
        gamma2: math::to_f32(gamma2, "hyper.gamma2")?,
        one_minus_gamma2: math::to_f32(1.0 - gamma2, "1.0 - hyper.gamma2")?,
        one_minus_gamma1_to_step: math::to_f32(1.0 - math::powi(gamma1, step), "1.0 - hyper.gamma1.powi(step)")?,
        one_minus_gamma2_to_step: math::to_f32(1.0 - math::powi(gamma2, step), "1.0 - hyper.gamma2.powi(step)")?,
        epsilon: math::to_f32(epsilon, "hyper.epsilon")?,
        beta1: math::to_f32(beta1, "hyper.beta1")?,
        one_minus_beta1: math::to_f32(1.0 - beta1, "1.0 - hyper.beta1")?,
        beta2: math::to_f32(beta2, "hyper.beta2")?,
        one_minus_beta2: math::to_f32(1.0 - beta2, "1.0 - hyper.beta2")?,
        bias2: math::to_f32(bias2, "1.0 - hyper.beta2.powi(t)")?,
        learning_rate_over_bias1: math::to_f32(learning_rate / bias1, "hyper.learning_rate / bias1")?,
    };
    row.write(words);
    Ok(())
}
