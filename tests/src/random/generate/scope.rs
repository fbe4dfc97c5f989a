//! What a name stands for where an expression is generated, and what is known of its value.

use std::collections::BTreeSet;

use optimizer_specs::ir::Extent;

use crate::random::rule::{Expr, Type};

/// What is known of a value under every combination of options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// Its extent is at most this.
    pub extent: Extent,
    /// Whether it certainly has one value per element.
    pub element: bool,
    /// Whether some combination of options may make it a literal, which is then computed with while compiling.
    pub literal: bool,
    /// Whether the compiler knows that it is not 0: what a whole number may be divided by.
    pub nonzero: bool,
}

impl Facts {
    /// A literal.
    pub const LITERAL: Facts = Facts { extent: Extent::Const, element: false, literal: true, nonzero: false };

    /// A value of an extent that no option changes.
    pub fn of(extent: Extent) -> Self {
        Facts { extent, element: extent == Extent::Element, literal: false, nonzero: false }
    }

    /// A value of which no more is known than its extent.
    pub fn at_most(extent: Extent) -> Self {
        Facts { extent, element: false, literal: true, nonzero: false }
    }

    /// What is made of two values by an operation that never disappears.
    pub fn with(self, other: Facts) -> Self {
        Facts {
            extent: self.extent.join(other.extent),
            element: self.element || other.element,
            literal: self.literal && other.literal,
            nonzero: false,
        }
    }

    /// One of two values, chosen by a condition of this extent.
    pub fn or(self, other: Facts, condition: Extent) -> Self {
        Facts {
            extent: self.extent.join(other.extent).join(condition),
            element: self.element && other.element,
            literal: self.literal || other.literal,
            nonzero: false,
        }
    }
}

/// An expression with what is known of it.
pub(super) type Known = (Expr, Facts);

/// A variable, or a place that is assigned: `*param`, `state.field`.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// As it is read.
    pub text: String,
    pub ty: Type,
    /// Whether it may be assigned.
    pub mutable: bool,
    /// The greatest extent that it takes.
    pub limit: Extent,
    pub facts: Facts,
    /// How often it was assigned.
    pub version: u32,
}

/// Where an expression or statement stands.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// Innermost last; an earlier one of the same name is hidden.
    pub variables: Vec<Variable>,
    /// The extent of the conditions around.
    pub within: Extent,
    /// What the conditions around a call of this function must fit.
    pub needs: Vec<Extent>,
    /// Whether nothing may be assigned here.
    pub pure: bool,
    /// States that are assigned, by text.
    pub written: BTreeSet<String>,
    /// Whether `hyper` and `state` are there to hand on.
    pub hyper: bool,
    pub state: bool,
    /// Whether `step` is the count of an update, hence not 0.
    pub update: bool,
}

impl Scope {
    pub fn new() -> Self {
        Scope {
            variables: Vec::new(),
            within: Extent::Const,
            needs: Vec::new(),
            pure: false,
            written: BTreeSet::new(),
            hyper: false,
            state: false,
            update: false,
        }
    }

    /// A value that cannot be assigned.
    pub fn value(&mut self, text: impl Into<String>, ty: Type, facts: Facts) {
        let limit = facts.extent;
        self.variables.push(Variable { text: text.into(), ty, mutable: false, limit, facts, version: 0 });
    }

    /// The variables that are not hidden.
    pub fn visible(&self) -> impl Iterator<Item = &Variable> {
        let hides = |place: usize, text: &str| self.variables[place + 1..].iter().any(|later| later.text == text);
        self.variables.iter().enumerate().filter(move |(place, one)| !hides(*place, &one.text)).map(|(_, one)| one)
    }

    /// The place that a text stands for.
    pub fn find(&mut self, text: &str) -> Option<&mut Variable> {
        self.variables.iter_mut().rev().find(|one| one.text == text)
    }

    /// Notes an assignment under the conditions around.
    pub fn assign(&mut self, text: &str, facts: Facts) {
        if text.starts_with("state.") {
            self.written.insert(text.to_owned());
        }
        if let Some(variable) = self.find(text) {
            variable.facts = facts;
            variable.version += 1;
        }
    }

    /// Asks the conditions around a call of this function to fit.
    pub fn need(&mut self, extent: Extent) {
        if !self.needs.contains(&extent) {
            self.needs.push(extent);
        }
    }

    /// Whether a reduction may stand here.
    pub fn may_reduce(&self) -> bool {
        self.within.fits(Extent::Tensor) && self.visible().any(|one| one.ty == Type::Real && one.facts.element)
    }

    /// What is known after arms of which a condition of this extent takes one. Variables of the arms are gone.
    pub fn join(&mut self, ends: Vec<Scope>, condition: Extent) {
        let mut ends = ends.into_iter();
        let Some(mut joined) = ends.next() else { return };
        joined.variables.truncate(self.variables.len());
        for end in ends {
            let places = joined.variables.iter_mut().zip(end.variables).zip(&self.variables);
            for ((mine, theirs), before) in places {
                if (mine.version, theirs.version) != (before.version, before.version) {
                    mine.facts = mine.facts.or(theirs.facts, condition);
                    mine.version = mine.version.max(theirs.version);
                }
            }
            joined.written.extend(end.written);
            end.needs.into_iter().for_each(|need| joined.need(need));
        }
        *self = Scope { within: self.within, pure: self.pure, ..joined };
    }
}
