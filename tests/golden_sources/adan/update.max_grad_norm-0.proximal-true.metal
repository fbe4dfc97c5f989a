// adan: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: max_grad_norm = 0, proximal = true.
// State per element: m, d, n, prev.
// Traffic: 44 bytes per element.
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
    uint step_is_1;
    float beta2;
    float beta1;
    float one_minus_beta1;
    float one_minus_beta2;
    float beta3;
    float one_minus_beta3;
    float bias1;
    float bias3;
    float epsilon;
    float beta2_over_bias2;
    float learning_rate;
    float one_plus_decay;
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
    const uint d_start = starts.z + tensor.y / 4u;
    const uint n_start = starts.z + 2u * (tensor.y / 4u);
    const uint prev_start = starts.z + 3u * (tensor.y / 4u);
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 m = states[m_start + quad];
        const float4 d = states[d_start + quad];
        const float4 n = states[n_start + quad];
        const float4 prev = states[prev_start + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 limited_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const float4 grad = limited_grad * clip;

        // let diff = if step == 1 { 0.0 } else { g - state.prev };
        const float4 diff = (row.step_is_1 != 0u ? float4(0.0f) : grad - prev);

        // let look = g + hyper.beta2 * diff;
        const float4 look = grad + row.beta2 * diff;

        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        const float4 m_new = row.beta1 * m + row.one_minus_beta1 * grad;

        // state.d = hyper.beta2 * state.d + (1.0 - hyper.beta2) * diff;
        const float4 d_new = row.beta2 * d + row.one_minus_beta2 * diff;

        // state.n = hyper.beta3 * state.n + (1.0 - hyper.beta3) * look * look;
        const float4 n_new = row.beta3 * n + row.one_minus_beta3 * look * look;

        // let denom = (state.n / bias3).sqrt() + hyper.epsilon;
        const float4 denom = sqrt(n_new / row.bias3) + row.epsilon;

        // let u = (state.m / bias1 + hyper.beta2 / bias2 * state.d) / denom;
        const float4 u = (m_new / row.bias1 + row.beta2_over_bias2 * d_new) / denom;

        // *param = (*param - hyper.learning_rate * u) / (1.0 + decay);
        const float4 param_new = (param - row.learning_rate * u) / row.one_plus_decay;

        params[starts.x + quad] = select(param, param_new, inside);
        states[m_start + quad] = select(m, m_new, inside);
        states[d_start + quad] = select(d, d_new, inside);
        states[n_start + quad] = select(n, n_new, inside);
        states[prev_start + quad] = select(prev, grad, inside);
    }
}
