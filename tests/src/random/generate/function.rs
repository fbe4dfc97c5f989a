//! Functions: helpers and their calls, `update`, entries.

use optimizer_specs::ir::Extent;

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
        let with_hyper = self.once_in(2);
        let with_state = !self.rule.states.is_empty() && self.once_in(2);
        let mut scope = self.module_scope(with_hyper, with_state);
        for variable in scope.variables.iter_mut().filter(|one| one.text.starts_with("state.")) {
            variable.facts = Facts::at_most(variable.limit);
        }
        let mut parameters = Vec::new();
        let mut arguments = Vec::new();
        for _ in 0..1 + self.below(3) {
            let (ty, facts) = self.parameter();
            let name = self.name();
            let mutable = self.once_in(4) && matches!(ty, Type::Real | Type::Int | Type::Bool);
            arguments.push(format!("{}{name}: {ty}", if mutable { "mut " } else { "" }));
            let limit = if ty == Type::Int { Extent::Row } else { Extent::Element };
            scope.variables.push(Variable { text: name, ty: ty.clone(), mutable, limit, facts, version: 0 });
            parameters.push(Parameter::Value(ty, facts));
        }
        if with_hyper {
            arguments.push(format!("hyper: &{}", self.rule.params));
            parameters.push(Parameter::Hyper);
        }
        let count = self.below(3);
        let mut statements = self.statements(&mut scope, count, 2);
        let want = Want { limit: Extent::Element, element: false, depth: 2 };
        let types = match self.below(8) {
            0 | 1 if with_state => {
                statements.push(self.state_assignment(&mut scope));
                Vec::new()
            }
            2 => vec![Type::Real, Type::Bool],
            3 => vec![Type::Real, Type::Int],
            4 => vec![self.pick(&[Type::Bool, Type::Int])],
            _ => vec![Type::Real],
        };
        let (tail, facts) = match types.as_slice() {
            [] => (None, Vec::new()),
            [ty] => {
                let (value, facts) = self.value(&mut scope, ty, want);
                (Some(value), vec![facts])
            }
            _ => {
                let (value, facts) = self.tuple(&mut scope, &types, want);
                (Some(value), facts)
            }
        };
        let mutable = !scope.written.is_empty() || self.once_in(2);
        if with_state {
            arguments.insert(0, format!("state: &{}State", if mutable { "mut " } else { "" }));
            parameters.insert(0, Parameter::State(mutable));
        }
        let (name, notes) = (self.name(), self.notes());
        self.rule.functions.push(Function {
            notes,
            name: name.clone(),
            arguments,
            result: tail.as_ref().map_or(Type::Unit, Expr::ty),
            body: Block { statements, tail: tail.map(Box::new) },
        });
        let results = types.into_iter().zip(facts).map(|(ty, facts)| (ty, Facts { nonzero: false, ..facts })).collect();
        let (needs, writes) = (scope.needs, scope.written.into_iter().collect());
        self.helpers.push(Helper { name, parameters, results, needs, writes });
    }

    /// A type for a helper's parameter, and what is known of its values.
    fn parameter(&mut self) -> (Type, Facts) {
        let enums = self.rule.enums.clone();
        match self.below(10) {
            0 => (Type::Int, Facts::at_most(Extent::Row)),
            1 => (Type::Bool, Facts::at_most(Extent::Element)),
            2 => (self.pick(&[Type::OptionReal, Type::OptionInt]), Facts::at_most(Extent::Row)),
            3 if !enums.is_empty() => (Type::Enum(self.pick(&enums).0), Facts::LITERAL),
            4..7 => (Type::Real, Facts::of(Extent::Element)),
            _ => (Type::Real, Facts::at_most(self.pick(&[Extent::Element, Extent::Tensor, Extent::Row]))),
        }
    }

    fn state_assignment(&mut self, scope: &mut Scope) -> Statement {
        let states: Vec<Variable> = scope.visible().filter(|one| one.text.starts_with("state.")).cloned().collect();
        let place = self.pick(&states);
        self.assign(scope, &place, 2)
    }

    /// Calls a helper that gives one value of a type.
    pub(super) fn call(&mut self, scope: &mut Scope, ty: &Type, want: Want) -> Known {
        let fits = |helper: &Helper| match helper.results.as_slice() {
            [(result, facts)] => result == ty && facts.extent.fits(want.limit),
            _ => false,
        };
        match self.call_of(scope, want, fits) {
            Some((value, results)) => (value, results.first().map_or(Facts::LITERAL, |(_, facts)| *facts)),
            None => self.value(scope, ty, want.any()),
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
                Parameter::Value(Type::Real | Type::Bool | Type::Int, facts) => {
                    !facts.element || scope.visible().any(|one| one.ty == Type::Real && one.facts.element)
                }
                Parameter::Value(ty, _) => scope.visible().any(|one| one.ty == *ty),
                Parameter::Hyper => scope.hyper,
                Parameter::State(_) => scope.state,
            });
            let allowed = helper.needs.iter().all(|need| scope.within.fits(*need));
            given && allowed && fits(helper) && (!scope.pure || helper.writes.iter().all(|one| one == "state"))
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
            Parameter::State(mutable) => {
                if *mutable {
                    scope.written.insert("state".to_owned());
                }
                Expr::Leaf(Type::Context, "state".to_owned())
            }
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
        let ty = match helper.results.as_slice() {
            [(ty, _)] => ty.clone(),
            [] => Type::Unit,
            results => Type::Tuple(results.iter().map(|(ty, _)| ty.clone()).collect()),
        };
        Some((Expr::Apply(ty, Form::Call(helper.name), arguments), helper.results))
    }

    /// Adds `update` or an entry.
    pub(super) fn entry(&mut self, name: &str, attribute: Option<&'static str>) {
        let update = attribute.is_none();
        let hyper = update || !self.once_in(3);
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
            arguments.push(format!("hyper: &{}", self.rule.params));
        }
        if state {
            arguments.push("state: &mut State".to_owned());
        }
        for (attribute, name, extent) in [
            ("#[input] ", "hessian", Extent::Element),
            ("#[input] ", "texture_2d", Extent::Element),
            ("#[scalar] ", "loss", Extent::Const),
            ("#[scalar] ", "device", Extent::Const),
        ] {
            // With reductions, a second input would be a buffer more than WebGPU binds.
            let chance = match (name, self.plain) {
                ("texture_2d", false) => continue,
                (_, true) => 3,
                (_, false) => 6,
            };
            if self.once_in(chance) {
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
        let notes = attribute.into_iter().map(str::to_owned).chain(self.notes()).collect();
        self.rule.functions.push(Function {
            notes,
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
