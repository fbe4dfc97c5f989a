// options: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: gain = nonzero, limit = None, centre = Zero.
// State per element: trace, age.
// Traffic: 28 bytes per element.
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
    float gain;
    float cycle;
    float min_gain_1;
    float learning_rate;
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
    const uint trace_start = starts.z;
    const uint age_start = starts.z + tensor.y / 4u;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 trace = states[trace_start + quad];
        const float4 age = states[age_start + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let (g, cut) = bounded(grad - HALF * centre, hyper);
        const float4 g = grad - 0.0f;

        // state.trace = g.mul_add(hyper.gain, state.trace * HALF);
        const float4 trace_new = fma(g, float4(row.gain), trace * 0.5f);

        // let smooth = g.powi(3) * cycle + lerp(g, state.trace, hyper.gain.min(1.0)).max(-1.0);
        const float4 g_times_g = g * g;
        const float4 smooth_ = g * g_times_g * row.cycle + larger4(g + row.min_gain_1 * (trace_new - g), float4(-1.0f));

        // let turned = if cut && !(step == 2) || smooth <= -0.25 { -smooth } else { smooth.abs().sqrt() };
        const float4 turned = select(sqrt(abs(smooth_)), -smooth_, smooth_ <= float4(-0.25f));

        // *param -= hyper.learning_rate * (turned + sign(g) * (1.0 + g * g).recip());
        const float4 param_new = param - row.learning_rate * (turned + sign_of4(g) * (1.0f / (1.0f + g_times_g)));

        // state.age += 1.0;
        const float4 age_new = age + 1.0f;

        params[starts.x + quad] = select(param, param_new, inside);
        states[trace_start + quad] = select(trace, trace_new, inside);
        states[age_start + quad] = select(age, age_new, inside);
    }
}
