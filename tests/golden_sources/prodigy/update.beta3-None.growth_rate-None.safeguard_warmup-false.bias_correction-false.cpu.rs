/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        beta3,
        learning_rate_times_1,
        d0,
        grad_scale,
        clip_value,
        minus_clip_value,
        ..
    } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let d = f32::from_bits(chunk.all[0]);
    // let d_lr = d * (hyper.learning_rate * bias);
    let d_lr = d * learning_rate_times_1;
    // let gain = d / hyper.d0;
    let gain = d / d0;
    // state.numerator = beta3 * state.numerator + gain * d_lr * all::sum(grad * (state.p0 - *param));
    let gain_times_d_lr = gain * d_lr;
    let [_, _, s_slice, p0_slice] = cpu::states(chunk.states);
    let mut sum_so_far = cpu::Lanes::<cpu::Sum>::new();
    let mut weight_so_far = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            beta3,
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            gain_times_d_lr,
            &chunk.grad[block.clone()],
            &chunk.param[block.clone()],
            &mut s_slice[block.clone()],
            &p0_slice[block.clone()],
            sum_so_far.block(block.len()),
            weight_so_far.block(block.len()),
        );
    }
    chunk.partials[0] = sum_so_far.total();
    chunk.partials[1] = weight_so_far.total();
}

