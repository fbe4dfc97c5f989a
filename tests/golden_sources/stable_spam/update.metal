// stable_spam: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: m, v.
// State per tensor: m_max, m_norm, v_norm.
// Traffic: 36 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    uint step_modulo_reset_is_0;
    float one_minus_learning_rate_times_weight_decay;
    float grad_scale;
    float clip_value;
    float minus_clip_value;
    float theta;
    float one_minus_theta;
    float one_minus_theta_to_step;
    float gamma1;
    float one_minus_gamma1;
    float gamma2;
    float one_minus_gamma2;
    float one_minus_gamma1_to_step;
    float one_minus_gamma2_to_step;
    float epsilon;
    float beta1;
    float one_minus_beta1;
    float beta2;
    float one_minus_beta2;
    float bias2;
    float learning_rate_over_bias1;
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

static inline float larger(float a, float b) {
    return (a < b ? b : a);
}

static inline float4 larger4(float4 a, float4 b) {
    return select(a, b, a < b);
}

static inline float largest_lane(float4 x) {
    return larger(larger(x.x, x.y), larger(x.z, x.w));
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

    float4 top_so_far = float4(as_type<float>(header.w));
    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let top = max_abs(grad);
        const float4 abs_grad = abs(grad);

        top_so_far = select(top_so_far, abs_grad, inside && (top_so_far < abs_grad));
    }

    tree[0][invocation] = largest_lane(top_so_far);
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] = larger(tree[0][invocation], tree[0][invocation + stride]);
        }
    }
    if (invocation == 0u) {
        const uint partial = 2u * chunk.z;
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
    const uint record = 4u + 8u * tensor.z;
    const uint4 range = chunks[tensor_index + 1u]; // first partial, partials, clip

    float top_so_far = as_type<float>(header.w);
    for (uint place = invocation; place < range.y; place += 256u) {
        const uint partial = 2u * (range.x + place);
        top_so_far = larger(top_so_far, as_type<float>(partials[partial]));
    }

    tree[0][invocation] = top_so_far;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] = larger(tree[0][invocation], tree[0][invocation + stride]);
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[tensor.x];
        const float m_max = as_type<float>(scalars[record]);
        const float top = tree[0][0];

        // state.m_max = hyper.theta * state.m_max + (1.0 - hyper.theta) * top;
        const float m_max_new = row.theta * m_max + row.one_minus_theta * top;

        // let limit = state.m_max / (1.0 - hyper.theta.powi(step));
        const float limit = m_max_new / row.one_minus_theta_to_step;

        scalars[record + 3u] = as_type<uint>(top);
        scalars[record + 4u] = as_type<uint>(limit);
        scalars[record] = as_type<uint>(m_max_new);
    }
}

kernel void update_pass2(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device const float4* gradients [[buffer(2)]],
    device const uint* scalars [[buffer(3)]],
    device uint* partials [[buffer(4)]],
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
    const uint record = 4u + 8u * tensor.z;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);
    const float top = as_type<float>(scalars[record + 3u]);
    const float limit = as_type<float>(scalars[record + 4u]);

    float4 size_squares = float4(0.0f);
    float4 size_scaled_squares = float4(0.0f);
    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let clipped = if grad.abs() > limit { grad / top * limit } else { grad };
        const float4 clipped = select(grad, grad / top * limit, abs(grad) > float4(limit));

        size_squares += select(float4(0.0f), square(clipped), inside);
        size_scaled_squares += select(float4(0.0f), scaled_square(clipped), inside);
    }

    tree[0][invocation] = sum_of_lanes(size_squares);
    tree[1][invocation] = sum_of_lanes(size_scaled_squares);
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

