/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        weight,
        one_minus_weight,
        grad_scale,
        clip_value,
        minus_clip_value,
        ..
    } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let [v_slice] = cpu::states(chunk.states);
    let mut sum_so_far = cpu::Lanes::<cpu::Sum>::new();
    let mut sum_so_far_2 = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            weight,
            one_minus_weight,
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            &chunk.grad[block.clone()],
            &chunk.param[block.clone()],
            &mut v_slice[block.clone()],
            sum_so_far.block(block.len()),
            sum_so_far_2.block(block.len()),
        );
    }
    chunk.partials[0] = sum_so_far.total();
    chunk.partials[1] = sum_so_far_2.total();
}

#[inline(always)]
fn update_pass1_block(
    weight: f32,
    one_minus_weight: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    gradients: &[f32],
    params: &[f32],
    v_slice: &mut [f32],
    sum_so_far: &mut [f32],
    sum_so_far_2: &mut [f32],
) {
    let len = gradients.len();
    let params = &params[..len];
    let v_slice = &mut v_slice[..len];
    let sum_so_far = &mut sum_so_far[..len];
    let sum_so_far_2 = &mut sum_so_far_2[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let v = v_slice[lane];
        // let alpha = rms(*param).max(hyper.eps2) * rho;
        let param_times_param = param * param;
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // state.v = (1.0 - weight) * state.v + weight * (grad * grad);
        let v_new = one_minus_weight * v + weight * (grad * grad);
        // let u = grad / state.v.max((eps1 * eps1).max(f32::MIN_POSITIVE)).sqrt();
        let u = grad / math::max(v_new, 1.4210855e-14).sqrt();
        // *param -= alpha / (rms(u) / hyper.clip).max(1.0) * u;
        let u_times_u = u * u;
        v_slice[lane] = v_new;
        sum_so_far[lane] += param_times_param;
        sum_so_far_2[lane] += u_times_u;
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { rho, len, eps2, clip, .. } = Row::from_words(tensor.row);
    let sum_so_far = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let sum_so_far_2 = cpu::total_of_chunks::<cpu::Sum>(tensor, 1);
    let sum = sum_so_far;
    let sum_2 = sum_so_far_2;
    // let alpha = rms(*param).max(hyper.eps2) * rho;
    let alpha = math::max((sum / len).sqrt(), eps2) * rho;
    // *param -= alpha / (rms(u) / hyper.clip).max(1.0) * u;
    let t1 = alpha / math::max((sum_2 / len).sqrt() / clip, 1.0);
    tensor.tensor[0] = f32::to_bits(t1);
}

/// `update_pass2` over one chunk.
#[inline(always)]
pub fn update_pass2(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        one_minus_learning_rate_times_weight_decay,
        grad_scale,
        clip_value,
        minus_clip_value,
        ..
    } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let t1 = f32::from_bits(chunk.tensor[0]);
    let [v_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass2_block(
            one_minus_learning_rate_times_weight_decay,
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            t1,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &v_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass2_block(
    one_minus_learning_rate_times_weight_decay: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    t1: f32,
    gradients: &[f32],
    params: &mut [f32],
    v_slice: &[f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let v_slice = &v_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let v = v_slice[lane];
        // *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let param_2 = param * one_minus_learning_rate_times_weight_decay;
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let u = grad / state.v.max((eps1 * eps1).max(f32::MIN_POSITIVE)).sqrt();
        let u = grad / math::max(v, 1.4210855e-14).sqrt();
        // *param -= alpha / (rms(u) / hyper.clip).max(1.0) * u;
        let param_new = param_2 - t1 * u;
        params[lane] = param_new;
    }
}
