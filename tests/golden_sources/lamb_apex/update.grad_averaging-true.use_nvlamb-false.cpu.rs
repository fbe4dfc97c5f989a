/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let mut total_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut total_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            &chunk.grad[block.clone()],
            total_squares.block(block.len()),
            total_scaled_squares.block(block.len()),
        );
    }
    chunk.partials[0] = total_squares.total();
    chunk.partials[1] = total_scaled_squares.total();
}

#[inline(always)]
fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    gradients: &[f32],
    total_squares: &mut [f32],
    total_scaled_squares: &mut [f32],
) {
    let len = gradients.len();
    let total_squares = &mut total_squares[..len];
    let total_scaled_squares = &mut total_scaled_squares[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        total_squares[lane] += cpu::square(grad);
        total_scaled_squares[lane] += cpu::scaled_square(grad);
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let total_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let total_scaled_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 1);
    tensor.tensor[0] = total_squares.to_bits();
    tensor.tensor[1] = total_scaled_squares.to_bits();
}

/// `update_finish1_all` over all tensors that take part.
pub fn update_finish1_all(all: &mut cpu::AllArguments<'_>) {
    let Row { max_grad_norm, max_grad_norm_above_0, .. } = Row::from_words(all.row);
    let max_grad_norm_above_0 = max_grad_norm_above_0 != 0;
    let total_squares = cpu::total_of_tensors::<cpu::Sum>(all, 0);
    let total_scaled_squares = cpu::total_of_tensors::<cpu::Sum>(all, 1);
    let total = cpu::norm(total_squares, total_scaled_squares);
    // let clip = if hyper.max_grad_norm > 0.0 && total > hyper.max_grad_norm { total / hyper.max_grad_norm } else { 1.0 };
    let t1 = max_grad_norm_above_0 & (total > max_grad_norm);
    let clip = math::select(t1, total / max_grad_norm, 1.0);
    all.all[0] = f32::to_bits(clip);
}

/// `update_pass2` over one chunk.
#[inline(always)]
pub fn update_pass2(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        beta1,
        weight,
        bias1,
        beta2,
        bias2,
        one_minus_beta2,
        epsilon,
        weight_decay,
        ..
    } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let clip_2 = f32::from_bits(chunk.all[0]);
    let [m_slice, v_slice] = cpu::states(chunk.states);
    let mut param_norm_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut param_norm_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut update_norm_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut update_norm_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass2_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            beta1,
            weight,
            bias1,
            beta2,
            bias2,
            one_minus_beta2,
            epsilon,
            weight_decay,
            clip,
            clip_2,
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
fn update_pass2_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    beta1: f32,
    weight: f32,
    bias1: f32,
    beta2: f32,
    bias2: f32,
    one_minus_beta2: f32,
    epsilon: f32,
    weight_decay: f32,
    clip: f32,
    clip_2: f32,
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
        // let g = grad / clip;
        let g = grad / clip_2;
        // state.m = hyper.beta1 * state.m + weight * g;
        let m_new = beta1 * m + weight * g;
        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let v_new = beta2 * v + one_minus_beta2 * g * g;
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

/// `update_finish2_tensor` of one tensor.
pub fn update_finish2_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { weight_decay_is_not_0, learning_rate, .. } = Row::from_words(tensor.row);
    let weight_decay_is_not_0 = weight_decay_is_not_0 != 0;
    let param_norm_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let param_norm_scaled_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 1);
    let update_norm_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 2);
    let update_norm_scaled_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 3);
    let param_norm = cpu::norm(param_norm_squares, param_norm_scaled_squares);
    let update_norm = cpu::norm(update_norm_squares, update_norm_scaled_squares);
    // let trust_ratio = if hyper.use_nvlamb || hyper.weight_decay != 0.0 { let (param_norm, update_norm) = (norm(*param), norm(u)); if param_norm > 0.0 && update_norm > 0.0 { param_norm / update_norm } else { 1.0 } } else { 1.0 };
    let param_norm_over_update_norm_or_1 = math::select((param_norm > 0.0) & (update_norm > 0.0), param_norm / update_norm, 1.0);
    let trust_ratio = math::select(weight_decay_is_not_0, param_norm_over_update_norm_or_1, 1.0);
    // *param -= hyper.learning_rate * trust_ratio * u;
    let learning_rate_times_trust_ratio = learning_rate * trust_ratio;
    tensor.tensor[2] = f32::to_bits(learning_rate_times_trust_ratio);
}

/// `update_pass3` over one chunk.
#[inline(always)]
pub fn update_pass3(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { bias1, bias2, epsilon, weight_decay, learning_rate_is_not_0, .. } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let learning_rate_times_trust_ratio = f32::from_bits(chunk.tensor[2]);
    let [m_slice, v_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass3_block(
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
fn update_pass3_block(
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
