// ftrl: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: z, n.
// Traffic: 28 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    power: f32,
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

// 2 to the power of a whole number plus a fraction.
fn power_of_two(whole: i32, fraction: f32) -> f32 {
    let high = ((1.5330506e-5f * fraction + 0.00015504565f) * fraction + 0.0013333389f) * fraction + 0.009617909f;
    let series = ((high * fraction + 0.05550411f) * fraction + 0.24022652f) * fraction + 0.6931472f;
    let power = fraction * series + 1.0f;
    // A result that may be subnormal is made 2^64 times larger, then scaled once.
    let is_small = whole < -125;
    let exponent = whole + select(0, 64, is_small);
    let raised = i32(bitcast<u32>(power)) + exponent * 0x800000;
    // From 2^128 on it is infinite.
    let bounded = select(raised, 0x7f800000, raised > 0x7f800000);
    return bitcast<f32>(u32(bounded)) * select(1.0f, 5.421011e-20f, is_small);
}

// x^y, as C defines pow.
fn powf_of(x: f32, y: f32) -> f32 {
    let x_bits = bitcast<u32>(x);
    let y_bits = bitcast<u32>(y);
    let base = x_bits & 0x7fffffffu;
    let exponent = y_bits & 0x7fffffffu;
    // |x| = 2^octaves * m. A subnormal x is its bits times 2^-149.
    let is_subnormal = base < 0x00800000u;
    let scaled = i32(select(base, bitcast<u32>(f32(i32(base))), is_subnormal));
    let octave = (scaled - 0x3f5744fd) >> 23u;
    let mantissa = scaled - octave * 0x800000;
    // m, and c = 1 or the root of 2, in units of 2^-24.
    let is_upper = mantissa > 0x3f9837f0;
    let m = i32(bitcast<f32>(u32(mantissa)) * 16777216.0f);
    let c = select(0x1000000, 0x16a09e6, is_upper);
    let difference = f32(m - c);
    let sum = m + c;
    let sum_head = f32(i32(u32(sum) & 0xffffc000u));
    let sum_tail = f32(i32(u32(sum) & 16383u));
    let inverse = 1.0f / f32(sum);
    // s = difference / sum as a head of 12 digits and a tail.
    let s_head = bitcast<f32>(bitcast<u32>(difference * inverse) & 0xfffff000u);
    let lacking = bitcast<f32>(bitcast<u32>(difference - s_head * sum_head) & 0xfffffffeu);
    let s_tail = (lacking - s_head * sum_tail) * inverse;
    let s = s_head + s_tail;
    let squared = s * s;
    let series = ((0.32456812f * squared + 0.41217992f) * squared + 0.57707804f) * squared + 0.9617967f;
    // log2|x| as a head of 12 digits and a tail.
    let octaves = f32((octave - select(0, 149, is_subnormal)) * 2 + select(0, 1, is_upper)) * 0.5f;
    let exact = s_head * 2.8847656f;
    let rest = s_head * 0.0006244568f + (s_tail * 2.88539f + s * squared * series) - select(0.0f, 2.4690674e-8f, is_upper);
    let log_head = bitcast<f32>(bitcast<u32>(octaves + exact + rest) & 0xfffff000u);
    let left = bitcast<f32>(bitcast<u32>(bitcast<f32>(bitcast<u32>(octaves - log_head) & 0xfffffffeu) + exact) & 0xfffffffeu);
    let log_tail = left + rest;
    // y * log2|x| as an exact product of heads, and the rest.
    let bounded = bitcast<f32>(select(0x50000000u, exponent, exponent < 0x50000000u) | (y_bits & 0x80000000u));
    let y_head = bitcast<f32>(bitcast<u32>(bounded) & 0xfffff000u);
    let y_tail = bitcast<f32>(bitcast<u32>(bounded - y_head) & 0xfffff000u);
    let product = bitcast<u32>(y_head * log_head);
    let behind = y_tail * log_head + bounded * log_tail;
    let product_sign = product & 0x80000000u;
    // From here on the result is infinite or 0.
    let limit = select(0x43170000u, 0x43004000u, product_sign == 0u);
    let is_inside = (product & 0x7fffffffu) < limit;
    let turns = bitcast<f32>(select(limit | product_sign, product, is_inside));
    let whole = i32(turns + bitcast<f32>(product_sign | 0x3f000000u));
    let part = select(bitcast<f32>(bitcast<u32>(turns - f32(whole)) & 0xfffffffeu), turns, whole == 0);
    let fraction = part + select(0.0f, behind, is_inside);
    let power = bitcast<u32>(power_of_two(whole, fraction));
    let is_extreme = (base == 0u) || (base == 0x7f800000u) || (exponent == 0x7f800000u);
    let extreme = select(0u, 0x7f800000u, (base > 0x3f800000u) == (y_bits < 0x80000000u));
    let size = select(select(power, extreme, is_extreme), 0x3f800000u, base == 0x3f800000u);
    let biased = exponent >> 23u;
    let raised = select(biased, 126u, biased < 126u);
    // How many digits of y stand behind the point, 24 at most.
    let places = 150u - select(raised, 150u, raised > 150u);
    let digits = (exponent & 0x007fffffu) | 0x00800000u;
    let is_whole = (digits & ((1u << places) - 1u)) == 0u;
    let is_odd = is_whole && (((digits >> places) & 1u) == 1u) && (biased < 151u);
    let sign = select(0u, x_bits & 0x80000000u, is_odd);
    let is_real = (x_bits < 0x80000000u) || is_whole || (base == 0u) || (base == 0x7f800000u);
    let is_nan = (base > 0x7f800000u) || (exponent > 0x7f800000u);
    let value = select(select(0x7fc00000u, size | sign, is_real), 0x7fc00000u, is_nan);
    return bitcast<f32>(select(value, 0x3f800000u, (exponent == 0u) || (x_bits == 0x3f800000u)));
}

fn powf_of4(x: vec4f, y: vec4f) -> vec4f {
    var values = x;
    for (var lane = 0u; lane < 4u; lane += 1u) {
        values[lane] = powf_of(x[lane], y[lane]);
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

        // let before = state.n.powf(power);
        let before = powf_of4(n, vec4f(row.power));
        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // state.n += grad * grad;
        let n_2 = n + grad * grad;

        // let after = state.n.powf(power);
        let after = powf_of4(n_2, vec4f(row.power));

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
