/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        beta1,
        beta2,
        bias2,
        grad_scale,
        clip_value,
        minus_clip_value,
        weight_decay,
        one_minus_beta1,
        one_minus_beta2,
        epsilon,
        learning_rate_is_not_0,
        learning_rate_over_bias1,
    } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let clip = chunk.clip;
    let [m_slice, v_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            beta1,
            beta2,
            bias2,
            grad_scale,
            clip_value,
            minus_clip_value,
            weight_decay,
            one_minus_beta1,
            one_minus_beta2,
            epsilon,
            learning_rate_is_not_0,
            learning_rate_over_bias1,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut m_slice[block.clone()],
            &mut v_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass1_block(
    beta1: f32,
    beta2: f32,
    bias2: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    weight_decay: f32,
    one_minus_beta1: f32,
    one_minus_beta2: f32,
    epsilon: f32,
    learning_rate_is_not_0: bool,
    learning_rate_over_bias1: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    m_slice: &mut [f32],
    v_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let m_slice = &mut m_slice[..len];
    let v_slice = &mut v_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let m = m_slice[lane];
        let v = v_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let g = grad + hyper.weight_decay * *param;
        let g = grad + weight_decay * param;
        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        let m_new = beta1 * m + one_minus_beta1 * g;
        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let v_new = beta2 * v + one_minus_beta2 * g * g;
        // let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let denominator = (v_new / bias2).sqrt() + epsilon;
        // let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        let direction = math::select(denominator == 0.0, 0.0, m_new / denominator);
        // *param -= hyper.learning_rate / bias1 * direction;
        let param_2 = param - learning_rate_over_bias1 * direction;
        // if hyper.learning_rate != 0.0 {
        let param_new = math::select(learning_rate_is_not_0, param_2, param);
        params[lane] = param_new;
        m_slice[lane] = m_new;
        v_slice[lane] = v_new;
    }
}
