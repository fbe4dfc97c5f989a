/// `ascend_pass1` over one chunk.
#[inline(always)]
pub fn ascend_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let mut norm_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut norm_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        ascend_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            &chunk.grad[block.clone()],
            norm_squares.block(block.len()),
            norm_scaled_squares.block(block.len()),
        );
    }
    chunk.partials[0] = norm_squares.total();
    chunk.partials[1] = norm_scaled_squares.total();
}

#[inline(always)]
fn ascend_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    gradients: &[f32],
    norm_squares: &mut [f32],
    norm_scaled_squares: &mut [f32],
) {
    let len = gradients.len();
    let norm_squares = &mut norm_squares[..len];
    let norm_scaled_squares = &mut norm_scaled_squares[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        norm_squares[lane] += cpu::square(grad);
        norm_scaled_squares[lane] += cpu::scaled_square(grad);
    }
}

/// `ascend_finish1_tensor` of one tensor.
pub fn ascend_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let norm_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let norm_scaled_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 1);
    tensor.tensor[0] = norm_squares.to_bits();
    tensor.tensor[1] = norm_scaled_squares.to_bits();
}

/// `ascend_finish1_all` over all tensors that take part.
pub fn ascend_finish1_all(all: &mut cpu::AllArguments<'_>) {
    let Row { rho, .. } = Row::from_words(all.row);
    let norm_squares = cpu::total_of_tensors::<cpu::Sum>(all, 0);
    let norm_scaled_squares = cpu::total_of_tensors::<cpu::Sum>(all, 1);
    let norm = cpu::norm(norm_squares, norm_scaled_squares);
    // *param += hyper.rho / (all::norm(grad) + 1e-12) * grad;
    let t1 = rho / (norm + 1e-12);
    all.all[0] = f32::to_bits(t1);
}

/// `ascend_pass2` over one chunk.
#[inline(always)]
pub fn ascend_pass2(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let t1 = f32::from_bits(chunk.all[0]);
    let [home_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        ascend_pass2_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            t1,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut home_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn ascend_pass2_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    t1: f32,
    gradients: &[f32],
    params: &mut [f32],
    home_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let home_slice = &mut home_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // *param += hyper.rho / (all::norm(grad) + 1e-12) * grad;
        let param_new = param + t1 * grad;
        params[lane] = param_new;
        home_slice[lane] = param;
    }
}
