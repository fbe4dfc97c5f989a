// ftrl: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: z, n.
// Traffic: 28 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    float power;
    float learning_rate;
    uint learning_rate_is_not_0;
    float grad_scale;
    float clip_value;
    float minus_clip_value;
    float beta;
    float lambda2;
    float lambda1;
};

// The four elements that a thread holds.
constant uint4 lanes = uint4(0u, 1u, 2u, 3u);

static inline float4 smaller4(float4 a, float4 b) {
    return select(a, b, b < a);
}

static inline float4 larger4(float4 a, float4 b) {
    return select(a, b, a < b);
}

// 1 above 0, -1 below; 0 at both zeros and NaN.
static inline float4 sign_of4(float4 x) {
    return select(select(float4(0.0f), float4(-1.0f), x < float4(0.0f)), float4(1.0f), float4(0.0f) < x);
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
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
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
    const uint z_start = starts.z;
    const uint n_start = starts.z + tensor.y / 4u;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 z = states[z_start + quad];
        const float4 n = states[n_start + quad];

        // let before = state.n.powf(power);
        const float4 before = powf_of4(n, float4(row.power));
        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // state.n += grad * grad;
        const float4 n_2 = n + grad * grad;

        // let after = state.n.powf(power);
        const float4 after = powf_of4(n_2, float4(row.power));

        // let sigma = (after - before) / hyper.learning_rate;
        const float4 sigma = (after - before) / row.learning_rate;

        // state.z += grad - sigma * *param;
        const float4 z_2 = z + (grad - sigma * param);

        // let denominator = (hyper.beta + after) / hyper.learning_rate + hyper.lambda2;
        const float4 denominator = (row.beta + after) / row.learning_rate + row.lambda2;

        // let held = if state.z.abs() < hyper.lambda1 { 0.0 } else { (sign(state.z) * hyper.lambda1 - state.z) / de …
        const float4 held = select((sign_of4(z_2) * row.lambda1 - z_2) / denominator, float4(0.0f), abs(z_2) < float4(row.lambda1));

        // *param = if denominator == 0.0 { *param } else { held };
        const float4 param_2 = select(held, param, denominator == float4(0.0f));

        // if hyper.learning_rate != 0.0 {
        const float4 param_new = (row.learning_rate_is_not_0 != 0u ? param_2 : param);
        const float4 z_new = (row.learning_rate_is_not_0 != 0u ? z_2 : z);
        const float4 n_new = (row.learning_rate_is_not_0 != 0u ? n_2 : n);

        params[starts.x + quad] = select(param, param_new, inside);
        states[z_start + quad] = select(z, z_new, inside);
        states[n_start + quad] = select(n, n_new, inside);
    }
}
