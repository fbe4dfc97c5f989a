/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { learning_rate, grad_scale, clip_value, minus_clip_value } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let [home_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            learning_rate,
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut home_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass1_block(
    learning_rate: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    home_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let home_slice = &mut home_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let home = home_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // *param = state.home - hyper.learning_rate * grad;
        let param = home - learning_rate * grad;
        params[lane] = param;
        home_slice[lane] = param;
    }
}
