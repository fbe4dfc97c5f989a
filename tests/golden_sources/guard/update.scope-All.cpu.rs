/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, .. } = Row::from_words(chunk.row);
    let mut all_norm_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut all_norm_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut not_finite_so_far = cpu::Lanes::<cpu::Count>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            &chunk.param[block.clone()],
            all_norm_squares.block(block.len()),
            all_norm_scaled_squares.block(block.len()),
            not_finite_so_far.block(block.len()),
        );
    }
    chunk.partials[0] = all_norm_squares.total();
    chunk.partials[1] = all_norm_scaled_squares.total();
    chunk.partials[2] = not_finite_so_far.total();
}

#[inline(always)]
fn update_pass1_block(
    grad_scale: f32,
    params: &[f32],
    all_norm_squares: &mut [f32],
    all_norm_scaled_squares: &mut [f32],
    not_finite_so_far: &mut [u32],
) {
    let len = params.len();
    let all_norm_squares = &mut all_norm_squares[..len];
    let all_norm_scaled_squares = &mut all_norm_scaled_squares[..len];
    let not_finite_so_far = &mut not_finite_so_far[..len];
    for lane in 0..len {
        let param = params[lane];
        // let gradient = raw * hyper.grad_scale;
        let gradient = param * grad_scale;
        // let not_finite = all::count(!raw.is_finite());
        let not_param_is_finite = !param.is_finite();
        all_norm_squares[lane] += cpu::square(gradient);
        all_norm_scaled_squares[lane] += cpu::scaled_square(gradient);
        not_finite_so_far[lane] += u32::from(not_param_is_finite);
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let all_norm_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let all_norm_scaled_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 1);
    let not_finite_so_far = cpu::total_of_chunks::<cpu::Count>(tensor, 2);
    tensor.tensor[1] = all_norm_squares.to_bits();
    tensor.tensor[2] = all_norm_scaled_squares.to_bits();
    tensor.tensor[3] = not_finite_so_far;
    tensor.tensor[0] = f32::to_bits(1.0);
}

/// `update_finish1_all` over all tensors that take part.
pub fn update_finish1_all(all: &mut cpu::AllArguments<'_>) {
    let Row { max_norm, .. } = Row::from_words(all.row);
    let all_norm_squares = cpu::total_of_tensors::<cpu::Sum>(all, 1);
    let all_norm_scaled_squares = cpu::total_of_tensors::<cpu::Sum>(all, 2);
    let not_finite_so_far = cpu::total_of_tensors::<cpu::Count>(all, 3);
    let all_norm = cpu::norm(all_norm_squares, all_norm_scaled_squares);
    let not_finite = not_finite_so_far;
    // state.clip = match hyper.scope { Scope::All => coefficient(all_norm, hyper.max_norm), _ => 1.0 };
    let clip = math::select(all_norm > max_norm, max_norm / all_norm, 1.0);
    // let overflows = hyper.scope != Scope::Nothing && !all_norm.is_finite();
    let overflows = !all_norm.is_finite();
    // state.found_inf = if not_finite > 0 || overflows { 1.0 } else { 0.0 };
    let found_inf = math::select((not_finite > 0) | overflows, 1.0_f32, 0.0);
    all.all[0] = f32::to_bits(found_inf);
    all.all[1] = f32::to_bits(clip);
    all.all[2] = f32::to_bits(all_norm);
}
