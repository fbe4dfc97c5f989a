/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let mut top_so_far = cpu::Lanes::<cpu::Max>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            &chunk.grad[block.clone()],
            top_so_far.block(block.len()),
        );
    }
    chunk.partials[0] = top_so_far.total();
}

#[inline(always)]
fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    gradients: &[f32],
    top_so_far: &mut [f32],
) {
    let len = gradients.len();
    let top_so_far = &mut top_so_far[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let top = max_abs(grad);
        let abs_grad = grad.abs();
        top_so_far[lane] = math::max(top_so_far[lane], abs_grad);
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { theta, one_minus_theta, one_minus_theta_to_step, .. } = Row::from_words(tensor.row);
    let m_max = f32::from_bits(tensor.tensor[0]);
    let top_so_far = cpu::total_of_chunks::<cpu::Max>(tensor, 0);
    let top = top_so_far;
    // state.m_max = hyper.theta * state.m_max + (1.0 - hyper.theta) * top;
    let m_max_new = theta * m_max + one_minus_theta * top;
    // let limit = state.m_max / (1.0 - hyper.theta.powi(step));
    let limit = m_max_new / one_minus_theta_to_step;
    tensor.tensor[3] = f32::to_bits(top);
    tensor.tensor[4] = f32::to_bits(limit);
    tensor.tensor[0] = f32::to_bits(m_max_new);
}

/// `update_pass2` over one chunk.
#[inline(always)]
pub fn update_pass2(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let top = f32::from_bits(chunk.tensor[3]);
    let limit = f32::from_bits(chunk.tensor[4]);
    let mut size_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut size_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass2_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            top,
            limit,
            &chunk.grad[block.clone()],
            size_squares.block(block.len()),
            size_scaled_squares.block(block.len()),
        );
    }
    chunk.partials[0] = size_squares.total();
    chunk.partials[1] = size_scaled_squares.total();
}

#[inline(always)]
fn update_pass2_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    top: f32,
    limit: f32,
    gradients: &[f32],
    size_squares: &mut [f32],
    size_scaled_squares: &mut [f32],
) {
    let len = gradients.len();
    let size_squares = &mut size_squares[..len];
    let size_scaled_squares = &mut size_scaled_squares[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let clipped = if grad.abs() > limit { grad / top * limit } else { grad };
        let clipped = math::select(grad.abs() > limit, grad / top * limit, grad);
        size_squares[lane] += cpu::square(clipped);
        size_scaled_squares[lane] += cpu::scaled_square(clipped);
    }
}

/// `update_finish2_tensor` of one tensor.
pub fn update_finish2_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row {
        gamma1,
        one_minus_gamma1,
        gamma2,
        one_minus_gamma2,
        one_minus_gamma1_to_step,
        one_minus_gamma2_to_step,
        epsilon,
        ..
    } = Row::from_words(tensor.row);
    let m_norm = f32::from_bits(tensor.tensor[1]);
    let v_norm = f32::from_bits(tensor.tensor[2]);
    let size_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let size_scaled_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 1);
    let size = cpu::norm(size_squares, size_scaled_squares);
    // if size > 0.0 {
    let size_above_0 = size > 0.0;
    // state.m_norm = hyper.gamma1 * state.m_norm + (1.0 - hyper.gamma1) * size;
    let m_norm_2 = gamma1 * m_norm + one_minus_gamma1 * size;
    // state.v_norm = hyper.gamma2 * state.v_norm + (1.0 - hyper.gamma2) * (size * size);
    let v_norm_2 = gamma2 * v_norm + one_minus_gamma2 * (size * size);
    // let m_hat = state.m_norm / (1.0 - hyper.gamma1.powi(step));
    let m_hat = m_norm_2 / one_minus_gamma1_to_step;
    // let v_hat = state.v_norm / (1.0 - hyper.gamma2.powi(step));
    let v_hat = v_norm_2 / one_minus_gamma2_to_step;
    // let g = clipped / size * (m_hat / (v_hat.sqrt() + hyper.epsilon));
    let t1 = m_hat / (v_hat.sqrt() + epsilon);
    // if size > 0.0 {
    let m_norm_new = math::select(size_above_0, m_norm_2, m_norm);
    let v_norm_new = math::select(size_above_0, v_norm_2, v_norm);
    tensor.tensor[5] = f32::to_bits(size);
    tensor.tensor[6] = u32::from(size_above_0);
    tensor.tensor[7] = f32::to_bits(t1);
    tensor.tensor[1] = f32::to_bits(m_norm_new);
    tensor.tensor[2] = f32::to_bits(v_norm_new);
}

