/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, threshold, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let mut greatest_so_far = cpu::Lanes::<cpu::Max>::new();
    let mut least_so_far = cpu::Lanes::<cpu::Min>::new();
    let mut sum_so_far = cpu::Lanes::<cpu::Sum>::new();
    let mut above_so_far = cpu::Lanes::<cpu::Count>::new();
    let mut greatest_so_far_2 = cpu::Lanes::<cpu::Max>::new();
    let mut sum_so_far_2 = cpu::Lanes::<cpu::Sum>::new();
    let mut sum_so_far_3 = cpu::Lanes::<cpu::Sum>::new();
    let mut count_so_far = cpu::Lanes::<cpu::Count>::new();
    let mut greatest_so_far_3 = cpu::Lanes::<cpu::Max>::new();
    let mut least_so_far_2 = cpu::Lanes::<cpu::Min>::new();
    let mut greatest_so_far_4 = cpu::Lanes::<cpu::Max>::new();
    let mut norm_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut norm_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            threshold,
            clip,
            &chunk.grad[block.clone()],
            &chunk.param[block.clone()],
            greatest_so_far.block(block.len()),
            least_so_far.block(block.len()),
            sum_so_far.block(block.len()),
            above_so_far.block(block.len()),
            greatest_so_far_2.block(block.len()),
            sum_so_far_2.block(block.len()),
            sum_so_far_3.block(block.len()),
            count_so_far.block(block.len()),
            greatest_so_far_3.block(block.len()),
            least_so_far_2.block(block.len()),
            greatest_so_far_4.block(block.len()),
            norm_squares.block(block.len()),
            norm_scaled_squares.block(block.len()),
        );
    }
    chunk.partials[0] = greatest_so_far.total();
    chunk.partials[1] = least_so_far.total();
    chunk.partials[2] = sum_so_far.total();
    chunk.partials[3] = above_so_far.total();
    chunk.partials[4] = greatest_so_far_2.total();
    chunk.partials[5] = sum_so_far_2.total();
    chunk.partials[6] = sum_so_far_3.total();
    chunk.partials[7] = count_so_far.total();
    chunk.partials[8] = greatest_so_far_3.total();
    chunk.partials[9] = least_so_far_2.total();
    chunk.partials[10] = greatest_so_far_4.total();
    chunk.partials[11] = norm_squares.total();
    chunk.partials[12] = norm_scaled_squares.total();
}

