// sgd: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: momentum = nonzero, nesterov = false.
// State per element: momentum_buffer.
// Traffic: 20 bytes per element.
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
    float weight_decay;
    float momentum;
    uint step_is_1;
    float one_minus_dampening;
    float learning_rate;
    uint learning_rate_is_not_0;
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
    const uint momentum_buffer_start = starts.z;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 momentum_buffer = states[momentum_buffer_start + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let g = grad + hyper.weight_decay * *param;
        const float4 g = grad + row.weight_decay * param;

        // state.momentum_buffer = if step == 1 { g } else { hyper.momentum * state.momentum_buffer + (1.0 - hyper.d …
        const float4 momentum_buffer_new = (row.step_is_1 != 0u ? g : row.momentum * momentum_buffer + row.one_minus_dampening * g);

        // *param -= hyper.learning_rate * direction;
        const float4 param_2 = param - row.learning_rate * momentum_buffer_new;

        // if hyper.learning_rate != 0.0 {
        const float4 param_new = (row.learning_rate_is_not_0 != 0u ? param_2 : param);

        params[starts.x + quad] = select(param, param_new, inside);
        states[momentum_buffer_start + quad] = select(momentum_buffer, momentum_buffer_new, inside);
    }
}
