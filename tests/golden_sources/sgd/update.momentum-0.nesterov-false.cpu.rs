/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        weight_decay,
        learning_rate,
        learning_rate_is_not_0,
    } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let clip = chunk.clip;
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            weight_decay,
            learning_rate,
            learning_rate_is_not_0,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    weight_decay: f32,
    learning_rate: f32,
    learning_rate_is_not_0: bool,
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
        // let g = grad + hyper.weight_decay * *param;
        let g = grad + weight_decay * param;
        // *param -= hyper.learning_rate * direction;
        let param_2 = param - learning_rate * g;
        // if hyper.learning_rate != 0.0 {
        let param_new = math::select(learning_rate_is_not_0, param_2, param);
        params[lane] = param_new;
    }
}
