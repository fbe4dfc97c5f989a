// madgrad: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: momentum = nonzero.
// State per element: v, s, x0.
// Traffic: 32 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    float epsilon;
    float rate;
    float grad_scale;
    float clip_value;
    float minus_clip_value;
    float weight_decay;
    uint learning_rate_is_not_0;
    float one_minus_momentum;
};

// The four elements that a thread holds.
constant uint4 lanes = uint4(0u, 1u, 2u, 3u);

static inline float4 smaller4(float4 a, float4 b) {
    return select(a, b, b < a);
}

static inline float4 larger4(float4 a, float4 b) {
    return select(a, b, a < b);
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
    const uint v_start = starts.z;
    const uint s_start = starts.z + tensor.y / 4u;
    const uint x0_start = starts.z + 2u * (tensor.y / 4u);
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 v = states[v_start + quad];
        const float4 s = states[s_start + quad];
        const float4 x0 = states[x0_start + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let g = grad + hyper.weight_decay * *param;
        const float4 g = grad + row.weight_decay * param;

        // state.v += rate * (g * g);
        const float4 v_2 = v + row.rate * (g * g);

        // state.s += rate * g;
        const float4 s_2 = s + row.rate * g;

        // let denominator = v.cbrt() + hyper.epsilon;
        const float4 denominator = cbrt_of4(v_2) + row.epsilon;

        // let z = x0 - quotient(state.s, state.v, hyper);
        const float4 z = x0 - select(s_2 / denominator, float4(0.0f), denominator == float4(0.0f));

        // *param = if hyper.momentum == 0.0 { z } else { lerp(*param, z, 1.0 - hyper.momentum) };
        const float4 param_2 = param + row.one_minus_momentum * (z - param);

        // if hyper.learning_rate != 0.0 {
        const float4 param_new = (row.learning_rate_is_not_0 != 0u ? param_2 : param);
        const float4 v_new = (row.learning_rate_is_not_0 != 0u ? v_2 : v);
        const float4 s_new = (row.learning_rate_is_not_0 != 0u ? s_2 : s);

        params[starts.x + quad] = select(param, param_new, inside);
        states[v_start + quad] = select(v, v_new, inside);
        states[s_start + quad] = select(s, s_new, inside);
    }
}
