/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { weight, step_is_1, grad_scale, clip_value, minus_clip_value } = Row::from_words(chunk.row);
    let step_is_1 = step_is_1 != 0;
    let clip = chunk.clip;
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            weight,
            step_is_1,
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass1_block(
    weight: f32,
    step_is_1: bool,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // *param = if step == 1 { grad } else { lerp(*param, grad, weight) };
        let param_new = math::select(step_is_1, grad, param + weight * (grad - param));
        params[lane] = param_new;
    }
}
