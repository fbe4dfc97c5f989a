/// What the host computes for `update`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `(step as f32).powf(hyper.beta2_decay)`
    weight: f32,
    /// `hyper.learning_rate.min(1.0 / (step as f32).sqrt())`
    rho: f32,
    /// `len() as f32`
    len: f32,
    /// `hyper.eps2`
    eps2: f32,
    /// `1.0 - hyper.learning_rate * hyper.weight_decay`
    one_minus_learning_rate_times_weight_decay: f32,
    /// `1.0 - weight`
    one_minus_weight: f32,
    /// `grad_scale`
    grad_scale: f32,
    /// `clip_value`
    clip_value: f32,
    /// `-clip_value`
    minus_clip_value: f32,
    /// `hyper.clip`
    clip: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            weight: f32::from_bits(words[0]),
            rho: f32::from_bits(words[1]),
            len: f32::from_bits(words[2]),
            eps2: f32::from_bits(words[3]),
            one_minus_learning_rate_times_weight_decay: f32::from_bits(words[4]),
            one_minus_weight: f32::from_bits(words[5]),
            grad_scale: f32::from_bits(words[6]),
            clip_value: f32::from_bits(words[7]),
            minus_clip_value: f32::from_bits(words[8]),
            clip: f32::from_bits(words[9]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.weight.to_bits();
        words[1] = self.rho.to_bits();
        words[2] = self.len.to_bits();
        words[3] = self.eps2.to_bits();
        words[4] = self.one_minus_learning_rate_times_weight_decay.to_bits();
        words[5] = self.one_minus_weight.to_bits();
        words[6] = self.grad_scale.to_bits();
        words[7] = self.clip_value.to_bits();
        words[8] = self.minus_clip_value.to_bits();
        words[9] = self.clip.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, AdafactorParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let step = math::whole(context.step);
    let beta2_decay = math::decimal(hyper.beta2_decay);
    let learning_rate = math::decimal(hyper.learning_rate);
    let len = math::len(context.shape);
    let eps2 = math::decimal(hyper.eps2);
    let weight_decay = math::decimal(hyper.weight_decay);
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let clip = math::decimal(hyper.clip);
    // let weight = (step as f32).powf(hyper.beta2_decay);
    let t1 = step as f64;
    let weight = t1.powf(beta2_decay);
    // let rho = hyper.learning_rate.min(1.0 / (step as f32).sqrt());
    let rho = math::min(learning_rate, 1.0 / t1.sqrt());
    let row = Row {
        weight: math::to_f32(weight, "(step as f32).powf(hyper.beta2_decay)")?,
        rho: math::to_f32(rho, "hyper.learning_rate.min(1.0 / (step as f32).sqrt())")?,
        len: math::to_f32(len as f64, "len() as f32")?,
        eps2: math::to_f32(eps2, "hyper.eps2")?,
        one_minus_learning_rate_times_weight_decay: math::to_f32(1.0 - learning_rate * weight_decay, "1.0 - hyper.learning_rate * hyper.weight_decay")?,
        one_minus_weight: math::to_f32(1.0 - weight, "1.0 - weight")?,
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        clip: math::to_f32(clip, "hyper.clip")?,
    };
    row.write(words);
    Ok(())
}
