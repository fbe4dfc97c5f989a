/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, beta1, weight_decay, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let [m_slice] = cpu::states(chunk.states);
    let mut param_norm_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut param_norm_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut update_norm_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut update_norm_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            beta1,
            weight_decay,
            clip,
            &chunk.grad[block.clone()],
            &chunk.param[block.clone()],
            &m_slice[block.clone()],
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
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    beta1: f32,
    weight_decay: f32,
    clip: f32,
    gradients: &[f32],
    params: &[f32],
    m_slice: &[f32],
    param_norm_squares: &mut [f32],
    param_norm_scaled_squares: &mut [f32],
    update_norm_squares: &mut [f32],
    update_norm_scaled_squares: &mut [f32],
) {
    let len = gradients.len();
    let params = &params[..len];
    let m_slice = &m_slice[..len];
    let param_norm_squares = &mut param_norm_squares[..len];
    let param_norm_scaled_squares = &mut param_norm_scaled_squares[..len];
    let update_norm_squares = &mut update_norm_squares[..len];
    let update_norm_scaled_squares = &mut update_norm_scaled_squares[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let m = m_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let direction = lerp(grad, state.m, hyper.beta1);
        let direction = grad + beta1 * (m - grad);
        // let u = sign(direction) + hyper.weight_decay * *param;
        let u = math::sign_f32(direction) + weight_decay * param;
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
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        beta1,
        weight_decay,
        beta2,
        ..
    } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let learning_rate_times_trust_ratio = f32::from_bits(chunk.tensor[0]);
    let [m_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass2_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            beta1,
            weight_decay,
            beta2,
            clip,
            learning_rate_times_trust_ratio,
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
    beta2: f32,
    clip: f32,
    learning_rate_times_trust_ratio: f32,
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
        // let direction = lerp(grad, state.m, hyper.beta1);
        let m_minus_grad = m - grad;
        let direction = grad + beta1 * m_minus_grad;
        // let u = sign(direction) + hyper.weight_decay * *param;
        let u = math::sign_f32(direction) + weight_decay * param;
        // state.m = lerp(grad, state.m, hyper.beta2);
        let m_new = grad + beta2 * m_minus_grad;
        // *param -= hyper.learning_rate * trust_ratio * u;
        let param_new = param - learning_rate_times_trust_ratio * u;
        params[lane] = param_new;
        m_slice[lane] = m_new;
    }
}
