// guard: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: scope = Tensor.
// State per tensor: tensor_clip.
// State of all tensors: found_inf, clip, norm.
// Traffic: 4 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    grad_scale: f32,
    max_norm: f32,
}

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4u>;
@group(0) @binding(2) var<storage, read> params: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> scalars: array<u32>;
@group(0) @binding(5) var<storage, read> scalars_read: array<u32>;
@group(0) @binding(6) var<storage, read_write> partials: array<u32>;
@group(0) @binding(6) var<storage, read> partials_read: array<u32>;

var<workgroup> tree: array<array<f32, 256>, 4>;
var<workgroup> count_tree: array<array<u32, 256>, 1>;

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

    var all_norm_squares = vec4f(0.0f);
    var all_norm_scaled_squares = vec4f(0.0f);
    var not_finite_so_far = vec4u(0u);
    var norm_squares = vec4f(0.0f);
    var norm_scaled_squares = vec4f(0.0f);
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let param = params[starts.x + quad];

        // let gradient = raw * hyper.grad_scale;
        let gradient = param * row.grad_scale;

        // let not_finite = all::count(!raw.is_finite());
        let not_param_is_finite = !((bitcast<vec4u>(param) & vec4u(0x7f800000u)) != vec4u(0x7f800000u));

        all_norm_squares += select(vec4f(0.0f), square(gradient), inside);
        all_norm_scaled_squares += select(vec4f(0.0f), scaled_square(gradient), inside);
        not_finite_so_far += select(vec4u(0u), vec4u(1u), inside & not_param_is_finite);
        norm_squares += select(vec4f(0.0f), square(gradient), inside);
        norm_scaled_squares += select(vec4f(0.0f), scaled_square(gradient), inside);
    }

    tree[0][invocation] = sum_of_lanes(all_norm_squares);
    tree[1][invocation] = sum_of_lanes(all_norm_scaled_squares);
    count_tree[0][invocation] = (not_finite_so_far.x + not_finite_so_far.y) + (not_finite_so_far.z + not_finite_so_far.w);
    tree[2][invocation] = sum_of_lanes(norm_squares);
    tree[3][invocation] = sum_of_lanes(norm_scaled_squares);
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            count_tree[0][invocation] += count_tree[0][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
            tree[3][invocation] += tree[3][invocation + stride];
        }
    }
    if (invocation == 0u) {
        let partial = 5u * chunk.z;
        partials[partial] = bitcast<u32>(tree[0][0]);
        partials[partial + 1u] = bitcast<u32>(tree[1][0]);
        partials[partial + 2u] = count_tree[0][0];
        partials[partial + 3u] = bitcast<u32>(tree[2][0]);
        partials[partial + 4u] = bitcast<u32>(tree[3][0]);
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
    let record = 3u + 4u * tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var all_norm_squares = 0.0f;
    var all_norm_scaled_squares = 0.0f;
    var not_finite_so_far = 0u;
    var norm_squares = 0.0f;
    var norm_scaled_squares = 0.0f;
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = 5u * (range.x + place);
        all_norm_squares += bitcast<f32>(partials_read[partial]);
        all_norm_scaled_squares += bitcast<f32>(partials_read[partial + 1u]);
        not_finite_so_far += partials_read[partial + 2u];
        norm_squares += bitcast<f32>(partials_read[partial + 3u]);
        norm_scaled_squares += bitcast<f32>(partials_read[partial + 4u]);
    }

    tree[0][invocation] = all_norm_squares;
    tree[1][invocation] = all_norm_scaled_squares;
    count_tree[0][invocation] = not_finite_so_far;
    tree[2][invocation] = norm_squares;
    tree[3][invocation] = norm_scaled_squares;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            count_tree[0][invocation] += count_tree[0][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
            tree[3][invocation] += tree[3][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[tensor.x];
        let norm = norm_of(tree[2][0], tree[3][0]);

        // state.tensor_clip = match hyper.scope { Scope::Tensor => coefficient(norm(gradient), hyper.max_norm), _ = …
        let tensor_clip = select(1.0f, row.max_norm / norm, norm > row.max_norm);

        scalars[record + 1u] = bitcast<u32>(tree[0][0]);
        scalars[record + 2u] = bitcast<u32>(tree[1][0]);
        scalars[record + 3u] = count_tree[0][0];
        scalars[record] = bitcast<u32>(tensor_clip);
    }
}

@compute @workgroup_size(256)
fn update_finish1_all(
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf

    var all_norm_squares = 0.0f;
    var all_norm_scaled_squares = 0.0f;
    var not_finite_so_far = 0u;
    for (var place = invocation; place < header.y; place += 256u) {
        let record = 3u + 4u * chunks[2u * (1u + place)].z;
        all_norm_squares += bitcast<f32>(scalars[record + 1u]);
        all_norm_scaled_squares += bitcast<f32>(scalars[record + 2u]);
        not_finite_so_far += scalars[record + 3u];
    }

    tree[0][invocation] = all_norm_squares;
    tree[1][invocation] = all_norm_scaled_squares;
    count_tree[0][invocation] = not_finite_so_far;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            count_tree[0][invocation] += count_tree[0][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let all_norm = norm_of(tree[0][0], tree[1][0]);
        let not_finite = count_tree[0][0];

        // let overflows = hyper.scope != Scope::Nothing && !all_norm.is_finite();
        let overflows = !((bitcast<u32>(all_norm) & 0x7f800000u) != 0x7f800000u);

        // state.found_inf = if not_finite > 0 || overflows { 1.0 } else { 0.0 };
        let found_inf = select(0.0f, 1.0f, not_finite > 0u || overflows);

        scalars[0] = bitcast<u32>(found_inf);
        scalars[1] = bitcast<u32>(1.0f);
        scalars[2] = bitcast<u32>(all_norm);
    }
}
