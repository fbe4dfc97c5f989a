/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, power, learning_rate } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let [root_slice, logarithm_slice, powers_slice] = cpu::states(chunk.states);
    let mut norm_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut norm_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            power,
            learning_rate,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut root_slice[block.clone()],
            &mut logarithm_slice[block.clone()],
            &mut powers_slice[block.clone()],
            norm_squares.block(block.len()),
            norm_scaled_squares.block(block.len()),
        );
    }
    chunk.partials[0] = norm_squares.total();
    chunk.partials[1] = norm_scaled_squares.total();
}

#[inline(always)]
fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    power: f32,
    learning_rate: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
    root_slice: &mut [f32],
    logarithm_slice: &mut [f32],
    powers_slice: &mut [f32],
    norm_squares: &mut [f32],
    norm_scaled_squares: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let root_slice = &mut root_slice[..len];
    let logarithm_slice = &mut logarithm_slice[..len];
    let powers_slice = &mut powers_slice[..len];
    let norm_squares = &mut norm_squares[..len];
    let norm_scaled_squares = &mut norm_scaled_squares[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let level = grad.abs() + 1e-3;
        let level = grad.abs() + 0.001;
        // state.root = grad.cbrt();
        let root = math::cbrt_of(grad);
        // state.logarithm = level.ln();
        let logarithm = math::ln_of(level);
        // state.powers = level.powf(hyper.power) + level.powf(0.1 * grad) + (*param).powf(3.0);
        let powers = math::powf_of(level, power) + math::powf_of(level, 0.1 * grad) + math::powf_of(param, 3.0);
        // *param -= hyper.learning_rate * ((3.0 * grad).tanh() + (-4.0 * grad * grad).exp());
        let param_new = param - learning_rate * (math::tanh_of(3.0 * grad) + math::exp_of(-4.0 * grad * grad));
        params[lane] = param_new;
        root_slice[lane] = root;
        logarithm_slice[lane] = logarithm;
        powers_slice[lane] = powers;
        norm_squares[lane] += cpu::square(grad);
        norm_scaled_squares[lane] += cpu::scaled_square(grad);
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { power, .. } = Row::from_words(tensor.row);
    let norm_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let norm_scaled_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 1);
    let norm = cpu::norm(norm_squares, norm_scaled_squares);
    // let size = 1.0 + norm(grad);
    let size_2 = 1.0 + norm;
    // state.size = size.ln() * (-size).exp() + size.cbrt() * size.recip().tanh() + size.powf(hyper.power);
    let size = math::ln_of(size_2) * math::exp_of(-size_2) + math::cbrt_of(size_2) * math::tanh_of(1.0 / size_2) + math::powf_of(size_2, power);
    tensor.tensor[0] = f32::to_bits(size);
}