#[inline(always)]
fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    threshold: f32,
    clip: f32,
    gradients: &[f32],
    params: &[f32],
    greatest_so_far: &mut [f32],
    least_so_far: &mut [f32],
    sum_so_far: &mut [f32],
    above_so_far: &mut [u32],
    greatest_so_far_2: &mut [f32],
    sum_so_far_2: &mut [f32],
    sum_so_far_3: &mut [f32],
    count_so_far: &mut [u32],
    greatest_so_far_3: &mut [f32],
    least_so_far_2: &mut [f32],
    greatest_so_far_4: &mut [f32],
    norm_squares: &mut [f32],
    norm_scaled_squares: &mut [f32],
) {
    let len = gradients.len();
    let params = &params[..len];
    let greatest_so_far = &mut greatest_so_far[..len];
    let least_so_far = &mut least_so_far[..len];
    let sum_so_far = &mut sum_so_far[..len];
    let above_so_far = &mut above_so_far[..len];
    let greatest_so_far_2 = &mut greatest_so_far_2[..len];
    let sum_so_far_2 = &mut sum_so_far_2[..len];
    let sum_so_far_3 = &mut sum_so_far_3[..len];
    let count_so_far = &mut count_so_far[..len];
    let greatest_so_far_3 = &mut greatest_so_far_3[..len];
    let least_so_far_2 = &mut least_so_far_2[..len];
    let greatest_so_far_4 = &mut greatest_so_far_4[..len];
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
        // let above = count(grad.abs() > hyper.threshold);
        let abs_grad = grad.abs();
        let abs_grad_above_threshold = abs_grad > threshold;
        // let whole = all::mean(grad * grad) + all::sum(*param) / all::len() as f32;
        let grad_times_grad = grad * grad;
        // let many = all::count(*param > 0.0) as f32;
        let param_above_0 = param > 0.0;
        greatest_so_far[lane] = math::max(greatest_so_far[lane], grad);
        least_so_far[lane] = math::min(least_so_far[lane], grad);
        sum_so_far[lane] += grad;
        above_so_far[lane] += u32::from(abs_grad_above_threshold);
        greatest_so_far_2[lane] = math::max(greatest_so_far_2[lane], abs_grad);
        sum_so_far_2[lane] += grad_times_grad;
        sum_so_far_3[lane] += param;
        count_so_far[lane] += u32::from(param_above_0);
        greatest_so_far_3[lane] = math::max(greatest_so_far_3[lane], param);
        least_so_far_2[lane] = math::min(least_so_far_2[lane], param);
        greatest_so_far_4[lane] = math::max(greatest_so_far_4[lane], abs_grad);
        norm_squares[lane] += cpu::square(grad);
        norm_scaled_squares[lane] += cpu::scaled_square(grad);
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { len, learning_rate, step_above_2, .. } = Row::from_words(tensor.row);
    let step_above_2 = step_above_2 != 0;
    let largest = f32::from_bits(tensor.tensor[0]);
    let greatest_so_far = cpu::total_of_chunks::<cpu::Max>(tensor, 0);
    let least_so_far = cpu::total_of_chunks::<cpu::Min>(tensor, 1);
    let sum_so_far = cpu::total_of_chunks::<cpu::Sum>(tensor, 2);
    let above_so_far = cpu::total_of_chunks::<cpu::Count>(tensor, 3);
    let greatest_so_far_2 = cpu::total_of_chunks::<cpu::Max>(tensor, 4);
    let sum_so_far_2 = cpu::total_of_chunks::<cpu::Sum>(tensor, 5);
    let sum_so_far_3 = cpu::total_of_chunks::<cpu::Sum>(tensor, 6);
    let count_so_far = cpu::total_of_chunks::<cpu::Count>(tensor, 7);
    let greatest_so_far_3 = cpu::total_of_chunks::<cpu::Max>(tensor, 8);
    let least_so_far_2 = cpu::total_of_chunks::<cpu::Min>(tensor, 9);
    let greatest_so_far_4 = cpu::total_of_chunks::<cpu::Max>(tensor, 10);
    let norm_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 11);
    let norm_scaled_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 12);
    let greatest = greatest_so_far;
    let least = least_so_far;
    let sum = sum_so_far;
    let above = above_so_far;
    let greatest_2 = greatest_so_far_2;
    let norm = cpu::norm(norm_squares, norm_scaled_squares);
    // let spread = max(grad) - min(grad);
    let spread = greatest - least;
    // let centre = mean(grad);
    let centre = sum / len;
    // let share = above as f32 / len() as f32;
    let share = above as f32 / len;
    // state.largest = state.largest.max(max_abs(grad));
    let largest_new = math::max(largest, greatest_2);
    // let centred = (grad - centre) / (spread + 1.0);
    let spread_plus_1 = spread + 1.0;
    // let busy = if above > 3 { 1.5 } else { 0.5 };
    let busy = math::select(above > 3, 1.5_f32, 0.5);
    // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1.0));
    let learning_rate_times_busy = learning_rate * busy;
    let largest_plus_1 = largest_new + 1.0;
    // *param += if step > 2 { norm(grad) * 1e-3 } else { 0.0 };
    let t1 = math::select(step_above_2, norm * 0.001, 0.0);
    tensor.tensor[7] = sum_so_far_2.to_bits();
    tensor.tensor[8] = sum_so_far_3.to_bits();
    tensor.tensor[9] = count_so_far;
    tensor.tensor[10] = greatest_so_far_3.to_bits();
    tensor.tensor[11] = least_so_far_2.to_bits();
    tensor.tensor[12] = greatest_so_far_4.to_bits();
    tensor.tensor[1] = f32::to_bits(centre);
    tensor.tensor[2] = f32::to_bits(share);
    tensor.tensor[3] = f32::to_bits(spread_plus_1);
    tensor.tensor[4] = f32::to_bits(learning_rate_times_busy);
    tensor.tensor[5] = f32::to_bits(largest_plus_1);
    tensor.tensor[6] = f32::to_bits(t1);
    tensor.tensor[0] = f32::to_bits(largest_new);
}

/// `update_finish1_all` over all tensors that take part.
pub fn update_finish1_all(all: &mut cpu::AllArguments<'_>) {
    let Row { all_len, run, .. } = Row::from_words(all.row);
    let sum_so_far = cpu::total_of_tensors::<cpu::Sum>(all, 7);
    let sum_so_far_2 = cpu::total_of_tensors::<cpu::Sum>(all, 8);
    let count_so_far = cpu::total_of_tensors::<cpu::Count>(all, 9);
    let greatest_so_far = cpu::total_of_tensors::<cpu::Max>(all, 10);
    let least_so_far = cpu::total_of_tensors::<cpu::Min>(all, 11);
    let greatest_so_far_2 = cpu::total_of_tensors::<cpu::Max>(all, 12);
    let sum = sum_so_far;
    let sum_2 = sum_so_far_2;
    let count = count_so_far;
    let greatest = greatest_so_far;
    let least = least_so_far;
    let greatest_2 = greatest_so_far_2;
    // let whole = all::mean(grad * grad) + all::sum(*param) / all::len() as f32;
    let whole = sum / all_len + sum_2 / all_len;
    // let many = all::count(*param > 0.0) as f32;
    let many = count as f32;
    // let range = all::max(*param) - all::min(*param) + all::max_abs(grad);
    let range_ = greatest - least + greatest_2;
    // state.scale = 0.9 * state.scale + hyper.learning_rate * (total + whole.abs() + range) / (run as f32 + many);
    let abs_whole = whole.abs();
    let run_plus_many = run + many;
    all.all[1] = f32::to_bits(range_);
    all.all[2] = f32::to_bits(abs_whole);
    all.all[3] = f32::to_bits(run_plus_many);
}

