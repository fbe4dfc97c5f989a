//! What an expression can name, and what a body names.

use std::collections::{BTreeSet, HashMap};

use proc_macro2::{Ident, Span};

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

/// The names in scope. Looking one up takes as long among many as among few.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// In the order in which they came.
    names: Vec<String>,
    /// Of each name, the latest last: it shadows those before it.
    symbols: HashMap<String, Vec<Symbol>>,
}

impl Scope {
    /// Brings a name into scope.
    pub fn declare(&mut self, name: &Ident, symbol: Symbol) {
        let name = name.to_string();
        self.symbols.entry(name.clone()).or_default().push(symbol);
        self.names.push(name);
    }

    /// What a name stands for.
    pub fn lookup(&self, name: &Ident) -> Option<&Symbol> {
        self.symbols.get(&name.to_string())?.last()
    }

    /// All names, also those that are shadowed.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Takes the names out that came after there were so many.
    pub fn truncate(&mut self, len: usize) {
        while self.names.len() > len {
            let symbols = self.names.pop().and_then(|name| self.symbols.get_mut(&name));
            symbols.and_then(Vec::pop);
        }
    }
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn name(text: &str) -> Ident {
        Ident::new(text, Span::call_site())
    }

    fn local(scope: &Scope, text: &str) -> Option<u32> {
        match scope.lookup(&name(text)) {
            Some(Symbol::Local(id)) => Some(id.0),
            _ => None,
        }
    }

    #[test]
    fn the_latest_of_a_name_counts_until_its_scope_ends() {
        let mut scope = Scope::default();
        for (id, text) in ["a", "b", "a", "c"].into_iter().enumerate() {
            scope.declare(&name(text), Symbol::Local(LocalId(id as u32)));
        }
        assert_eq!(["a", "b", "c", "d"].map(|text| local(&scope, text)), [Some(2), Some(1), Some(3), None]);
        scope.truncate(2);
        assert_eq!(["a", "b", "c", "d"].map(|text| local(&scope, text)), [Some(0), Some(1), None, None]);
        assert_eq!((scope.names().collect::<Vec<_>>(), scope.len()), (vec!["a", "b"], 2));
    }

    /// A rule of 40,000 statements was checked for 14 s, to say that it is too long: each name was sought among all.
    #[test]
    fn many_names_are_looked_up_as_fast_as_few() {
        let begun = Instant::now();
        let mut scope = Scope::default();
        scope.declare(&name("grad"), Symbol::Local(LocalId(0)));
        for id in 1..200_000 {
            scope.declare(&name("x"), Symbol::Local(LocalId(id)));
            assert_eq!(local(&scope, "grad"), Some(0));
            assert!(begun.elapsed() < Duration::from_secs(60), "{id} names");
        }
    }
}
