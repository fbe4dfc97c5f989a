/// `update_pass1` over one chunk.
#[inline(always)]
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, clip_value, minus_clip_value, exponent, step_is_2, .. } = Row::from_words(chunk.row);
    let step_is_2 = step_is_2 != 0;
    let clip = chunk.clip;
    let [device_slice, _] = cpu::states(chunk.states);
    let mut count_so_far = cpu::Lanes::<cpu::Count>::new();
    let mut count_so_far_2 = cpu::Lanes::<cpu::Count>::new();
    let mut greatest_so_far = cpu::Lanes::<cpu::Max>::new();
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            exponent,
            step_is_2,
            clip,
            &chunk.grad[block.clone()],
            &chunk.param[block.clone()],
            &device_slice[block.clone()],
            count_so_far.block(block.len()),
            count_so_far_2.block(block.len()),
            greatest_so_far.block(block.len()),
        );
    }
    chunk.partials[0] = count_so_far.total();
    chunk.partials[1] = count_so_far_2.total();
    chunk.partials[2] = greatest_so_far.total();
}

#[inline(always)]
fn update_pass1_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    exponent: i32,
    step_is_2: bool,
    clip: f32,
    gradients: &[f32],
    params: &[f32],
    device_slice: &[f32],
    count_so_far: &mut [u32],
    count_so_far_2: &mut [u32],
    greatest_so_far: &mut [f32],
) {
    let len = gradients.len();
    let params = &params[..len];
    let device_slice = &device_slice[..len];
    let count_so_far = &mut count_so_far[..len];
    let count_so_far_2 = &mut count_so_far_2[..len];
    let greatest_so_far = &mut greatest_so_far[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let device_ = device_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let quad = grad - (*param - state.device);
        let quad_ = grad - (param - device_);
        // let lanes = quad / (1.5 + quad * quad) / (2.0 / 3.0);
        let lanes_ = quad_ / (1.5 + quad_ * quad_) / 0.6666667;
        // let half = -(quad * lanes) * -1.5;
        let quad_times_lanes = quad_ * lanes_;
        let half_ = -quad_times_lanes * -1.5;
        // let row = lanes.abs().powi(hyper.exponent) - half / (quad * lanes + 2.0) * (lanes - 1.0);
        let row_ = math::powi_f32(lanes_.abs(), exponent) - half_ / (quad_times_lanes + 2.0) * (lanes_ - 1.0);
        // let inside = quad > 0.0 && lanes < 0.5 || !(half > -1.0);
        let inside_ = (quad_ > 0.0) & (lanes_ < 0.5) | !(half_ > -1.0);
        // let select = if step == 2 { row } else if inside { half } else { lanes };
        let select_ = math::select(step_is_2, row_, math::select(inside_, half_, lanes_));
        // let many = count(inside) == hyper.target || count(!inside) > 100;
        let not_inside = !inside_;
        // state.threadgroup = 0.5 * state.threadgroup + max_abs(select).powi(hyper.target);
        let abs_select = select_.abs();
        count_so_far[lane] += u32::from(inside_);
        count_so_far_2[lane] += u32::from(not_inside);
        greatest_so_far[lane] = math::max(greatest_so_far[lane], abs_select);
    }
}

