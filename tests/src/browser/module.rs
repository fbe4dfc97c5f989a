//! A WGSL module as it is handed to the browser.

use optimizer_specs::emit::wgsl;
use optimizer_specs::ir::{Kernel, KernelKind};
use optimizer_specs::layout::{Binding, Role, bindings};
use serde_json::{Value, json};

use crate::compiled::Case;
use crate::kernels::Arena;

/// A source, and what each of its kernels is said to bind.
#[derive(Clone, Debug)]
pub struct Module {
    /// The WGSL.
    pub source: String,
    /// In order of execution.
    kernels: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    name: String,
    kind: KernelKind,
    bindings: Vec<Binding>,
}

impl Module {
    /// The module of a program.
    pub fn of(case: Case<'_>) -> Self {
        let entry =
            |kernel: &Kernel| Entry { name: kernel.name.clone(), kind: kernel.kind, bindings: bindings(kernel) };
        Self {
            source: wgsl::program(case.rule, case.variant, case.program),
            kernels: case.program.kernels.iter().map(entry).collect(),
        }
    }

    /// With a role declared as written although it is only read: as the runtime has it where its buffer is also another
    /// role's, which is written.
    #[must_use]
    pub fn with_written(mut self, role: Role) -> Self {
        let declared = |access| format!("@binding({}) var<storage, {access}> ", role.index());
        self.source = self.source.replace(&declared("read"), &declared("read_write"));
        let bindings = self.kernels.iter_mut().flat_map(|entry| &mut entry.bindings);
        bindings.filter(|binding| binding.role == role).for_each(|binding| binding.writes = true);
        self
    }

    /// With something else in its source.
    ///
    /// # Panics
    /// Where the source does not hold what is to be replaced.
    #[must_use]
    pub fn with(mut self, from: &str, to: &str) -> Self {
        assert!(self.source.contains(from), "the source does not hold `{from}`");
        self.source = self.source.replace(from, to);
        self
    }

    /// Its kernels as the page takes them.
    pub(super) fn kernels(&self) -> Value {
        let binding = |one: &Binding| json!({ "binding": one.role.index(), "writes": one.writes });
        let kernel = |entry: &Entry| {
            let bindings: Vec<_> = entry.bindings.iter().map(binding).collect();
            json!({ "name": entry.name, "bindings": bindings })
        };
        self.kernels.iter().map(kernel).collect()
    }

    /// The grid of workgroups that each kernel runs over: three wide, so that its last line is not full.
    pub(super) fn grids(&self, arena: &Arena<'_>) -> Vec<[u32; 2]> {
        let workgroups = self.kernels.iter().map(|entry| arena.workgroups_of(entry.kind));
        workgroups.map(|count| [count.min(3), count.div_ceil(3)]).collect()
    }
}
