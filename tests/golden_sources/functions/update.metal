// functions: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: root, logarithm, powers.
// State per tensor: size.
// Traffic: 24 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    float grad_scale;
    float clip_value;
    float minus_clip_value;
    float power;
    float learning_rate;
};

// The four elements that a thread holds.
constant uint4 lanes = uint4(0u, 1u, 2u, 3u);

static inline float4 square(float4 x) {
    return x * x;
}

// The square of x times 2^-96, which does not overflow.
static inline float4 scaled_square(float4 x) {
    return square(1.2621775e-29f * x);
}

// The root of a sum of squares; where that has overflowed, of the sum scaled by 2^-96 squared.
static inline float norm_of(float squares, float scaled_squares) {
    const bool overflowed = (as_type<uint>(squares) & 0x7f800000u) == 0x7f800000u;
    return (overflowed ? 7.9228163e28f * sqrt(scaled_squares) : sqrt(squares));
}

static inline float sum_of_lanes(float4 x) {
    return (x.x + x.y) + (x.z + x.w);
}

static inline float4 smaller4(float4 a, float4 b) {
    return select(a, b, b < a);
}

static inline float4 larger4(float4 a, float4 b) {
    return select(a, b, a < b);
}

// 2 to the power of a whole number plus a fraction.
static inline float power_of_two(int whole, float fraction) {
    const float high = ((1.5330506e-5f * fraction + 0.00015504565f) * fraction + 0.0013333389f) * fraction + 0.009617909f;
    const float series = ((high * fraction + 0.05550411f) * fraction + 0.24022652f) * fraction + 0.6931472f;
    const float power = fraction * series + 1.0f;
    // A result that may be subnormal is made 2^64 times larger, then scaled once.
    const bool is_small = whole < -125;
    const int exponent = whole + (is_small ? 64 : 0);
    const int raised = int(as_type<uint>(power)) + exponent * 0x800000;
    // From 2^128 on it is infinite.
    const int bounded = (raised > 0x7f800000 ? 0x7f800000 : raised);
    return as_type<float>(uint(bounded)) * (is_small ? 5.421011e-20f : 1.0f);
}

// e^x
static inline float exp_of(float x) {
    const uint magnitude = as_type<uint>(x) & 0x7fffffffu;
    const uint sign = as_type<uint>(x) & 0x80000000u;
    // From here on the result is infinite or 0.
    const uint limit = (sign == 0u ? 0x42b20000u : 0x42d00000u);
    const uint bounded = (magnitude < limit ? magnitude : limit);
    const float clipped = as_type<float>(bounded | sign);
    // x * log2(e) as a whole number and a fraction: the multiple of 2^-10 in x exactly, the rest beside it.
    const int steps = int(clipped * 1024.0f);
    const float rest = clipped - float(steps) * 0.0009765625f;
    const int turns = steps * 11819;
    const int whole = (turns + 0x400000) >> 23u;
    const float exact = float(turns - whole * 0x800000) * 1.1920929e-7f;
    const float fraction = exact + (rest * 1.442695f - float(steps) * 5.2717333e-8f);
    const uint value = as_type<uint>(power_of_two(whole, fraction));
    return as_type<float>((magnitude > 0x7f800000u ? 0x7fc00000u : value));
}

static inline float4 exp_of4(float4 x) {
    float4 values = x;
    for (uint lane = 0u; lane < 4u; lane += 1u) {
        values[lane] = exp_of(x[lane]);
    }
    return values;
}

// The natural logarithm.
static inline float ln_of(float x) {
    const uint bits = as_type<uint>(x);
    const uint magnitude = bits & 0x7fffffffu;
    // x = 2^exponent * (1 + s). A subnormal x is its bits times 2^-149.
    const bool is_subnormal = magnitude < 0x00800000u;
    const int scaled = int((is_subnormal ? as_type<uint>(float(int(magnitude))) : magnitude));
    const int octave = (scaled - 0x3f3504f3) >> 23u;
    const float exponent = float(octave - (is_subnormal ? 149 : 0));
    const float s = as_type<float>(as_type<uint>(as_type<float>(uint(scaled - octave * 0x800000)) - 1.0f) & 0xfffffffeu);
    const float high = ((0.06971612f * s - 0.11479734f) * s + 0.1168542f) * s - 0.12425687f;
    const float middle = ((high * s + 0.14249058f) * s - 0.16667803f) * s + 0.20000716f;
    const float series = (middle * s - 0.24999997f) * s + 0.3333333f;
    const float squared = s * s;
    const float correction = as_type<float>(as_type<uint>(squared * (s * series - 0.5f) + exponent * 1.4286068e-6f) & 0xfffffffeu);
    const uint value = as_type<uint>(exponent * 0.69314575f + (s + correction));
    const uint elsewhere = (bits > 0x7f800000u ? 0x7fc00000u : (bits == 0x7f800000u ? 0x7f800000u : value));
    return as_type<float>((magnitude == 0u ? 0xff800000u : elsewhere));
}

