//! Sources and bindings as scirs2-core's Metal context takes them. Plain text and tables: tested on every system.

use crate::GpuOptimError;
use crate::rule::Kernel;

/// The names that buffers are bound by, in order of their index. The first six are known to scirs2-core; one other name
/// may follow, and several would follow in no particular order.
pub(super) const NAMES: [&str; 7] = ["x", "y", "a", "b", "result", "output", "last"];

const HEAD: &str = "kernel void ";

/// The source of one kernel: the preamble, and the kernel's own part, so that the first entry point is the right one.
pub(super) fn of_kernel(msl: &str, name: &str) -> Result<String, GpuOptimError> {
    let mut source = String::with_capacity(msl.len());
    let mut section = None;
    for line in msl.split_inclusive('\n') {
        if let Some(head) = line.strip_prefix(HEAD) {
            section = head.split('(').next();
        }
        if section.is_none_or(|section| section == name) {
            source += line;
        }
    }
    if source.split(HEAD).nth(1).is_some_and(|rest| rest.starts_with(&format!("{name}("))) {
        return Ok(source);
    }
    Err(GpuOptimError::Device(format!("the Metal source does not begin a kernel `{name}` after its preamble")))
}

/// Fails if the kernel binds more buffers than there are names.
pub(super) fn check_bindings(kernel: &Kernel) -> Result<(), GpuOptimError> {
    if kernel.bindings.len() <= NAMES.len() {
        return Ok(());
    }
    Err(GpuOptimError::LimitExceeded {
        what: format!("kernel `{}` on Metal through scirs2-core", kernel.name),
        needed: kernel.bindings.len() as u64,
        limit: NAMES.len() as u64,
        unit: "buffers",
    })
}

/// Moves words between buffers at any start, which scirs2-core's copies cannot.
pub(super) const COPY: &str = "\
#include <metal_stdlib>
using namespace metal;
kernel void optirs_copy(
    device const uint* from [[buffer(0)]],
    device uint* to [[buffer(1)]],
    device const uint* span [[buffer(2)]],
    uint group [[threadgroup_position_in_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    uint at = group * 256u + invocation;
    if (at < span[2]) {
        to[span[1] + at] = from[span[0] + at];
    }
}
";

/// Sets the first words of a buffer to zero: Metal does not promise that they are.
pub(super) const CLEAR: &str = "\
#include <metal_stdlib>
using namespace metal;
kernel void optirs_clear(
    device uint* words [[buffer(0)]],
    device const uint* span [[buffer(1)]],
    uint group [[threadgroup_position_in_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    uint at = group * 256u + invocation;
    if (at < span[0]) {
        words[at] = 0u;
    }
}
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::cpu::{ChunkArguments, CompiledPass, Pass};
    use crate::rule::{Binding, KernelKind, Role};

    const PROGRAM: &str = "\
#include <metal_stdlib>
static inline float twice(float x) { return 2 * x; }

kernel void update_pass1(
    device float4* param [[buffer(0)]]
) {
    param[0] = twice(1);
}

kernel void update_pass10(
    device float4* param [[buffer(0)]]
) {
}
";

    #[test]
    fn a_kernel_comes_with_the_preamble_and_without_the_others() {
        assert_eq!(
            of_kernel(PROGRAM, "update_pass10").unwrap(),
            "#include <metal_stdlib>\nstatic inline float twice(float x) { return 2 * x; }\n\n\
             kernel void update_pass10(\n    device float4* param [[buffer(0)]]\n) {\n}\n"
        );
        let first = of_kernel(PROGRAM, "update_pass1").unwrap();
        assert!(first.contains("param[0] = twice(1);") && !first.contains("update_pass10"));
    }

    #[test]
    fn a_kernel_that_is_not_there_is_an_error() {
        let error = of_kernel(PROGRAM, "update_pass2").unwrap_err().to_string();
        assert!(error.contains("`update_pass2`"), "{error}");
    }

    #[test]
    fn eight_buffers_are_refused_naming_target_limit_and_count() {
        struct Unused;
        impl Pass for Unused {
            fn run(_: &mut ChunkArguments<'_>) {}
        }
        const fn binds(role: Role) -> Binding {
            Binding { role, writes: false }
        }
        static EIGHT: [Binding; 8] = [
            binds(Role::Hyper),
            binds(Role::Chunks),
            binds(Role::Param),
            binds(Role::Gradient),
            binds(Role::State),
            binds(Role::Scalars),
            binds(Role::Partials),
            binds(Role::Input(0)),
        ];
        let [.., last] = EIGHT.as_slice() else { unreachable!() };
        assert_eq!(last.role.index(), 7);
        let kernel =
            Kernel { name: "update_pass1", kind: KernelKind::Pass(CompiledPass::of::<Unused>()), bindings: &EIGHT };
        assert_eq!(
            check_bindings(&kernel).unwrap_err().to_string(),
            "kernel `update_pass1` on Metal through scirs2-core needs 8 buffers, but this device allows at most 7"
        );
        let seven = Kernel { bindings: EIGHT.split_last().unwrap().1, ..kernel };
        assert!(check_bindings(&seven).is_ok());
    }

    #[test]
    fn our_own_kernels_are_found() {
        assert_eq!(of_kernel(COPY, "optirs_copy").unwrap(), COPY);
        assert_eq!(of_kernel(CLEAR, "optirs_clear").unwrap(), CLEAR);
    }
}
