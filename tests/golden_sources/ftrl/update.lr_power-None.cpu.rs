/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        learning_rate,
        learning_rate_is_not_0,
        grad_scale,
        clip_value,
        minus_clip_value,
        beta,
        lambda2,
        lambda1,
    } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let clip = chunk.clip;
    let [z_slice, n_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            learning_rate,
            learning_rate_is_not_0,
            grad_scale,
            clip_value,
            minus_clip_value,
            beta,
            lambda2,
            lambda1,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut z_slice[block.clone()],
            &mut n_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass1_block(
    learning_rate: f32,
    learning_rate_is_not_0: bool,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    beta: f32,
    lambda2: f32,
    lambda1: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    z_slice: &mut [f32],
    n_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let z_slice = &mut z_slice[..len];
    let n_slice = &mut n_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let z = z_slice[lane];
        let n = n_slice[lane];
        // let before = raised(state.n, hyper);
        let before = n.sqrt();
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // state.n += grad * grad;
        let n_2 = n + grad * grad;
        // let after = raised(state.n, hyper);
        let after = n_2.sqrt();
        // let sigma = (after - before) / hyper.learning_rate;
        let sigma = (after - before) / learning_rate;
        // state.z += grad - sigma * *param;
        let z_2 = z + (grad - sigma * param);
        // let denominator = (hyper.beta + after) / hyper.learning_rate + hyper.lambda2;
        let denominator = (beta + after) / learning_rate + lambda2;
        // let held = if state.z.abs() < hyper.lambda1 { 0.0 } else { (sign(state.z) * hyper.lambda1 - state.z) / denominator };
        let held = math::select(z_2.abs() < lambda1, 0.0, (math::sign_f32(z_2) * lambda1 - z_2) / denominator);
        // *param = if denominator == 0.0 { *param } else { held };
        let param_2 = math::select(denominator == 0.0, param, held);
        // if hyper.learning_rate != 0.0 {
        let param_new = math::select(learning_rate_is_not_0, param_2, param);
        let z_new = math::select(learning_rate_is_not_0, z_2, z);
        let n_new = math::select(learning_rate_is_not_0, n_2, n);
        params[lane] = param_new;
        z_slice[lane] = z_new;
        n_slice[lane] = n_new;
    }
}
