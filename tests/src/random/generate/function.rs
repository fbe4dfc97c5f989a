//! Functions: helpers and their calls, `update`, entries.

use optimizer_specs::ir::Extent;

use super::real::apply;
use super::scope::{Facts, Known, Scope, Variable};
use super::{Generator, Helper, Parameter, Want};
use crate::random::rule::{Block, Expr, Form, Function, Statement, Type};

impl Generator {
    /// Brings into scope what stands in the module: constants, then what comes by arguments.
    fn module_scope(&self, hyper: bool, state: bool) -> Scope {
        let mut scope = Scope { hyper, state, ..Scope::new() };
        scope.shape();
        let known = |one: &&Variable| match one.text.split_once('.') {
            Some(("hyper", _)) => hyper,
            Some(("state", _)) => state,
            _ => true,
        };
        scope.variables.extend(self.module.iter().filter(known).cloned());
        scope
    }

    /// Adds a helper function.
    pub(super) fn helper(&mut self) {
        let with_hyper = !self.rule.hypers.is_empty() && self.once_in(2);
        let with_state = !self.rule.states.is_empty() && self.once_in(2);
        let mut scope = self.module_scope(with_hyper, with_state);
        for variable in scope.variables.iter_mut().filter(|one| one.text.starts_with("state.")) {
            variable.facts = Facts::at_most(variable.limit);
        }
        let mut parameters = Vec::new();
        let mut arguments = Vec::new();
        for _ in 0..1 + self.below(3) {
            let (ty, facts) = match self.below(6) {
                0 => (Type::Int, Facts::at_most(Extent::Row)),
                1 => (Type::Bool, Facts::at_most(Extent::Element)),
                2 | 3 => (Type::Real, Facts::of(Extent::Element)),
                _ => (Type::Real, Facts::at_most(self.pick(&[Extent::Element, Extent::Tensor, Extent::Row]))),
            };
            let (name, mutable) = (self.name(), self.once_in(4));
            arguments.push(format!("{}{name}: {ty}", if mutable { "mut " } else { "" }));
            let limit = if ty == Type::Int { Extent::Row } else { Extent::Element };
            scope.variables.push(Variable { text: name, ty: ty.clone(), mutable, limit, facts, version: 0 });
            parameters.push(Parameter::Value(ty, facts));
        }
        if with_hyper {
            arguments.push(format!("hyper: &{}Params", self.rule.base_name()));
            parameters.push(Parameter::Hyper);
        }
        if with_state {
            arguments.insert(0, "state: &mut State".to_owned());
            parameters.insert(0, Parameter::State);
        }
        let count = self.below(3);
        let mut statements = self.statements(&mut scope, count, 2);
        let want = Want { limit: Extent::Element, element: false, depth: 2 };
        let (tail, results) = match self.below(4) {
            0 if with_state => {
                statements.push(self.state_assignment(&mut scope));
                (None, Vec::new())
            }
            1 => {
                let (a, a_facts) = self.real(&mut scope, want);
                let (b, b_facts) = self.condition(&mut scope, want);
                let ty = Type::Tuple(vec![Type::Real, Type::Bool]);
                let results = vec![(Type::Real, a_facts), (Type::Bool, b_facts)];
                (Some(Expr::Apply(ty, Form::Tuple, vec![a, b])), results)
            }
            _ => {
                let (value, facts) = self.real(&mut scope, want);
                (Some(value), vec![(Type::Real, facts)])
            }
        };
        let name = self.name();
        self.rule.functions.push(Function {
            attribute: None,
            name: name.clone(),
            arguments,
            result: tail.as_ref().map_or(Type::Unit, Expr::ty),
            body: Block { statements, tail: tail.map(Box::new) },
        });
        let (needs, writes) = (scope.needs, scope.written.into_iter().collect());
        self.helpers.push(Helper { name, parameters, results, needs, writes });
    }

    fn state_assignment(&mut self, scope: &mut Scope) -> Statement {
        let states: Vec<Variable> = scope.visible().filter(|one| one.text.starts_with("state.")).cloned().collect();
        let place = self.pick(&states);
        self.assign(scope, &place, 2)
    }

    /// Calls a helper that gives one real.
    pub(super) fn call(&mut self, scope: &mut Scope, want: Want) -> Known {
        let fits = |helper: &Helper| match helper.results.as_slice() {
            [(Type::Real, facts)] => facts.extent.fits(want.limit),
            _ => false,
        };
        match self.call_of(scope, want, fits) {
            Some((value, results)) => (value, results.first().map_or(Facts::LITERAL, |(_, facts)| *facts)),
            None => self.real(scope, want.any()),
        }
    }

    /// Calls a helper that gives a pair.
    pub(super) fn call_tuple(&mut self, scope: &mut Scope, want: Want) -> Option<(Expr, Vec<(Type, Facts)>)> {
        self.call_of(scope, want, |helper| helper.results.len() > 1)
    }

