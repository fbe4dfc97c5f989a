// stable_spam: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: m, v.
// State per tensor: m_max, m_norm, v_norm.
// Traffic: 36 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    step_modulo_reset_is_0: u32,
    one_minus_learning_rate_times_weight_decay: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    theta: f32,
    one_minus_theta: f32,
    one_minus_theta_to_step: f32,
    gamma1: f32,
    one_minus_gamma1: f32,
    gamma2: f32,
    one_minus_gamma2: f32,
    one_minus_gamma1_to_step: f32,
    one_minus_gamma2_to_step: f32,
    epsilon: f32,
    beta1: f32,
    one_minus_beta1: f32,
    beta2: f32,
    one_minus_beta2: f32,
    bias2: f32,
    learning_rate_over_bias1: f32,
}

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> params: array<vec4f>;
@group(0) @binding(3) var<storage, read> gradients: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> states: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> scalars: array<u32>;
@group(0) @binding(5) var<storage, read> scalars_read: array<u32>;
@group(0) @binding(6) var<storage, read_write> partials: array<u32>;
@group(0) @binding(6) var<storage, read> partials_read: array<u32>;

var<workgroup> tree: array<array<f32, 256>, 2>;

// The four elements that a thread holds.
const lanes = vec4u(0u, 1u, 2u, 3u);

fn square(x: vec4f) -> vec4f {
    return x * x;
}

// The square of x times 2^-96, which does not overflow.
fn scaled_square(x: vec4f) -> vec4f {
    return square(1.2621775e-29f * x);
}

// The root of a sum of squares; where that has overflowed, of the sum scaled by 2^-96 squared.
fn norm_of(squares: f32, scaled_squares: f32) -> f32 {
    let overflowed = (bitcast<u32>(squares) & 0x7f800000u) == 0x7f800000u;
    return select(sqrt(squares), 7.9228163e28f * sqrt(scaled_squares), overflowed);
}

fn sum_of_lanes(x: vec4f) -> f32 {
    return (x.x + x.y) + (x.z + x.w);
}

fn smaller4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, b < a);
}

fn larger(a: f32, b: f32) -> f32 {
    return select(a, b, a < b);
}

fn larger4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, a < b);
}

fn largest_lane(x: vec4f) -> f32 {
    return larger(larger(x.x, x.y), larger(x.z, x.w));
}

@compute @workgroup_size(256)
fn update_pass1(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.x || scalars_read[0] != 0u) {
        return;
    }
    let chunk_index = 2u * (1u + header.y + index);
    let starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    let tensor_index = 2u * (1u + chunk.y);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);

    var top_so_far = vec4f(bitcast<f32>(header.w));
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let top = max_abs(grad);
        let abs_grad = abs(grad);

        top_so_far = select(top_so_far, abs_grad, inside & (top_so_far < abs_grad));
    }

    tree[0][invocation] = largest_lane(top_so_far);
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] = larger(tree[0][invocation], tree[0][invocation + stride]);
        }
    }
    if (invocation == 0u) {
        let partial = 2u * chunk.z;
        partials[partial] = bitcast<u32>(tree[0][0]);
    }
}

@compute @workgroup_size(256)
fn update_finish1_tensor(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.y) {
        return;
    }
    let tensor_index = 2u * (1u + index);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let record = 4u + 8u * tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var top_so_far = bitcast<f32>(header.w);
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = 2u * (range.x + place);
        top_so_far = larger(top_so_far, bitcast<f32>(partials_read[partial]));
    }

    tree[0][invocation] = top_so_far;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] = larger(tree[0][invocation], tree[0][invocation + stride]);
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[tensor.x];
        let m_max = bitcast<f32>(scalars[record]);
        let top = tree[0][0];

        // state.m_max = hyper.theta * state.m_max + (1.0 - hyper.theta) * top;
        let m_max_new = row.theta * m_max + row.one_minus_theta * top;

        // let limit = state.m_max / (1.0 - hyper.theta.powi(step));
        let limit = m_max_new / row.one_minus_theta_to_step;

        scalars[record + 3u] = bitcast<u32>(top);
        scalars[record + 4u] = bitcast<u32>(limit);
        scalars[record] = bitcast<u32>(m_max_new);
    }
}

@compute @workgroup_size(256)
fn update_pass2(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.x || scalars_read[0] != 0u) {
        return;
    }
    let chunk_index = 2u * (1u + header.y + index);
    let starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    let tensor_index = 2u * (1u + chunk.y);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let record = 4u + 8u * tensor.z;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);
    let top = bitcast<f32>(scalars_read[record + 3u]);
    let limit = bitcast<f32>(scalars_read[record + 4u]);

    var size_squares = vec4f(0.0f);
    var size_scaled_squares = vec4f(0.0f);
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let clipped = if grad.abs() > limit { grad / top * limit } else { grad };
        let clipped = select(grad, grad / top * limit, abs(grad) > vec4f(limit));

        size_squares += select(vec4f(0.0f), square(clipped), inside);
        size_scaled_squares += select(vec4f(0.0f), scaled_square(clipped), inside);
    }

    tree[0][invocation] = sum_of_lanes(size_squares);
    tree[1][invocation] = sum_of_lanes(size_scaled_squares);
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u) {
        let partial = 2u * chunk.z;
        partials[partial] = bitcast<u32>(tree[0][0]);
        partials[partial + 1u] = bitcast<u32>(tree[1][0]);
    }
}

