// lamb_apex: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: grad_averaging = true, use_nvlamb = false.
// State per element: m, v.
// Traffic: 44 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    max_grad_norm: f32,
    max_grad_norm_above_0: u32,
    beta1: f32,
    weight: f32,
    bias1: f32,
    beta2: f32,
    bias2: f32,
    one_minus_beta2: f32,
    epsilon: f32,
    weight_decay: f32,
    weight_decay_is_not_0: u32,
    learning_rate: f32,
    learning_rate_is_not_0: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> params: array<vec4f>;
@group(0) @binding(2) var<storage, read> params_read: array<vec4f>;
@group(0) @binding(3) var<storage, read> gradients: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> states: array<vec4f>;
@group(0) @binding(4) var<storage, read> states_read: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> scalars: array<u32>;
@group(0) @binding(5) var<storage, read> scalars_read: array<u32>;
@group(0) @binding(6) var<storage, read_write> partials: array<u32>;
@group(0) @binding(6) var<storage, read> partials_read: array<u32>;

var<workgroup> tree: array<array<f32, 256>, 4>;

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
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);

    var total_squares = vec4f(0.0f);
    var total_scaled_squares = vec4f(0.0f);
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        total_squares += select(vec4f(0.0f), square(grad), inside);
        total_scaled_squares += select(vec4f(0.0f), scaled_square(grad), inside);
    }

    tree[0][invocation] = sum_of_lanes(total_squares);
    tree[1][invocation] = sum_of_lanes(total_scaled_squares);
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u) {
        let partial = 4u * chunk.z;
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
    let record = 5u + 3u * tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var total_squares = 0.0f;
    var total_scaled_squares = 0.0f;
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = 4u * (range.x + place);
        total_squares += bitcast<f32>(partials_read[partial]);
        total_scaled_squares += bitcast<f32>(partials_read[partial + 1u]);
    }

    tree[0][invocation] = total_squares;
    tree[1][invocation] = total_scaled_squares;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        scalars[record] = bitcast<u32>(tree[0][0]);
        scalars[record + 1u] = bitcast<u32>(tree[1][0]);
    }
}

