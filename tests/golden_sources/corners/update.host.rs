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
    /// `hyper.exponent`
    exponent: i32,
    /// `step == 2`
    step_is_2: u32,
    /// `hyper.target`
    target_: u32,
    /// `hyper.target.max(hyper.target)`
    exponent_2: i32,
    /// `hyper.kernel`
    kernel_: f32,
    /// `hyper.kernel * step as f32`
    constant_: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            grad_scale: f32::from_bits(words[0]),
            clip_value: f32::from_bits(words[1]),
            minus_clip_value: f32::from_bits(words[2]),
            exponent: words[3].cast_signed(),
            step_is_2: words[4],
            target_: words[5],
            exponent_2: words[6].cast_signed(),
            kernel_: f32::from_bits(words[7]),
            constant_: f32::from_bits(words[8]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.grad_scale.to_bits();
        words[1] = self.clip_value.to_bits();
        words[2] = self.minus_clip_value.to_bits();
        words[3] = self.exponent.cast_unsigned();
        words[4] = self.step_is_2;
        words[5] = self.target_;
        words[6] = self.exponent_2.cast_unsigned();
        words[7] = self.kernel_.to_bits();
        words[8] = self.constant_.to_bits();
    }
}

/// Computes the row of one tensor for `update`.
pub fn row(
    context: &RowContext<'_, CornersParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let grad_scale = context.grad_scale;
    let clip_value = context.clip_value;
    let exponent = i64::from(hyper.exponent);
    let step = math::whole(context.step);
    let target_ = i64::from(hyper.target);
    let kernel_ = math::decimal(hyper.kernel);
    // let select = if step == 2 { row } else if inside { half } else { lanes };
    let step_is_2 = step == 2;
    // let many = count(inside) == hyper.target || count(!inside) > 100;
    let exponent_2 = math::max(target_, target_);
    // state.constant = hyper.kernel * step as f32;
    let constant_ = kernel_ * step as f64;
    let row = Row {
        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
        clip_value: math::limit(clip_value),
        minus_clip_value: math::limit(-clip_value),
        exponent: if step_is_2 { math::to_i32(exponent, "hyper.exponent")? } else { 0 },
        step_is_2: u32::from(step_is_2),
        target_: math::to_u32(target_, "hyper.target")?,
        exponent_2: math::to_i32(exponent_2, "hyper.target.max(hyper.target)")?,
        kernel_: math::to_f32(kernel_, "hyper.kernel")?,
        constant_: math::to_f32(constant_, "hyper.kernel * step as f32")?,
    };
    row.write(words);
    Ok(())
}
