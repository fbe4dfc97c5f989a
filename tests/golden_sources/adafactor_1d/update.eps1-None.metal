// adafactor_1d: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: eps1 = None.
// State per element: v.
// Traffic: 32 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    float weight;
    float rho;
    float len;
    float eps2;
    float one_minus_learning_rate_times_weight_decay;
    float one_minus_weight;
    float grad_scale;
    float clip_value;
    float minus_clip_value;
    float clip;
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
    const uint v_start = starts.z;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    float4 sum_so_far = float4(0.0f);
    float4 sum_so_far_2 = float4(0.0f);
    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 v = states[v_start + quad];

        // let alpha = rms(*param).max(hyper.eps2) * rho;
        const float4 param_times_param = param * param;
        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // state.v = (1.0 - weight) * state.v + weight * (grad * grad);
        const float4 v_new = row.one_minus_weight * v + row.weight * (grad * grad);

        // let u = grad / state.v.max((eps1 * eps1).max(f32::MIN_POSITIVE)).sqrt();
        const float4 u = grad / sqrt(larger4(v_new, float4(1.4210855e-14f)));

        // *param -= alpha / (rms(u) / hyper.clip).max(1.0) * u;
        const float4 u_times_u = u * u;

        states[v_start + quad] = select(v, v_new, inside);

        sum_so_far += select(float4(0.0f), param_times_param, inside);
        sum_so_far_2 += select(float4(0.0f), u_times_u, inside);
    }

    tree[0][invocation] = sum_of_lanes(sum_so_far);
    tree[1][invocation] = sum_of_lanes(sum_so_far_2);
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
    const uint record = 4u + tensor.z;
    const uint4 range = chunks[tensor_index + 1u]; // first partial, partials, clip

    float sum_so_far = 0.0f;
    float sum_so_far_2 = 0.0f;
    for (uint place = invocation; place < range.y; place += 256u) {
        const uint partial = 2u * (range.x + place);
        sum_so_far += as_type<float>(partials[partial]);
        sum_so_far_2 += as_type<float>(partials[partial + 1u]);
    }

    tree[0][invocation] = sum_so_far;
    tree[1][invocation] = sum_so_far_2;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[tensor.x];
        const float sum = tree[0][0];
        const float sum_2 = tree[1][0];

        // let alpha = rms(*param).max(hyper.eps2) * rho;
        const float alpha = larger(sqrt(sum / row.len), row.eps2) * row.rho;

        // *param -= alpha / (rms(u) / hyper.clip).max(1.0) * u;
        const float t1 = alpha / larger(sqrt(sum_2 / row.len) / row.clip, 1.0f);

        scalars[record] = as_type<uint>(t1);
    }
}

kernel void update_pass2(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device float4* params [[buffer(2)]],
    device const float4* gradients [[buffer(3)]],
    device const float4* states [[buffer(4)]],
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
    const uint v_start = starts.z;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);
    const float t1 = as_type<float>(scalars[record]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 v = states[v_start + quad];

        // *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        const float4 param_2 = param * row.one_minus_learning_rate_times_weight_decay;
        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let u = grad / state.v.max((eps1 * eps1).max(f32::MIN_POSITIVE)).sqrt();
        const float4 u = grad / sqrt(larger4(v, float4(1.4210855e-14f)));

        // *param -= alpha / (rms(u) / hyper.clip).max(1.0) * u;
        const float4 param_new = param_2 - t1 * u;

        params[starts.x + quad] = select(param, param_new, inside);
    }
}
