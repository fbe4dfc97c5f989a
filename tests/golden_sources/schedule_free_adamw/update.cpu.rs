/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        rate,
        c,
        beta2,
        bias2,
        one_minus_beta2,
        grad_scale,
        clip_value,
        minus_clip_value,
        epsilon,
        weight_decay,
        rate_times_beta1_times_one_minus_c_minus_1,
    } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let [z_slice, v_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            rate,
            c,
            beta2,
            bias2,
            one_minus_beta2,
            grad_scale,
            clip_value,
            minus_clip_value,
            epsilon,
            weight_decay,
            rate_times_beta1_times_one_minus_c_minus_1,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut z_slice[block.clone()],
            &mut v_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass1_block(
    rate: f32,
    c: f32,
    beta2: f32,
    bias2: f32,
    one_minus_beta2: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    epsilon: f32,
    weight_decay: f32,
    rate_times_beta1_times_one_minus_c_minus_1: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    z_slice: &mut [f32],
    v_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let z_slice = &mut z_slice[..len];
    let v_slice = &mut v_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let z = z_slice[lane];
        let v = v_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let v_new = beta2 * v + one_minus_beta2 * grad * grad;
        // let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let denominator = (v_new / bias2).sqrt() + epsilon;
        // let normalized = if denominator == 0.0 { 0.0 } else { grad / denominator };
        let normalized = math::select(denominator == 0.0, 0.0, grad / denominator);
        // let u = normalized + hyper.weight_decay * *param;
        let u = normalized + weight_decay * param;
        // *param = lerp(*param, state.z, c);
        let param_2 = param + c * (z - param);
        // *param += rate * (hyper.beta1 * (1.0 - c) - 1.0) * u;
        let param_new = param_2 + rate_times_beta1_times_one_minus_c_minus_1 * u;
        // state.z -= rate * u;
        let z_new = z - rate * u;
        params[lane] = param_new;
        z_slice[lane] = z_new;
        v_slice[lane] = v_new;
    }
}