    /// Calls a helper that gives nothing, or assigns something else.
    pub(super) fn call_statement(&mut self, scope: &mut Scope, depth: u32) -> Statement {
        let want = Want { limit: Extent::Element, element: false, depth };
        if let Some((call, _)) = self.call_of(scope, want, |helper| helper.results.is_empty()) {
            return Statement::Expr(call);
        }
        let (value, _) = self.real(scope, want.any());
        Statement::Let("_".to_owned(), None, value)
    }

    fn call_of(
        &mut self,
        scope: &mut Scope,
        want: Want,
        fits: impl Fn(&Helper) -> bool,
    ) -> Option<(Expr, Vec<(Type, Facts)>)> {
        let callable = |helper: &&Helper| {
            let given = helper.parameters.iter().all(|parameter| match parameter {
                Parameter::Value(_, facts) => {
                    !facts.element || scope.visible().any(|one| one.ty == Type::Real && one.facts.element)
                }
                Parameter::Hyper => scope.hyper,
                Parameter::State => scope.state,
            });
            let allowed = helper.needs.iter().all(|need| scope.within.fits(*need));
            given && allowed && fits(helper) && (helper.writes.is_empty() || !scope.pure)
        };
        let helpers: Vec<Helper> = self.helpers.iter().filter(callable).cloned().collect();
        if helpers.is_empty() {
            return None;
        }
        let helper = self.pick(&helpers);
        // An argument must not take away what a later one needs.
        let pure = std::mem::replace(&mut scope.pure, true);
        let arguments = helper.parameters.iter().map(|parameter| match parameter {
            Parameter::Value(ty, facts) => {
                let want = Want { limit: facts.extent, element: facts.element, ..want.deeper() };
                self.value(scope, ty, want).0
            }
            Parameter::Hyper => Expr::Leaf(Type::Context, "hyper".to_owned()),
            Parameter::State => Expr::Leaf(Type::Context, "state".to_owned()),
        });
        let arguments = arguments.collect();
        scope.pure = pure;
        helper.needs.iter().for_each(|need| scope.need(*need));
        for text in &helper.writes {
            let facts = scope.find(text).map(|place| Facts::at_most(place.limit));
            if let Some(facts) = facts {
                scope.assign(text, facts);
            }
        }
        Some((apply(Form::Call(helper.name), arguments), helper.results))
    }

    /// Adds `update` or an entry.
    pub(super) fn entry(&mut self, name: &str, attribute: Option<&'static str>) {
        let update = attribute.is_none();
        let hyper = !self.rule.hypers.is_empty() && (update || !self.once_in(3));
        let state = !self.rule.states.is_empty() && (update || !self.once_in(4));
        let mut scope = self.module_scope(hyper, state);
        scope.update = update;
        let mut arguments = vec!["param: &mut f32".to_owned()];
        let param = Variable {
            text: "*param".to_owned(),
            ty: Type::Real,
            mutable: true,
            limit: Extent::Element,
            facts: Facts::of(Extent::Element),
            version: 0,
        };
        scope.variables.push(param);
        if hyper {
            arguments.push(format!("hyper: &{}Params", self.rule.base_name()));
        }
        if state {
            arguments.push("state: &mut State".to_owned());
        }
        let inputs = [("#[input] ", "hessian", Extent::Element), ("#[scalar] ", "loss", Extent::Const)];
        for (attribute, name, extent) in inputs {
            if self.once_in(5) {
                arguments.push(format!("{attribute}{name}: f32"));
                scope.value(name, Type::Real, Facts::of(extent));
            }
        }
        for (name, extent) in [("step", Extent::Row), ("run", Extent::Const)] {
            if self.once_in(2) {
                arguments.push(format!("{name}: u32"));
                scope.value(name, Type::Int, Facts { nonzero: update, ..Facts::of(extent) });
            }
        }
        if if update { !self.once_in(20) } else { self.once_in(3) } {
            arguments.push("grad: f32".to_owned());
            scope.value("grad", Type::Real, Facts::of(Extent::Element));
        }
        for place in (1..arguments.len()).rev() {
            arguments.swap(place, self.random.below(place as u64 + 1) as usize);
        }
        let count = if update { 2 + self.below(7) } else { self.below(3) };
        let mut statements = self.statements(&mut scope, count, 3);
        statements.push(self.step_of_param(&mut scope));
        self.rule.functions.push(Function {
            attribute,
            name: name.to_owned(),
            arguments,
            result: Type::Unit,
            body: Block { statements, tail: None },
        });
    }

    /// Mostly `*param -= …`, as optimizers end.
    fn step_of_param(&mut self, scope: &mut Scope) -> Statement {
        let want = Want { limit: Extent::Element, element: false, depth: 3 };
        let (change, _) = self.real(scope, want);
        let rate = match self.variable(scope, &Type::Real, Want { limit: Extent::Row, ..want }) {
            Some((rate, _)) => rate,
            None => Expr::real("0.01"),
        };
        let operator = self.pick(&["-=", "-=", "-=", "+=", "="]);
        Statement::Assign("*param".to_owned(), operator, rate.infix("*", change, Type::Real))
    }
}
