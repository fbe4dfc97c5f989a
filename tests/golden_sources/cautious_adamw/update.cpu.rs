/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { beta1, one_minus_beta1, grad_scale, clip_value, minus_clip_value, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let [m_slice, _] = cpu::states(chunk.states);
    let mut count_so_far = cpu::Lanes::<cpu::Count>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            beta1,
            one_minus_beta1,
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            &chunk.grad[block.clone()],
            &mut m_slice[block.clone()],
            count_so_far.block(block.len()),
        );
    }
    chunk.partials[0] = count_so_far.total();
}

#[inline(always)]
fn update_pass1_block(
    beta1: f32,
    one_minus_beta1: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    gradients: &[f32],
    m_slice: &mut [f32],
    count_so_far: &mut [u32],
) {
    let len = gradients.len();
    let m_slice = &mut m_slice[..len];
    let count_so_far = &mut count_so_far[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let m = m_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        let m_new = beta1 * m + one_minus_beta1 * grad;
        // let agrees = (state.m > 0.0 && grad > 0.0) || (state.m < 0.0 && grad < 0.0);
        let agrees = (m_new > 0.0) & (grad > 0.0) | (m_new < 0.0) & (grad < 0.0);
        m_slice[lane] = m_new;
        count_so_far[lane] += u32::from(agrees);
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { len, .. } = Row::from_words(tensor.row);
    let count_so_far = cpu::total_of_chunks::<cpu::Count>(tensor, 0);
    let count = count_so_far;
    // let scale = len() as f32 / (count(agrees) as f32 + 1.0);
    let scale = len / (count as f32 + 1.0);
    tensor.tensor[0] = f32::to_bits(scale);
}

/// `update_pass2` over one chunk.
#[inline(always)]
pub fn update_pass2(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        beta2,
        bias2,
        grad_scale,
        clip_value,
        minus_clip_value,
        one_minus_beta2,
        epsilon,
        learning_rate_is_not_0,
        one_minus_learning_rate_times_weight_decay,
        learning_rate_over_bias1,
        ..
    } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let clip = chunk.clip;
    let scale = f32::from_bits(chunk.tensor[0]);
    let [m_slice, v_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass2_block(
            beta2,
            bias2,
            grad_scale,
            clip_value,
            minus_clip_value,
            one_minus_beta2,
            epsilon,
            learning_rate_is_not_0,
            one_minus_learning_rate_times_weight_decay,
            learning_rate_over_bias1,
            clip,
            scale,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &m_slice[block.clone()],
            &mut v_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass2_block(
    beta2: f32,
    bias2: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    one_minus_beta2: f32,
    epsilon: f32,
    learning_rate_is_not_0: bool,
    one_minus_learning_rate_times_weight_decay: f32,
    learning_rate_over_bias1: f32,
    clip: f32,
    scale: f32,
    gradients: &[f32],
    params: &mut [f32],
    m_slice: &[f32],
    v_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let m_slice = &m_slice[..len];
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
        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let v_new = beta2 * v + one_minus_beta2 * grad * grad;
        // let agrees = (state.m > 0.0 && grad > 0.0) || (state.m < 0.0 && grad < 0.0);
        let agrees = (m > 0.0) & (grad > 0.0) | (m < 0.0) & (grad < 0.0);
        // let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let denominator = (v_new / bias2).sqrt() + epsilon;
        // let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        let direction = math::select(denominator == 0.0, 0.0, m / denominator);
        // *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let param_2 = param * one_minus_learning_rate_times_weight_decay;
        // *param -= hyper.learning_rate / bias1 * (if agrees { scale * direction } else { 0.0 });
        let param_3 = param_2 - learning_rate_over_bias1 * math::select(agrees, scale * direction, 0.0);
        // if hyper.learning_rate != 0.0 {
        let param_new = math::select(learning_rate_is_not_0, param_3, param);
        params[lane] = param_new;
        v_slice[lane] = v_new;
    }
}
