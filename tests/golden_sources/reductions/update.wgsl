// reductions: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per tensor: largest.
// State of all tensors: scale.
// Traffic: 24 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    len: f32,
    threshold: f32,
    all_len: f32,
    learning_rate: f32,
    run: f32,
    step_above_2: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> params: array<vec4f>;
@group(0) @binding(2) var<storage, read> params_read: array<vec4f>;
@group(0) @binding(3) var<storage, read> gradients: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> scalars: array<u32>;
@group(0) @binding(5) var<storage, read> scalars_read: array<u32>;
@group(0) @binding(6) var<storage, read_write> partials: array<u32>;
@group(0) @binding(6) var<storage, read> partials_read: array<u32>;

var<workgroup> tree: array<array<f32, 256>, 11>;
var<workgroup> count_tree: array<array<u32, 256>, 2>;

// The four elements that a thread holds.
const lanes = vec4u(0u, 1u, 2u, 3u);

fn square(x: vec4f) -> vec4f {
    return x * x;
}

// The square of x times 2^-96, which does not overflow.
fn scaled_square(x: vec4f) -> vec4f {
    return square(1.2621775e-29f * x);
}

// The root of a sum of squares; where that has overflowed, of the sum scaled by 2^-96 squared.
fn norm_of(squares: f32, scaled_squares: f32) -> f32 {
    let overflowed = (bitcast<u32>(squares) & 0x7f800000u) == 0x7f800000u;
    return select(sqrt(squares), 7.9228163e28f * sqrt(scaled_squares), overflowed);
}

fn sum_of_lanes(x: vec4f) -> f32 {
    return (x.x + x.y) + (x.z + x.w);
}

fn smaller(a: f32, b: f32) -> f32 {
    return select(a, b, b < a);
}

fn smaller4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, b < a);
}

fn larger(a: f32, b: f32) -> f32 {
    return select(a, b, a < b);
}

fn larger4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, a < b);
}

