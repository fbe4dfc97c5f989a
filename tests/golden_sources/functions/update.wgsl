// functions: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: root, logarithm, powers.
// State per tensor: size.
// Traffic: 24 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    power: f32,
    learning_rate: f32,
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

// e^x
fn exp_of(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    let sign = bitcast<u32>(x) & 0x80000000u;
    // From here on the result is infinite or 0.
    let limit = select(0x42d00000u, 0x42b20000u, sign == 0u);
    let bounded = select(limit, magnitude, magnitude < limit);
    let clipped = bitcast<f32>(bounded | sign);
    // x * log2(e) as a whole number and a fraction: the multiple of 2^-10 in x exactly, the rest beside it.
    let steps = i32(clipped * 1024.0f);
    let rest = clipped - f32(steps) * 0.0009765625f;
    let turns = steps * 11819;
    let whole = (turns + 0x400000) >> 23u;
    let exact = f32(turns - whole * 0x800000) * 1.1920929e-7f;
    let fraction = exact + (rest * 1.442695f - f32(steps) * 5.2717333e-8f);
    let value = bitcast<u32>(power_of_two(whole, fraction));
    return bitcast<f32>(select(value, 0x7fc00000u, magnitude > 0x7f800000u));
}

fn exp_of4(x: vec4f) -> vec4f {
    var values = x;
    for (var lane = 0u; lane < 4u; lane += 1u) {
        values[lane] = exp_of(x[lane]);
    }
    return values;
}

// The natural logarithm.
fn ln_of(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    let magnitude = bits & 0x7fffffffu;
    // x = 2^exponent * (1 + s). A subnormal x is its bits times 2^-149.
    let is_subnormal = magnitude < 0x00800000u;
    let scaled = i32(select(magnitude, bitcast<u32>(f32(i32(magnitude))), is_subnormal));
    let octave = (scaled - 0x3f3504f3) >> 23u;
    let exponent = f32(octave - select(0, 149, is_subnormal));
    let s = bitcast<f32>(bitcast<u32>(bitcast<f32>(u32(scaled - octave * 0x800000)) - 1.0f) & 0xfffffffeu);
    let high = ((0.06971612f * s - 0.11479734f) * s + 0.1168542f) * s - 0.12425687f;
    let middle = ((high * s + 0.14249058f) * s - 0.16667803f) * s + 0.20000716f;
    let series = (middle * s - 0.24999997f) * s + 0.3333333f;
    let squared = s * s;
    let correction = bitcast<f32>(bitcast<u32>(squared * (s * series - 0.5f) + exponent * 1.4286068e-6f) & 0xfffffffeu);
    let value = bitcast<u32>(exponent * 0.69314575f + (s + correction));
    let elsewhere = select(select(value, 0x7f800000u, bits == 0x7f800000u), 0x7fc00000u, bits > 0x7f800000u);
    return bitcast<f32>(select(elsewhere, 0xff800000u, magnitude == 0u));
}

fn ln_of4(x: vec4f) -> vec4f {
    var values = x;
    for (var lane = 0u; lane < 4u; lane += 1u) {
        values[lane] = ln_of(x[lane]);
    }
    return values;
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

// The hyperbolic tangent.
fn tanh_of(x: f32) -> f32 {
    let magnitude = bitcast<u32>(x) & 0x7fffffffu;
    let size = bitcast<f32>(magnitude);
    let squared = size * size;
    let high = ((0.00014279319f * squared - 0.0009235009f) * squared + 0.0032068035f) * squared - 0.008697848f;
    let middle = ((high * squared + 0.02182955f) * squared - 0.053963415f) * squared + 0.1333331f;
    let series = middle * squared - 0.33333334f;
    let near = size + size * (squared * series);
    // From 10 on the result is 1.
    let power = exp_of(bitcast<f32>(select(0x41200000u, magnitude, magnitude < 0x41200000u)) * 2.0f);
    let far = 1.0f - 2.0f / (power + 1.0f);
    let value = select(bitcast<u32>(far), bitcast<u32>(near), magnitude < 0x3f800000u);
    return bitcast<f32>(select(value | (bitcast<u32>(x) & 0x80000000u), 0x7fc00000u, magnitude > 0x7f800000u));
}

fn tanh_of4(x: vec4f) -> vec4f {
    var values = x;
    for (var lane = 0u; lane < 4u; lane += 1u) {
        values[lane] = tanh_of(x[lane]);
    }
    return values;
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
    if (index >= header.x || scalars_read[0] != 0u) {
        return;
    }
    let chunk_index = 2u * (1u + header.y + index);
    let starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    let tensor_index = 2u * (1u + chunk.y);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let root_start = starts.z;
    let logarithm_start = starts.z + tensor.y / 4u;
    let powers_start = starts.z + 2u * (tensor.y / 4u);
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);

    var norm_squares = vec4f(0.0f);
    var norm_scaled_squares = vec4f(0.0f);
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let level = grad.abs() + 1e-3;
        let level = abs(grad) + 0.001f;

        // state.root = grad.cbrt();
        let root = cbrt_of4(grad);

        // state.logarithm = level.ln();
        let logarithm = ln_of4(level);

        // state.powers = level.powf(hyper.power) + level.powf(0.1 * grad) + (*param).powf(3.0);
        let powers = powf_of4(level, vec4f(row.power)) + powf_of4(level, 0.1f * grad) + powf_of4(param, vec4f(3.0f));

        // *param -= hyper.learning_rate * ((3.0 * grad).tanh() + (-4.0 * grad * grad).exp());
        let param_new = param - row.learning_rate * (tanh_of4(3.0f * grad) + exp_of4((-4.0f) * grad * grad));

        params[starts.x + quad] = select(param, param_new, inside);
        if (inside.w) {
            states[root_start + quad] = root;
        } else {
            states[root_start + quad] = select(states[root_start + quad], root, inside);
        }
        if (inside.w) {
            states[logarithm_start + quad] = logarithm;
        } else {
            states[logarithm_start + quad] = select(states[logarithm_start + quad], logarithm, inside);
        }
        if (inside.w) {
            states[powers_start + quad] = powers;
        } else {
            states[powers_start + quad] = select(states[powers_start + quad], powers, inside);
        }

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
        let row = rows[tensor.x];
        let norm = norm_of(tree[0][0], tree[1][0]);

        // let size = 1.0 + norm(grad);
        let size_2 = 1.0f + norm;

        // state.size = size.ln() * (-size).exp() + size.cbrt() * size.recip().tanh() + size.powf(hyper.power);
        let size = ln_of(size_2) * exp_of(-size_2) + cbrt_of(size_2) * tanh_of(1.0f / size_2) + powf_of(size_2, row.power);

        scalars[record] = bitcast<u32>(size);
    }
}
