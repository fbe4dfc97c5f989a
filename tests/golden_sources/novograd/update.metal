// novograd: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: m.
// State per tensor: v.
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
    uint step_is_1;
    float beta2;
    float one_minus_beta2;
    float epsilon;
    float beta1;
    float weight_decay;
    float learning_rate;
    uint learning_rate_is_not_0;
};

// The four elements that a thread holds.
constant uint4 lanes = uint4(0u, 1u, 2u, 3u);

static inline float sum_of_lanes(float4 x) {
    return (x.x + x.y) + (x.z + x.w);
}

static inline float4 smaller4(float4 a, float4 b) {
    return select(a, b, b < a);
}

static inline float4 larger4(float4 a, float4 b) {
    return select(a, b, a < b);
}

kernel void update_pass1(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device const float4* gradients [[buffer(2)]],
    device const uint* scalars [[buffer(3)]],
    device uint* partials [[buffer(4)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    threadgroup float tree[1][256];
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
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    float4 squared_norm_so_far = float4(0.0f);
    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let squared_norm = sum(grad * grad);
        const float4 grad_times_grad = grad * grad;

        squared_norm_so_far += select(float4(0.0f), grad_times_grad, inside);
    }

    tree[0][invocation] = sum_of_lanes(squared_norm_so_far);
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
        }
    }
    if (invocation == 0u) {
        const uint partial = chunk.z;
        partials[partial] = as_type<uint>(tree[0][0]);
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
    threadgroup float tree[1][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.y) {
        return;
    }
    const uint tensor_index = 2u * (1u + index);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const uint record = 4u + 3u * tensor.z;
    const uint4 range = chunks[tensor_index + 1u]; // first partial, partials, clip

    float squared_norm_so_far = 0.0f;
    for (uint place = invocation; place < range.y; place += 256u) {
        const uint partial = range.x + place;
        squared_norm_so_far += as_type<float>(partials[partial]);
    }

    tree[0][invocation] = squared_norm_so_far;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[tensor.x];
        const float v = as_type<float>(scalars[record]);
        const float squared_norm = tree[0][0];

        // state.v = if step == 1 { squared_norm } else { hyper.beta2 * state.v + (1.0 - hyper.beta2) * squared_norm …
        const float v_new = (row.step_is_1 != 0u ? squared_norm : row.beta2 * v + row.one_minus_beta2 * squared_norm);

        // let denominator = state.v.sqrt() + hyper.epsilon;
        const float denominator = sqrt(v_new) + row.epsilon;

        // let normalized = if denominator == 0.0 { 0.0 } else { grad / denominator };
        const bool denominator_is_0 = denominator == 0.0f;

        scalars[record + 1u] = as_type<uint>(denominator);
        scalars[record + 2u] = (denominator_is_0 ? 1u : 0u);
        scalars[record] = as_type<uint>(v_new);
    }
}

kernel void update_pass2(
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
    const uint record = 4u + 3u * tensor.z;
    const uint m_start = starts.z;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);
    const float denominator = as_type<float>(scalars[record + 1u]);
    const bool denominator_is_0 = scalars[record + 2u] != 0u;

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 m = states[m_start + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let normalized = if denominator == 0.0 { 0.0 } else { grad / denominator };
        const float4 normalized = (denominator_is_0 ? float4(0.0f) : grad / denominator);

        // state.m = hyper.beta1 * state.m + (normalized + hyper.weight_decay * *param);
        const float4 m_new = row.beta1 * m + (normalized + row.weight_decay * param);

        // *param -= hyper.learning_rate * state.m;
        const float4 param_2 = param - row.learning_rate * m_new;

        // if hyper.learning_rate != 0.0 {
        const float4 param_new = (row.learning_rate_is_not_0 != 0u ? param_2 : param);

        params[starts.x + quad] = select(param, param_new, inside);
        states[m_start + quad] = select(m, m_new, inside);
    }
}
