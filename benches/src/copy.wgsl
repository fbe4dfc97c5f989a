// Copies 16 bytes at a time: each thread so many vectors, those of a workgroup side by side.

override vectors: u32;

@group(0) @binding(0) var<storage, read> origin: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4f>;

@compute @workgroup_size(256)
fn copy(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let first = (group.y * groups.x + group.x) * 256u * vectors + thread;
    for (var vector = 0u; vector < vectors; vector++) {
        let at = first + 256u * vector;
        if at < arrayLength(&origin) {
            copied[at] = origin[at];
        }
    }
}
