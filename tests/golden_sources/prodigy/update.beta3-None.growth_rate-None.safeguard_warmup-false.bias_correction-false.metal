// prodigy: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: beta3 = None, growth_rate = None, safeguard_warmup = false, bias_correction = false.
// State per element: m, v, s, p0.
// State of all tensors: d, d_max, numerator.
// Traffic: 48 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    float beta2;
    float beta3;
    float learning_rate_times_1;
    float d0;
    float grad_scale;
    float clip_value;
    float minus_clip_value;
    float beta1;
    float one_minus_beta1;
    float one_minus_beta2;
    float d_coef;
    float epsilon;
    uint learning_rate_is_not_0;
    float weight_decay;
};

// The four elements that a thread holds.
constant uint4 lanes = uint4(0u, 1u, 2u, 3u);

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

kernel void update_pass1(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device const float4* params [[buffer(2)]],
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
    const uint s_start = starts.z + 2u * (tensor.y / 4u);
    const uint p0_start = starts.z + 3u * (tensor.y / 4u);
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);
    const float d = as_type<float>(scalars[4]);

    // let d_lr = d * (hyper.learning_rate * bias);
    const float d_lr = d * row.learning_rate_times_1;

    // let gain = d / hyper.d0;
    const float gain = d / row.d0;

    // state.numerator = beta3 * state.numerator + gain * d_lr * all::sum(grad * (state.p0 - *param));
    const float gain_times_d_lr = gain * d_lr;

    float4 sum_so_far = float4(0.0f);
    float4 weight_so_far = float4(0.0f);
    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 s = states[s_start + quad];
        const float4 p0 = states[p0_start + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // state.numerator = beta3 * state.numerator + gain * d_lr * all::sum(grad * (state.p0 - *param));
        const float4 grad_times_p0_minus_param = grad * (p0 - param);

        // state.s = beta3 * state.s + gain * (if hyper.safeguard_warmup { d } else { d_lr }) * grad;
        const float4 s_new = row.beta3 * s + gain_times_d_lr * grad;

        // let weight = all::sum(state.s.abs());
        const float4 abs_s = abs(s_new);

        states[s_start + quad] = select(s, s_new, inside);

        sum_so_far += select(float4(0.0f), grad_times_p0_minus_param, inside);
        weight_so_far += select(float4(0.0f), abs_s, inside);
    }

    tree[0][invocation] = sum_of_lanes(sum_so_far);
    tree[1][invocation] = sum_of_lanes(weight_so_far);
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
    const uint record = 12u + 4u * tensor.z;
    const uint4 range = chunks[tensor_index + 1u]; // first partial, partials, clip

    float sum_so_far = 0.0f;
    float weight_so_far = 0.0f;
    for (uint place = invocation; place < range.y; place += 256u) {
        const uint partial = 2u * (range.x + place);
        sum_so_far += as_type<float>(partials[partial]);
        weight_so_far += as_type<float>(partials[partial + 1u]);
    }

    tree[0][invocation] = sum_so_far;
    tree[1][invocation] = weight_so_far;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[tensor.x];
        const float d = as_type<float>(scalars[4]);

        // let d_lr = d * (hyper.learning_rate * bias);
        const float d_lr = d * row.learning_rate_times_1;

        // *param *= 1.0 - hyper.weight_decay * d_lr;
        const float t1 = 1.0f - row.weight_decay * d_lr;

        scalars[record + 1u] = as_type<uint>(tree[0][0]);
        scalars[record + 2u] = as_type<uint>(tree[1][0]);
        scalars[record] = as_type<uint>(t1);
    }
}

