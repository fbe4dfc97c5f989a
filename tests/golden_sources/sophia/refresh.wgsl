// sophia: refresh
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// State per element: m, h.
// Traffic: 12 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    beta2: f32,
    one_minus_beta2: f32,
}

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> states: array<vec4f>;
@group(0) @binding(5) var<storage, read> scalars: array<u32>;
@group(0) @binding(7) var<storage, read> hessian_buffer: array<vec4f>;

// The four elements that a thread holds.
const lanes = vec4u(0u, 1u, 2u, 3u);

@compute @workgroup_size(256)
fn refresh_pass1(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.x || scalars[0] != 0u) {
        return;
    }
    let chunk_index = 2u * (1u + header.y + index);
    let starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    let tensor_index = 2u * (1u + chunk.y);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let h_start = starts.z + tensor.y / 4u;
    let row = rows[tensor.x];

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let hessian = hessian_buffer[starts.w + quad];
        let h = states[h_start + quad];

        // state.h = hyper.beta2 * state.h + (1.0 - hyper.beta2) * hessian;
        let h_new = row.beta2 * h + row.one_minus_beta2 * hessian;

        states[h_start + quad] = select(h, h_new, inside);
    }
}