static inline float4 ln_of4(float4 x) {
    float4 values = x;
    for (uint lane = 0u; lane < 4u; lane += 1u) {
        values[lane] = ln_of(x[lane]);
    }
    return values;
}

// The cube root.
static inline float cbrt_of(float x) {
    const uint bits = as_type<uint>(x);
    const uint magnitude = bits & 0x7fffffffu;
    // |x| = 8^(thirds - 92) * m. A subnormal x is its bits times 2^-149.
    const bool is_subnormal = magnitude < 0x00800000u;
    const int scaled = int((is_subnormal ? as_type<uint>(float(int(magnitude))) : magnitude));
    const int biased = scaled >> 23u;
    const int exponent = biased - (is_subnormal ? 149 : 0) + 149;
    // A third of the exponent, rounded down.
    const int thirds = (exponent * 683) >> 11u;
    const int octaves = exponent - thirds * 3;
    const float m = as_type<float>(uint(scaled + (octaves + 127 - biased) * 0x800000));
    const float high = ((5.655255e-5f * m - 0.0015968872f) * m + 0.018251657f) * m - 0.11212011f;
    const float guess = (high * m + 0.48881233f) * m + 0.6084349f;
    // Of eight digits, so that its cube is exact, and equal to m where m has such a root.
    const float near = as_type<float>((as_type<uint>(guess) + 32768u) & 0xffff0000u);
    const float cube = near * near * near;
    const float u = (m - cube) / cube;
    const float series = (0.06173935f * u - 0.11112605f) * u + 0.33333334f;
    const int root = int(as_type<uint>(near + near * (u * series)));
    const uint value = uint(root + (thirds - 92) * 0x800000);
    const bool unchanged = (magnitude == 0u) || (magnitude == 0x7f800000u);
    const uint with_sign = (unchanged ? bits : value | (bits & 0x80000000u));
    return as_type<float>((magnitude > 0x7f800000u ? 0x7fc00000u : with_sign));
}

static inline float4 cbrt_of4(float4 x) {
    float4 values = x;
    for (uint lane = 0u; lane < 4u; lane += 1u) {
        values[lane] = cbrt_of(x[lane]);
    }
    return values;
}

// The hyperbolic tangent.
static inline float tanh_of(float x) {
    const uint magnitude = as_type<uint>(x) & 0x7fffffffu;
    const float size = as_type<float>(magnitude);
    const float squared = size * size;
    const float high = ((0.00014279319f * squared - 0.0009235009f) * squared + 0.0032068035f) * squared - 0.008697848f;
    const float middle = ((high * squared + 0.02182955f) * squared - 0.053963415f) * squared + 0.1333331f;
    const float series = middle * squared - 0.33333334f;
    const float near = size + size * (squared * series);
    // From 10 on the result is 1.
    const float power = exp_of(as_type<float>((magnitude < 0x41200000u ? magnitude : 0x41200000u)) * 2.0f);
    const float far = 1.0f - 2.0f / (power + 1.0f);
    const uint value = (magnitude < 0x3f800000u ? as_type<uint>(near) : as_type<uint>(far));
    return as_type<float>((magnitude > 0x7f800000u ? 0x7fc00000u : value | (as_type<uint>(x) & 0x80000000u)));
}

static inline float4 tanh_of4(float4 x) {
    float4 values = x;
    for (uint lane = 0u; lane < 4u; lane += 1u) {
        values[lane] = tanh_of(x[lane]);
    }
    return values;
}

