// madgrad: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: momentum = nonzero.
// State per element: v, s, x0.
// Traffic: 32 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    epsilon: f32,
    rate: f32,
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    weight_decay: f32,
    learning_rate_is_not_0: u32,
    one_minus_momentum: f32,
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

// The cube root.
fn cbrt_of(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let magnitude = bits & 0x7fffffffu;
    // |x| = 8^(thirds - 92) * m. A subnormal x is its bits times 2^-149.
    let is_subnormal = magnitude < 0x00800000u;
    let scaled = i32(select(magnitude, bitcast<u32>(f32(i32(magnitude))), is_subnormal));
    let biased = scaled >> 23u;
    let exponent = biased - select(0, 149, is_subnormal) + 149;
    // A third of the exponent, rounded down.
    let thirds = (exponent * 683) >> 11u;
    let octaves = exponent - thirds * 3;
    let m = bitcast<f32>(u32(scaled + (octaves + 127 - biased) * 0x800000));
    let high = ((5.655255e-5f * m - 0.0015968872f) * m + 0.018251657f) * m - 0.11212011f;
    let guess = (high * m + 0.48881233f) * m + 0.6084349f;
    // Of eight digits, so that its cube is exact, and equal to m where m has such a root.
    let near = bitcast<f32>((bitcast<u32>(guess) + 32768u) & 0xffff0000u);
    let cube = near * near * near;
    let u = (m - cube) / cube;
    let series = (0.06173935f * u - 0.11112605f) * u + 0.33333334f;
    let root = i32(bitcast<u32>(near + near * (u * series)));
    let value = u32(root + (thirds - 92) * 0x800000);
    let unchanged = (magnitude == 0u) || (magnitude == 0x7f800000u);
    let with_sign = select(value | (bits & 0x80000000u), bits, unchanged);
    return bitcast<f32>(select(with_sign, 0x7fc00000u, magnitude > 0x7f800000u));
}

fn cbrt_of4(x: vec4f) -> vec4f {
    var values = x;
    for (var lane = 0u; lane < 4u; lane += 1u) {
        values[lane] = cbrt_of(x[lane]);
    }
    return values;
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
    let v_start = starts.z;
    let s_start = starts.z + tensor.y / 4u;
    let x0_start = starts.z + 2u * (tensor.y / 4u);
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars[chunks[tensor_index + 1u].z]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];
        let v = states[v_start + quad];
        let s = states[s_start + quad];
        let x0 = states[x0_start + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let g = grad + hyper.weight_decay * *param;
        let g = grad + row.weight_decay * param;

        // state.v += rate * (g * g);
        let v_2 = v + row.rate * (g * g);

        // state.s += rate * g;
        let s_2 = s + row.rate * g;

        // let denominator = v.cbrt() + hyper.epsilon;
        let denominator = cbrt_of4(v_2) + row.epsilon;

        // let z = x0 - quotient(state.s, state.v, hyper);
        let z = x0 - select(s_2 / denominator, vec4f(0.0f), denominator == vec4f(0.0f));

        // *param = if hyper.momentum == 0.0 { z } else { lerp(*param, z, 1.0 - hyper.momentum) };
        let param_2 = param + row.one_minus_momentum * (z - param);

        // if hyper.learning_rate != 0.0 {
        let param_new = select(param, param_2, row.learning_rate_is_not_0 != 0u);
        let v_new = select(v, v_2, row.learning_rate_is_not_0 != 0u);
        let s_new = select(s, s_2, row.learning_rate_is_not_0 != 0u);

        params[starts.x + quad] = select(param, param_new, inside);
        states[v_start + quad] = select(v, v_new, inside);
        states[s_start + quad] = select(s, s_new, inside);
    }
}
