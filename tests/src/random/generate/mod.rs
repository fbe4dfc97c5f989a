//! Generates valid rules, the same ones for the same seed.
//!
//! Every value is generated for a greatest extent, and with it goes what is known of it under every combination of
//! options (`scope::Facts`): whether it may fold to a literal, whether it surely has one value per element. So a
//! rule breaks none of the language's rules, and one that the compiler refuses shows a mistake here or there.

mod condition;
mod function;
mod module;
mod option;
mod real;
mod scope;
mod statement;
mod whole;

use std::collections::BTreeSet;

use optimizer_specs::ir::Extent;

use super::rule::{Block, Expr, Rule, Type};
use crate::parity::Random;
use scope::{Facts, Known, Scope, Variable};

/// The rule of a seed.
pub fn rule(seed: u64) -> Rule {
    let mut generator = Generator {
        random: Random::new(seed ^ 0x5eed_0f7a_1e5a_11ed),
        rule: Rule::default(),
        module: Vec::new(),
        helpers: Vec::new(),
        names: BTreeSet::new(),
        may_be_negative: Vec::new(),
        plain: false,
    };
    generator.module();
    generator.rule
}

/// What is asked of a value.
#[derive(Clone, Copy, Debug)]
struct Want {
    /// Its greatest extent.
    limit: Extent,
    /// Whether it must have one value per element, whatever the options are.
    element: bool,
    /// How deep its expression may be.
    depth: u32,
}

impl Want {
    fn deeper(self) -> Self {
        Want { depth: self.depth.saturating_sub(1), ..self }
    }

    /// The same without the demand for one value per element.
    fn any(self) -> Self {
        Want { element: false, ..self.deeper() }
    }

    /// The part of the limit that lies on the host.
    fn host(self) -> Self {
        let limit = if Extent::Row.fits(self.limit) { Extent::Row } else { Extent::Const };
        Want { limit, ..self.any() }
    }
}

/// A helper function, for its calls.
#[derive(Clone, Debug)]
struct Helper {
    name: String,
    parameters: Vec<Parameter>,
    results: Vec<(Type, Facts)>,
    /// What the conditions around a call must fit.
    needs: Vec<Extent>,
    /// States that it assigns.
    writes: Vec<String>,
}

#[derive(Clone, Debug)]
enum Parameter {
    Value(Type, Facts),
    Hyper,
    /// Whether it is `&mut`.
    State(bool),
}

struct Generator {
    random: Random,
    rule: Rule,
    /// Constants, and hyper-parameters and states as they are read.
    module: Vec<Variable>,
    helpers: Vec<Helper>,
    names: BTreeSet<String>,
    /// Switches, as they are read, that may be negative: only `==` and `!=` compare them with 0.
    may_be_negative: Vec<String>,
    /// Whether nothing is reduced, which leaves room for more inputs.
    plain: bool,
}

impl Generator {
    fn below(&mut self, end: u64) -> u64 {
        self.random.below(end)
    }

    fn once_in(&mut self, count: u64) -> bool {
        self.random.once_in(count)
    }

    fn pick<T: Clone>(&mut self, options: &[T]) -> T {
        options[self.below(options.len() as u64) as usize].clone()
    }

    /// A value of a type.
    fn value(&mut self, scope: &mut Scope, ty: &Type, want: Want) -> Known {
        match ty {
            Type::Int => self.whole(scope, want.host()),
            Type::Bool => self.condition(scope, want),
            Type::OptionReal | Type::OptionInt | Type::Enum(_) => match self.option(scope, ty, want.any()) {
                Some(known) => known,
                None => panic!("no {ty} is in scope"),
            },
            _ => self.real(scope, want),
        }
    }

    /// A variable of a type that fits, if there is one.
    fn variable(&mut self, scope: &Scope, ty: &Type, want: Want) -> Option<Known> {
        let fits = |one: &&Variable| {
            one.ty == *ty && one.facts.extent.fits(want.limit) && (one.facts.element || !want.element)
        };
        let fitting: Vec<_> = scope.visible().filter(fits).collect();
        if fitting.is_empty() {
            return None;
        }
        let place = self.below(fitting.len() as u64) as usize;
        // Of two, the one that came last: what was just computed is used more often.
        let place = place.max(self.below(fitting.len() as u64) as usize);
        fitting.get(place).map(|one| (Expr::Leaf(one.ty.clone(), one.text.clone()), one.facts))
    }

    /// Arms of which a condition of this extent takes one, each in a scope of its own.
    fn arms<T>(
        &mut self,
        scope: &mut Scope,
        condition: Extent,
        count: usize,
        mut arm: impl FnMut(&mut Self, &mut Scope, usize) -> T,
    ) -> Vec<T> {
        let mut ends = Vec::new();
        let mut made = Vec::new();
        for place in 0..count {
            let mut inner = scope.clone();
            inner.within = scope.within.join(condition);
            made.push(arm(self, &mut inner, place));
            ends.push(inner);
        }
        scope.join(ends, condition);
        made
    }

    /// A block with a value, in a scope of its own.
    fn value_block(&mut self, scope: &mut Scope, ty: &Type, want: Want) -> (Block, Facts) {
        let before = scope.clone();
        let count = scope.variables.len();
        let mut statements = if want.depth > 0 && self.once_in(4) {
            let statements = 1 + self.below(2);
            self.statements(scope, statements, want.depth - 1)
        } else {
            Vec::new()
        };
        let varies = |one: &Variable| one.ty == Type::Real && one.facts.element && one.facts.extent.fits(want.limit);
        if want.element && !scope.visible().any(varies) {
            // They have hidden all that varies over elements.
            statements.clear();
            *scope = before;
        }
        let (tail, facts) = self.value(scope, ty, want);
        scope.variables.truncate(count);
        (Block { statements, tail: Some(Box::new(tail)) }, facts)
    }

    /// Names that some target keeps for itself or that generated code uses, and plain ones.
    fn name(&mut self) -> String {
        const NAMES: [&str; 56] = [
            "m",
            "v",
            "beta",
            "decay",
            "rate",
            "half",
            "kernel",
            "device",
            "texture",
            "vec4f",
            "float4",
            "row",
            "rows",
            "lanes",
            "chunk",
            "chunks",
            "group",
            "grid",
            "invocation",
            "params",
            "select",
            "thread",
            "constant",
            "uniform",
            "t1",
            "t2",
            "x",
            "words",
            "context",
            "host_states",
            "scale",
            "index",
            "inverse",
            "__a",
            "a__b",
            "r#type",
            "r#loop",
            "main",
            "fma",
            "clip",
            "raw_grad",
            "tensor",
            "total",
            "scalars",
            "partials",
            "math",
            "cpu",
            "rule",
            "discard",
            "var",
            "i32",
            "register",
            "sampler",
            "abs",
            "sign_of",
            "β",
        ];
        loop {
            let mut name = self.pick(&NAMES).to_owned();
            if self.names.contains(&name) {
                name = format!("{name}{}", self.below(100));
            }
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }
}