// x^y, as C defines pow.
static inline float powf_of(float x, float y) {
    const uint x_bits = as_type<uint>(x);
    const uint y_bits = as_type<uint>(y);
    const uint base = x_bits & 0x7fffffffu;
    const uint exponent = y_bits & 0x7fffffffu;
    // |x| = 2^octaves * m. A subnormal x is its bits times 2^-149.
    const bool is_subnormal = base < 0x00800000u;
    const int scaled = int((is_subnormal ? as_type<uint>(float(int(base))) : base));
    const int octave = (scaled - 0x3f5744fd) >> 23u;
    const int mantissa = scaled - octave * 0x800000;
    // m, and c = 1 or the root of 2, in units of 2^-24.
    const bool is_upper = mantissa > 0x3f9837f0;
    const int m = int(as_type<float>(uint(mantissa)) * 16777216.0f);
    const int c = (is_upper ? 0x16a09e6 : 0x1000000);
    const float difference = float(m - c);
    const int sum = m + c;
    const float sum_head = float(int(uint(sum) & 0xffffc000u));
    const float sum_tail = float(int(uint(sum) & 16383u));
    const float inverse = 1.0f / float(sum);
    // s = difference / sum as a head of 12 digits and a tail.
    const float s_head = as_type<float>(as_type<uint>(difference * inverse) & 0xfffff000u);
    const float lacking = as_type<float>(as_type<uint>(difference - s_head * sum_head) & 0xfffffffeu);
    const float s_tail = (lacking - s_head * sum_tail) * inverse;
    const float s = s_head + s_tail;
    const float squared = s * s;
    const float series = ((0.32456812f * squared + 0.41217992f) * squared + 0.57707804f) * squared + 0.9617967f;
    // log2|x| as a head of 12 digits and a tail.
    const float octaves = float((octave - (is_subnormal ? 149 : 0)) * 2 + (is_upper ? 1 : 0)) * 0.5f;
    const float exact = s_head * 2.8847656f;
    const float rest = s_head * 0.0006244568f + (s_tail * 2.88539f + s * squared * series) - (is_upper ? 2.4690674e-8f : 0.0f);
    const float log_head = as_type<float>(as_type<uint>(octaves + exact + rest) & 0xfffff000u);
    const float left = as_type<float>(as_type<uint>(as_type<float>(as_type<uint>(octaves - log_head) & 0xfffffffeu) + exact) & 0xfffffffeu);
    const float log_tail = left + rest;
    // y * log2|x| as an exact product of heads, and the rest.
    const float bounded = as_type<float>((exponent < 0x50000000u ? exponent : 0x50000000u) | (y_bits & 0x80000000u));
    const float y_head = as_type<float>(as_type<uint>(bounded) & 0xfffff000u);
    const float y_tail = as_type<float>(as_type<uint>(bounded - y_head) & 0xfffff000u);
    const uint product = as_type<uint>(y_head * log_head);
    const float behind = y_tail * log_head + bounded * log_tail;
    const uint product_sign = product & 0x80000000u;
    // From here on the result is infinite or 0.
    const uint limit = (product_sign == 0u ? 0x43004000u : 0x43170000u);
    const bool is_inside = (product & 0x7fffffffu) < limit;
    const float turns = as_type<float>((is_inside ? product : limit | product_sign));
    const int whole = int(turns + as_type<float>(product_sign | 0x3f000000u));
    const float part = (whole == 0 ? turns : as_type<float>(as_type<uint>(turns - float(whole)) & 0xfffffffeu));
    const float fraction = part + (is_inside ? behind : 0.0f);
    const uint power = as_type<uint>(power_of_two(whole, fraction));
    const bool is_extreme = (base == 0u) || (base == 0x7f800000u) || (exponent == 0x7f800000u);
    const uint extreme = ((base > 0x3f800000u) == (y_bits < 0x80000000u) ? 0x7f800000u : 0u);
    const uint size = (base == 0x3f800000u ? 0x3f800000u : (is_extreme ? extreme : power));
    const uint biased = exponent >> 23u;
    const uint raised = (biased < 126u ? 126u : biased);
    // How many digits of y stand behind the point, 24 at most.
    const uint places = 150u - (raised > 150u ? 150u : raised);
    const uint digits = (exponent & 0x007fffffu) | 0x00800000u;
    const bool is_whole = (digits & ((1u << places) - 1u)) == 0u;
    const bool is_odd = is_whole && (((digits >> places) & 1u) == 1u) && (biased < 151u);
    const uint sign = (is_odd ? x_bits & 0x80000000u : 0u);
    const bool is_real = (x_bits < 0x80000000u) || is_whole || (base == 0u) || (base == 0x7f800000u);
    const bool is_nan = (base > 0x7f800000u) || (exponent > 0x7f800000u);
    const uint value = (is_nan ? 0x7fc00000u : (is_real ? size | sign : 0x7fc00000u));
    return as_type<float>(((exponent == 0u) || (x_bits == 0x3f800000u) ? 0x3f800000u : value));
}

