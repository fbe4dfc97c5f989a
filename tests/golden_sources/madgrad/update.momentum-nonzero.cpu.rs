/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        epsilon,
        rate,
        grad_scale,
        clip_value,
        minus_clip_value,
        weight_decay,
        learning_rate_is_not_0,
        one_minus_momentum,
    } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let clip = chunk.clip;
    let [v_slice, s_slice, x0_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            epsilon,
            rate,
            grad_scale,
            clip_value,
            minus_clip_value,
            weight_decay,
            learning_rate_is_not_0,
            one_minus_momentum,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut v_slice[block.clone()],
            &mut s_slice[block.clone()],
            &x0_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass1_block(
    epsilon: f32,
    rate: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    weight_decay: f32,
    learning_rate_is_not_0: bool,
    one_minus_momentum: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    v_slice: &mut [f32],
    s_slice: &mut [f32],
    x0_slice: &[f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let v_slice = &mut v_slice[..len];
    let s_slice = &mut s_slice[..len];
    let x0_slice = &x0_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let v = v_slice[lane];
        let s = s_slice[lane];
        let x0 = x0_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let g = grad + hyper.weight_decay * *param;
        let g = grad + weight_decay * param;
        // state.v += rate * (g * g);
        let v_2 = v + rate * (g * g);
        // state.s += rate * g;
        let s_2 = s + rate * g;
        // let denominator = v.cbrt() + hyper.epsilon;
        let denominator = math::cbrt_of(v_2) + epsilon;
        // let z = x0 - quotient(state.s, state.v, hyper);
        let z = x0 - math::select(denominator == 0.0, 0.0, s_2 / denominator);
        // *param = if hyper.momentum == 0.0 { z } else { lerp(*param, z, 1.0 - hyper.momentum) };
        let param_2 = param + one_minus_momentum * (z - param);
        // if hyper.learning_rate != 0.0 {
        let param_new = math::select(learning_rate_is_not_0, param_2, param);
        let v_new = math::select(learning_rate_is_not_0, v_2, v);
        let s_new = math::select(learning_rate_is_not_0, s_2, s);
        params[lane] = param_new;
        v_slice[lane] = v_new;
        s_slice[lane] = s_new;
    }
}
