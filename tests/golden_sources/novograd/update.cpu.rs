/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let mut squared_norm_so_far = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            &chunk.grad[block.clone()],
            squared_norm_so_far.block(block.len()),
        );
    }
    chunk.partials[0] = squared_norm_so_far.total();
}

#[inline(always)]
fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    gradients: &[f32],
    squared_norm_so_far: &mut [f32],
) {
    let len = gradients.len();
    let squared_norm_so_far = &mut squared_norm_so_far[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let squared_norm = sum(grad * grad);
        let grad_times_grad = grad * grad;
        squared_norm_so_far[lane] += grad_times_grad;
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { step_is_1, beta2, one_minus_beta2, epsilon, .. } = Row::from_words(tensor.row);
    let step_is_1 = step_is_1 != 0;
    let v = f32::from_bits(tensor.tensor[0]);
    let squared_norm_so_far = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let squared_norm = squared_norm_so_far;
    // state.v = if step == 1 { squared_norm } else { hyper.beta2 * state.v + (1.0 - hyper.beta2) * squared_norm };
    let v_new = math::select(step_is_1, squared_norm, beta2 * v + one_minus_beta2 * squared_norm);
    // let denominator = state.v.sqrt() + hyper.epsilon;
    let denominator = v_new.sqrt() + epsilon;
    // let normalized = if denominator == 0.0 { 0.0 } else { grad / denominator };
    let denominator_is_0 = denominator == 0.0;
    tensor.tensor[1] = f32::to_bits(denominator);
    tensor.tensor[2] = u32::from(denominator_is_0);
    tensor.tensor[0] = f32::to_bits(v_new);
}

/// `update_pass2` over one chunk.
#[inline(always)]
pub fn update_pass2(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        beta1,
        weight_decay,
        learning_rate,
        learning_rate_is_not_0,
        ..
    } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let clip = chunk.clip;
    let denominator = f32::from_bits(chunk.tensor[1]);
    let denominator_is_0 = chunk.tensor[2] != 0;
    let [m_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass2_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            beta1,
            weight_decay,
            learning_rate,
            learning_rate_is_not_0,
            clip,
            denominator,
            denominator_is_0,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut m_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass2_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    beta1: f32,
    weight_decay: f32,
    learning_rate: f32,
    learning_rate_is_not_0: bool,
    clip: f32,
    denominator: f32,
    denominator_is_0: bool,
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
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let normalized = if denominator == 0.0 { 0.0 } else { grad / denominator };
        let normalized = math::select(denominator_is_0, 0.0, grad / denominator);
        // state.m = hyper.beta1 * state.m + (normalized + hyper.weight_decay * *param);
        let m_new = beta1 * m + (normalized + weight_decay * param);
        // *param -= hyper.learning_rate * state.m;
        let param_2 = param - learning_rate * m_new;
        // if hyper.learning_rate != 0.0 {
        let param_new = math::select(learning_rate_is_not_0, param_2, param);
        params[lane] = param_new;
        m_slice[lane] = m_new;
    }
}
