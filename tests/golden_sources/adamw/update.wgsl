// adamw: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: m, v.
// Traffic: 28 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    beta1: f32,
    beta2: f32,
    bias2: f32,
    one_minus_beta1: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    one_minus_beta2: f32,
    epsilon: f32,
    learning_rate_is_not_0: u32,
    one_minus_learning_rate_times_weight_decay: f32,
    learning_rate_over_bias1: f32,
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
    let v_start = starts.z + tensor.y / 4u;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars[chunks[tensor_index + 1u].z]);

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

        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        let m_new = row.beta1 * m + row.one_minus_beta1 * grad;

        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        let v_new = row.beta2 * v + row.one_minus_beta2 * grad * grad;

        // let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        let denominator = sqrt(v_new / row.bias2) + row.epsilon;

        // let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        let direction = select(m_new / denominator, vec4f(0.0f), denominator == vec4f(0.0f));

        // *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        let param_2 = param * row.one_minus_learning_rate_times_weight_decay;

        // *param -= hyper.learning_rate / bias1 * direction;
        let param_3 = param_2 - row.learning_rate_over_bias1 * direction;

        // if hyper.learning_rate != 0.0 {
        let param_new = select(param, param_3, row.learning_rate_is_not_0 != 0u);

        params[starts.x + quad] = select(param, param_new, inside);
        states[m_start + quad] = select(m, m_new, inside);
        states[v_start + quad] = select(v, v_new, inside);
    }
}
