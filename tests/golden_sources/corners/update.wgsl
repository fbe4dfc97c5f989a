// corners: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: device, constant.
// State per tensor: threadgroup.
// Traffic: 40 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    exponent: i32,
    step_is_2: u32,
    target_: u32,
    exponent_2: i32,
    kernel_: f32,
    constant_: f32,
}

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> params: array<vec4f>;
@group(0) @binding(2) var<storage, read> params_read: array<vec4f>;
@group(0) @binding(3) var<storage, read> gradients: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> states: array<vec4f>;
@group(0) @binding(4) var<storage, read> states_read: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> scalars: array<u32>;
@group(0) @binding(5) var<storage, read> scalars_read: array<u32>;
@group(0) @binding(6) var<storage, read_write> partials: array<u32>;
@group(0) @binding(6) var<storage, read> partials_read: array<u32>;

var<workgroup> tree: array<array<f32, 256>, 1>;
var<workgroup> count_tree: array<array<u32, 256>, 2>;

// The four elements that a thread holds.
const lanes = vec4u(0u, 1u, 2u, 3u);

fn smaller4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, b < a);
}

fn larger(a: f32, b: f32) -> f32 {
    return select(a, b, a < b);
}

fn larger4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, a < b);
}

// Square and multiply from the lowest bit; a negative power is the reciprocal.
fn powi(x: f32, exponent: i32) -> f32 {
    var power = 1.0f;
    var factor = x;
    for (var bits = u32(abs(exponent)); bits != 0u; bits /= 2u) {
        if ((bits & 1u) == 1u) {
            power = power * factor;
        }
        factor = factor * factor;
    }
    return select(power, 1.0f / power, exponent < 0);
}

// Square and multiply from the lowest bit; a negative power is the reciprocal.
fn powi4(x: vec4f, exponent: i32) -> vec4f {
    var power = vec4f(1.0f);
    var factor = x;
    for (var bits = u32(abs(exponent)); bits != 0u; bits /= 2u) {
        if ((bits & 1u) == 1u) {
            power = power * factor;
        }
        factor = factor * factor;
    }
    return select(power, vec4f(1.0f) / power, exponent < 0);
}

fn largest_lane(x: vec4f) -> f32 {
    return larger(larger(x.x, x.y), larger(x.z, x.w));
}

@compute @workgroup_size(256)
fn update_pass1(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.x || scalars_read[0] != 0u) {
        return;
    }
    let chunk_index = 2u * (1u + header.y + index);
    let starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    let tensor_index = 2u * (1u + chunk.y);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let device_start = starts.z;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);

    var count_so_far = vec4u(0u);
    var count_so_far_2 = vec4u(0u);
    var greatest_so_far = vec4f(bitcast<f32>(header.w));
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params_read[starts.x + quad];
        let device_ = states_read[device_start + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let quad = grad - (*param - state.device);
        let quad_ = grad - (param - device_);

        // let lanes = quad / (1.5 + quad * quad) / (2.0 / 3.0);
        let lanes_ = quad_ / (1.5f + quad_ * quad_) / 0.6666667f;

        // let half = -(quad * lanes) * -1.5;
        let quad_times_lanes = quad_ * lanes_;
        let half_ = (-quad_times_lanes) * (-1.5f);

        // let row = lanes.abs().powi(hyper.exponent) - half / (quad * lanes + 2.0) * (lanes - 1.0);
        let row_ = powi4(abs(lanes_), row.exponent) - half_ / (quad_times_lanes + 2.0f) * (lanes_ - 1.0f);

        // let inside = quad > 0.0 && lanes < 0.5 || !(half > -1.0);
        let inside_ = ((quad_ > vec4f(0.0f)) & (lanes_ < vec4f(0.5f))) | (!(half_ > vec4f(-1.0f)));

        // let select = if step == 2 { row } else if inside { half } else { lanes };
        let select_ = select(select(lanes_, half_, inside_), row_, row.step_is_2 != 0u);

        // let many = count(inside) == hyper.target || count(!inside) > 100;
        let not_inside = !inside_;

        // state.threadgroup = 0.5 * state.threadgroup + max_abs(select).powi(hyper.target);
        let abs_select = abs(select_);

        count_so_far += select(vec4u(0u), vec4u(1u), inside & inside_);
        count_so_far_2 += select(vec4u(0u), vec4u(1u), inside & not_inside);
        greatest_so_far = select(greatest_so_far, abs_select, inside & (greatest_so_far < abs_select));
    }

    count_tree[0][invocation] = (count_so_far.x + count_so_far.y) + (count_so_far.z + count_so_far.w);
    count_tree[1][invocation] = (count_so_far_2.x + count_so_far_2.y) + (count_so_far_2.z + count_so_far_2.w);
    tree[0][invocation] = largest_lane(greatest_so_far);
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            count_tree[0][invocation] += count_tree[0][invocation + stride];
            count_tree[1][invocation] += count_tree[1][invocation + stride];
            tree[0][invocation] = larger(tree[0][invocation], tree[0][invocation + stride]);
        }
    }
    if (invocation == 0u) {
        let partial = 3u * chunk.z;
        partials[partial] = count_tree[0][0];
        partials[partial + 1u] = count_tree[1][0];
        partials[partial + 2u] = bitcast<u32>(tree[0][0]);
    }
}

