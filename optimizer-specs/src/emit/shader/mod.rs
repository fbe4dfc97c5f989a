//! Kernels for shading languages, in one description for all: the languages differ in their [`syntax`] alone.
//!
//! Guarantees, on every target: one pass over memory with 16-byte loads and stores; nothing that is the same for a
//! workgroup is computed per element; what lies beyond a tensor's last element keeps its value and reaches no sum;
//! sums are taken in the order of the interpreter; barriers stand in uniform control flow only; nothing
//! is written where a gradient was found that is not finite.

mod expression;
mod finish;
mod function;
mod kernel;
mod library;
mod pass;
mod reduction;
pub(crate) mod syntax;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use self::kernel::KernelWriter;
use self::library::Library;
use self::syntax::{Syntax, Tree};
use super::names::Names;
use super::text::Text;
use crate::checked::Rule;
use crate::ir::{Kernel, Program, Variant};

/// The text of all kernels, and what they need around them.
pub(crate) struct Kernels {
    /// The kernels, in order of execution.
    pub text: String,
    /// Library functions that they call, printed.
    pub library: String,
}

/// Prints the kernels of a program.
pub(crate) fn kernels(syntax: &dyn Syntax, rule: &Rule, variant: &Variant, program: &Program) -> Kernels {
    let mut text = Text::default();
    let mut used: BTreeSet<Library> = BTreeSet::new();
    for kernel in &program.kernels {
        let names = Names::new(rule, program, kernel);
        text.gap();
        KernelWriter::new(syntax, variant, program, kernel, &names, &mut text, &mut used).write();
    }
    let mut library = Text::default();
    for function in used {
        library.gap();
        function.print(syntax, &mut library);
    }
    Kernels { text: text.finish(), library: library.finish() }
}

/// How many arrays of each kind a kernel's reductions need.
pub(crate) fn trees(kernel: &Kernel) -> Vec<(Tree, usize)> {
    [Tree::Real, Tree::Count]
        .into_iter()
        .map(|tree| (tree, kernel.accumulators.iter().filter(|one| reduction::tree(one.combine) == tree).count()))
        .filter(|&(_, count)| count > 0)
        .collect()
}

/// What the head of a source says.
pub(crate) fn preface(rule: &Rule, variant: &Variant, program: &Program) -> Vec<String> {
    let mut lines = vec![format!("{}: {}", rule.name, program.graph.name)];
    lines.push("Generated from the rule by optimizer-specs. Edit the rule, not this.".to_owned());
    lines.push(String::new());
    let options: Vec<_> = variant.options.iter().map(|(option, value)| format!("{option} = {value}")).collect();
    let names = |states: &[u32]| {
        let named = states.iter().filter_map(|&index| rule.states.get(index as usize));
        named.map(|state| state.name.to_string()).collect::<Vec<_>>().join(", ")
    };
    let facts = [
        ("Options", options.join(", ")),
        ("State per element", names(&variant.element_states)),
        ("State per tensor", names(&variant.tensor.states)),
        ("State of all tensors", names(&variant.all.states)),
        ("Traffic", format!("{} bytes per element", program.bytes_per_element)),
    ];
    lines.extend(facts.iter().filter(|fact| !fact.1.is_empty()).map(|(what, text)| format!("{what}: {text}.")));
    lines.push(String::new());
    lines.push("`chunks` is a table: a head, then the tensors, then the chunks, two vectors each.".to_owned());
    lines
}