fn smallest_lane(x: vec4f) -> f32 {
    return smaller(smaller(x.x, x.y), smaller(x.z, x.w));
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
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);

    var greatest_so_far = vec4f(bitcast<f32>(header.w));
    var least_so_far = vec4f(bitcast<f32>(header.z));
    var sum_so_far = vec4f(0.0f);
    var above_so_far = vec4u(0u);
    var greatest_so_far_2 = vec4f(bitcast<f32>(header.w));
    var sum_so_far_2 = vec4f(0.0f);
    var sum_so_far_3 = vec4f(0.0f);
    var count_so_far = vec4u(0u);
    var greatest_so_far_3 = vec4f(bitcast<f32>(header.w));
    var least_so_far_2 = vec4f(bitcast<f32>(header.z));
    var greatest_so_far_4 = vec4f(bitcast<f32>(header.w));
    var norm_squares = vec4f(0.0f);
    var norm_scaled_squares = vec4f(0.0f);
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params_read[starts.x + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let above = count(grad.abs() > hyper.threshold);
        let abs_grad = abs(grad);
        let abs_grad_above_threshold = abs_grad > vec4f(row.threshold);

        // let whole = all::mean(grad * grad) + all::sum(*param) / all::len() as f32;
        let grad_times_grad = grad * grad;

        // let many = all::count(*param > 0.0) as f32;
        let param_above_0 = param > vec4f(0.0f);

        greatest_so_far = select(greatest_so_far, grad, inside & (greatest_so_far < grad));
        least_so_far = select(least_so_far, grad, inside & (grad < least_so_far));
        sum_so_far += select(vec4f(0.0f), grad, inside);
        above_so_far += select(vec4u(0u), vec4u(1u), inside & abs_grad_above_threshold);
        greatest_so_far_2 = select(greatest_so_far_2, abs_grad, inside & (greatest_so_far_2 < abs_grad));
        sum_so_far_2 += select(vec4f(0.0f), grad_times_grad, inside);
        sum_so_far_3 += select(vec4f(0.0f), param, inside);
        count_so_far += select(vec4u(0u), vec4u(1u), inside & param_above_0);
        greatest_so_far_3 = select(greatest_so_far_3, param, inside & (greatest_so_far_3 < param));
        least_so_far_2 = select(least_so_far_2, param, inside & (param < least_so_far_2));
        greatest_so_far_4 = select(greatest_so_far_4, abs_grad, inside & (greatest_so_far_4 < abs_grad));
        norm_squares += select(vec4f(0.0f), square(grad), inside);
        norm_scaled_squares += select(vec4f(0.0f), scaled_square(grad), inside);
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
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
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
        let partial = 13u * chunk.z;
        partials[partial] = bitcast<u32>(tree[0][0]);
        partials[partial + 1u] = bitcast<u32>(tree[1][0]);
        partials[partial + 2u] = bitcast<u32>(tree[2][0]);
        partials[partial + 3u] = count_tree[0][0];
        partials[partial + 4u] = bitcast<u32>(tree[3][0]);
        partials[partial + 5u] = bitcast<u32>(tree[4][0]);
        partials[partial + 6u] = bitcast<u32>(tree[5][0]);
        partials[partial + 7u] = count_tree[1][0];
        partials[partial + 8u] = bitcast<u32>(tree[6][0]);
        partials[partial + 9u] = bitcast<u32>(tree[7][0]);
        partials[partial + 10u] = bitcast<u32>(tree[8][0]);
        partials[partial + 11u] = bitcast<u32>(tree[9][0]);
        partials[partial + 12u] = bitcast<u32>(tree[10][0]);
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
    let record = 8u + 17u * tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var greatest_so_far = bitcast<f32>(header.w);
    var least_so_far = bitcast<f32>(header.z);
    var sum_so_far = 0.0f;
    var above_so_far = 0u;
    var greatest_so_far_2 = bitcast<f32>(header.w);
    var sum_so_far_2 = 0.0f;
    var sum_so_far_3 = 0.0f;
    var count_so_far = 0u;
    var greatest_so_far_3 = bitcast<f32>(header.w);
    var least_so_far_2 = bitcast<f32>(header.z);
    var greatest_so_far_4 = bitcast<f32>(header.w);
    var norm_squares = 0.0f;
    var norm_scaled_squares = 0.0f;
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = 13u * (range.x + place);
        greatest_so_far = larger(greatest_so_far, bitcast<f32>(partials_read[partial]));
        least_so_far = smaller(least_so_far, bitcast<f32>(partials_read[partial + 1u]));
        sum_so_far += bitcast<f32>(partials_read[partial + 2u]);
        above_so_far += partials_read[partial + 3u];
        greatest_so_far_2 = larger(greatest_so_far_2, bitcast<f32>(partials_read[partial + 4u]));
        sum_so_far_2 += bitcast<f32>(partials_read[partial + 5u]);
        sum_so_far_3 += bitcast<f32>(partials_read[partial + 6u]);
        count_so_far += partials_read[partial + 7u];
        greatest_so_far_3 = larger(greatest_so_far_3, bitcast<f32>(partials_read[partial + 8u]));
        least_so_far_2 = smaller(least_so_far_2, bitcast<f32>(partials_read[partial + 9u]));
        greatest_so_far_4 = larger(greatest_so_far_4, bitcast<f32>(partials_read[partial + 10u]));
        norm_squares += bitcast<f32>(partials_read[partial + 11u]);
        norm_scaled_squares += bitcast<f32>(partials_read[partial + 12u]);
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
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
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
        let row = rows[tensor.x];
        let largest = bitcast<f32>(scalars[record]);
        let greatest = tree[0][0];
        let least = tree[1][0];
        let sum = tree[2][0];
        let above = count_tree[0][0];
        let greatest_2 = tree[3][0];
        let norm = norm_of(tree[9][0], tree[10][0]);

        // let spread = max(grad) - min(grad);
        let spread = greatest - least;

        // let centre = mean(grad);
        let centre = sum / row.len;

        // let share = above as f32 / len() as f32;
        let share = f32(above) / row.len;

        // state.largest = state.largest.max(max_abs(grad));
        let largest_new = larger(largest, greatest_2);

        // let centred = (grad - centre) / (spread + 1.0);
        let spread_plus_1 = spread + 1.0f;

        // let busy = if above > 3 { 1.5 } else { 0.5 };
        let busy = select(0.5f, 1.5f, above > 3u);

        // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1 …
        let learning_rate_times_busy = row.learning_rate * busy;
        let largest_plus_1 = largest_new + 1.0f;

        // *param += if step > 2 { norm(grad) * 1e-3 } else { 0.0 };
        let t1 = select(0.0f, norm * 0.001f, row.step_above_2 != 0u);

        scalars[record + 7u] = bitcast<u32>(tree[4][0]);
        scalars[record + 8u] = bitcast<u32>(tree[5][0]);
        scalars[record + 9u] = count_tree[1][0];
        scalars[record + 10u] = bitcast<u32>(tree[6][0]);
        scalars[record + 11u] = bitcast<u32>(tree[7][0]);
        scalars[record + 12u] = bitcast<u32>(tree[8][0]);
        scalars[record + 1u] = bitcast<u32>(centre);
        scalars[record + 2u] = bitcast<u32>(share);
        scalars[record + 3u] = bitcast<u32>(spread_plus_1);
        scalars[record + 4u] = bitcast<u32>(learning_rate_times_busy);
        scalars[record + 5u] = bitcast<u32>(largest_plus_1);
        scalars[record + 6u] = bitcast<u32>(t1);
        scalars[record] = bitcast<u32>(largest_new);
    }
}