@compute @workgroup_size(256)
fn update_finish1_all(
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf

    var total_squares = 0.0f;
    var total_scaled_squares = 0.0f;
    for (var place = invocation; place < header.y; place += 256u) {
        let record = 5u + 3u * chunks[2u * (1u + place)].z;
        total_squares += bitcast<f32>(scalars[record]);
        total_scaled_squares += bitcast<f32>(scalars[record + 1u]);
    }

    tree[0][invocation] = total_squares;
    tree[1][invocation] = total_scaled_squares;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[0];
        let total = norm_of(tree[0][0], tree[1][0]);

        // let clip = if hyper.max_grad_norm > 0.0 && total > hyper.max_grad_norm { total / hyper.max_grad_norm } el …
        let t1 = row.max_grad_norm_above_0 != 0u && total > row.max_grad_norm;
        let clip = select(1.0f, total / row.max_grad_norm, t1);

        scalars[4] = bitcast<u32>(clip);
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
    let m_start = starts.z;
    let v_start = starts.z + tensor.y / 4u;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);
    let clip_2 = bitcast<f32>(scalars_read[4]);

    var param_norm_squares = vec4f(0.0f);
    var param_norm_scaled_squares = vec4f(0.0f);
    var update_norm_squares = vec4f(0.0f);
    var update_norm_scaled_squares = vec4f(0.0f);
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params_read[starts.x + quad];
        let m = states[m_start + quad];
        let v = states[v_start + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let g = grad / clip;
        let g = grad / clip_2;

        // state.m = hyper.beta1 * state.m + weight * g;
        let m_new = row.beta1 * m + row.weight * g;

        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        let v_new = row.beta2 * v + row.one_minus_beta2 * g * g;

        // let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let denominator = sqrt(v_new / row.bias2) + row.epsilon;

        // let direction = if denominator == 0.0 { 0.0 } else { state.m / bias1 / denominator };
        let direction = select(m_new / row.bias1 / denominator, vec4f(0.0f), denominator == vec4f(0.0f));

        // let u = direction + hyper.weight_decay * *param;
        let u = direction + row.weight_decay * param;

        states[m_start + quad] = select(m, m_new, inside);
        states[v_start + quad] = select(v, v_new, inside);

        param_norm_squares += select(vec4f(0.0f), square(param), inside);
        param_norm_scaled_squares += select(vec4f(0.0f), scaled_square(param), inside);
        update_norm_squares += select(vec4f(0.0f), square(u), inside);
        update_norm_scaled_squares += select(vec4f(0.0f), scaled_square(u), inside);
    }

    tree[0][invocation] = sum_of_lanes(param_norm_squares);
    tree[1][invocation] = sum_of_lanes(param_norm_scaled_squares);
    tree[2][invocation] = sum_of_lanes(update_norm_squares);
    tree[3][invocation] = sum_of_lanes(update_norm_scaled_squares);
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
            tree[3][invocation] += tree[3][invocation + stride];
        }
    }
    if (invocation == 0u) {
        let partial = 4u * chunk.z;
        partials[partial] = bitcast<u32>(tree[0][0]);
        partials[partial + 1u] = bitcast<u32>(tree[1][0]);
        partials[partial + 2u] = bitcast<u32>(tree[2][0]);
        partials[partial + 3u] = bitcast<u32>(tree[3][0]);
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
    let record = 5u + 3u * tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var param_norm_squares = 0.0f;
    var param_norm_scaled_squares = 0.0f;
    var update_norm_squares = 0.0f;
    var update_norm_scaled_squares = 0.0f;
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = 4u * (range.x + place);
        param_norm_squares += bitcast<f32>(partials_read[partial]);
        param_norm_scaled_squares += bitcast<f32>(partials_read[partial + 1u]);
        update_norm_squares += bitcast<f32>(partials_read[partial + 2u]);
        update_norm_scaled_squares += bitcast<f32>(partials_read[partial + 3u]);
    }

    tree[0][invocation] = param_norm_squares;
    tree[1][invocation] = param_norm_scaled_squares;
    tree[2][invocation] = update_norm_squares;
    tree[3][invocation] = update_norm_scaled_squares;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
            tree[3][invocation] += tree[3][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[tensor.x];
        let param_norm = norm_of(tree[0][0], tree[1][0]);
        let update_norm = norm_of(tree[2][0], tree[3][0]);

        // let trust_ratio = if hyper.use_nvlamb || hyper.weight_decay != 0.0 { let (param_norm, update_norm) = (nor …
        let param_norm_over_update_norm_or_1 = select(1.0f, param_norm / update_norm, param_norm > 0.0f && update_norm > 0.0f);
        let trust_ratio = select(1.0f, param_norm_over_update_norm_or_1, row.weight_decay_is_not_0 != 0u);

        // *param -= hyper.learning_rate * trust_ratio * u;
        let learning_rate_times_trust_ratio = row.learning_rate * trust_ratio;

        scalars[record + 2u] = bitcast<u32>(learning_rate_times_trust_ratio);
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
    let record = 5u + 3u * tensor.z;
    let m_start = starts.z;
    let v_start = starts.z + tensor.y / 4u;
    let row = rows[tensor.x];
    let learning_rate_times_trust_ratio = bitcast<f32>(scalars_read[record + 2u]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let param = params[starts.x + quad];
        let m = states_read[m_start + quad];
        let v = states_read[v_start + quad];

        // let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let denominator = sqrt(v / row.bias2) + row.epsilon;

        // let direction = if denominator == 0.0 { 0.0 } else { state.m / bias1 / denominator };
        let direction = select(m / row.bias1 / denominator, vec4f(0.0f), denominator == vec4f(0.0f));

        // let u = direction + hyper.weight_decay * *param;
        let u = direction + row.weight_decay * param;

        // *param -= hyper.learning_rate * trust_ratio * u;
        let param_2 = param - learning_rate_times_trust_ratio * u;

        // if hyper.learning_rate != 0.0 {
        let param_new = select(param, param_2, row.learning_rate_is_not_0 != 0u);

        params[starts.x + quad] = select(param, param_new, inside);
    }
}
