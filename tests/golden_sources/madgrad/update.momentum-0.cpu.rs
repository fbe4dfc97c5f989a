/// `update_pass1` over one chunk.
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        epsilon,
        rate,
        grad_scale,
        clip_value,
        minus_clip_value,
        weight_decay,
        learning_rate_is_not_0,
    } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let clip = chunk.clip;
    let [v_slice, s_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            epsilon,
            rate,
            grad_scale,
            clip_value,
            minus_clip_value,
            weight_decay,
            learning_rate_is_not_0,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut v_slice[block.clone()],
            &mut s_slice[block.clone()],
        );
    }
}

fn update_pass1_block(
    epsilon: f32,
    rate: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    weight_decay: f32,
    learning_rate_is_not_0: bool,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    v_slice: &mut [f32],
    s_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let v_slice = &mut v_slice[..len];
    let s_slice = &mut s_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let v = v_slice[lane];
        let s = s_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let limited_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let grad = limited_grad * clip;
        // let g = grad + hyper.weight_decay * *param;
        let g = grad + weight_decay * param;
        // let denominator = v.cbrt() + hyper.epsilon;
        let denominator = math::cbrt_of(v) + epsilon;
        // let x0 = if hyper.momentum == 0.0 { *param + quotient(state.s, state.v, hyper) } else { state.x0 };
        let x0 = param + math::select(denominator == 0.0, 0.0, s / denominator);
        // state.v += rate * (g * g);
        let v_2 = v + rate * (g * g);
        // state.s += rate * g;
        let s_2 = s + rate * g;
        // let denominator = v.cbrt() + hyper.epsilon;
        let denominator_2 = math::cbrt_of(v_2) + epsilon;
        // let z = x0 - quotient(state.s, state.v, hyper);
        let z = x0 - math::select(denominator_2 == 0.0, 0.0, s_2 / denominator_2);
        // if hyper.learning_rate != 0.0 {
        let param_new = math::select(learning_rate_is_not_0, z, param);
        let v_new = math::select(learning_rate_is_not_0, v_2, v);
        let s_new = math::select(learning_rate_is_not_0, s_2, s);
        params[lane] = param_new;
        v_slice[lane] = v_new;
        s_slice[lane] = s_new;
    }
}