/// `update_pass3` over one chunk.
#[inline(always)]
pub fn update_pass3(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        step_modulo_reset_is_0,
        one_minus_learning_rate_times_weight_decay,
        grad_scale,
        clip_value,
        minus_clip_value,
        epsilon,
        beta1,
        one_minus_beta1,
        beta2,
        one_minus_beta2,
        bias2,
        learning_rate_over_bias1,
        ..
    } = Row::from_words(chunk.row);
    let step_modulo_reset_is_0 = step_modulo_reset_is_0 != 0;
    let clip = chunk.clip;
    let top = f32::from_bits(chunk.tensor[3]);
    let limit = f32::from_bits(chunk.tensor[4]);
    let size = f32::from_bits(chunk.tensor[5]);
    let size_above_0 = chunk.tensor[6] != 0;
    let t1 = f32::from_bits(chunk.tensor[7]);
    let [m_slice, v_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass3_block(
            step_modulo_reset_is_0,
            one_minus_learning_rate_times_weight_decay,
            grad_scale,
            clip_value,
            minus_clip_value,
            epsilon,
            beta1,
            one_minus_beta1,
            beta2,
            one_minus_beta2,
            bias2,
            learning_rate_over_bias1,
            clip,
            top,
            limit,
            size,
            size_above_0,
            t1,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut m_slice[block.clone()],
            &mut v_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass3_block(
    step_modulo_reset_is_0: bool,
    one_minus_learning_rate_times_weight_decay: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    epsilon: f32,
    beta1: f32,
    one_minus_beta1: f32,
    beta2: f32,
    one_minus_beta2: f32,
    bias2: f32,
    learning_rate_over_bias1: f32,
    clip: f32,
    top: f32,
    limit: f32,
    size: f32,
    size_above_0: bool,
    t1: f32,
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
        // if step % hyper.reset == 0 {
        let m_2 = math::select(step_modulo_reset_is_0, 0.0, m);
        let v_2 = math::select(step_modulo_reset_is_0, 0.0, v);
        // *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let param_2 = param * one_minus_learning_rate_times_weight_decay;
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let clipped = if grad.abs() > limit { grad / top * limit } else { grad };
        let clipped = math::select(grad.abs() > limit, grad / top * limit, grad);
        // let g = clipped / size * (m_hat / (v_hat.sqrt() + hyper.epsilon));
        let g = clipped / size * t1;
        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        let m_3 = beta1 * m_2 + one_minus_beta1 * g;
        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let v_3 = beta2 * v_2 + one_minus_beta2 * g * g;
        // *param -= hyper.learning_rate / bias1 * state.m / ((state.v / bias2).sqrt() + hyper.epsilon);
        let param_3 = param_2 - learning_rate_over_bias1 * m_3 / ((v_3 / bias2).sqrt() + epsilon);
        // if size > 0.0 {
        let param_new = math::select(size_above_0, param_3, param_2);
        let m_new = math::select(size_above_0, m_3, m_2);
        let v_new = math::select(size_above_0, v_3, v_2);
        params[lane] = param_new;
        m_slice[lane] = m_new;
        v_slice[lane] = v_new;
    }
}
