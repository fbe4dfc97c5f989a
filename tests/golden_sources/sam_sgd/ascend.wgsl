// sam_sgd: ascend
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: home.
// Traffic: 20 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    rho: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
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

fn larger4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, a < b);
}

@compute @workgroup_size(256)
fn ascend_pass1(
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

    var norm_squares = vec4f(0.0f);
    var norm_scaled_squares = vec4f(0.0f);
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        norm_squares += select(vec4f(0.0f), square(grad), inside);
        norm_scaled_squares += select(vec4f(0.0f), scaled_square(grad), inside);
    }

    tree[0][invocation] = sum_of_lanes(norm_squares);
    tree[1][invocation] = sum_of_lanes(norm_scaled_squares);
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
fn ascend_finish1_tensor(
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
    let record = 5u + 2u * tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var norm_squares = 0.0f;
    var norm_scaled_squares = 0.0f;
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = 2u * (range.x + place);
        norm_squares += bitcast<f32>(partials_read[partial]);
        norm_scaled_squares += bitcast<f32>(partials_read[partial + 1u]);
    }

    tree[0][invocation] = norm_squares;
    tree[1][invocation] = norm_scaled_squares;
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
fn ascend_finish1_all(
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf

    var norm_squares = 0.0f;
    var norm_scaled_squares = 0.0f;
    for (var place = invocation; place < header.y; place += 256u) {
        let record = 5u + 2u * chunks[2u * (1u + place)].z;
        norm_squares += bitcast<f32>(scalars[record]);
        norm_scaled_squares += bitcast<f32>(scalars[record + 1u]);
    }

    tree[0][invocation] = norm_squares;
    tree[1][invocation] = norm_scaled_squares;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[0];
        let norm = norm_of(tree[0][0], tree[1][0]);

        // *param += hyper.rho / (all::norm(grad) + 1e-12) * grad;
        let t1 = row.rho / (norm + 1e-12f);

        scalars[4] = bitcast<u32>(t1);
    }
}

@compute @workgroup_size(256)
fn ascend_pass2(
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
    let home_start = starts.z;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);
    let t1 = bitcast<f32>(scalars_read[4]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // *param += hyper.rho / (all::norm(grad) + 1e-12) * grad;
        let param_new = param + t1 * grad;

        params[starts.x + quad] = select(param, param_new, inside);
        if (inside.w) {
            states[home_start + quad] = param;
        } else {
            states[home_start + quad] = select(states[home_start + quad], param, inside);
        }
    }
}