/// `update_finish1_tensor` of one tensor.
pub fn update_finish1_tensor(tensor: &mut cpu::TensorArguments<'_>) {
    let Row { target_, exponent_2, .. } = Row::from_words(tensor.row);
    let threadgroup_ = f32::from_bits(tensor.tensor[0]);
    let count_so_far = cpu::total_of_chunks::<cpu::Count>(tensor, 0);
    let count_so_far_2 = cpu::total_of_chunks::<cpu::Count>(tensor, 1);
    let greatest_so_far = cpu::total_of_chunks::<cpu::Max>(tensor, 2);
    let count = count_so_far;
    let count_2 = count_so_far_2;
    let greatest = greatest_so_far;
    // let many = count(inside) == hyper.target || count(!inside) > 100;
    let many = (count == target_) | (count_2 > 100);
    // state.threadgroup = 0.5 * state.threadgroup + max_abs(select).powi(hyper.target);
    let threadgroup_new = 0.5 * threadgroup_ + math::powi_f32(greatest, exponent_2);
    // *param -= hyper.kernel * (select / (state.threadgroup + 1.0) + float4);
    let threadgroup_plus_1 = threadgroup_new + 1.0;
    tensor.tensor[1] = u32::from(many);
    tensor.tensor[2] = f32::to_bits(threadgroup_plus_1);
    tensor.tensor[0] = f32::to_bits(threadgroup_new);
}

/// `update_pass2` over one chunk.
#[inline(always)]
pub fn update_pass2(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row {
        grad_scale,
        clip_value,
        minus_clip_value,
        exponent,
        step_is_2,
        kernel_,
        constant_,
        ..
    } = Row::from_words(chunk.row);
    let step_is_2 = step_is_2 != 0;
    let clip = chunk.clip;
    let many = chunk.tensor[1] != 0;
    let threadgroup_plus_1 = f32::from_bits(chunk.tensor[2]);
    let [device_slice, constant_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        update_pass2_block(
            grad_scale,
            clip_value,
            minus_clip_value,
            exponent,
            step_is_2,
            kernel_,
            constant_,
            clip,
            many,
            threadgroup_plus_1,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
            &mut device_slice[block.clone()],
            &mut constant_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn update_pass2_block(
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    exponent: i32,
    step_is_2: bool,
    kernel_: f32,
    constant_: f32,
    clip: f32,
    many: bool,
    threadgroup_plus_1: f32,
    gradients: &[f32],
    params: &mut [f32],
    device_slice: &mut [f32],
    constant_slice: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    let device_slice = &mut device_slice[..len];
    let constant_slice = &mut constant_slice[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let device_ = device_slice[lane];
        let constant_2 = constant_slice[lane];
        let scaled_grad = raw_grad * grad_scale;
        let clamped_grad = math::min(math::max(scaled_grad, minus_clip_value), clip_value);
        let is_nan = scaled_grad.is_nan();
        let limited_grad = math::select(is_nan, scaled_grad, clamped_grad);
        let grad = limited_grad * clip;
        // let quad = grad - (*param - state.device);
        let quad_ = grad - (param - device_);
        // let lanes = quad / (1.5 + quad * quad) / (2.0 / 3.0);
        let lanes_ = quad_ / (1.5 + quad_ * quad_) / 0.6666667;
        // let half = -(quad * lanes) * -1.5;
        let quad_times_lanes = quad_ * lanes_;
        let half_ = -quad_times_lanes * -1.5;
        // let row = lanes.abs().powi(hyper.exponent) - half / (quad * lanes + 2.0) * (lanes - 1.0);
        let row_ = math::powi_f32(lanes_.abs(), exponent) - half_ / (quad_times_lanes + 2.0) * (lanes_ - 1.0);
        // let inside = quad > 0.0 && lanes < 0.5 || !(half > -1.0);
        let inside_ = (quad_ > 0.0) & (lanes_ < 0.5) | !(half_ > -1.0);
        // let select = if step == 2 { row } else if inside { half } else { lanes };
        let select_ = math::select(step_is_2, row_, math::select(inside_, half_, lanes_));
        // state.device = select - (quad - lanes) - (if many { 1.0 } else { lanes });
        let device_new = select_ - (quad_ - lanes_) - math::select(many, 1.0, lanes_);
        // *param -= hyper.kernel * (select / (state.threadgroup + 1.0) + float4);
        let param_new = param - kernel_ * (select_ / threadgroup_plus_1 + constant_2);
        params[lane] = param_new;
        device_slice[lane] = device_new;
        constant_slice[lane] = constant_;
    }
}
