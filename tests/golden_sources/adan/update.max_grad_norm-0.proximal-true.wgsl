// adan: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: max_grad_norm = 0, proximal = true.
// State per element: m, d, n, prev.
// Traffic: 44 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    step_is_1: u32,
    beta2: f32,
    beta1: f32,
    one_minus_beta1: f32,
    one_minus_beta2: f32,
    beta3: f32,
    one_minus_beta3: f32,
    bias1: f32,
    bias3: f32,
    epsilon: f32,
    beta2_over_bias2: f32,
    learning_rate: f32,
    one_plus_decay: f32,
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
    let m_start = starts.z;
    let d_start = starts.z + tensor.y / 4u;
    let n_start = starts.z + 2u * (tensor.y / 4u);
    let prev_start = starts.z + 3u * (tensor.y / 4u);
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars[chunks[tensor_index + 1u].z]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];
        let m = states[m_start + quad];
        let d = states[d_start + quad];
        let n = states[n_start + quad];
        let prev = states[prev_start + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let limited_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let grad = limited_grad * clip;

        // let diff = if step == 1 { 0.0 } else { g - state.prev };
        let diff = select(grad - prev, vec4f(0.0f), row.step_is_1 != 0u);

        // let look = g + hyper.beta2 * diff;
        let look = grad + row.beta2 * diff;

        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        let m_new = row.beta1 * m + row.one_minus_beta1 * grad;

        // state.d = hyper.beta2 * state.d + (1.0 - hyper.beta2) * diff;
        let d_new = row.beta2 * d + row.one_minus_beta2 * diff;

        // state.n = hyper.beta3 * state.n + (1.0 - hyper.beta3) * look * look;
        let n_new = row.beta3 * n + row.one_minus_beta3 * look * look;

        // let denom = (state.n / bias3).sqrt() + hyper.epsilon;
        let denom = sqrt(n_new / row.bias3) + row.epsilon;

        // let u = (state.m / bias1 + hyper.beta2 / bias2 * state.d) / denom;
        let u = (m_new / row.bias1 + row.beta2_over_bias2 * d_new) / denom;

        // *param = (*param - hyper.learning_rate * u) / (1.0 + decay);
        let param_new = (param - row.learning_rate * u) / row.one_plus_decay;

        params[starts.x + quad] = select(param, param_new, inside);
        states[m_start + quad] = select(m, m_new, inside);
        states[d_start + quad] = select(d, d_new, inside);
        states[n_start + quad] = select(n, n_new, inside);
        states[prev_start + quad] = select(prev, grad, inside);
    }
}