@compute @workgroup_size(256)
fn update_finish1_all(
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf

    var sum_so_far = 0.0f;
    var sum_so_far_2 = 0.0f;
    var count_so_far = 0u;
    var greatest_so_far = bitcast<f32>(header.w);
    var least_so_far = bitcast<f32>(header.z);
    var greatest_so_far_2 = bitcast<f32>(header.w);
    for (var place = invocation; place < header.y; place += 256u) {
        let record = 8u + 17u * chunks[2u * (1u + place)].z;
        sum_so_far += bitcast<f32>(scalars[record + 7u]);
        sum_so_far_2 += bitcast<f32>(scalars[record + 8u]);
        count_so_far += scalars[record + 9u];
        greatest_so_far = larger(greatest_so_far, bitcast<f32>(scalars[record + 10u]));
        least_so_far = smaller(least_so_far, bitcast<f32>(scalars[record + 11u]));
        greatest_so_far_2 = larger(greatest_so_far_2, bitcast<f32>(scalars[record + 12u]));
    }

    tree[0][invocation] = sum_so_far;
    tree[1][invocation] = sum_so_far_2;
    count_tree[0][invocation] = count_so_far;
    tree[2][invocation] = greatest_so_far;
    tree[3][invocation] = least_so_far;
    tree[4][invocation] = greatest_so_far_2;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
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
        let row = rows[0];
        let sum = tree[0][0];
        let sum_2 = tree[1][0];
        let count = count_tree[0][0];
        let greatest = tree[2][0];
        let least = tree[3][0];
        let greatest_2 = tree[4][0];

        // let whole = all::mean(grad * grad) + all::sum(*param) / all::len() as f32;
        let whole = sum / row.all_len + sum_2 / row.all_len;

        // let many = all::count(*param > 0.0) as f32;
        let many = f32(count);

        // let range = all::max(*param) - all::min(*param) + all::max_abs(grad);
        let range_ = greatest - least + greatest_2;

        // state.scale = 0.9 * state.scale + hyper.learning_rate * (total + whole.abs() + range) / (run as f32 + man …
        let abs_whole = abs(whole);
        let run_plus_many = row.run + many;

        scalars[5] = bitcast<u32>(range_);
        scalars[6] = bitcast<u32>(abs_whole);
        scalars[7] = bitcast<u32>(run_plus_many);
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
    let record = 8u + 17u * tensor.z;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);
    let centre = bitcast<f32>(scalars_read[record + 1u]);
    let spread_plus_1 = bitcast<f32>(scalars_read[record + 3u]);

    var total_squares = vec4f(0.0f);
    var total_scaled_squares = vec4f(0.0f);
    var sum_so_far = vec4f(0.0f);
    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let centred = (grad - centre) / (spread + 1.0);
        let centred = (grad - centre) / spread_plus_1;

        total_squares += select(vec4f(0.0f), square(centred), inside);
        total_scaled_squares += select(vec4f(0.0f), scaled_square(centred), inside);
        sum_so_far += select(vec4f(0.0f), centred, inside);
    }

    tree[0][invocation] = sum_of_lanes(total_squares);
    tree[1][invocation] = sum_of_lanes(total_scaled_squares);
    tree[2][invocation] = sum_of_lanes(sum_so_far);
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
        }
    }
    if (invocation == 0u) {
        let partial = 13u * chunk.z;
        partials[partial] = bitcast<u32>(tree[0][0]);
        partials[partial + 1u] = bitcast<u32>(tree[1][0]);
        partials[partial + 2u] = bitcast<u32>(tree[2][0]);
    }
}

