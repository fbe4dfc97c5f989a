/// `update_pass1` over one chunk.
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let mut g2_so_far = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            &chunk.grad[block.clone()],
            g2_so_far.block(block.len()),
        );
    }
    chunk.partials[0] = g2_so_far.total();
}

fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    gradients: &[f32],
    g2_so_far: &mut [f32],
) {
    let len = gradients.len();
    let g2_so_far = &mut g2_so_far[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let scaled_grad = raw_grad * grad_scale;
        let limited_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let grad = limited_grad * clip;
        // let g2 = sum(grad * grad);
        let grad_times_grad = grad * grad;
        g2_so_far[lane] += grad_times_grad;
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { step_is_1, beta2, one_minus_beta2, epsilon, .. } = Row::from_words(tensor.row);
    let step_is_1 = step_is_1 != 0;
    let v = f32::from_bits(tensor.tensor[0]);
    let g2_so_far = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let g2 = g2_so_far;
    // state.v = if step == 1 { g2 } else { hyper.beta2 * state.v + (1.0 - hyper.beta2) * g2 };
    let v_new = math::select(step_is_1, g2, beta2 * v + one_minus_beta2 * g2);
    // state.m = hyper.beta1 * state.m + (grad / (state.v.sqrt() + hyper.epsilon) + hyper.weight_decay * *param);
    let sqrt_v_plus_epsilon = v_new.sqrt() + epsilon;
    tensor.tensor[1] = f32::to_bits(sqrt_v_plus_epsilon);
    tensor.tensor[0] = f32::to_bits(v_new);
}

/// `update_pass2` over one chunk.
pub fn update_pass2(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        beta1,
        weight_decay,
        learning_rate,
        ..
    } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let sqrt_v_plus_epsilon = f32::from_bits(chunk.tensor[1]);
    let [m_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass2_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            beta1,
            weight_decay,
            learning_rate,
            clip,
            sqrt_v_plus_epsilon,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut m_slice[block.clone()],
        );
    }
}

fn update_pass2_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    beta1: f32,
    weight_decay: f32,
    learning_rate: f32,
    clip: f32,
    sqrt_v_plus_epsilon: f32,
    gradients: &[f32],
    params: &mut [f32],
    m_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let m_slice = &mut m_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let m = m_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let limited_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let grad = limited_grad * clip;
        // state.m = hyper.beta1 * state.m + (grad / (state.v.sqrt() + hyper.epsilon) + hyper.weight_decay * *param);
        let m_new = beta1 * m + (grad / sqrt_v_plus_epsilon + weight_decay * param);
        // *param -= hyper.learning_rate * state.m;
        let param_new = param - learning_rate * m_new;
        params[lane] = param_new;
        m_slice[lane] = m_new;
    }
}
