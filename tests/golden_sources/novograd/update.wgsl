// novograd: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: m.
// State per tensor: v.
// Traffic: 24 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    step_is_1: u32,
    beta2: f32,
    one_minus_beta2: f32,
    epsilon: f32,
    beta1: f32,
    weight_decay: f32,
    learning_rate: f32,
    learning_rate_is_not_0: u32,
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

var<workgroup> tree: array<array<f32, 256>, 1>;

// The four elements that a thread holds.
const lanes = vec4u(0u, 1u, 2u, 3u);

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

    var squared_norm_so_far = vec4f(0.0f);
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let squared_norm = sum(grad * grad);
        let grad_times_grad = grad * grad;

        squared_norm_so_far += select(vec4f(0.0f), grad_times_grad, inside);
    }

    tree[0][invocation] = sum_of_lanes(squared_norm_so_far);
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
        }
    }
    if (invocation == 0u) {
        let partial = chunk.z;
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
    let record = 4u + 3u * tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var squared_norm_so_far = 0.0f;
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = range.x + place;
        squared_norm_so_far += bitcast<f32>(partials_read[partial]);
    }

    tree[0][invocation] = squared_norm_so_far;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[tensor.x];
        let v = bitcast<f32>(scalars[record]);
        let squared_norm = tree[0][0];

        // state.v = if step == 1 { squared_norm } else { hyper.beta2 * state.v + (1.0 - hyper.beta2) * squared_norm …
        let v_new = select(row.beta2 * v + row.one_minus_beta2 * squared_norm, squared_norm, row.step_is_1 != 0u);

        // let denominator = state.v.sqrt() + hyper.epsilon;
        let denominator = sqrt(v_new) + row.epsilon;

        // let normalized = if denominator == 0.0 { 0.0 } else { grad / denominator };
        let denominator_is_0 = denominator == 0.0f;

        scalars[record + 1u] = bitcast<u32>(denominator);
        scalars[record + 2u] = select(0u, 1u, denominator_is_0);
        scalars[record] = bitcast<u32>(v_new);
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
    let record = 4u + 3u * tensor.z;
    let m_start = starts.z;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);
    let denominator = bitcast<f32>(scalars_read[record + 1u]);
    let denominator_is_0 = scalars_read[record + 2u] != 0u;

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];
        let m = states[m_start + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let normalized = if denominator == 0.0 { 0.0 } else { grad / denominator };
        let normalized = select(grad / denominator, vec4f(0.0f), denominator_is_0);

        // state.m = hyper.beta1 * state.m + (normalized + hyper.weight_decay * *param);
        let m_new = row.beta1 * m + (normalized + row.weight_decay * param);

        // *param -= hyper.learning_rate * state.m;
        let param_2 = param - row.learning_rate * m_new;

        // if hyper.learning_rate != 0.0 {
        let param_new = select(param, param_2, row.learning_rate_is_not_0 != 0u);

        params[starts.x + quad] = select(param, param_new, inside);
        states[m_start + quad] = select(m, m_new, inside);
    }
}
