// lion_trust: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: m.
// Traffic: 32 bytes per element.
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
    float beta1;
    float weight_decay;
    float beta2;
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

// 1 above 0, -1 below; 0 at both zeros and NaN.
static inline float4 sign_of4(float4 x) {
    return select(select(float4(0.0f), float4(-1.0f), x < float4(0.0f)), float4(1.0f), float4(0.0f) < x);
}

kernel void update_pass1(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device const float4* params [[buffer(2)]],
    device const float4* gradients [[buffer(3)]],
    device const float4* states [[buffer(4)]],
    device const uint* scalars [[buffer(5)]],
    device uint* partials [[buffer(6)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    threadgroup float tree[4][256];
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
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    float4 param_norm_squares = float4(0.0f);
    float4 param_norm_scaled_squares = float4(0.0f);
    float4 update_norm_squares = float4(0.0f);
    float4 update_norm_scaled_squares = float4(0.0f);
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

        // let direction = lerp(grad, state.m, hyper.beta1);
        const float4 direction = grad + row.beta1 * (m - grad);

        // let u = sign(direction) + hyper.weight_decay * *param;
        const float4 u = sign_of4(direction) + row.weight_decay * param;

        param_norm_squares += select(float4(0.0f), square(param), inside);
        param_norm_scaled_squares += select(float4(0.0f), scaled_square(param), inside);
        update_norm_squares += select(float4(0.0f), square(u), inside);
        update_norm_scaled_squares += select(float4(0.0f), scaled_square(u), inside);
    }

    tree[0][invocation] = sum_of_lanes(param_norm_squares);
    tree[1][invocation] = sum_of_lanes(param_norm_scaled_squares);
    tree[2][invocation] = sum_of_lanes(update_norm_squares);
    tree[3][invocation] = sum_of_lanes(update_norm_scaled_squares);
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
            tree[3][invocation] += tree[3][invocation + stride];
        }
    }
    if (invocation == 0u) {
        const uint partial = 4u * chunk.z;
        partials[partial] = as_type<uint>(tree[0][0]);
        partials[partial + 1u] = as_type<uint>(tree[1][0]);
        partials[partial + 2u] = as_type<uint>(tree[2][0]);
        partials[partial + 3u] = as_type<uint>(tree[3][0]);
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
    threadgroup float tree[4][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.y) {
        return;
    }
    const uint tensor_index = 2u * (1u + index);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const uint record = 4u + tensor.z;
    const uint4 range = chunks[tensor_index + 1u]; // first partial, partials, clip

    float param_norm_squares = 0.0f;
    float param_norm_scaled_squares = 0.0f;
    float update_norm_squares = 0.0f;
    float update_norm_scaled_squares = 0.0f;
    for (uint place = invocation; place < range.y; place += 256u) {
        const uint partial = 4u * (range.x + place);
        param_norm_squares += as_type<float>(partials[partial]);
        param_norm_scaled_squares += as_type<float>(partials[partial + 1u]);
        update_norm_squares += as_type<float>(partials[partial + 2u]);
        update_norm_scaled_squares += as_type<float>(partials[partial + 3u]);
    }

    tree[0][invocation] = param_norm_squares;
    tree[1][invocation] = param_norm_scaled_squares;
    tree[2][invocation] = update_norm_squares;
    tree[3][invocation] = update_norm_scaled_squares;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
            tree[3][invocation] += tree[3][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[tensor.x];
        const float param_norm = norm_of(tree[0][0], tree[1][0]);
        const float update_norm = norm_of(tree[2][0], tree[3][0]);

        // let trust_ratio = if param_norm == 0.0 || update_norm == 0.0 { 1.0 } else { param_norm / update_norm };
        const float trust_ratio = (param_norm == 0.0f || update_norm == 0.0f ? 1.0f : param_norm / update_norm);

        // *param -= hyper.learning_rate * trust_ratio * u;
        const float learning_rate_times_trust_ratio = row.learning_rate * trust_ratio;

        scalars[record] = as_type<uint>(learning_rate_times_trust_ratio);
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
    const uint record = 4u + tensor.z;
    const uint m_start = starts.z;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);
    const float learning_rate_times_trust_ratio = as_type<float>(scalars[record]);

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

        // let direction = lerp(grad, state.m, hyper.beta1);
        const float4 m_minus_grad = m - grad;
        const float4 direction = grad + row.beta1 * m_minus_grad;

        // let u = sign(direction) + hyper.weight_decay * *param;
        const float4 u = sign_of4(direction) + row.weight_decay * param;

        // state.m = lerp(grad, state.m, hyper.beta2);
        const float4 m_new = grad + row.beta2 * m_minus_grad;

        // *param -= hyper.learning_rate * trust_ratio * u;
        const float4 param_new = param - learning_rate_times_trust_ratio * u;

        params[starts.x + quad] = select(param, param_new, inside);
        states[m_start + quad] = select(m, m_new, inside);
    }
}
