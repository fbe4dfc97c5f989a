//! What a launch dispatches, in order, and what each dispatch binds: the same on every GPU.

use super::{Launch, Range, Slice};
use crate::GpuOptimError;
use crate::rule::{Kernel, KernelKind, Role};

/// One dispatch of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dispatch<'a> {
    /// The range of a pass; none in a finish, which runs over the table of all tensors.
    pub range: Option<&'a Range>,
    /// Workgroups, at least one.
    pub groups: u32,
}

impl Launch<'_> {
    /// The dispatches of a kernel: a pass has one per range, a finish one. Those without work are left out.
    pub fn dispatches(&self, kernel: &Kernel) -> impl Iterator<Item = Dispatch<'_>> {
        let (ranges, groups) = match kernel.kind {
            KernelKind::Pass(_) => (self.ranges, 0),
            KernelKind::FinishTensor(_) => (&[][..], self.tensor_count),
            KernelKind::FinishAll(_) => (&[][..], self.tensor_count.min(1)),
        };
        let passes = ranges.iter().map(|range| Dispatch { range: Some(range), groups: range.chunks });
        let finish = Dispatch { range: None, groups };
        passes.chain([finish]).filter(|dispatch| dispatch.groups > 0)
    }

    /// What a role binds in a dispatch; none where nothing was given.
    pub fn slice<'a>(&'a self, dispatch: Dispatch<'a>, role: Role) -> Option<&'a Slice> {
        match role {
            Role::Hyper => Some(self.hyper),
            Role::Chunks => Some(dispatch.range.map_or(self.tensors, |range| &range.table)),
            Role::Scalars => Some(self.scalars),
            Role::Partials => self.partials,
            Role::Param | Role::Gradient | Role::State | Role::Input(_) => {
                dispatch.range?.arenas.iter().find(|(of, _)| *of == role).map(|(_, slice)| slice)
            }
        }
    }

    /// What a kernel binds in a dispatch, in the order of its bindings.
    pub fn slices<'a>(&'a self, kernel: &Kernel, dispatch: Dispatch<'a>) -> Result<Vec<&'a Slice>, GpuOptimError> {
        let slices = kernel.bindings.iter().map(|binding| {
            self.slice(dispatch, binding.role).ok_or_else(|| {
                let text = format!("kernel `{}` binds {:?}, and nothing was given for it", kernel.name, binding.role);
                GpuOptimError::InvalidState(text)
            })
        });
        slices.collect()
    }
}