kernel void update_finish1_all(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device uint* scalars [[buffer(2)]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    threadgroup float tree[2][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf

    float sum_so_far = 0.0f;
    float weight_so_far = 0.0f;
    for (uint place = invocation; place < header.y; place += 256u) {
        const uint record = 12u + 4u * chunks[2u * (1u + place)].z;
        sum_so_far += as_type<float>(scalars[record + 1u]);
        weight_so_far += as_type<float>(scalars[record + 2u]);
    }

    tree[0][invocation] = sum_so_far;
    tree[1][invocation] = weight_so_far;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[0];
        const float d = as_type<float>(scalars[4]);
        const float d_max = as_type<float>(scalars[5]);
        const float numerator = as_type<float>(scalars[6]);
        const float sum = tree[0][0];
        const float weight = tree[1][0];

        // let d_lr = d * (hyper.learning_rate * bias);
        const float d_lr = d * row.learning_rate_times_1;

        // let gain = d / hyper.d0;
        const float gain = d / row.d0;

        // state.numerator = beta3 * state.numerator + gain * d_lr * all::sum(grad * (state.p0 - *param));
        const float numerator_new = row.beta3 * numerator + gain * d_lr * sum;

        // state.m = hyper.beta1 * state.m + d * (1.0 - hyper.beta1) * grad;
        const float d_times_one_minus_beta1 = d * row.one_minus_beta1;

        // state.v = hyper.beta2 * state.v + d * d * (1.0 - hyper.beta2) * (grad * grad);
        const float d_times_d_times_one_minus_beta2 = d * d * row.one_minus_beta2;

        // if weight > 0.0 {
        const bool weight_above_0 = weight > 0.0f;

        // let estimate = hyper.d_coef * state.numerator / weight;
        const float estimate = row.d_coef * numerator_new / weight;

        // state.d_max = state.d_max.max(estimate);
        const float d_max_2 = larger(d_max, estimate);

        // if weight > 0.0 {
        const float d_new = (weight_above_0 ? d_max_2 : d);
        const float d_max_new = (weight_above_0 ? d_max_2 : d_max);

        scalars[7] = as_type<uint>(d_lr);
        scalars[8] = as_type<uint>(d_times_one_minus_beta1);
        scalars[9] = as_type<uint>(d_times_d_times_one_minus_beta2);
        scalars[10] = (weight_above_0 ? 1u : 0u);
        scalars[11] = as_type<uint>(d_max_2);
        scalars[4] = as_type<uint>(d_new);
        scalars[5] = as_type<uint>(d_max_new);
        scalars[6] = as_type<uint>(numerator_new);
    }
}

kernel void update_finish1_tensor_late(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device uint* scalars [[buffer(2)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.y) {
        return;
    }
    const uint tensor_index = 2u * (1u + index);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const uint record = 12u + 4u * tensor.z;
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[tensor.x];
        const float d_max = as_type<float>(scalars[11]);

        // let denominator = state.v.sqrt() + state.d * hyper.epsilon;
        const float d_max_times_epsilon = d_max * row.epsilon;

        scalars[record + 3u] = as_type<uint>(d_max_times_epsilon);
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
    const uint record = 12u + 4u * tensor.z;
    const uint m_start = starts.z;
    const uint v_start = starts.z + tensor.y / 4u;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);
    const float d_lr = as_type<float>(scalars[7]);
    const float d_times_one_minus_beta1 = as_type<float>(scalars[8]);
    const float d_times_d_times_one_minus_beta2 = as_type<float>(scalars[9]);
    const bool weight_above_0 = scalars[10] != 0u;
    const float t1 = as_type<float>(scalars[record]);
    const float d_max_times_epsilon = as_type<float>(scalars[record + 3u]);

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

        // state.m = hyper.beta1 * state.m + d * (1.0 - hyper.beta1) * grad;
        const float4 m_new = row.beta1 * m + d_times_one_minus_beta1 * grad;

        // state.v = hyper.beta2 * state.v + d * d * (1.0 - hyper.beta2) * (grad * grad);
        const float4 v_new = row.beta2 * v + d_times_d_times_one_minus_beta2 * (grad * grad);

        // let denominator = state.v.sqrt() + state.d * hyper.epsilon;
        const float4 denominator = sqrt(v_new) + d_max_times_epsilon;

        // let direction = if denominator == 0.0 { 0.0 } else { state.m / denominator };
        const float4 direction = select(m_new / denominator, float4(0.0f), denominator == float4(0.0f));

        // *param *= 1.0 - hyper.weight_decay * d_lr;
        const float4 param_2 = param * t1;

        // *param -= d_lr * direction;
        const float4 param_3 = param_2 - d_lr * direction;

        // if hyper.learning_rate != 0.0 {
        const float4 param_4 = (row.learning_rate_is_not_0 != 0u ? param_3 : param);

        // if weight > 0.0 {
        const float4 param_new = (weight_above_0 ? param_4 : param);

        params[starts.x + quad] = select(param, param_new, inside);
        states[m_start + quad] = select(m, m_new, inside);
        states[v_start + quad] = select(v, v_new, inside);
    }
}
