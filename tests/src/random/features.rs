//! What a random rule makes use of, for seeing that rules make use of everything.

use optimizer_specs::checked::{HyperType, Init, Mode, StateKind};
use optimizer_specs::functions::Function;
use optimizer_specs::ir::{Extent, KernelKind};

use super::subject::Subject;

/// A name, and whether a rule has it.
pub type Feature = (&'static str, fn(&Subject) -> bool);

/// All that can be asked of a rule.
pub const FEATURES: [Feature; 30] = [
    ("bool", |subject| has_hyper(subject, |ty| ty == HyperType::Bool)),
    ("u32", |subject| has_hyper(subject, |ty| ty == HyperType::U32)),
    ("Option<f32>", |subject| has_hyper(subject, |ty| ty == HyperType::OptionF32)),
    ("Option<u32>", |subject| has_hyper(subject, |ty| ty == HyperType::OptionU32)),
    ("enum", |subject| has_hyper(subject, |ty| matches!(ty, HyperType::Enum(_)))),
    ("two enums", |subject| subject.compiled.rule.enums.len() == 2),
    ("switch", |subject| subject.compiled.rule.hypers.iter().any(|hyper| hyper.switch)),
    ("shared", |subject| subject.compiled.rule.hypers.iter().any(|hyper| hyper.shared)),
    ("four variants", |subject| subject.compiled.variants.len() >= 4),
    ("requirement", |subject| !subject.compiled.rule.requires.is_empty()),
    ("element states", |subject| has_states(subject, StateKind::Element, 2)),
    ("tensor state", |subject| has_states(subject, StateKind::Tensor, 1)),
    ("state of all", |subject| has_states(subject, StateKind::All, 1)),
    ("host state", |subject| has_states(subject, StateKind::Host, 1)),
    ("init from the parameter", |subject| {
        subject.compiled.rule.states.iter().any(|state| matches!(state.init, Init::Param))
    }),
    ("init from a hyper-parameter", |subject| {
        subject.compiled.rule.states.iter().any(|state| matches!(state.init, Init::Hyper(_)))
    }),
    ("input", |subject| !subject.compiled.rule.inputs.is_empty()),
    ("two inputs", |subject| subject.compiled.rule.inputs.len() == 2),
    ("scalar", |subject| !subject.compiled.rule.scalars.is_empty()),
    ("helper", |subject| !subject.compiled.rule.functions.is_empty()),
    ("entry", |subject| subject.compiled.rule.entries.len() == 2),
    ("entries", |subject| subject.compiled.rule.entries.len() > 2),
    ("modes", |subject| subject.compiled.rule.entries.iter().any(|entry| entry.mode == Some(Mode::Eval))),
    ("two passes", |subject| most_kernels(subject, KernelKind::Pass) >= 2),
    ("three passes", |subject| most_kernels(subject, KernelKind::Pass) >= 3),
    ("finish of all", |subject| most_kernels(subject, KernelKind::FinishAll) >= 1),
    ("function of the host", |subject| has_function(subject, Extent::is_host)),
    ("function of a reduction", |subject| {
        has_function(subject, |extent| matches!(extent, Extent::Tensor | Extent::All))
    }),
    ("function of elements", |subject| has_function(subject, |extent| extent == Extent::Element)),
    ("late finish", |subject| most_kernels(subject, KernelKind::FinishTensorLate) >= 1),
];

fn has_hyper(subject: &Subject, wanted: fn(HyperType) -> bool) -> bool {
    subject.compiled.rule.hypers.iter().any(|hyper| wanted(hyper.ty))
}

/// Whether some variant has so many states of a kind.
fn has_states(subject: &Subject, kind: StateKind, count: usize) -> bool {
    subject.compiled.variants.iter().any(|variant| {
        let states = match kind {
            StateKind::Element => &variant.element_states,
            StateKind::Tensor => &variant.tensor.states,
            StateKind::All => &variant.all.states,
            StateKind::Host => &variant.host_states,
        };
        states.len() >= count
    })
}

/// Whether some program has `exp` or the like of a value of such an extent.
fn has_function(subject: &Subject, wanted: fn(Extent) -> bool) -> bool {
    let programs = subject.compiled.variants.iter().flat_map(|variant| &variant.programs);
    let mut nodes = programs.flat_map(|program| &program.graph.nodes);
    nodes.any(|node| Function::of(node.op).is_some() && wanted(node.extent))
}

/// The most kernels of a kind that a program of the rule has.
fn most_kernels(subject: &Subject, kind: KernelKind) -> usize {
    let programs = subject.compiled.variants.iter().flat_map(|variant| &variant.programs);
    let count = programs.map(|program| program.kernels.iter().filter(|kernel| kernel.kind == kind).count());
    count.max().unwrap_or_default()
}
