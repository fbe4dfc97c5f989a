/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        gain,
        cycle,
        min_gain_1,
        learning_rate,
    } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let [trace_slice, age_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            gain,
            cycle,
            min_gain_1,
            learning_rate,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut trace_slice[block.clone()],
            &mut age_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    gain: f32,
    cycle: f32,
    min_gain_1: f32,
    learning_rate: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    trace_slice: &mut [f32],
    age_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let trace_slice = &mut trace_slice[..len];
    let age_slice = &mut age_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let trace = trace_slice[lane];
        let age = age_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let (g, cut) = bounded(grad - HALF * centre, hyper);
        let g = grad - 0.0;
        // state.trace = g.mul_add(hyper.gain, state.trace * HALF);
        let trace_new = g.mul_add(gain, trace * 0.5);
        // let smooth = g.powi(3) * cycle + lerp(g, state.trace, hyper.gain.min(1.0)).max(-1.0);
        let g_times_g = g * g;
        let smooth_ = g * g_times_g * cycle + math::max(g + min_gain_1 * (trace_new - g), -1.0);
        // let turned = if cut && !(step == 2) || smooth <= -0.25 { -smooth } else { smooth.abs().sqrt() };
        let turned = math::select(smooth_ <= -0.25, -smooth_, smooth_.abs().sqrt());
        // *param -= hyper.learning_rate * (turned + sign(g) * (1.0 + g * g).recip());
        let param_new = param - learning_rate * (turned + math::sign_f32(g) * (1.0 / (1.0 + g_times_g)));
        // state.age += 1.0;
        let age_new = age + 1.0;
        params[lane] = param_new;
        trace_slice[lane] = trace_new;
        age_slice[lane] = age_new;
    }
}
