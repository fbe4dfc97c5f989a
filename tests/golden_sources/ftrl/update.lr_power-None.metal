// ftrl: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: lr_power = None.
// State per element: z, n.
// Traffic: 28 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    float learning_rate;
    uint learning_rate_is_not_0;
    float grad_scale;
    float clip_value;
    float minus_clip_value;
    float beta;
    float lambda2;
    float lambda1;
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
    const uint z_start = starts.z;
    const uint n_start = starts.z + tensor.y / 4u;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 z = states[z_start + quad];
        const float4 n = states[n_start + quad];

        // let before = raised(state.n, hyper);
        const float4 before = sqrt(n);
        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // state.n += grad * grad;
        const float4 n_2 = n + grad * grad;

        // let after = raised(state.n, hyper);
        const float4 after = sqrt(n_2);

        // let sigma = (after - before) / hyper.learning_rate;
        const float4 sigma = (after - before) / row.learning_rate;

        // state.z += grad - sigma * *param;
        const float4 z_2 = z + (grad - sigma * param);

        // let denominator = (hyper.beta + after) / hyper.learning_rate + hyper.lambda2;
        const float4 denominator = (row.beta + after) / row.learning_rate + row.lambda2;

        // let held = if state.z.abs() < hyper.lambda1 { 0.0 } else { (sign(state.z) * hyper.lambda1 - state.z) / de …
        const float4 held = select((sign_of4(z_2) * row.lambda1 - z_2) / denominator, float4(0.0f), abs(z_2) < float4(row.lambda1));

        // *param = if denominator == 0.0 { *param } else { held };
        const float4 param_2 = select(held, param, denominator == float4(0.0f));

        // if hyper.learning_rate != 0.0 {
        const float4 param_new = (row.learning_rate_is_not_0 != 0u ? param_2 : param);
        const float4 z_new = (row.learning_rate_is_not_0 != 0u ? z_2 : z);
        const float4 n_new = (row.learning_rate_is_not_0 != 0u ? n_2 : n);

        params[starts.x + quad] = select(param, param_new, inside);
        states[z_start + quad] = select(z, z_new, inside);
        states[n_start + quad] = select(n, n_new, inside);
    }
}
