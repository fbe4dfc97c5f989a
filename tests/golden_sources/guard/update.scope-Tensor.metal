// guard: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: scope = Tensor.
// State per tensor: tensor_clip.
// State of all tensors: found_inf, clip, norm.
// Traffic: 4 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    float grad_scale;
    float max_norm;
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

kernel void update_pass1(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device const float4* params [[buffer(2)]],
    device const uint* scalars [[buffer(3)]],
    device uint* partials [[buffer(4)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    threadgroup float tree[4][256];
    threadgroup uint count_tree[1][256];
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

    float4 all_norm_squares = float4(0.0f);
    float4 all_norm_scaled_squares = float4(0.0f);
    uint4 not_finite_so_far = uint4(0u);
    float4 norm_squares = float4(0.0f);
    float4 norm_scaled_squares = float4(0.0f);
    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 param = params[starts.x + quad];

        // let gradient = raw * hyper.grad_scale;
        const float4 gradient = param * row.grad_scale;

        // let not_finite = all::count(!raw.is_finite());
        const bool4 not_param_is_finite = !((as_type<uint4>(param) & uint4(0x7f800000u)) != uint4(0x7f800000u));

        all_norm_squares += select(float4(0.0f), square(gradient), inside);
        all_norm_scaled_squares += select(float4(0.0f), scaled_square(gradient), inside);
        not_finite_so_far += select(uint4(0u), uint4(1u), inside && not_param_is_finite);
        norm_squares += select(float4(0.0f), square(gradient), inside);
        norm_scaled_squares += select(float4(0.0f), scaled_square(gradient), inside);
    }

    tree[0][invocation] = sum_of_lanes(all_norm_squares);
    tree[1][invocation] = sum_of_lanes(all_norm_scaled_squares);
    count_tree[0][invocation] = (not_finite_so_far.x + not_finite_so_far.y) + (not_finite_so_far.z + not_finite_so_far.w);
    tree[2][invocation] = sum_of_lanes(norm_squares);
    tree[3][invocation] = sum_of_lanes(norm_scaled_squares);
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            count_tree[0][invocation] += count_tree[0][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
            tree[3][invocation] += tree[3][invocation + stride];
        }
    }
    if (invocation == 0u) {
        const uint partial = 5u * chunk.z;
        partials[partial] = as_type<uint>(tree[0][0]);
        partials[partial + 1u] = as_type<uint>(tree[1][0]);
        partials[partial + 2u] = count_tree[0][0];
        partials[partial + 3u] = as_type<uint>(tree[2][0]);
        partials[partial + 4u] = as_type<uint>(tree[3][0]);
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
    threadgroup uint count_tree[1][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.y) {
        return;
    }
    const uint tensor_index = 2u * (1u + index);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const uint record = 3u + 4u * tensor.z;
    const uint4 range = chunks[tensor_index + 1u]; // first partial, partials, clip

    float all_norm_squares = 0.0f;
    float all_norm_scaled_squares = 0.0f;
    uint not_finite_so_far = 0u;
    float norm_squares = 0.0f;
    float norm_scaled_squares = 0.0f;
    for (uint place = invocation; place < range.y; place += 256u) {
        const uint partial = 5u * (range.x + place);
        all_norm_squares += as_type<float>(partials[partial]);
        all_norm_scaled_squares += as_type<float>(partials[partial + 1u]);
        not_finite_so_far += partials[partial + 2u];
        norm_squares += as_type<float>(partials[partial + 3u]);
        norm_scaled_squares += as_type<float>(partials[partial + 4u]);
    }

    tree[0][invocation] = all_norm_squares;
    tree[1][invocation] = all_norm_scaled_squares;
    count_tree[0][invocation] = not_finite_so_far;
    tree[2][invocation] = norm_squares;
    tree[3][invocation] = norm_scaled_squares;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            count_tree[0][invocation] += count_tree[0][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
            tree[3][invocation] += tree[3][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[tensor.x];
        const float norm = norm_of(tree[2][0], tree[3][0]);

        // state.tensor_clip = match hyper.scope { Scope::Tensor => coefficient(norm(gradient), hyper.max_norm), _ = …
        const float tensor_clip = (norm > row.max_norm ? row.max_norm / norm : 1.0f);

        scalars[record + 1u] = as_type<uint>(tree[0][0]);
        scalars[record + 2u] = as_type<uint>(tree[1][0]);
        scalars[record + 3u] = count_tree[0][0];
        scalars[record] = as_type<uint>(tensor_clip);
    }
}

kernel void update_finish1_all(
    device const uint4* chunks [[buffer(0)]],
    device uint* scalars [[buffer(1)]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    threadgroup float tree[2][256];
    threadgroup uint count_tree[1][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf

    float all_norm_squares = 0.0f;
    float all_norm_scaled_squares = 0.0f;
    uint not_finite_so_far = 0u;
    for (uint place = invocation; place < header.y; place += 256u) {
        const uint record = 3u + 4u * chunks[2u * (1u + place)].z;
        all_norm_squares += as_type<float>(scalars[record + 1u]);
        all_norm_scaled_squares += as_type<float>(scalars[record + 2u]);
        not_finite_so_far += scalars[record + 3u];
    }

    tree[0][invocation] = all_norm_squares;
    tree[1][invocation] = all_norm_scaled_squares;
    count_tree[0][invocation] = not_finite_so_far;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            count_tree[0][invocation] += count_tree[0][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const float all_norm = norm_of(tree[0][0], tree[1][0]);
        const uint not_finite = count_tree[0][0];

        // let overflows = hyper.scope != Scope::Nothing && !all_norm.is_finite();
        const bool overflows = !((as_type<uint>(all_norm) & 0x7f800000u) != 0x7f800000u);

        // state.found_inf = if not_finite > 0 || overflows { 1.0 } else { 0.0 };
        const float found_inf = (not_finite > 0u || overflows ? 1.0f : 0.0f);

        scalars[0] = as_type<uint>(found_inf);
        scalars[1] = as_type<uint>(1.0f);
        scalars[2] = as_type<uint>(all_norm);
    }
}
