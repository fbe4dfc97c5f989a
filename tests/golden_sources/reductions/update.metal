// reductions: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per tensor: largest.
// State of all tensors: scale.
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
    float len;
    float threshold;
    float all_len;
    float learning_rate;
    float run;
    uint step_above_2;
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

static inline float smaller(float a, float b) {
    return (b < a ? b : a);
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

static inline float smallest_lane(float4 x) {
    return smaller(smaller(x.x, x.y), smaller(x.z, x.w));
}

static inline float largest_lane(float4 x) {
    return larger(larger(x.x, x.y), larger(x.z, x.w));
}

kernel void update_pass1(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device const float4* params [[buffer(2)]],
    device const float4* gradients [[buffer(3)]],
    device const uint* scalars [[buffer(4)]],
    device uint* partials [[buffer(5)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    threadgroup float tree[11][256];
    threadgroup uint count_tree[2][256];
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

    float4 greatest_so_far = float4(as_type<float>(header.w));
    float4 least_so_far = float4(as_type<float>(header.z));
    float4 sum_so_far = float4(0.0f);
    uint4 above_so_far = uint4(0u);
    float4 greatest_so_far_2 = float4(as_type<float>(header.w));
    float4 sum_so_far_2 = float4(0.0f);
    float4 sum_so_far_3 = float4(0.0f);
    uint4 count_so_far = uint4(0u);
    float4 greatest_so_far_3 = float4(as_type<float>(header.w));
    float4 least_so_far_2 = float4(as_type<float>(header.z));
    float4 greatest_so_far_4 = float4(as_type<float>(header.w));
    float4 norm_squares = float4(0.0f);
    float4 norm_scaled_squares = float4(0.0f);
    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let above = count(grad.abs() > hyper.threshold);
        const float4 abs_grad = abs(grad);
        const bool4 abs_grad_above_threshold = abs_grad > float4(row.threshold);

        // let whole = all::mean(grad * grad) + all::sum(*param) / all::len() as f32;
        const float4 grad_times_grad = grad * grad;

        // let many = all::count(*param > 0.0) as f32;
        const bool4 param_above_0 = param > float4(0.0f);

        greatest_so_far = select(greatest_so_far, grad, inside && (greatest_so_far < grad));
        least_so_far = select(least_so_far, grad, inside && (grad < least_so_far));
        sum_so_far += select(float4(0.0f), grad, inside);
        above_so_far += select(uint4(0u), uint4(1u), inside && abs_grad_above_threshold);
        greatest_so_far_2 = select(greatest_so_far_2, abs_grad, inside && (greatest_so_far_2 < abs_grad));
        sum_so_far_2 += select(float4(0.0f), grad_times_grad, inside);
        sum_so_far_3 += select(float4(0.0f), param, inside);
        count_so_far += select(uint4(0u), uint4(1u), inside && param_above_0);
        greatest_so_far_3 = select(greatest_so_far_3, param, inside && (greatest_so_far_3 < param));
        least_so_far_2 = select(least_so_far_2, param, inside && (param < least_so_far_2));
        greatest_so_far_4 = select(greatest_so_far_4, abs_grad, inside && (greatest_so_far_4 < abs_grad));
        norm_squares += select(float4(0.0f), square(grad), inside);
        norm_scaled_squares += select(float4(0.0f), scaled_square(grad), inside);
    }

    tree[0][invocation] = largest_lane(greatest_so_far);
    tree[1][invocation] = smallest_lane(least_so_far);
    tree[2][invocation] = sum_of_lanes(sum_so_far);
    count_tree[0][invocation] = (above_so_far.x + above_so_far.y) + (above_so_far.z + above_so_far.w);
    tree[3][invocation] = largest_lane(greatest_so_far_2);
    tree[4][invocation] = sum_of_lanes(sum_so_far_2);
    tree[5][invocation] = sum_of_lanes(sum_so_far_3);
    count_tree[1][invocation] = (count_so_far.x + count_so_far.y) + (count_so_far.z + count_so_far.w);
    tree[6][invocation] = largest_lane(greatest_so_far_3);
    tree[7][invocation] = smallest_lane(least_so_far_2);
    tree[8][invocation] = largest_lane(greatest_so_far_4);
    tree[9][invocation] = sum_of_lanes(norm_squares);
    tree[10][invocation] = sum_of_lanes(norm_scaled_squares);
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] = larger(tree[0][invocation], tree[0][invocation + stride]);
            tree[1][invocation] = smaller(tree[1][invocation], tree[1][invocation + stride]);
            tree[2][invocation] += tree[2][invocation + stride];
            count_tree[0][invocation] += count_tree[0][invocation + stride];
            tree[3][invocation] = larger(tree[3][invocation], tree[3][invocation + stride]);
            tree[4][invocation] += tree[4][invocation + stride];
            tree[5][invocation] += tree[5][invocation + stride];
            count_tree[1][invocation] += count_tree[1][invocation + stride];
            tree[6][invocation] = larger(tree[6][invocation], tree[6][invocation + stride]);
            tree[7][invocation] = smaller(tree[7][invocation], tree[7][invocation + stride]);
            tree[8][invocation] = larger(tree[8][invocation], tree[8][invocation + stride]);
            tree[9][invocation] += tree[9][invocation + stride];
            tree[10][invocation] += tree[10][invocation + stride];
        }
    }
    if (invocation == 0u) {
        const uint partial = 13u * chunk.z;
        partials[partial] = as_type<uint>(tree[0][0]);
        partials[partial + 1u] = as_type<uint>(tree[1][0]);
        partials[partial + 2u] = as_type<uint>(tree[2][0]);
        partials[partial + 3u] = count_tree[0][0];
        partials[partial + 4u] = as_type<uint>(tree[3][0]);
        partials[partial + 5u] = as_type<uint>(tree[4][0]);
        partials[partial + 6u] = as_type<uint>(tree[5][0]);
        partials[partial + 7u] = count_tree[1][0];
        partials[partial + 8u] = as_type<uint>(tree[6][0]);
        partials[partial + 9u] = as_type<uint>(tree[7][0]);
        partials[partial + 10u] = as_type<uint>(tree[8][0]);
        partials[partial + 11u] = as_type<uint>(tree[9][0]);
        partials[partial + 12u] = as_type<uint>(tree[10][0]);
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
    threadgroup float tree[11][256];
    threadgroup uint count_tree[2][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.y) {
        return;
    }
    const uint tensor_index = 2u * (1u + index);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const uint record = 8u + 17u * tensor.z;
    const uint4 range = chunks[tensor_index + 1u]; // first partial, partials, clip

    float greatest_so_far = as_type<float>(header.w);
    float least_so_far = as_type<float>(header.z);
    float sum_so_far = 0.0f;
    uint above_so_far = 0u;
    float greatest_so_far_2 = as_type<float>(header.w);
    float sum_so_far_2 = 0.0f;
    float sum_so_far_3 = 0.0f;
    uint count_so_far = 0u;
    float greatest_so_far_3 = as_type<float>(header.w);
    float least_so_far_2 = as_type<float>(header.z);
    float greatest_so_far_4 = as_type<float>(header.w);
    float norm_squares = 0.0f;
    float norm_scaled_squares = 0.0f;
    for (uint place = invocation; place < range.y; place += 256u) {
        const uint partial = 13u * (range.x + place);
        greatest_so_far = larger(greatest_so_far, as_type<float>(partials[partial]));
        least_so_far = smaller(least_so_far, as_type<float>(partials[partial + 1u]));
        sum_so_far += as_type<float>(partials[partial + 2u]);
        above_so_far += partials[partial + 3u];
        greatest_so_far_2 = larger(greatest_so_far_2, as_type<float>(partials[partial + 4u]));
        sum_so_far_2 += as_type<float>(partials[partial + 5u]);
        sum_so_far_3 += as_type<float>(partials[partial + 6u]);
        count_so_far += partials[partial + 7u];
        greatest_so_far_3 = larger(greatest_so_far_3, as_type<float>(partials[partial + 8u]));
        least_so_far_2 = smaller(least_so_far_2, as_type<float>(partials[partial + 9u]));
        greatest_so_far_4 = larger(greatest_so_far_4, as_type<float>(partials[partial + 10u]));
        norm_squares += as_type<float>(partials[partial + 11u]);
        norm_scaled_squares += as_type<float>(partials[partial + 12u]);
    }

    tree[0][invocation] = greatest_so_far;
    tree[1][invocation] = least_so_far;
    tree[2][invocation] = sum_so_far;
    count_tree[0][invocation] = above_so_far;
    tree[3][invocation] = greatest_so_far_2;
    tree[4][invocation] = sum_so_far_2;
    tree[5][invocation] = sum_so_far_3;
    count_tree[1][invocation] = count_so_far;
    tree[6][invocation] = greatest_so_far_3;
    tree[7][invocation] = least_so_far_2;
    tree[8][invocation] = greatest_so_far_4;
    tree[9][invocation] = norm_squares;
    tree[10][invocation] = norm_scaled_squares;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] = larger(tree[0][invocation], tree[0][invocation + stride]);
            tree[1][invocation] = smaller(tree[1][invocation], tree[1][invocation + stride]);
            tree[2][invocation] += tree[2][invocation + stride];
            count_tree[0][invocation] += count_tree[0][invocation + stride];
            tree[3][invocation] = larger(tree[3][invocation], tree[3][invocation + stride]);
            tree[4][invocation] += tree[4][invocation + stride];
            tree[5][invocation] += tree[5][invocation + stride];
            count_tree[1][invocation] += count_tree[1][invocation + stride];
            tree[6][invocation] = larger(tree[6][invocation], tree[6][invocation + stride]);
            tree[7][invocation] = smaller(tree[7][invocation], tree[7][invocation + stride]);
            tree[8][invocation] = larger(tree[8][invocation], tree[8][invocation + stride]);
            tree[9][invocation] += tree[9][invocation + stride];
            tree[10][invocation] += tree[10][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[tensor.x];
        const float largest = as_type<float>(scalars[record]);
        const float greatest = tree[0][0];
        const float least = tree[1][0];
        const float sum = tree[2][0];
        const uint above = count_tree[0][0];
        const float greatest_2 = tree[3][0];
        const float norm = norm_of(tree[9][0], tree[10][0]);

        // let spread = max(grad) - min(grad);
        const float spread = greatest - least;

        // let centre = mean(grad);
        const float centre = sum / row.len;

        // let share = above as f32 / len() as f32;
        const float share = float(above) / row.len;

        // state.largest = state.largest.max(max_abs(grad));
        const float largest_new = larger(largest, greatest_2);

        // let centred = (grad - centre) / (spread + 1.0);
        const float spread_plus_1 = spread + 1.0f;

        // let busy = if above > 3 { 1.5 } else { 0.5 };
        const float busy = (above > 3u ? 1.5f : 0.5f);

        // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1 …
        const float learning_rate_times_busy = row.learning_rate * busy;
        const float largest_plus_1 = largest_new + 1.0f;

        // *param += if step > 2 { norm(grad) * 1e-3 } else { 0.0 };
        const float t1 = (row.step_above_2 != 0u ? norm * 0.001f : 0.0f);

        scalars[record + 7u] = as_type<uint>(tree[4][0]);
        scalars[record + 8u] = as_type<uint>(tree[5][0]);
        scalars[record + 9u] = count_tree[1][0];
        scalars[record + 10u] = as_type<uint>(tree[6][0]);
        scalars[record + 11u] = as_type<uint>(tree[7][0]);
        scalars[record + 12u] = as_type<uint>(tree[8][0]);
        scalars[record + 1u] = as_type<uint>(centre);
        scalars[record + 2u] = as_type<uint>(share);
        scalars[record + 3u] = as_type<uint>(spread_plus_1);
        scalars[record + 4u] = as_type<uint>(learning_rate_times_busy);
        scalars[record + 5u] = as_type<uint>(largest_plus_1);
        scalars[record + 6u] = as_type<uint>(t1);
        scalars[record] = as_type<uint>(largest_new);
    }
}

