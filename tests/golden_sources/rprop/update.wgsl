// rprop: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: prev, size.
// Traffic: 28 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    eta_plus: f32,
    eta_minus: f32,
    step_min: f32,
    step_max: f32,
}

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> params: array<vec4f>;
@group(0) @binding(3) var<storage, read> gradients: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> states: array<vec4f>;
@group(0) @binding(5) var<storage, read> scalars: array<u32>;

// The four elements that a thread holds.
const lanes = vec4u(0u, 1u, 2u, 3u);

fn smaller4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, b < a);
}

fn larger4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, a < b);
}

// 1 above 0, -1 below; 0 at both zeros and NaN.
fn sign_of4(x: vec4f) -> vec4f {
    return select(select(vec4f(0.0f), vec4f(-1.0f), x < vec4f(0.0f)), vec4f(1.0f), vec4f(0.0f) < x);
}

@compute @workgroup_size(256)
fn update_pass1(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.x || scalars[0] != 0u) {
        return;
    }
    let chunk_index = 2u * (1u + header.y + index);
    let starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    let tensor_index = 2u * (1u + chunk.y);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let prev_start = starts.z;
    let size_start = starts.z + tensor.y / 4u;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars[chunks[tensor_index + 1u].z]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];
        let prev = states[prev_start + quad];
        let size = states[size_start + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let limited_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let grad = limited_grad * clip;

        // let agree = sign(grad) * sign(state.prev);
        let agree = sign_of4(grad) * sign_of4(prev);

        // if agree > 0.0 {
        let agree_above_0 = agree > vec4f(0.0f);

        // state.size *= hyper.eta_plus;
        let size_2 = size * row.eta_plus;

        // else if agree < 0.0 {
        let agree_below_0 = agree < vec4f(0.0f);

        // state.size *= hyper.eta_minus;
        let size_3 = size * row.eta_minus;

        // else if agree < 0.0 {
        let g = select(grad, vec4f(0.0f), agree_below_0);
        let size_4 = select(size, size_3, agree_below_0);

        // if agree > 0.0 {
        let g_2 = select(g, grad, agree_above_0);
        let size_5 = select(size_4, size_2, agree_above_0);

        // state.size = state.size.clamp(hyper.step_min, hyper.step_max);
        let size_new = smaller4(larger4(size_5, vec4f(row.step_min)), vec4f(row.step_max));

        // *param -= sign(g) * state.size;
        let param_new = param - sign_of4(g_2) * size_new;

        params[starts.x + quad] = select(param, param_new, inside);
        states[prev_start + quad] = select(prev, g_2, inside);
        states[size_start + quad] = select(size, size_new, inside);
    }
}