#[inline(always)]
fn update_pass1_block(
    beta3: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    gain_times_d_lr: f32,
    gradients: &[f32],
    params: &[f32],
    s_slice: &mut [f32],
    p0_slice: &[f32],
    sum_so_far: &mut [f32],
    weight_so_far: &mut [f32],
) {
    let len = gradients.len();
    let params = &params[..len];
    let s_slice = &mut s_slice[..len];
    let p0_slice = &p0_slice[..len];
    let sum_so_far = &mut sum_so_far[..len];
    let weight_so_far = &mut weight_so_far[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let s = s_slice[lane];
        let p0 = p0_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // state.numerator = beta3 * state.numerator + gain * d_lr * all::sum(grad * (state.p0 - *param));
        let grad_times_p0_minus_param = grad * (p0 - param);
        // state.s = beta3 * state.s + gain * (if hyper.safeguard_warmup { d } else { d_lr }) * grad;
        let s_new = beta3 * s + gain_times_d_lr * grad;
        // let weight = all::sum(state.s.abs());
        let abs_s = s_new.abs();
        s_slice[lane] = s_new;
        sum_so_far[lane] += grad_times_p0_minus_param;
        weight_so_far[lane] += abs_s;
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { learning_rate_times_1, weight_decay, .. } = Row::from_words(tensor.row);
    let d = f32::from_bits(tensor.all[0]);
    let sum_so_far = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let weight_so_far = cpu::total_of_chunks::<cpu::Sum>(tensor, 1);
    // let d_lr = d * (hyper.learning_rate * bias);
    let d_lr = d * learning_rate_times_1;
    // *param *= 1.0 - hyper.weight_decay * d_lr;
    let t1 = 1.0 - weight_decay * d_lr;
    tensor.tensor[1] = sum_so_far.to_bits();
    tensor.tensor[2] = weight_so_far.to_bits();
    tensor.tensor[0] = f32::to_bits(t1);
}

/// `update_finish1_all` over all tensors that take part.
pub fn update_finish1_all(all: &mut cpu::AllArguments<'_>) {
    let Row {
        beta3,
        learning_rate_times_1,
        d0,
        one_minus_beta1,
        one_minus_beta2,
        d_coef,
        ..
    } = Row::from_words(all.row);
    let d = f32::from_bits(all.all[0]);
    let d_max = f32::from_bits(all.all[1]);
    let numerator = f32::from_bits(all.all[2]);
    let sum_so_far = cpu::total_of_tensors::<cpu::Sum>(all, 1);
    let weight_so_far = cpu::total_of_tensors::<cpu::Sum>(all, 2);
    let sum = sum_so_far;
    let weight = weight_so_far;
    // let d_lr = d * (hyper.learning_rate * bias);
    let d_lr = d * learning_rate_times_1;
    // let gain = d / hyper.d0;
    let gain = d / d0;
    // state.numerator = beta3 * state.numerator + gain * d_lr * all::sum(grad * (state.p0 - *param));
    let numerator_new = beta3 * numerator + gain * d_lr * sum;
    // state.m = hyper.beta1 * state.m + d * (1.0 - hyper.beta1) * grad;
    let d_times_one_minus_beta1 = d * one_minus_beta1;
    // state.v = hyper.beta2 * state.v + d * d * (1.0 - hyper.beta2) * (grad * grad);
    let d_times_d_times_one_minus_beta2 = d * d * one_minus_beta2;
    // if weight > 0.0 {
    let weight_above_0 = weight > 0.0;
    // let estimate = hyper.d_coef * state.numerator / weight;
    let estimate = d_coef * numerator_new / weight;
    // state.d_max = state.d_max.max(estimate);
    let d_max_2 = math::max(d_max, estimate);
    // if weight > 0.0 {
    let d_new = math::select(weight_above_0, d_max_2, d);
    let d_max_new = math::select(weight_above_0, d_max_2, d_max);
    all.all[3] = f32::to_bits(d_lr);
    all.all[4] = f32::to_bits(d_times_one_minus_beta1);
    all.all[5] = f32::to_bits(d_times_d_times_one_minus_beta2);
    all.all[6] = u32::from(weight_above_0);
    all.all[7] = f32::to_bits(d_max_2);
    all.all[0] = f32::to_bits(d_new);
    all.all[1] = f32::to_bits(d_max_new);
    all.all[2] = f32::to_bits(numerator_new);
}

/// `update_finish1_tensor_late` of one tensor.
pub fn update_finish1_tensor_late(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { epsilon, .. } = Row::from_words(tensor.row);
    let d_max = f32::from_bits(tensor.all[7]);
    // let denominator = state.v.sqrt() + state.d * hyper.epsilon;
    let d_max_times_epsilon = d_max * epsilon;
    tensor.tensor[3] = f32::to_bits(d_max_times_epsilon);
}

/// `update_pass2` over one chunk.
#[inline(always)]
pub fn update_pass2(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        beta2,
        grad_scale,
        clip_value,
        minus_clip_value,
        beta1,
        learning_rate_is_not_0,
        ..
    } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let clip = chunk.clip;
    let d_lr = f32::from_bits(chunk.all[3]);
    let d_times_one_minus_beta1 = f32::from_bits(chunk.all[4]);
    let d_times_d_times_one_minus_beta2 = f32::from_bits(chunk.all[5]);
    let weight_above_0 = chunk.all[6] != 0;
    let t1 = f32::from_bits(chunk.tensor[0]);
    let d_max_times_epsilon = f32::from_bits(chunk.tensor[3]);
    let [m_slice, v_slice, _, _] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass2_block(
            beta2,
            grad_scale,
            clip_value,
            minus_clip_value,
            beta1,
            learning_rate_is_not_0,
            clip,
            d_lr,
            d_times_one_minus_beta1,
            d_times_d_times_one_minus_beta2,
            weight_above_0,
            t1,
            d_max_times_epsilon,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut m_slice[block.clone()],
            &mut v_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass2_block(
    beta2: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    beta1: f32,
    learning_rate_is_not_0: bool,
    clip: f32,
    d_lr: f32,
    d_times_one_minus_beta1: f32,
    d_times_d_times_one_minus_beta2: f32,
    weight_above_0: bool,
    t1: f32,
    d_max_times_epsilon: f32,
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
        // state.m = hyper.beta1 * state.m + d * (1.0 - hyper.beta1) * grad;
        let m_new = beta1 * m + d_times_one_minus_beta1 * grad;
        // state.v = hyper.beta2 * state.v + d * d * (1.0 - hyper.beta2) * (grad * grad);
        let v_new = beta2 * v + d_times_d_times_one_minus_beta2 * (grad * grad);
        // let denominator = state.v.sqrt() + state.d * hyper.epsilon;
        let denominator = v_new.sqrt() + d_max_times_epsilon;
        // let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        let direction = math::select(denominator == 0.0, 0.0, m_new / denominator);
        // *param *= 1.0 - hyper.weight_decay * d_lr;
        let param_2 = param * t1;
        // *param -= d_lr * direction;
        let param_3 = param_2 - d_lr * direction;
        // if hyper.learning_rate != 0.0 {
        let param_4 = math::select(learning_rate_is_not_0, param_3, param);
        // if weight > 0.0 {
        let param_new = math::select(weight_above_0, param_4, param);
        params[lane] = param_new;
        m_slice[lane] = m_new;
        v_slice[lane] = v_new;
    }
}