kernel void update_finish1_all(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device uint* scalars [[buffer(2)]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    threadgroup float tree[5][256];
    threadgroup uint count_tree[1][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf

    float sum_so_far = 0.0f;
    float sum_so_far_2 = 0.0f;
    uint count_so_far = 0u;
    float greatest_so_far = as_type<float>(header.w);
    float least_so_far = as_type<float>(header.z);
    float greatest_so_far_2 = as_type<float>(header.w);
    for (uint place = invocation; place < header.y; place += 256u) {
        const uint record = 8u + 17u * chunks[2u * (1u + place)].z;
        sum_so_far += as_type<float>(scalars[record + 7u]);
        sum_so_far_2 += as_type<float>(scalars[record + 8u]);
        count_so_far += scalars[record + 9u];
        greatest_so_far = larger(greatest_so_far, as_type<float>(scalars[record + 10u]));
        least_so_far = smaller(least_so_far, as_type<float>(scalars[record + 11u]));
        greatest_so_far_2 = larger(greatest_so_far_2, as_type<float>(scalars[record + 12u]));
    }

    tree[0][invocation] = sum_so_far;
    tree[1][invocation] = sum_so_far_2;
    count_tree[0][invocation] = count_so_far;
    tree[2][invocation] = greatest_so_far;
    tree[3][invocation] = least_so_far;
    tree[4][invocation] = greatest_so_far_2;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            count_tree[0][invocation] += count_tree[0][invocation + stride];
            tree[2][invocation] = larger(tree[2][invocation], tree[2][invocation + stride]);
            tree[3][invocation] = smaller(tree[3][invocation], tree[3][invocation + stride]);
            tree[4][invocation] = larger(tree[4][invocation], tree[4][invocation + stride]);
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[0];
        const float sum = tree[0][0];
        const float sum_2 = tree[1][0];
        const uint count = count_tree[0][0];
        const float greatest = tree[2][0];
        const float least = tree[3][0];
        const float greatest_2 = tree[4][0];

        // let whole = all::mean(grad * grad) + all::sum(*param) / all::len() as f32;
        const float whole = sum / row.all_len + sum_2 / row.all_len;

        // let many = all::count(*param > 0.0) as f32;
        const float many = float(count);

        // let range = all::max(*param) - all::min(*param) + all::max_abs(grad);
        const float range_ = greatest - least + greatest_2;

        // state.scale = 0.9 * state.scale + hyper.learning_rate * (total + whole.abs() + range) / (run as f32 + man …
        const float abs_whole = abs(whole);
        const float run_plus_many = row.run + many;

        scalars[5] = as_type<uint>(range_);
        scalars[6] = as_type<uint>(abs_whole);
        scalars[7] = as_type<uint>(run_plus_many);
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
    threadgroup float tree[3][256];
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
    const uint record = 8u + 17u * tensor.z;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);
    const float centre = as_type<float>(scalars[record + 1u]);
    const float spread_plus_1 = as_type<float>(scalars[record + 3u]);

    float4 total_squares = float4(0.0f);
    float4 total_scaled_squares = float4(0.0f);
    float4 sum_so_far = float4(0.0f);
    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let centred = (grad - centre) / (spread + 1.0);
        const float4 centred = (grad - centre) / spread_plus_1;

        total_squares += select(float4(0.0f), square(centred), inside);
        total_scaled_squares += select(float4(0.0f), scaled_square(centred), inside);
        sum_so_far += select(float4(0.0f), centred, inside);
    }

    tree[0][invocation] = sum_of_lanes(total_squares);
    tree[1][invocation] = sum_of_lanes(total_scaled_squares);
    tree[2][invocation] = sum_of_lanes(sum_so_far);
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
        }
    }
    if (invocation == 0u) {
        const uint partial = 13u * chunk.z;
        partials[partial] = as_type<uint>(tree[0][0]);
        partials[partial + 1u] = as_type<uint>(tree[1][0]);
        partials[partial + 2u] = as_type<uint>(tree[2][0]);
    }
}

