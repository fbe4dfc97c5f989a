/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        beta1,
        one_minus_beta1,
        grad_scale,
        clip_value,
        minus_clip_value,
        rho_times_batch_size,
        epsilon,
        learning_rate,
        learning_rate_is_not_0,
        one_minus_learning_rate_times_weight_decay,
    } = Row::from_words(chunk.row);
    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
    let clip = chunk.clip;
    let [m_slice, h_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            beta1,
            one_minus_beta1,
            grad_scale,
            clip_value,
            minus_clip_value,
            rho_times_batch_size,
            epsilon,
            learning_rate,
            learning_rate_is_not_0,
            one_minus_learning_rate_times_weight_decay,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut m_slice[block.clone()],
            &h_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass1_block(
    beta1: f32,
    one_minus_beta1: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    rho_times_batch_size: f32,
    epsilon: f32,
    learning_rate: f32,
    learning_rate_is_not_0: bool,
    one_minus_learning_rate_times_weight_decay: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    m_slice: &mut [f32],
    h_slice: &[f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let m_slice = &mut m_slice[..len];
    let h_slice = &h_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let m = m_slice[lane];
        let h = h_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        let m_new = beta1 * m + one_minus_beta1 * grad;
        // let denominator = hyper.rho * batch_size * state.h + hyper.epsilon;
        let denominator = rho_times_batch_size * h + epsilon;
        // let ratio = if denominator == 0.0 { 1.0 } else { (state.m.abs() / denominator).min(1.0) };
        let ratio = math::select(denominator == 0.0, 1.0, math::min(m_new.abs() / denominator, 1.0));
        // *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let param_2 = param * one_minus_learning_rate_times_weight_decay;
        // *param -= hyper.learning_rate * (sign(state.m) * ratio);
        let param_3 = param_2 - learning_rate * (math::sign_f32(m_new) * ratio);
        // if hyper.learning_rate != 0.0 {
        let param_new = math::select(learning_rate_is_not_0, param_3, param);
        params[lane] = param_new;
        m_slice[lane] = m_new;
    }
}
