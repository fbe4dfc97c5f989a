/// `update_pass1` over one chunk.
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        weight_decay,
        beta1,
        one_minus_beta1,
        beta2,
        one_minus_beta2,
        learning_rate_over_bias1,
        sqrt_bias2,
        epsilon,
    } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let [m_slice, v_slice, v_max_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            weight_decay,
            beta1,
            one_minus_beta1,
            beta2,
            one_minus_beta2,
            learning_rate_over_bias1,
            sqrt_bias2,
            epsilon,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut m_slice[block.clone()],
            &mut v_slice[block.clone()],
            &mut v_max_slice[block.clone()],
        );
    }
}

fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    weight_decay: f32,
    beta1: f32,
    one_minus_beta1: f32,
    beta2: f32,
    one_minus_beta2: f32,
    learning_rate_over_bias1: f32,
    sqrt_bias2: f32,
    epsilon: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    m_slice: &mut [f32],
    v_slice: &mut [f32],
    v_max_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let m_slice = &mut m_slice[..len];
    let v_slice = &mut v_slice[..len];
    let v_max_slice = &mut v_max_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let m = m_slice[lane];
        let v = v_slice[lane];
        let v_max = v_max_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let limited_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let grad = limited_grad * clip;
        // let g = grad + hyper.weight_decay * *param;
        let g = grad + weight_decay * param;
        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        let m_new = beta1 * m + one_minus_beta1 * g;
        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let v_new = beta2 * v + one_minus_beta2 * g * g;
        // state.v_max = state.v_max.max(state.v);
        let v_max_new = math::max(v_max, v_new);
        // *param -= hyper.learning_rate / bias1 * state.m / (second.sqrt() / bias2.sqrt() + hyper.epsilon);
        let t1 = learning_rate_over_bias1 * m_new / (v_max_new.sqrt() / sqrt_bias2 + epsilon);
        let param_new = param - t1;
        params[lane] = param_new;
        m_slice[lane] = m_new;
        v_slice[lane] = v_new;
        v_max_slice[lane] = v_max_new;
    }
}
