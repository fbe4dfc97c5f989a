// corners: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: device, constant.
// State per tensor: threadgroup.
// Traffic: 40 bytes per element.
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
    int exponent;
    uint step_is_2;
    uint target_;
    int exponent_2;
    float kernel_;
    float constant_;
};

// The four elements that a thread holds.
constant uint4 lanes = uint4(0u, 1u, 2u, 3u);

static inline float4 smaller4(float4 a, float4 b) {
    return select(a, b, b < a);
}

static inline float larger(float a, float b) {
    return (a < b ? b : a);
}

static inline float4 larger4(float4 a, float4 b) {
    return select(a, b, a < b);
}

// Square and multiply from the lowest bit; a negative power is the reciprocal.
static inline float powi(float x, int exponent) {
    float power = 1.0f;
    float factor = x;
    for (uint bits = uint(abs(exponent)); bits != 0u; bits /= 2u) {
        if ((bits & 1u) == 1u) {
            power = power * factor;
        }
        factor = factor * factor;
    }
    return (exponent < 0 ? 1.0f / power : power);
}

// Square and multiply from the lowest bit; a negative power is the reciprocal.
static inline float4 powi4(float4 x, int exponent) {
    float4 power = float4(1.0f);
    float4 factor = x;
    for (uint bits = uint(abs(exponent)); bits != 0u; bits /= 2u) {
        if ((bits & 1u) == 1u) {
            power = power * factor;
        }
        factor = factor * factor;
    }
    return (exponent < 0 ? float4(1.0f) / power : power);
}