@compute @workgroup_size(256)
fn update_finish2_tensor(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.y) {
        return;
    }
    let tensor_index = 2u * (1u + index);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let record = 4u + 8u * tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var size_squares = 0.0f;
    var size_scaled_squares = 0.0f;
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = 2u * (range.x + place);
        size_squares += bitcast<f32>(partials_read[partial]);
        size_scaled_squares += bitcast<f32>(partials_read[partial + 1u]);
    }

    tree[0][invocation] = size_squares;
    tree[1][invocation] = size_scaled_squares;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[tensor.x];
        let m_norm = bitcast<f32>(scalars[record + 1u]);
        let v_norm = bitcast<f32>(scalars[record + 2u]);
        let size = norm_of(tree[0][0], tree[1][0]);

        // if size > 0.0 {
        let size_above_0 = size > 0.0f;

        // state.m_norm = hyper.gamma1 * state.m_norm + (1.0 - hyper.gamma1) * size;
        let m_norm_2 = row.gamma1 * m_norm + row.one_minus_gamma1 * size;

        // state.v_norm = hyper.gamma2 * state.v_norm + (1.0 - hyper.gamma2) * (size * size);
        let v_norm_2 = row.gamma2 * v_norm + row.one_minus_gamma2 * (size * size);

        // let m_hat = state.m_norm / (1.0 - hyper.gamma1.powi(step));
        let m_hat = m_norm_2 / row.one_minus_gamma1_to_step;

        // let v_hat = state.v_norm / (1.0 - hyper.gamma2.powi(step));
        let v_hat = v_norm_2 / row.one_minus_gamma2_to_step;

        // let g = clipped / size * (m_hat / (v_hat.sqrt() + hyper.epsilon));
        let t1 = m_hat / (sqrt(v_hat) + row.epsilon);

        // if size > 0.0 {
        let m_norm_new = select(m_norm, m_norm_2, size_above_0);
        let v_norm_new = select(v_norm, v_norm_2, size_above_0);

        scalars[record + 5u] = bitcast<u32>(size);
        scalars[record + 6u] = select(0u, 1u, size_above_0);
        scalars[record + 7u] = bitcast<u32>(t1);
        scalars[record + 1u] = bitcast<u32>(m_norm_new);
        scalars[record + 2u] = bitcast<u32>(v_norm_new);
    }
}

@compute @workgroup_size(256)
fn update_pass3(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.x || scalars_read[0] != 0u) {
        return;
    }
    let chunk_index = 2u * (1u + header.y + index);
    let starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    let tensor_index = 2u * (1u + chunk.y);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let record = 4u + 8u * tensor.z;
    let m_start = starts.z;
    let v_start = starts.z + tensor.y / 4u;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);
    let top = bitcast<f32>(scalars_read[record + 3u]);
    let limit = bitcast<f32>(scalars_read[record + 4u]);
    let size = bitcast<f32>(scalars_read[record + 5u]);
    let size_above_0 = scalars_read[record + 6u] != 0u;
    let t1 = bitcast<f32>(scalars_read[record + 7u]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];
        let m = states[m_start + quad];
        let v = states[v_start + quad];

        // if step % hyper.reset == 0 {
        let m_2 = select(m, vec4f(0.0f), row.step_modulo_reset_is_0 != 0u);
        let v_2 = select(v, vec4f(0.0f), row.step_modulo_reset_is_0 != 0u);

        // *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let param_2 = param * row.one_minus_learning_rate_times_weight_decay;
        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let clipped = if grad.abs() > limit { grad / top * limit } else { grad };
        let clipped = select(grad, grad / top * limit, abs(grad) > vec4f(limit));

        // let g = clipped / size * (m_hat / (v_hat.sqrt() + hyper.epsilon));
        let g = clipped / size * t1;

        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        let m_3 = row.beta1 * m_2 + row.one_minus_beta1 * g;

        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let v_3 = row.beta2 * v_2 + row.one_minus_beta2 * g * g;

        // *param -= hyper.learning_rate / bias1 * state.m / ((state.v / bias2).sqrt() + hyper.epsilon);
        let param_3 = param_2 - row.learning_rate_over_bias1 * m_3 / (sqrt(v_3 / row.bias2) + row.epsilon);

        // if size > 0.0 {
        let param_new = select(param_2, param_3, size_above_0);
        let m_new = select(m_2, m_3, size_above_0);
        let v_new = select(v_2, v_3, size_above_0);

        params[starts.x + quad] = select(param, param_new, inside);
        states[m_start + quad] = select(m, m_new, inside);
        states[v_start + quad] = select(v, v_new, inside);
    }
}
