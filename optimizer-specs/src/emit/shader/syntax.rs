//! What a shading language must answer, so that one description of the kernels prints in all of them.
//!
//! Every target has C's operators, calls, `if`, `for` and comments; what differs is here.

use crate::emit::text::Text;
use crate::layout::{Binding, Role};

/// What a 32-bit word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A real.
    F32,
    /// A count or an index.
    U32,
    /// An exponent.
    I32,
    /// A truth value.
    Bool,
}

/// One value, or one for each of the four elements that a thread holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Width {
    /// A scalar.
    One,
    /// A vector.
    Four,
}

/// Functions that targets predeclare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Abs,
    Sqrt,
    Fma,
    Floor,
    Ceil,
}

/// The head of a kernel: its name, what it binds, and which of the built-in indices it reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    /// Entry point.
    pub name: &'a str,
    /// What it binds, ascending.
    pub bindings: &'a [Binding],
    /// Whether it has a place in the grid: `group` and `grid`. The finish over all tensors is one workgroup.
    pub gridded: bool,
    /// Arrays of reals that the workgroup shares: name and how many.
    pub trees: &'a [(Tree, usize)],
}

/// Shared memory that a reduction is taken in, one array of 256 for each accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tree {
    /// Of reals.
    Real,
    /// Of counts.
    Count,
}

impl Tree {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Tree::Real => "tree",
            Tree::Count => "count_tree",
        }
    }

    /// What it holds.
    pub fn word(self) -> Word {
        match self {
            Tree::Real => Word::F32,
            Tree::Count => Word::U32,
        }
    }
}

/// A shading language.
pub(crate) trait Syntax {
    /// A type.
    fn ty(&self, word: Word, width: Width) -> &'static str;
    /// A named value: `let x = 1;`
    fn constant(&self, word: Word, width: Width, name: &str, value: &str) -> String;
    /// A variable: `var x = 1;`
    fn variable(&self, word: Word, width: Width, name: &str, value: &str) -> String;
    /// The row at an index, by the name `row`.
    fn row(&self, index: &str) -> String;
    /// `otherwise`, where the condition holds `then`, per element if the condition is.
    fn select(&self, condition: (&str, Width), then: &str, otherwise: &str) -> String;
    /// The operators for "both" and "either" of truth values.
    fn logic(&self, width: Width) -> (&'static str, &'static str);
    /// A predeclared function.
    fn builtin(&self, builtin: Builtin) -> &'static str;
    /// A real from its bits.
    fn real_of_bits(&self, bits: &str) -> String;
    /// The bits of a real.
    fn bits_of_real(&self, real: &str, width: Width) -> String;
    /// The name of a bound buffer.
    fn buffer(&self, role: Role, writes: bool) -> String;
    /// Waits for the workgroup, and makes its shared memory visible to it.
    fn barrier(&self) -> &'static str;
    /// Begins a kernel: all lines up to the first of its body.
    fn open_kernel(&self, text: &mut Text, head: Head<'_>);
    /// Begins a function that returns reals: `fn square(x: vec4f) -> vec4f {`.
    fn function(&self, name: &str, width: Width, arguments: &[(&str, Width, Word)]) -> String;

    /// The same scalar for each element.
    fn splat(&self, word: Word, scalar: &str) -> String {
        format!("{}({scalar})", self.ty(word, Width::Four))
    }
}
