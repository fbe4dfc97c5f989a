/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        weight_decay,
        alpha,
        one_minus_alpha,
        epsilon,
        momentum,
        learning_rate,
        learning_rate_is_not_0,
    } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let clip = chunk.clip;
    let [square_average_slice, gradient_average_slice, momentum_buffer_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            weight_decay,
            alpha,
            one_minus_alpha,
            epsilon,
            momentum,
            learning_rate,
            learning_rate_is_not_0,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut square_average_slice[block.clone()],
            &mut gradient_average_slice[block.clone()],
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
    alpha: f32,
    one_minus_alpha: f32,
    epsilon: f32,
    momentum: f32,
    learning_rate: f32,
    learning_rate_is_not_0: bool,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    square_average_slice: &mut [f32],
    gradient_average_slice: &mut [f32],
    momentum_buffer_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let square_average_slice = &mut square_average_slice[..len];
    let gradient_average_slice = &mut gradient_average_slice[..len];
    let momentum_buffer_slice = &mut momentum_buffer_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let square_average = square_average_slice[lane];
        let gradient_average = gradient_average_slice[lane];
        let momentum_buffer = momentum_buffer_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let g = grad + hyper.weight_decay * *param;
        let g = grad + weight_decay * param;
        // state.square_average = hyper.alpha * state.square_average + (1.0 - hyper.alpha) * g * g;
        let one_minus_alpha_times_g = one_minus_alpha * g;
        let square_average_new = alpha * square_average + one_minus_alpha_times_g * g;
        // state.gradient_average = hyper.alpha * state.gradient_average + (1.0 - hyper.alpha) * g;
        let gradient_average_new = alpha * gradient_average + one_minus_alpha_times_g;
        // variance = (variance - state.gradient_average * state.gradient_average).max(0.0);
        let variance = math::max(square_average_new - gradient_average_new * gradient_average_new, 0.0);
        // let denominator = variance.sqrt() + hyper.epsilon;
        let denominator = variance.sqrt() + epsilon;
        // let mut direction = if denominator == 0.0 { 0.0 } else { g / denominator };
        let direction = math::select(denominator == 0.0, 0.0, g / denominator);
        // state.momentum_buffer = hyper.momentum * state.momentum_buffer + direction;
        let momentum_buffer_new = momentum * momentum_buffer + direction;
        // *param -= hyper.learning_rate * direction;
        let param_2 = param - learning_rate * momentum_buffer_new;
        // if hyper.learning_rate != 0.0 {
        let param_new = math::select(learning_rate_is_not_0, param_2, param);
        params[lane] = param_new;
        square_average_slice[lane] = square_average_new;
        gradient_average_slice[lane] = gradient_average_new;
        momentum_buffer_slice[lane] = momentum_buffer_new;
    }
}
