/// `update_pass1` over one chunk.
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        step_is_1,
        beta2,
        beta1,
        one_minus_beta1,
        one_minus_beta2,
        beta3,
        one_minus_beta3,
        bias1,
        bias3,
        epsilon,
        beta2_over_bias2,
        learning_rate,
        one_plus_decay,
    } = Row::from_words(chunk.row);
    let step_is_1 = step_is_1 != 0;
    let clip = chunk.clip;
    let [m_slice, d_slice, n_slice, prev_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            step_is_1,
            beta2,
            beta1,
            one_minus_beta1,
            one_minus_beta2,
            beta3,
            one_minus_beta3,
            bias1,
            bias3,
            epsilon,
            beta2_over_bias2,
            learning_rate,
            one_plus_decay,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut m_slice[block.clone()],
            &mut d_slice[block.clone()],
            &mut n_slice[block.clone()],
            &mut prev_slice[block.clone()],
        );
    }
}

fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    step_is_1: bool,
    beta2: f32,
    beta1: f32,
    one_minus_beta1: f32,
    one_minus_beta2: f32,
    beta3: f32,
    one_minus_beta3: f32,
    bias1: f32,
    bias3: f32,
    epsilon: f32,
    beta2_over_bias2: f32,
    learning_rate: f32,
    one_plus_decay: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    m_slice: &mut [f32],
    d_slice: &mut [f32],
    n_slice: &mut [f32],
    prev_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let m_slice = &mut m_slice[..len];
    let d_slice = &mut d_slice[..len];
    let n_slice = &mut n_slice[..len];
    let prev_slice = &mut prev_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let m = m_slice[lane];
        let d = d_slice[lane];
        let n = n_slice[lane];
        let prev = prev_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let limited_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let grad = limited_grad * clip;
        // let diff = if step == 1 { 0.0 } else { g - state.prev };
        let diff = math::select(step_is_1, 0.0, grad - prev);
        // let look = g + hyper.beta2 * diff;
        let look = grad + beta2 * diff;
        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        let m_new = beta1 * m + one_minus_beta1 * grad;
        // state.d = hyper.beta2 * state.d + (1.0 - hyper.beta2) * diff;
        let d_new = beta2 * d + one_minus_beta2 * diff;
        // state.n = hyper.beta3 * state.n + (1.0 - hyper.beta3) * look * look;
        let n_new = beta3 * n + one_minus_beta3 * look * look;
        // let denom = (state.n / bias3).sqrt() + hyper.epsilon;
        let denom = (n_new / bias3).sqrt() + epsilon;
        // let u = (state.m / bias1 + hyper.beta2 / bias2 * state.d) / denom;
        let u = (m_new / bias1 + beta2_over_bias2 * d_new) / denom;
        // *param = (*param - hyper.learning_rate * u) / (1.0 + decay);
        let param_new = (param - learning_rate * u) / one_plus_decay;
        params[lane] = param_new;
        m_slice[lane] = m_new;
        d_slice[lane] = d_new;
        n_slice[lane] = n_new;
        prev_slice[lane] = grad;
    }
}
