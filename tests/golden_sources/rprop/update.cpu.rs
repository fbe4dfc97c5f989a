/// `update_pass1` over one chunk.
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        eta_plus,
        eta_minus,
        step_min,
        step_max,
    } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let [prev_slice, size_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            eta_plus,
            eta_minus,
            step_min,
            step_max,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut prev_slice[block.clone()],
            &mut size_slice[block.clone()],
        );
    }
}

fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    eta_plus: f32,
    eta_minus: f32,
    step_min: f32,
    step_max: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    prev_slice: &mut [f32],
    size_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let prev_slice = &mut prev_slice[..len];
    let size_slice = &mut size_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let prev = prev_slice[lane];
        let size = size_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let limited_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let grad = limited_grad * clip;
        // let agree = sign(grad) * sign(state.prev);
        let agree = math::sign_f32(grad) * math::sign_f32(prev);
        // if agree > 0.0 {
        let agree_above_0 = agree > 0.0;
        // state.size *= hyper.eta_plus;
        let size_2 = size * eta_plus;
        // else if agree < 0.0 {
        let agree_below_0 = agree < 0.0;
        // state.size *= hyper.eta_minus;
        let size_3 = size * eta_minus;
        // else if agree < 0.0 {
        let g = math::select(agree_below_0, 0.0, grad);
        let size_4 = math::select(agree_below_0, size_3, size);
        // if agree > 0.0 {
        let g_2 = math::select(agree_above_0, grad, g);
        let size_5 = math::select(agree_above_0, size_2, size_4);
        // state.size = state.size.clamp(hyper.step_min, hyper.step_max);
        let size_new = math::min(math::max(size_5, step_min), step_max);
        // *param -= sign(g) * state.size;
        let param_new = param - math::sign_f32(g_2) * size_new;
        params[lane] = param_new;
        prev_slice[lane] = g_2;
        size_slice[lane] = size_new;
    }
}