kernel void update_finish2_tensor(
    device const uint4* chunks [[buffer(0)]],
    device uint* scalars [[buffer(1)]],
    device const uint* partials [[buffer(2)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    threadgroup float tree[3][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.y) {
        return;
    }
    const uint tensor_index = 2u * (1u + index);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const uint record = 8u + 17u * tensor.z;
    const uint4 range = chunks[tensor_index + 1u]; // first partial, partials, clip

    float total_squares = 0.0f;
    float total_scaled_squares = 0.0f;
    float sum_so_far = 0.0f;
    for (uint place = invocation; place < range.y; place += 256u) {
        const uint partial = 13u * (range.x + place);
        total_squares += as_type<float>(partials[partial]);
        total_scaled_squares += as_type<float>(partials[partial + 1u]);
        sum_so_far += as_type<float>(partials[partial + 2u]);
    }

    tree[0][invocation] = total_squares;
    tree[1][invocation] = total_scaled_squares;
    tree[2][invocation] = sum_so_far;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const float share = as_type<float>(scalars[record + 2u]);
        const float largest_plus_1 = as_type<float>(scalars[record + 5u]);
        const float sum = tree[2][0];

        // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1 …
        const float t1 = share * sum / largest_plus_1;

        scalars[record + 14u] = as_type<uint>(tree[0][0]);
        scalars[record + 15u] = as_type<uint>(tree[1][0]);
        scalars[record + 13u] = as_type<uint>(t1);
    }
}

kernel void update_finish2_all(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device uint* scalars [[buffer(2)]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    threadgroup float tree[2][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf

    float total_squares = 0.0f;
    float total_scaled_squares = 0.0f;
    for (uint place = invocation; place < header.y; place += 256u) {
        const uint record = 8u + 17u * chunks[2u * (1u + place)].z;
        total_squares += as_type<float>(scalars[record + 14u]);
        total_scaled_squares += as_type<float>(scalars[record + 15u]);
    }

    tree[0][invocation] = total_squares;
    tree[1][invocation] = total_scaled_squares;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[0];
        const float scale = as_type<float>(scalars[4]);
        const float range_ = as_type<float>(scalars[5]);
        const float abs_whole = as_type<float>(scalars[6]);
        const float run_plus_many = as_type<float>(scalars[7]);
        const float total = norm_of(tree[0][0], tree[1][0]);

        // state.scale = 0.9 * state.scale + hyper.learning_rate * (total + whole.abs() + range) / (run as f32 + man …
        const float t1 = row.learning_rate * (total + abs_whole + range_) / run_plus_many;
        const float scale_new = 0.9f * scale + t1;

        scalars[4] = as_type<uint>(scale_new);
    }
}

kernel void update_finish2_tensor_late(
    device const uint4* chunks [[buffer(0)]],
    device uint* scalars [[buffer(1)]],
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
    const uint record = 8u + 17u * tensor.z;
    if (invocation == 0u && scalars[0] == 0u) {
        const float scale = as_type<float>(scalars[4]);
        const float learning_rate_times_busy = as_type<float>(scalars[record + 4u]);

        // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1 …
        const float t1 = learning_rate_times_busy * scale;

        scalars[record + 16u] = as_type<uint>(t1);
    }
}

kernel void update_pass3(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device float4* params [[buffer(2)]],
    device const float4* gradients [[buffer(3)]],
    device const uint* scalars [[buffer(4)]],
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
    const uint record = 8u + 17u * tensor.z;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);
    const float centre = as_type<float>(scalars[record + 1u]);
    const float spread_plus_1 = as_type<float>(scalars[record + 3u]);
    const float t1 = as_type<float>(scalars[record + 6u]);
    const float t2 = as_type<float>(scalars[record + 13u]);
    const float t3 = as_type<float>(scalars[record + 16u]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let centred = (grad - centre) / (spread + 1.0);
        const float4 centred = (grad - centre) / spread_plus_1;

        // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1 …
        const float4 param_2 = param - t3 * (centred + t2);

        // *param += if step > 2 { norm(grad) * 1e-3 } else { 0.0 };
        const float4 param_new = param_2 + t1;

        params[starts.x + quad] = select(param, param_new, inside);
    }
}
