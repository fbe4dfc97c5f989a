@group(0) @binding(0) var<storage, read> hyper: array<f32>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> param: array<f32>;
@group(0) @binding(3) var<storage, read> grad: array<f32>;
@group(0) @binding(5) var<storage, read> scalars_read: array<u32>;
@group(0) @binding(5) var<storage, read_write> scalars: array<u32>;
@group(0) @binding(6) var<storage, read_write> partials: array<u32>;
@group(0) @binding(6) var<storage, read> partials_read: array<u32>;

@compute @workgroup_size(256)
fn update_pass1(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let chunk = group.y * groups.x + group.x;
    if (chunk >= chunks[0].x || scalars_read[0] != 0u) {
        return;
    }
    let record = 2u + 2u * chunks[0].y + 2u * chunk;
    let starts = chunks[record];
    let rest = chunks[record + 1u];
    let row = chunks[2u + 2u * rest.y].x;
    for (var i = thread; i < rest.x; i += 256u) {
        param[starts.x + i] -= hyper[row] * grad[starts.y + i];
    }
    if (thread == 0u) {
        partials[rest.z] = rest.x;
    }
}

@compute @workgroup_size(256)
fn update_finish1_tensor(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tensor = group.y * groups.x + group.x;
    if (tensor >= chunks[0].y || scalars[0] != 0u || thread != 0u) {
        return;
    }
    let first = chunks[2u + 2u * tensor];
    let rest = chunks[3u + 2u * tensor];
    var count = 0u;
    for (var i = 0u; i < rest.y; i++) {
        count += partials_read[rest.x + i];
    }
    scalars[4u + first.z] = count;
}
