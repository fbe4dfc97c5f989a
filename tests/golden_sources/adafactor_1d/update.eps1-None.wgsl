// adafactor_1d: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: eps1 = None.
// State per element: v.
// Traffic: 32 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    weight: f32,
    rho: f32,
    len: f32,
    eps2: f32,
    one_minus_learning_rate_times_weight_decay: f32,
    one_minus_weight: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    clip: f32,
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
    let v_start = starts.z;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);

    var sum_so_far = vec4f(0.0f);
    var sum_so_far_2 = vec4f(0.0f);
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params_read[starts.x + quad];
        let v = states[v_start + quad];

        // let alpha = rms(*param).max(hyper.eps2) * rho;
        let param_times_param = param * param;
        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // state.v = (1.0 - weight) * state.v + weight * (grad * grad);
        let v_new = row.one_minus_weight * v + row.weight * (grad * grad);

        // let u = grad / state.v.max((eps1 * eps1).max(f32::MIN_POSITIVE)).sqrt();
        let u = grad / sqrt(larger4(v_new, vec4f(1.4210855e-14f)));

        // *param -= alpha / (rms(u) / hyper.clip).max(1.0) * u;
        let u_times_u = u * u;

        states[v_start + quad] = select(v, v_new, inside);

        sum_so_far += select(vec4f(0.0f), param_times_param, inside);
        sum_so_far_2 += select(vec4f(0.0f), u_times_u, inside);
    }

    tree[0][invocation] = sum_of_lanes(sum_so_far);
    tree[1][invocation] = sum_of_lanes(sum_so_far_2);
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
    let record = 4u + tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var sum_so_far = 0.0f;
    var sum_so_far_2 = 0.0f;
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = 2u * (range.x + place);
        sum_so_far += bitcast<f32>(partials_read[partial]);
        sum_so_far_2 += bitcast<f32>(partials_read[partial + 1u]);
    }

    tree[0][invocation] = sum_so_far;
    tree[1][invocation] = sum_so_far_2;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[tensor.x];
        let sum = tree[0][0];
        let sum_2 = tree[1][0];

        // let alpha = rms(*param).max(hyper.eps2) * rho;
        let alpha = larger(sqrt(sum / row.len), row.eps2) * row.rho;

        // *param -= alpha / (rms(u) / hyper.clip).max(1.0) * u;
        let t1 = alpha / larger(sqrt(sum_2 / row.len) / row.clip, 1.0f);

        scalars[record] = bitcast<u32>(t1);
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
    let record = 4u + tensor.z;
    let v_start = starts.z;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);
    let t1 = bitcast<f32>(scalars_read[record]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];
        let v = states_read[v_start + quad];

        // *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let param_2 = param * row.one_minus_learning_rate_times_weight_decay;
        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let u = grad / state.v.max((eps1 * eps1).max(f32::MIN_POSITIVE)).sqrt();
        let u = grad / sqrt(larger4(v, vec4f(1.4210855e-14f)));

        // *param -= alpha / (rms(u) / hyper.clip).max(1.0) * u;
        let param_new = param_2 - t1 * u;

        params[starts.x + quad] = select(param, param_new, inside);
    }
}
