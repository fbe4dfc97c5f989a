// Many groups that take their time: a queue that stays busy. Mesa's software driver ends loops after 65,535 rounds, so
// it is the number of groups that keeps it busy, and the number of rounds that keeps a GPU busy.
@group(0) @binding(0) var<storage, read> hyper: array<u32>;
@group(0) @binding(5) var<storage, read_write> scalars: array<u32>;

@compute @workgroup_size(1)
fn update_finish1_tensor(@builtin(workgroup_id) group: vec3<u32>) {
    var state = group.x;
    for (var i = 0u; i < hyper[0]; i++) {
        state = state * 1664525u + 1013904223u;
    }
    if (state == 12345u) {
        scalars[4] = state;
    }
}
