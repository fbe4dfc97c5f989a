// ftrl: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: lr_power = None.
// State per element: z, n.
// Traffic: 28 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    learning_rate: f32,
    learning_rate_is_not_0: u32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    beta: f32,
    lambda2: f32,
    lambda1: f32,
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
    let z_start = starts.z;
    let n_start = starts.z + tensor.y / 4u;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars[chunks[tensor_index + 1u].z]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];
        let z = states[z_start + quad];
        let n = states[n_start + quad];

        // let before = raised(state.n, hyper);
        let before = sqrt(n);
        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // state.n += grad * grad;
        let n_2 = n + grad * grad;

        // let after = raised(state.n, hyper);
        let after = sqrt(n_2);

        // let sigma = (after - before) / hyper.learning_rate;
        let sigma = (after - before) / row.learning_rate;

        // state.z += grad - sigma * *param;
        let z_2 = z + (grad - sigma * param);

        // let denominator = (hyper.beta + after) / hyper.learning_rate + hyper.lambda2;
        let denominator = (row.beta + after) / row.learning_rate + row.lambda2;

        // let held = if state.z.abs() < hyper.lambda1 { 0.0 } else { (sign(state.z) * hyper.lambda1 - state.z) / de …
        let held = select((sign_of4(z_2) * row.lambda1 - z_2) / denominator, vec4f(0.0f), abs(z_2) < vec4f(row.lambda1));

        // *param = if denominator == 0.0 { *param } else { held };
        let param_2 = select(held, param, denominator == vec4f(0.0f));

        // if hyper.learning_rate != 0.0 {
        let param_new = select(param, param_2, row.learning_rate_is_not_0 != 0u);
        let z_new = select(z, z_2, row.learning_rate_is_not_0 != 0u);
        let n_new = select(n, n_2, row.learning_rate_is_not_0 != 0u);

        params[starts.x + quad] = select(param, param_new, inside);
        states[z_start + quad] = select(z, z_new, inside);
        states[n_start + quad] = select(n, n_new, inside);
    }
}