@compute @workgroup_size(256)
fn update_finish2_tensor(
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
    let record = 8u + 17u * tensor.z;
    let range = chunks[tensor_index + 1u]; // first partial, partials, clip

    var total_squares = 0.0f;
    var total_scaled_squares = 0.0f;
    var sum_so_far = 0.0f;
    for (var place = invocation; place < range.y; place += 256u) {
        let partial = 13u * (range.x + place);
        total_squares += bitcast<f32>(partials_read[partial]);
        total_scaled_squares += bitcast<f32>(partials_read[partial + 1u]);
        sum_so_far += bitcast<f32>(partials_read[partial + 2u]);
    }

    tree[0][invocation] = total_squares;
    tree[1][invocation] = total_scaled_squares;
    tree[2][invocation] = sum_so_far;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
            tree[2][invocation] += tree[2][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let share = bitcast<f32>(scalars[record + 2u]);
        let largest_plus_1 = bitcast<f32>(scalars[record + 5u]);
        let sum = tree[2][0];

        // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1 …
        let t1 = share * sum / largest_plus_1;

        scalars[record + 14u] = bitcast<u32>(tree[0][0]);
        scalars[record + 15u] = bitcast<u32>(tree[1][0]);
        scalars[record + 13u] = bitcast<u32>(t1);
    }
}

@compute @workgroup_size(256)
fn update_finish2_all(
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf

    var total_squares = 0.0f;
    var total_scaled_squares = 0.0f;
    for (var place = invocation; place < header.y; place += 256u) {
        let record = 8u + 17u * chunks[2u * (1u + place)].z;
        total_squares += bitcast<f32>(scalars[record + 14u]);
        total_scaled_squares += bitcast<f32>(scalars[record + 15u]);
    }

    tree[0][invocation] = total_squares;
    tree[1][invocation] = total_scaled_squares;
    for (var stride = 128u; stride > 0u; stride /= 2u) {
        workgroupBarrier();
        if (invocation < stride) {
            tree[0][invocation] += tree[0][invocation + stride];
            tree[1][invocation] += tree[1][invocation + stride];
        }
    }
    if (invocation == 0u && scalars[0] == 0u) {
        let row = rows[0];
        let scale = bitcast<f32>(scalars[4]);
        let range_ = bitcast<f32>(scalars[5]);
        let abs_whole = bitcast<f32>(scalars[6]);
        let run_plus_many = bitcast<f32>(scalars[7]);
        let total = norm_of(tree[0][0], tree[1][0]);

        // state.scale = 0.9 * state.scale + hyper.learning_rate * (total + whole.abs() + range) / (run as f32 + man …
        let t1 = row.learning_rate * (total + abs_whole + range_) / run_plus_many;
        let scale_new = 0.9f * scale + t1;

        scalars[4] = bitcast<u32>(scale_new);
    }
}

@compute @workgroup_size(256)
fn update_finish2_tensor_late(
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
    let record = 8u + 17u * tensor.z;
    if (invocation == 0u && scalars[0] == 0u) {
        let scale = bitcast<f32>(scalars[4]);
        let learning_rate_times_busy = bitcast<f32>(scalars[record + 4u]);

        // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1 …
        let t1 = learning_rate_times_busy * scale;

        scalars[record + 16u] = bitcast<u32>(t1);
    }
}

@compute @workgroup_size(256)
fn update_pass3(
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
    let record = 8u + 17u * tensor.z;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars_read[chunks[tensor_index + 1u].z]);
    let centre = bitcast<f32>(scalars_read[record + 1u]);
    let spread_plus_1 = bitcast<f32>(scalars_read[record + 3u]);
    let t1 = bitcast<f32>(scalars_read[record + 6u]);
    let t2 = bitcast<f32>(scalars_read[record + 13u]);
    let t3 = bitcast<f32>(scalars_read[record + 16u]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let centred = (grad - centre) / (spread + 1.0);
        let centred = (grad - centre) / spread_plus_1;

        // *param -= hyper.learning_rate * busy * state.scale * (centred + share * sum(centred) / (state.largest + 1 …
        let param_2 = param - t3 * (centred + t2);

        // *param += if step > 2 { norm(grad) * 1e-3 } else { 0.0 };
        let param_new = param_2 + t1;

        params[starts.x + quad] = select(param, param_new, inside);
    }
}