static inline float largest_lane(float4 x) {
    return larger(larger(x.x, x.y), larger(x.z, x.w));
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
    threadgroup float tree[1][256];
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
    const uint device_start = starts.z;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    uint4 count_so_far = uint4(0u);
    uint4 count_so_far_2 = uint4(0u);
    float4 greatest_so_far = float4(as_type<float>(header.w));
    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 device_ = states[device_start + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let quad = grad - (*param - state.device);
        const float4 quad_ = grad - (param - device_);

        // let lanes = quad / (1.5 + quad * quad) / (2.0 / 3.0);
        const float4 lanes_ = quad_ / (1.5f + quad_ * quad_) / 0.6666667f;

        // let half = -(quad * lanes) * -1.5;
        const float4 quad_times_lanes = quad_ * lanes_;
        const float4 half_ = (-quad_times_lanes) * (-1.5f);

        // let row = lanes.abs().powi(hyper.exponent) - half / (quad * lanes + 2.0) * (lanes - 1.0);
        const float4 row_ = powi4(abs(lanes_), row.exponent) - half_ / (quad_times_lanes + 2.0f) * (lanes_ - 1.0f);

        // let inside = quad > 0.0 && lanes < 0.5 || !(half > -1.0);
        const bool4 inside_ = ((quad_ > float4(0.0f)) && (lanes_ < float4(0.5f))) || (!(half_ > float4(-1.0f)));

        // let select = if step == 2 { row } else if inside { half } else { lanes };
        const float4 select_ = (row.step_is_2 != 0u ? row_ : select(lanes_, half_, inside_));

        // let many = count(inside) == hyper.target || count(!inside) > 100;
        const bool4 not_inside = !inside_;

        // state.threadgroup = 0.5 * state.threadgroup + max_abs(select).powi(hyper.target);
        const float4 abs_select = abs(select_);

        count_so_far += select(uint4(0u), uint4(1u), inside && inside_);
        count_so_far_2 += select(uint4(0u), uint4(1u), inside && not_inside);
        greatest_so_far = select(greatest_so_far, abs_select, inside && (greatest_so_far < abs_select));
    }

    count_tree[0][invocation] = (count_so_far.x + count_so_far.y) + (count_so_far.z + count_so_far.w);
    count_tree[1][invocation] = (count_so_far_2.x + count_so_far_2.y) + (count_so_far_2.z + count_so_far_2.w);
    tree[0][invocation] = largest_lane(greatest_so_far);
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            count_tree[0][invocation] += count_tree[0][invocation + stride];
            count_tree[1][invocation] += count_tree[1][invocation + stride];
            tree[0][invocation] = larger(tree[0][invocation], tree[0][invocation + stride]);
        }
    }
    if (invocation == 0u) {
        const uint partial = 3u * chunk.z;
        partials[partial] = count_tree[0][0];
        partials[partial + 1u] = count_tree[1][0];
        partials[partial + 2u] = as_type<uint>(tree[0][0]);
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
    threadgroup uint count_tree[2][256];
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.y) {
        return;
    }
    const uint tensor_index = 2u * (1u + index);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const uint record = 4u + 3u * tensor.z;
    const uint4 range = chunks[tensor_index + 1u]; // first partial, partials, clip

    uint count_so_far = 0u;
    uint count_so_far_2 = 0u;
    float greatest_so_far = as_type<float>(header.w);
    for (uint place = invocation; place < range.y; place += 256u) {
        const uint partial = 3u * (range.x + place);
        count_so_far += partials[partial];
        count_so_far_2 += partials[partial + 1u];
        greatest_so_far = larger(greatest_so_far, as_type<float>(partials[partial + 2u]));
    }

    count_tree[0][invocation] = count_so_far;
    count_tree[1][invocation] = count_so_far_2;
    tree[0][invocation] = greatest_so_far;
    for (uint stride = 128u; stride > 0u; stride /= 2u) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (invocation < stride) {
            count_tree[0][invocation] += count_tree[0][invocation + stride];
            count_tree[1][invocation] += count_tree[1][invocation + stride];
            tree[0][invocation] = larger(tree[0][invocation], tree[0][invocation + stride]);
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        const Row row = rows[tensor.x];
        const float threadgroup_ = as_type<float>(scalars[record]);
        const uint count = count_tree[0][0];
        const uint count_2 = count_tree[1][0];
        const float greatest = tree[0][0];

        // let many = count(inside) == hyper.target || count(!inside) > 100;
        const bool many = count == row.target_ || count_2 > 100u;

        // state.threadgroup = 0.5 * state.threadgroup + max_abs(select).powi(hyper.target);
        const float threadgroup_new = 0.5f * threadgroup_ + powi(greatest, row.exponent_2);

        // *param -= hyper.kernel * (select / (state.threadgroup + 1.0) + float4);
        const float threadgroup_plus_1 = threadgroup_new + 1.0f;

        scalars[record + 1u] = (many ? 1u : 0u);
        scalars[record + 2u] = as_type<uint>(threadgroup_plus_1);
        scalars[record] = as_type<uint>(threadgroup_new);
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
    const uint device_start = starts.z;
    const uint constant_start = starts.z + tensor.y / 4u;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);
    const bool many = scalars[record + 1u] != 0u;
    const float threadgroup_plus_1 = as_type<float>(scalars[record + 2u]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 device_ = states[device_start + quad];
        const float4 constant_2 = states[constant_start + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let quad = grad - (*param - state.device);
        const float4 quad_ = grad - (param - device_);

        // let lanes = quad / (1.5 + quad * quad) / (2.0 / 3.0);
        const float4 lanes_ = quad_ / (1.5f + quad_ * quad_) / 0.6666667f;

        // let half = -(quad * lanes) * -1.5;
        const float4 quad_times_lanes = quad_ * lanes_;
        const float4 half_ = (-quad_times_lanes) * (-1.5f);

        // let row = lanes.abs().powi(hyper.exponent) - half / (quad * lanes + 2.0) * (lanes - 1.0);
        const float4 row_ = powi4(abs(lanes_), row.exponent) - half_ / (quad_times_lanes + 2.0f) * (lanes_ - 1.0f);

        // let inside = quad > 0.0 && lanes < 0.5 || !(half > -1.0);
        const bool4 inside_ = ((quad_ > float4(0.0f)) && (lanes_ < float4(0.5f))) || (!(half_ > float4(-1.0f)));

        // let select = if step == 2 { row } else if inside { half } else { lanes };
        const float4 select_ = (row.step_is_2 != 0u ? row_ : select(lanes_, half_, inside_));

        // state.device = select - (quad - lanes) - (if many { 1.0 } else { lanes });
        const float4 device_new = select_ - (quad_ - lanes_) - (many ? float4(1.0f) : lanes_);

        // *param -= hyper.kernel * (select / (state.threadgroup + 1.0) + float4);
        const float4 param_new = param - row.kernel_ * (select_ / threadgroup_plus_1 + constant_2);

        params[starts.x + quad] = select(param, param_new, inside);
        states[device_start + quad] = select(device_, device_new, inside);
        states[constant_start + quad] = select(constant_2, float4(row.constant_), inside);
    }
}