static inline float4 powf_of4(float4 x, float4 y) {
    float4 values = x;
    for (uint lane = 0u; lane < 4u; lane += 1u) {
        values[lane] = powf_of(x[lane], y[lane]);
    }
    return values;
}

kernel void update_pass1(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device float4* params [[buffer(2)]],
    device const float4* gradients [[buffer(3)]],
    device float4* states [[buffer(4)]],
    device const uint* scalars [[buffer(5)]],
    device uint* partials [[buffer(6)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    threadgroup float tree[2][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.x || scalars[0] != 0u) {
        return;
    }
    const uint chunk_index = 2u * (1u + header.y + index);
    const uint4 starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    const uint4 chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    const uint tensor_index = 2u * (1u + chunk.y);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const uint root_start = starts.z;
    const uint logarithm_start = starts.z + tensor.y / 4u;
    const uint powers_start = starts.z + 2u * (tensor.y / 4u);
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    float4 norm_squares = float4(0.0f);
    float4 norm_scaled_squares = float4(0.0f);
    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let level = grad.abs() + 1e-3;
        const float4 level = abs(grad) + 0.001f;

        // state.root = grad.cbrt();
        const float4 root = cbrt_of4(grad);

        // state.logarithm = level.ln();
        const float4 logarithm = ln_of4(level);

        // state.powers = level.powf(hyper.power) + level.powf(0.1 * grad) + (*param).powf(3.0);
        const float4 powers = powf_of4(level, float4(row.power)) + powf_of4(level, 0.1f * grad) + powf_of4(param, float4(3.0f));

        // *param -= hyper.learning_rate * ((3.0 * grad).tanh() + (-4.0 * grad * grad).exp());
        const float4 param_new = param - row.learning_rate * (tanh_of4(3.0f * grad) + exp_of4((-4.0f) * grad * grad));

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

        norm_squares += select(float4(0.0f), square(grad), inside);
        norm_scaled_squares += select(float4(0.0f), scaled_square(grad), inside);
    }

    tree[0][invocation] = sum_of_lanes(norm_squares);
    tree[1][invocation] = sum_of_lanes(norm_scaled_squares);
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u) {
        const uint partial = 2u * chunk.z;
        partials[partial] = as_type<uint>(tree[0][0]);
        partials[partial + 1u] = as_type<uint>(tree[1][0]);
    }
}

kernel void update_finish1_tensor(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device uint* scalars [[buffer(2)]],
    device const uint* partials [[buffer(3)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    threadgroup float tree[2][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.y) {
        return;
    }
    const uint tensor_index = 2u * (1u + index);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const uint record = 4u + tensor.z;
    const uint4 range = chunks[tensor_index + 1u]; // first partial, partials, clip

    float norm_squares = 0.0f;
    float norm_scaled_squares = 0.0f;
    for (uint place = invocation; place < range.y; place += 256u) {
        const uint partial = 2u * (range.x + place);
        norm_squares += as_type<float>(partials[partial]);
        norm_scaled_squares += as_type<float>(partials[partial + 1u]);
    }

    tree[0][invocation] = norm_squares;
    tree[1][invocation] = norm_scaled_squares;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[tensor.x];
        const float norm = norm_of(tree[0][0], tree[1][0]);

        // let size = 1.0 + norm(grad);
        const float size_2 = 1.0f + norm;

        // state.size = size.ln() * (-size).exp() + size.cbrt() * size.recip().tanh() + size.powf(hyper.power);
        const float size = ln_of(size_2) * exp_of(-size_2) + cbrt_of(size_2) * tanh_of(1.0f / size_2) + powf_of(size_2, row.power);

        scalars[record] = as_type<uint>(size);
    }
}
