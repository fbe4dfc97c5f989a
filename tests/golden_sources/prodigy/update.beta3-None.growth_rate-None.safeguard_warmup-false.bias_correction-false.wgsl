// prodigy: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: beta3 = None, growth_rate = None, safeguard_warmup = false, bias_correction = false.
// State per element: m, v, s, p0.
// State of all tensors: d, d_max, numerator.
// Traffic: 48 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    beta2: f32,
    beta3: f32,
    learning_rate_times_1: f32,
    d0: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    beta1: f32,
    one_minus_beta1: f32,
    one_minus_beta2: f32,
    d_coef: f32,
    epsilon: f32,
    learning_rate_is_not_0: u32,
    weight_decay: f32,
}

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> params: array<vec4f>;
@group(0) @binding(2) var<storage, read> params_read: array<vec4f>;
@group(0) @binding(3) var<storage, read> gradients: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> states: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> scalars: array<u32>;
@group(0) @binding(5) var<storage, read> scalars_read: array<u32>;
@group(0) @binding(6) var<storage, read_write> partials: array<u32>;
@group(0) @binding(6) var<storage, read> partials_read: array<u32>;

var<workgroup> tree: array<array<f32, 256>, 2>;

// The four elements that a thread holds.
const lanes = vec4u(0u, 1u, 2u, 3u);

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
    let s_start = starts.z + 2u * (tensor.y / 4u);
    let p0_start = starts.z + 3u * (tensor.y / 4u);
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);
    let d = bitcast<f32>(scalars_read[4]);

    // let d_lr = d * (hyper.learning_rate * bias);
    let d_lr = d * row.learning_rate_times_1;

    // let gain = d / hyper.d0;
    let gain = d / row.d0;

    // state.numerator = beta3 * state.numerator + gain * d_lr * all::sum(grad * (state.p0 - *param));
    let gain_times_d_lr = gain * d_lr;

    var sum_so_far = vec4f(0.0f);
    var weight_so_far = vec4f(0.0f);
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params_read[starts.x + quad];
        let s = states[s_start + quad];
        let p0 = states[p0_start + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // state.numerator = beta3 * state.numerator + gain * d_lr * all::sum(grad * (state.p0 - *param));
        let grad_times_p0_minus_param = grad * (p0 - param);

        // state.s = beta3 * state.s + gain * (if hyper.safeguard_warmup { d } else { d_lr }) * grad;
        let s_new = row.beta3 * s + gain_times_d_lr * grad;

        // let weight = all::sum(state.s.abs());
        let abs_s = abs(s_new);

        states[s_start + quad] = select(s, s_new, inside);

        sum_so_far += select(vec4f(0.0f), grad_times_p0_minus_param, inside);
        weight_so_far += select(vec4f(0.0f), abs_s, inside);
    }

    tree[0][invocation] = sum_of_lanes(sum_so_far);
    tree[1][invocation] = sum_of_lanes(weight_so_far);
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
    let record = 12u + 4u * tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var sum_so_far = 0.0f;
    var weight_so_far = 0.0f;
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = 2u * (range.x + place);
        sum_so_far += bitcast<f32>(partials_read[partial]);
        weight_so_far += bitcast<f32>(partials_read[partial + 1u]);
    }

    tree[0][invocation] = sum_so_far;
    tree[1][invocation] = weight_so_far;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[tensor.x];
        let d = bitcast<f32>(scalars[4]);

        // let d_lr = d * (hyper.learning_rate * bias);
        let d_lr = d * row.learning_rate_times_1;

        // *param *= 1.0 - hyper.weight_decay * d_lr;
        let t1 = 1.0f - row.weight_decay * d_lr;

        scalars[record + 1u] = bitcast<u32>(tree[0][0]);
        scalars[record + 2u] = bitcast<u32>(tree[1][0]);
        scalars[record] = bitcast<u32>(t1);
    }
}

