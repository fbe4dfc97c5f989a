//! What an expression can name, and what a body names.

use std::collections::BTreeSet;

use proc_macro2::Span;

use crate::checked::{ExprKind, LocalId, Ty};

/// Where an expression stands; it decides what its names may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A constant, a default, a range.
    Constant,
    /// `#[init(…)]`
    Init,
    /// `#[require(…)]`
    Require,
    /// A helper function.
    Helper,
    /// `update`
    Update,
    /// An `#[entry]`
    Entry,
}

impl Place {
    /// Whether only what is known at compile time may stand here.
    pub fn is_constant(self) -> bool {
        matches!(self, Place::Constant | Place::Init)
    }
}

/// What a name in scope stands for.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A variable.
    Local(LocalId),
    /// A value that cannot be assigned: `grad`, `step`, an input; in `#[require]` a hyper-parameter.
    Value(ExprKind, Ty),
    /// `param`
    Param,
    /// `hyper`
    Hyper,
    /// `state`; true where it may be assigned.
    State(bool),
}

/// What a body touches.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Hyper-parameters read.
    pub hypers: BTreeSet<u32>,
    /// States read, with the first place.
    pub reads: Vec<(u32, Span)>,
    /// States written.
    pub writes: BTreeSet<u32>,
    /// Whether it writes a state that does not exist: any state may be meant.
    pub unknown_write: bool,
    /// Helper functions called.
    pub calls: Vec<(u32, Span)>,
    /// Whether it reads `len()`, `ndim()` or `dim(i)`.
    pub shape: bool,
}
