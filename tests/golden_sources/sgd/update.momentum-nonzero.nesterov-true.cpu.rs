/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        weight_decay,
        momentum,
        step_is_1,
        one_minus_dampening,
        learning_rate,
        learning_rate_is_not_0,
    } = Row::from_words(chunk.row);
    let step_is_1 = step_is_1 != 0;
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let clip = chunk.clip;
    let [momentum_buffer_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            weight_decay,
            momentum,
            step_is_1,
            one_minus_dampening,
            learning_rate,
            learning_rate_is_not_0,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut momentum_buffer_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    weight_decay: f32,
    momentum: f32,
    step_is_1: bool,
    one_minus_dampening: f32,
    learning_rate: f32,
    learning_rate_is_not_0: bool,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    momentum_buffer_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let momentum_buffer_slice = &mut momentum_buffer_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let momentum_buffer = momentum_buffer_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let g = grad + hyper.weight_decay * *param;
        let g = grad + weight_decay * param;
        // state.momentum_buffer = if step == 1 { g } else { hyper.momentum * state.momentum_buffer + (1.0 - hyper.dampening) * g };
        let momentum_buffer_new = math::select(step_is_1, g, momentum * momentum_buffer + one_minus_dampening * g);
        // let direction = if hyper.momentum != 0.0 { state.momentum_buffer = if step == 1 { g } else { hyper.momentum * state.momentum_buffer + (1.0 - hyper.dampening) * g }; if hyper.nesterov { g + hyper.momentum * state.momentum_buffer } else { state.momentum_buffer } } else { g };
        let direction = g + momentum * momentum_buffer_new;
        // *param -= hyper.learning_rate * direction;
        let param_2 = param - learning_rate * direction;
        // if hyper.learning_rate != 0.0 {
        let param_new = math::select(learning_rate_is_not_0, param_2, param);
        params[lane] = param_new;
        momentum_buffer_slice[lane] = momentum_buffer_new;
    }
}
