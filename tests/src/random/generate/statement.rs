//! Statements.

use optimizer_specs::ir::Extent;

use super::scope::{Facts, Scope, Variable};
use super::{Generator, Want};
use crate::random::rule::{Block, Expr, Form, Statement, Type};

/// Extents that a value is generated for: now and then one that a scalar state can take.
const LIMITS: [Extent; 7] =
    [Extent::Element, Extent::Element, Extent::Element, Extent::Element, Extent::Tensor, Extent::All, Extent::Row];

impl Generator {
    /// Statements in a scope; their variables stay in it.
    pub(super) fn statements(&mut self, scope: &mut Scope, count: u64, depth: u32) -> Vec<Statement> {
        (0..count).map(|_| self.statement(scope, depth)).collect()
    }

    /// A block of statements without a value, in a scope of its own.
    pub(super) fn body(&mut self, scope: &mut Scope, depth: u32) -> Block {
        let (variables, count) = (scope.variables.len(), 1 + self.below(3));
        let statements = self.statements(scope, count, depth.saturating_sub(1));
        scope.variables.truncate(variables);
        Block { statements, tail: None }
    }

    fn statement(&mut self, scope: &mut Scope, depth: u32) -> Statement {
        match self.below(20) {
            0..3 => self.let_of(scope, Type::Int, depth),
            3 => self.let_of(scope, Type::Bool, depth),
            4 | 5 => self.let_tuple(scope, depth),
            6..11 if !scope.pure => self.assignment(scope, depth),
            11..14 if depth > 0 && !scope.pure => Statement::Expr(self.branch(scope, depth - 1)),
            14 => self.call_statement(scope, depth),
            15 => self.let_option(scope).unwrap_or_else(|| self.let_of(scope, Type::Real, depth)),
            _ => self.let_of(scope, Type::Real, depth),
        }
    }

    fn want(&mut self, depth: u32) -> Want {
        Want { limit: self.pick(&LIMITS), element: false, depth: depth.min(3) }
    }

    /// A name for a variable: a new one, or one that is hidden by it from now on.
    fn variable_name(&mut self, scope: &Scope) -> String {
        let is_name = |text: &str| text.chars().all(|letter| letter.is_lowercase() || letter.is_numeric());
        let known: Vec<_> = scope.visible().map(|one| one.text.clone()).filter(|text| is_name(text)).collect();
        if known.is_empty() || !self.once_in(6) { self.name() } else { self.pick(&known) }
    }

    fn declare(&mut self, scope: &mut Scope, ty: Type, facts: Facts) -> String {
        let text = self.variable_name(scope);
        let mutable = self.once_in(3);
        let limit = if ty == Type::Int { Extent::Row } else { Extent::Element };
        let facts = Facts { nonzero: facts.nonzero && !mutable, ..facts };
        let pattern = if mutable { format!("mut {text}") } else { text.clone() };
        scope.variables.push(Variable { text, ty, mutable, limit, facts, version: 0 });
        pattern
    }