@compute @workgroup_size(256)
fn update_finish1_all(
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf

    var sum_so_far = 0.0f;
    var weight_so_far = 0.0f;
    for (var place = invocation; place < header.y; place += 256u) {
        let record = 12u + 4u * chunks[2u * (1u + place)].z;
        sum_so_far += bitcast<f32>(scalars[record + 1u]);
        weight_so_far += bitcast<f32>(scalars[record + 2u]);
    }

    tree[0][invocation] = sum_so_far;
    tree[1][invocation] = weight_so_far;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[0];
        let d = bitcast<f32>(scalars[4]);
        let d_max = bitcast<f32>(scalars[5]);
        let numerator = bitcast<f32>(scalars[6]);
        let sum = tree[0][0];
        let weight = tree[1][0];

        // let d_lr = d * (hyper.learning_rate * bias);
        let d_lr = d * row.learning_rate_times_1;

        // let gain = d / hyper.d0;
        let gain = d / row.d0;

        // state.numerator = beta3 * state.numerator + gain * d_lr * all::sum(grad * (state.p0 - *param));
        let numerator_new = row.beta3 * numerator + gain * d_lr * sum;

        // state.m = hyper.beta1 * state.m + d * (1.0 - hyper.beta1) * grad;
        let d_times_one_minus_beta1 = d * row.one_minus_beta1;

        // state.v = hyper.beta2 * state.v + d * d * (1.0 - hyper.beta2) * (grad * grad);
        let d_times_d_times_one_minus_beta2 = d * d * row.one_minus_beta2;

        // if weight > 0.0 {
        let weight_above_0 = weight > 0.0f;

        // let estimate = hyper.d_coef * state.numerator / weight;
        let estimate = row.d_coef * numerator_new / weight;

        // state.d_max = state.d_max.max(estimate);
        let d_max_2 = larger(d_max, estimate);

        // if weight > 0.0 {
        let d_new = select(d, d_max_2, weight_above_0);
        let d_max_new = select(d_max, d_max_2, weight_above_0);

        scalars[7] = bitcast<u32>(d_lr);
        scalars[8] = bitcast<u32>(d_times_one_minus_beta1);
        scalars[9] = bitcast<u32>(d_times_d_times_one_minus_beta2);
        scalars[10] = select(0u, 1u, weight_above_0);
        scalars[11] = bitcast<u32>(d_max_2);
        scalars[4] = bitcast<u32>(d_new);
        scalars[5] = bitcast<u32>(d_max_new);
        scalars[6] = bitcast<u32>(numerator_new);
    }
}

@compute @workgroup_size(256)
fn update_finish1_tensor_late(
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
    let record = 12u + 4u * tensor.z;
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[tensor.x];
        let d_max = bitcast<f32>(scalars[11]);

        // let denominator = state.v.sqrt() + state.d * hyper.epsilon;
        let d_max_times_epsilon = d_max * row.epsilon;

        scalars[record + 3u] = bitcast<u32>(d_max_times_epsilon);
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
    let record = 12u + 4u * tensor.z;
    let m_start = starts.z;
    let v_start = starts.z + tensor.y / 4u;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);
    let d_lr = bitcast<f32>(scalars_read[7]);
    let d_times_one_minus_beta1 = bitcast<f32>(scalars_read[8]);
    let d_times_d_times_one_minus_beta2 = bitcast<f32>(scalars_read[9]);
    let weight_above_0 = scalars_read[10] != 0u;
    let t1 = bitcast<f32>(scalars_read[record]);
    let d_max_times_epsilon = bitcast<f32>(scalars_read[record + 3u]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];
        let m = states[m_start + quad];
        let v = states[v_start + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // state.m = hyper.beta1 * state.m + d * (1.0 - hyper.beta1) * grad;
        let m_new = row.beta1 * m + d_times_one_minus_beta1 * grad;

        // state.v = hyper.beta2 * state.v + d * d * (1.0 - hyper.beta2) * (grad * grad);
        let v_new = row.beta2 * v + d_times_d_times_one_minus_beta2 * (grad * grad);

        // let denominator = state.v.sqrt() + state.d * hyper.epsilon;
        let denominator = sqrt(v_new) + d_max_times_epsilon;

        // let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        let direction = select(m_new / denominator, vec4f(0.0f), denominator == vec4f(0.0f));

        // *param *= 1.0 - hyper.weight_decay * d_lr;
        let param_2 = param * t1;

        // *param -= d_lr * direction;
        let param_3 = param_2 - d_lr * direction;

        // if hyper.learning_rate != 0.0 {
        let param_4 = select(param, param_3, row.learning_rate_is_not_0 != 0u);

        // if weight > 0.0 {
        let param_new = select(param, param_4, weight_above_0);

        params[starts.x + quad] = select(param, param_new, inside);
        states[m_start + quad] = select(m, m_new, inside);
        states[v_start + quad] = select(v, v_new, inside);
    }
}