/// `update_pass2` over one chunk.
#[inline(always)]
pub fn update_pass2(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let centre = f32::from_bits(chunk.tensor[1]);
    let spread_plus_1 = f32::from_bits(chunk.tensor[3]);
    let mut total_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut total_scaled_squares = cpu::Lanes::<cpu::Sum>::new();
    let mut sum_so_far = cpu::Lanes::<cpu::Sum>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass2_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            centre,
            spread_plus_1,
            &chunk.grad[block.clone()],
            total_squares.block(block.len()),
            total_scaled_squares.block(block.len()),
            sum_so_far.block(block.len()),
        );
    }
    chunk.partials[0] = total_squares.total();
    chunk.partials[1] = total_scaled_squares.total();
    chunk.partials[2] = sum_so_far.total();
}

#[inline(always)]
fn update_pass2_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    centre: f32,
    spread_plus_1: f32,
    gradients: &[f32],
    total_squares: &mut [f32],
    total_scaled_squares: &mut [f32],
    sum_so_far: &mut [f32],
) {
    let len = gradients.len();
    let total_squares = &mut total_squares[..len];
    let total_scaled_squares = &mut total_scaled_squares[..len];
    let sum_so_far = &mut sum_so_far[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let centred = (grad - centre) / (spread + 1.0);
        let centred = (grad - centre) / spread_plus_1;
        total_squares[lane] += cpu::square(centred);
        total_scaled_squares[lane] += cpu::scaled_square(centred);
        sum_so_far[lane] += centred;
    }
}

/// `update_finish2_tensor` of one tensor.
pub fn update_finish2_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let share = f32::from_bits(tensor.tensor[2]);
    let largest_plus_1 = f32::from_bits(tensor.tensor[5]);
    let total_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 0);
    let total_scaled_squares = cpu::total_of_chunks::<cpu::Sum>(tensor, 1);
    let sum_so_far = cpu::total_of_chunks::<cpu::Sum>(tensor, 2);
    let sum = sum_so_far;
    // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1.0));
    let t1 = share * sum / largest_plus_1;
    tensor.tensor[14] = total_squares.to_bits();
    tensor.tensor[15] = total_scaled_squares.to_bits();
    tensor.tensor[13] = f32::to_bits(t1);
}

/// `update_finish2_all` over all tensors that take part.
pub fn update_finish2_all(all: &mut cpu::AllArguments<'_>) {
    let Row { learning_rate, .. } = Row::from_words(all.row);
    let scale = f32::from_bits(all.all[0]);
    let range_ = f32::from_bits(all.all[1]);
    let abs_whole = f32::from_bits(all.all[2]);
    let run_plus_many = f32::from_bits(all.all[3]);
    let total_squares = cpu::total_of_tensors::<cpu::Sum>(all, 14);
    let total_scaled_squares = cpu::total_of_tensors::<cpu::Sum>(all, 15);
    let total = cpu::norm(total_squares, total_scaled_squares);
    // state.scale = 0.9 * state.scale + hyper.learning_rate * (total + whole.abs() + range) / (run as f32 + many);
    let t1 = learning_rate * (total + abs_whole + range_) / run_plus_many;
    let scale_new = 0.9 * scale + t1;
    all.all[0] = f32::to_bits(scale_new);
}

/// `update_finish2_tensor_late` of one tensor.
pub fn update_finish2_tensor_late(tensor: &mut cpu::TensorArguments<'_>) {
    let scale = f32::from_bits(tensor.all[0]);
    let learning_rate_times_busy = f32::from_bits(tensor.tensor[4]);
    // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1.0));
    let t1 = learning_rate_times_busy * scale;
    tensor.tensor[16] = f32::to_bits(t1);
}

/// `update_pass3` over one chunk.
#[inline(always)]
pub fn update_pass3(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, .. } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    let centre = f32::from_bits(chunk.tensor[1]);
    let spread_plus_1 = f32::from_bits(chunk.tensor[3]);
    let t1 = f32::from_bits(chunk.tensor[6]);
    let t2 = f32::from_bits(chunk.tensor[13]);
    let t3 = f32::from_bits(chunk.tensor[16]);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass3_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            clip,
            centre,
            spread_plus_1,
            t1,
            t2,
            t3,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass3_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
    centre: f32,
    spread_plus_1: f32,
    t1: f32,
    t2: f32,
    t3: f32,
    gradients: &[f32],
    params: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let centred = (grad - centre) / (spread + 1.0);
        let centred = (grad - centre) / spread_plus_1;
        // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1.0));
        let param_2 = param - t3 * (centred + t2);
        // *param += if step > 2 { norm(grad) * 1e-3 } else { 0.0 };
        let param_new = param_2 + t1;
        params[lane] = param_new;
    }
}