    fn let_of(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Statement {
        let want = self.want(depth);
        let (value, facts) = self.value(scope, &ty, want);
        let annotation = self.once_in(6).then(|| ty.clone());
        Statement::Let(self.declare(scope, ty, facts), annotation, value)
    }

    /// Another name for an option or an enum value.
    fn let_option(&mut self, scope: &mut Scope) -> Option<Statement> {
        let options = |one: &&Variable| matches!(one.ty, Type::OptionReal | Type::OptionInt | Type::Enum(_));
        let known: Vec<Variable> = scope.visible().filter(options).cloned().collect();
        if known.is_empty() {
            return None;
        }
        let ty = self.pick(&known).ty;
        let (value, facts) = self.option(scope, &ty, Want { limit: Extent::Row, element: false, depth: 2 })?;
        let name = self.name();
        scope.value(name.clone(), ty, Facts { nonzero: false, ..facts });
        Some(Statement::Let(name, None, value))
    }

    /// `let (a, b) = …;` of a pair, of an `if`, or of a helper; `let (a, (b, c)) = …;`.
    fn let_tuple(&mut self, scope: &mut Scope, depth: u32) -> Statement {
        let types = [Type::Real, self.pick(&[Type::Real, Type::Bool])];
        let want = self.want(depth);
        let (value, facts) = match self.below(4) {
            0 => match self.call_tuple(scope, want) {
                Some((value, results)) => {
                    let (types, facts): (Vec<_>, Vec<_>) = results.into_iter().unzip();
                    let pattern = format!("({})", self.parts(scope, &types, &facts).join(", "));
                    return Statement::Let(pattern, None, value);
                }
                None => self.tuple(scope, &types, want),
            },
            1 => {
                let (condition, known) = self.condition(scope, want.any());
                let arms = self.arms(scope, known.extent, 2, |this, scope, _| this.tuple(scope, &types, want.deeper()));
                let Ok([(then, a), (otherwise, b)]) = <[_; 2]>::try_from(arms) else { unreachable!("two arms") };
                let facts = a.iter().zip(&b).map(|(a, b)| a.or(*b, known.extent)).collect();
                (Expr::If(Box::new(condition), Block::value(then), Block::value(otherwise)), facts)
            }
            2 => return self.let_nested(scope, want),
            _ => self.tuple(scope, &types, want),
        };
        let pattern = format!("({})", self.parts(scope, &types, &facts).join(", "));
        Statement::Let(pattern, None, value)
    }

    /// `let (a, (b, c)) = (…, (…, …));`
    fn let_nested(&mut self, scope: &mut Scope, want: Want) -> Statement {
        let (first, first_facts) = self.tuple(scope, &[Type::Real, Type::Real], want);
        let (last, last_facts) = self.tuple(scope, &[Type::Int, Type::Bool], want);
        let ty = Type::Tuple(vec![first.ty(), last.ty()]);
        let types = [Type::Real, Type::Real, Type::Int, Type::Bool];
        let parts = self.parts(scope, &types, &[first_facts, last_facts].concat());
        let pattern = format!("(({}), ({}))", parts[..2].join(", "), parts[2..].join(", "));
        Statement::Let(pattern, None, Expr::Apply(ty, Form::Tuple, vec![first, last]))
    }

    /// A tuple of values of these types.
    pub(super) fn tuple(&mut self, scope: &mut Scope, types: &[Type], want: Want) -> (Expr, Vec<Facts>) {
        let (values, facts): (Vec<_>, Vec<_>) = types.iter().map(|ty| self.value(scope, ty, want)).unzip();
        (Expr::Apply(Type::Tuple(types.to_vec()), Form::Tuple, values), facts)
    }

    /// Names for the parts of a tuple.
    fn parts(&mut self, scope: &mut Scope, types: &[Type], facts: &[Facts]) -> Vec<String> {
        let mut parts: Vec<String> = Vec::new();
        for (ty, facts) in types.iter().zip(facts) {
            if self.once_in(8) {
                parts.push("_".to_owned());
                continue;
            }
            let part = self.declare(scope, ty.clone(), Facts { nonzero: false, ..*facts });
            // One name stands for one part.
            if parts.iter().any(|other| other.trim_start_matches("mut ") == part.trim_start_matches("mut ")) {
                scope.variables.pop();
                parts.push("_".to_owned());
            } else {
                parts.push(part);
            }
        }
        parts
    }

    /// An assignment to what may be assigned under the conditions around.
    fn assignment(&mut self, scope: &mut Scope, depth: u32) -> Statement {
        let within = scope.within;
        let may = |one: &&Variable| {
            let fits = one.text.starts_with("state.") || one.ty == Type::Int;
            one.mutable && (!fits || within.fits(one.limit))
        };
        let places: Vec<Variable> = scope.visible().filter(may).cloned().collect();
        if places.is_empty() {
            return self.let_of(scope, Type::Real, depth);
        }
        let place = self.pick(&places);
        self.assign(scope, &place, depth)
    }

    /// Assigns a place.
    pub(super) fn assign(&mut self, scope: &mut Scope, place: &Variable, depth: u32) -> Statement {
        let want = Want { limit: place.limit, element: false, depth: depth.min(3) };
        let operators: &[&str] = if place.ty == Type::Bool { &["="] } else { &["=", "=", "=", "+=", "-=", "*=", "/="] };
        let operator = self.pick(operators);
        let (value, facts) = match (operator, &place.ty) {
            ("/=", Type::Int) => self.whole_divisor(scope, want.host()),
            ("/=", _) => self.divisor(scope, want),
            _ => self.value(scope, &place.ty, want),
        };
        if place.text.starts_with("state.") {
            scope.need(place.limit);
        }
        // A compound assignment reads its place last.
        let old = scope.find(&place.text).map_or(place.facts, |place| place.facts);
        let facts = if operator == "=" { facts } else { old.with(facts) };
        scope.assign(&place.text, Facts { nonzero: false, ..facts });
        Statement::Assign(place.text.clone(), operator, value)
    }
}
