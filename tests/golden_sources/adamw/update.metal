// adamw: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: m, v.
// Traffic: 28 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    float beta1;
    float beta2;
    float bias2;
    float one_minus_beta1;
    float grad_scale;
    float clip_value;
    float minus_clip_value;
    float one_minus_beta2;
    float epsilon;
    uint learning_rate_is_not_0;
    float one_minus_learning_rate_times_weight_decay;
    float learning_rate_over_bias1;
};

// The four elements that a thread holds.
constant uint4 lanes = uint4(0u, 1u, 2u, 3u);

static inline float4 smaller4(float4 a, float4 b) {
    return select(a, b, b < a);
}

static inline float4 larger4(float4 a, float4 b) {
    return select(a, b, a < b);
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
    const uint m_start = starts.z;
    const uint v_start = starts.z + tensor.y / 4u;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 m = states[m_start + quad];
        const float4 v = states[v_start + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        const float4 m_new = row.beta1 * m + row.one_minus_beta1 * grad;

        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * grad * grad;
        const float4 v_new = row.beta2 * v + row.one_minus_beta2 * grad * grad;

        // let denominator = (state.v / bias2).sqrt() + hyper.epsilon;
        const float4 denominator = sqrt(v_new / row.bias2) + row.epsilon;

        // let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        const float4 direction = select(m_new / denominator, float4(0.0f), denominator == float4(0.0f));

        // *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        const float4 param_2 = param * row.one_minus_learning_rate_times_weight_decay;

        // *param -= hyper.learning_rate / bias1 * direction;
        const float4 param_3 = param_2 - row.learning_rate_over_bias1 * direction;

        // if hyper.learning_rate != 0.0 {
        const float4 param_new = (row.learning_rate_is_not_0 != 0u ? param_3 : param);

        params[starts.x + quad] = select(param, param_new, inside);
        states[m_start + quad] = select(m, m_new, inside);
        states[v_start + quad] = select(v, v_new, inside);
    }
}