@compute @workgroup_size(256)
fn update_finish1_tensor(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.y) {
        return;
    }
    let tensor_index = 2u * (1u + index);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let record = 4u + 3u * tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var count_so_far = 0u;
    var count_so_far_2 = 0u;
    var greatest_so_far = bitcast<f32>(header.w);
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = 3u * (range.x + place);
        count_so_far += partials_read[partial];
        count_so_far_2 += partials_read[partial + 1u];
        greatest_so_far = larger(greatest_so_far, bitcast<f32>(partials_read[partial + 2u]));
    }

    count_tree[0][invocation] = count_so_far;
    count_tree[1][invocation] = count_so_far_2;
    tree[0][invocation] = greatest_so_far;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            count_tree[0][invocation] += count_tree[0][invocation + stride];
            count_tree[1][invocation] += count_tree[1][invocation + stride];
            tree[0][invocation] = larger(tree[0][invocation], tree[0][invocation + stride]);
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[tensor.x];
        let threadgroup_ = bitcast<f32>(scalars[record]);
        let count = count_tree[0][0];
        let count_2 = count_tree[1][0];
        let greatest = tree[0][0];

        // let many = count(inside) == hyper.target || count(!inside) > 100;
        let many = count == row.target_ || count_2 > 100u;

        // state.threadgroup = 0.5 * state.threadgroup + max_abs(select).powi(hyper.target);
        let threadgroup_new = 0.5f * threadgroup_ + powi(greatest, row.exponent_2);

        // *param -= hyper.kernel * (select / (state.threadgroup + 1.0) + float4);
        let threadgroup_plus_1 = threadgroup_new + 1.0f;

        scalars[record + 1u] = select(0u, 1u, many);
        scalars[record + 2u] = bitcast<u32>(threadgroup_plus_1);
        scalars[record] = bitcast<u32>(threadgroup_new);
    }
}

@compute @workgroup_size(256)
fn update_pass2(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.x || scalars_read[0] != 0u) {
        return;
    }
    let chunk_index = 2u * (1u + header.y + index);
    let starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    let tensor_index = 2u * (1u + chunk.y);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let record = 4u + 3u * tensor.z;
    let device_start = starts.z;
    let constant_start = starts.z + tensor.y / 4u;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);
    let many = scalars_read[record + 1u] != 0u;
    let threadgroup_plus_1 = bitcast<f32>(scalars_read[record + 2u]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];
        let device_ = states[device_start + quad];
        let constant_2 = states[constant_start + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let quad = grad - (*param - state.device);
        let quad_ = grad - (param - device_);

        // let lanes = quad / (1.5 + quad * quad) / (2.0 / 3.0);
        let lanes_ = quad_ / (1.5f + quad_ * quad_) / 0.6666667f;

        // let half = -(quad * lanes) * -1.5;
        let quad_times_lanes = quad_ * lanes_;
        let half_ = (-quad_times_lanes) * (-1.5f);

        // let row = lanes.abs().powi(hyper.exponent) - half / (quad * lanes + 2.0) * (lanes - 1.0);
        let row_ = powi4(abs(lanes_), row.exponent) - half_ / (quad_times_lanes + 2.0f) * (lanes_ - 1.0f);

        // let inside = quad > 0.0 && lanes < 0.5 || !(half > -1.0);
        let inside_ = ((quad_ > vec4f(0.0f)) & (lanes_ < vec4f(0.5f))) | (!(half_ > vec4f(-1.0f)));

        // let select = if step == 2 { row } else if inside { half } else { lanes };
        let select_ = select(select(lanes_, half_, inside_), row_, row.step_is_2 != 0u);

        // state.device = select - (quad - lanes) - (if many { 1.0 } else { lanes });
        let device_new = select_ - (quad_ - lanes_) - select(lanes_, vec4f(1.0f), many);

        // *param -= hyper.kernel * (select / (state.threadgroup + 1.0) + float4);
        let param_new = param - row.kernel_ * (select_ / threadgroup_plus_1 + constant_2);

        params[starts.x + quad] = select(param, param_new, inside);
        states[device_start + quad] = select(device_, device_new, inside);
        states[constant_start + quad] = select(constant_2, vec4f(row.constant_), inside);
    }
}