kernel void update_finish2_tensor(
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
    const uint record = 4u + 8u * tensor.z;
    const uint4 range = chunks[tensor_index + 1u]; // first partial, partials, clip

    float size_squares = 0.0f;
    float size_scaled_squares = 0.0f;
    for (uint place = invocation; place < range.y; place += 256u) {
        const uint partial = 2u * (range.x + place);
        size_squares += as_type<float>(partials[partial]);
        size_scaled_squares += as_type<float>(partials[partial + 1u]);
    }

    tree[0][invocation] = size_squares;
    tree[1][invocation] = size_scaled_squares;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[tensor.x];
        const float m_norm = as_type<float>(scalars[record + 1u]);
        const float v_norm = as_type<float>(scalars[record + 2u]);
        const float size = norm_of(tree[0][0], tree[1][0]);

        // if size > 0.0 {
        const bool size_above_0 = size > 0.0f;

        // state.m_norm = hyper.gamma1 * state.m_norm + (1.0 - hyper.gamma1) * size;
        const float m_norm_2 = row.gamma1 * m_norm + row.one_minus_gamma1 * size;

        // state.v_norm = hyper.gamma2 * state.v_norm + (1.0 - hyper.gamma2) * (size * size);
        const float v_norm_2 = row.gamma2 * v_norm + row.one_minus_gamma2 * (size * size);

        // let m_hat = state.m_norm / (1.0 - hyper.gamma1.powi(step));
        const float m_hat = m_norm_2 / row.one_minus_gamma1_to_step;

        // let v_hat = state.v_norm / (1.0 - hyper.gamma2.powi(step));
        const float v_hat = v_norm_2 / row.one_minus_gamma2_to_step;

        // let g = clipped / size * (m_hat / (v_hat.sqrt() + hyper.epsilon));
        const float t1 = m_hat / (sqrt(v_hat) + row.epsilon);

        // if size > 0.0 {
        const float m_norm_new = (size_above_0 ? m_norm_2 : m_norm);
        const float v_norm_new = (size_above_0 ? v_norm_2 : v_norm);

        scalars[record + 5u] = as_type<uint>(size);
        scalars[record + 6u] = (size_above_0 ? 1u : 0u);
        scalars[record + 7u] = as_type<uint>(t1);
        scalars[record + 1u] = as_type<uint>(m_norm_new);
        scalars[record + 2u] = as_type<uint>(v_norm_new);
    }
}

kernel void update_pass3(
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
    const uint record = 4u + 8u * tensor.z;
    const uint m_start = starts.z;
    const uint v_start = starts.z + tensor.y / 4u;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);
    const float top = as_type<float>(scalars[record + 3u]);
    const float limit = as_type<float>(scalars[record + 4u]);
    const float size = as_type<float>(scalars[record + 5u]);
    const bool size_above_0 = scalars[record + 6u] != 0u;
    const float t1 = as_type<float>(scalars[record + 7u]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 m = states[m_start + quad];
        const float4 v = states[v_start + quad];

        // if step % hyper.reset == 0 {
        const float4 m_2 = (row.step_modulo_reset_is_0 != 0u ? float4(0.0f) : m);
        const float4 v_2 = (row.step_modulo_reset_is_0 != 0u ? float4(0.0f) : v);

        // *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        const float4 param_2 = param * row.one_minus_learning_rate_times_weight_decay;
        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let clipped = if grad.abs() > limit { grad / top * limit } else { grad };
        const float4 clipped = select(grad, grad / top * limit, abs(grad) > float4(limit));

        // let g = clipped / size * (m_hat / (v_hat.sqrt() + hyper.epsilon));
        const float4 g = clipped / size * t1;

        // state.m = hyper.beta1 * state.m + (1.0 - hyper.beta1) * g;
        const float4 m_3 = row.beta1 * m_2 + row.one_minus_beta1 * g;

        // state.v = hyper.beta2 * state.v + (1.0 - hyper.beta2) * g * g;
        const float4 v_3 = row.beta2 * v_2 + row.one_minus_beta2 * g * g;

        // *param -= hyper.learning_rate / bias1 * state.m / ((state.v / bias2).sqrt() + hyper.epsilon);
        const float4 param_3 = param_2 - row.learning_rate_over_bias1 * m_3 / (sqrt(v_3 / row.bias2) + row.epsilon);

        // if size > 0.0 {
        const float4 param_new = (size_above_0 ? param_3 : param_2);
        const float4 m_new = (size_above_0 ? m_3 : m_2);
        const float4 v_new = (size_above_0 ? v_3 : v_2);

        params[starts.x + quad] = select(param, param_new, inside);
        states[m_start + quad] = select(m, m_new, inside);
        states[v_start + quad] = select(v, v_new, inside);
    }
}
