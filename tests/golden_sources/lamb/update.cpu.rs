/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        beta1,
        bias1,
        beta2,
        bias2,
        one_minus_beta1,
        grad_scale,
        clip_value,
        minus_clip_value,
        one_minus_beta2,
        epsilon,
        weight_decay,
        ..
    } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let [m_slice, v_slice] = cpu::states(chunk.states);
    let mut param_norm_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut param_norm_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut update_norm_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut update_norm_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            beta1,
            bias1,
            beta2,
            bias2,
            one_minus_beta1,
            grad_scale,
            clip_value,
            minus_clip_value,
            one_minus_beta2,
            epsilon,
            weight_decay,
            clip,
            &chunk.grad[block.clone()],
            &chunk.param[block.clone()],
            &mut m_slice[block.clone()],
            &mut v_slice[block.clone()],
            param_norm_squares.block(block.len()),
            param_norm_scaled_squares.block(block.len()),
            update_norm_squares.block(block.len()),
            update_norm_scaled_squares.block(block.len()),
        );
    }
    chunk.partials[0] = param_norm_squares.total();
    chunk.partials[1] = param_norm_scaled_squares.total();
    chunk.partials[2] = update_norm_squares.total();
    chunk.partials[3] = update_norm_scaled_squares.total();
}

#[inline(always)]
fn update_pass1_block(
    beta1: f32,
    bias1: f32,
    beta2: f32,
    bias2: f32,
    one_minus_beta1: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    one_minus_beta2: f32,
    epsilon: f32,
    weight_decay: f32,
    clip: f32,
    gradients: &[f32],
    params: &[f32],
    m_slice: &mut [f32],
    v_slice: &mut [f32],
    param_norm_squares: &mut [f32],
    param_norm_scaled_squares: &mut [f32],
    update_norm_squares: &mut [f32],
    update_norm_scaled_squares: &mut [f32],
) {
    let len = gradients.len();
    let params = &params[..len];
    let m_slice = &mut m_slice[..len];
    let v_slice = &mut v_slice[..len];
    let param_norm_squares = &mut param_norm_squares[..len];
    let param_norm_scaled_squares = &mut param_norm_scaled_squares[..len];
    let update_norm_squares = &mut update_norm_squares[..len];
    let update_norm_scaled_squares = &mut update_norm_scaled_squares[..len];
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
        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        let m_new = beta1 * m + one_minus_beta1 * grad;
        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let v_new = beta2 * v + one_minus_beta2 * grad * grad;
        // let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let denominator = (v_new / bias2).sqrt() + epsilon;
        // let direction = if denominator == 0.0 { 0.0 } else { state.m / bias1 / denominator };
        let direction = math::select(denominator == 0.0, 0.0, m_new / bias1 / denominator);
        // let u = direction + hyper.weight_decay * *param;
        let u = direction + weight_decay * param;
        m_slice[lane] = m_new;
        v_slice[lane] = v_new;
        param_norm_squares[lane] += cpu::square(param);
        param_norm_scaled_squares[lane] += cpu::scaled_square(param);
        update_norm_squares[lane] += cpu::square(u);
        update_norm_scaled_squares[lane] += cpu::scaled_square(u);
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { learning_rate, .. } = Row::from_words(tensor.row);
    let param_norm_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let param_norm_scaled_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 1);
    let update_norm_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 2);
    let update_norm_scaled_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 3);
    let param_norm = cpu::norm(param_norm_squares, param_norm_scaled_squares);
    let update_norm = cpu::norm(update_norm_squares, update_norm_scaled_squares);
    // let trust_ratio = if param_norm == 0.0 || update_norm == 0.0 { 1.0 } else { param_norm / update_norm };
    let trust_ratio = math::select((param_norm == 0.0) | (update_norm == 0.0), 1.0, param_norm / update_norm);
    // *param -= hyper.learning_rate * trust_ratio * u;
    let learning_rate_times_trust_ratio = learning_rate * trust_ratio;
    tensor.tensor[0] = f32::to_bits(learning_rate_times_trust_ratio);
}

/// `update_pass2` over one chunk.
#[inline(always)]
pub fn update_pass2(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { bias1, bias2, epsilon, weight_decay, learning_rate_is_not_0, .. } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let learning_rate_times_trust_ratio = f32::from_bits(chunk.tensor[0]);
    let [m_slice, v_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass2_block(
            bias1,
            bias2,
            epsilon,
            weight_decay,
            learning_rate_is_not_0,
            learning_rate_times_trust_ratio,
            &mut chunk.param[block.clone()],
            &m_slice[block.clone()],
            &v_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass2_block(
    bias1: f32,
    bias2: f32,
    epsilon: f32,
    weight_decay: f32,
    learning_rate_is_not_0: bool,
    learning_rate_times_trust_ratio: f32,
    params: &mut [f32],
    m_slice: &[f32],
    v_slice: &[f32],
) {
    let len = params.len();
    let m_slice = &m_slice[..len];
    let v_slice = &v_slice[..len];
    for lane in 0..len {
        let param = params[lane];
        let m = m_slice[lane];
        let v = v_slice[lane];
        // let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let denominator = (v / bias2).sqrt() + epsilon;
        // let direction = if denominator == 0.0 { 0.0 } else { state.m / bias1 / denominator };
        let direction = math::select(denominator == 0.0, 0.0, m / bias1 / denominator);
        // let u = direction + hyper.weight_decay * *param;
        let u = direction + weight_decay * param;
        // *param -= hyper.learning_rate * trust_ratio * u;
        let param_2 = param - learning_rate_times_trust_ratio * u;
        // if hyper.learning_rate != 0.0 {
        let param_new = math::select(learning_rate_is_not_0, param_2, param);
        params[lane] = param_new;
    }
}
