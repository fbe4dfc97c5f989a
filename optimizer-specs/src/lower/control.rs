//! Statements, arms and helper functions: Rust's order, with assignments in arms turned into selects of versions.

use std::mem::replace;

use proc_macro2::Span;

use super::context::{Lowerer, Versions};
use super::diagnose;
use super::value::Value;
use crate::checked::{Block, Body, Expr, LocalId, Pattern, Place, Statement, StatementKind};
use crate::ir::{BinaryOp, Cell, NodeId, Op};

impl<'r> Lowerer<'r> {
    /// Lowers a function's body, with the values of its arguments.
    pub(super) fn body(&mut self, body: &'r Body, arguments: Vec<(LocalId, Value)>) -> Value {
        let outer = replace(&mut self.locals, &body.locals);
        let locals = replace(&mut self.versions.locals, vec![None; body.locals.len()]);
        for (local, value) in arguments {
            self.bind_argument(local, value);
        }
        let value = self.block(&body.block);
        self.versions.locals = locals;
        self.locals = outer;
        value
    }

    /// Inlines a helper function.
    pub(super) fn helper(&mut self, index: u32, arguments: Vec<Value>) -> Value {
        let rule = self.rule;
        let Some(function) = rule.functions.get(index as usize) else { return Value::Poison };
        self.body(&function.body, function.arguments.iter().copied().zip(arguments).collect())
    }

    /// Lowers a block.
    pub(super) fn block(&mut self, block: &Block) -> Value {
        for statement in &block.statements {
            self.statement(statement);
        }
        block.tail.as_ref().map_or(Value::Unit, |tail| self.expression(tail))
    }

    fn statement(&mut self, statement: &Statement) {
        let id = self.statement_id(statement);
        let outer = self.builder.at(Some(id));
        match &statement.kind {
            StatementKind::Let(pattern, value) => {
                let value = self.expression(value);
                self.bind(pattern, value);
            }
            StatementKind::Assign(place, value) => {
                let value = self.expression(value);
                self.assign(*place, value, statement.span);
            }
            StatementKind::Update(place, value) => {
                let value = self.update(value);
                self.assign(*place, value, statement.span);
            }
            StatementKind::Expr(expression) => {
                self.expression(expression);
            }
        }
        self.builder.at(outer);
    }

    fn bind(&mut self, pattern: &Pattern, value: Value) {
        match (pattern, value) {
            (Pattern::Local(local), value) => self.set_local(*local, value),
            (Pattern::Tuple(patterns), Value::Tuple(values)) => {
                for (pattern, value) in patterns.iter().zip(values) {
                    self.bind(pattern, value);
                }
            }
            (Pattern::Tuple(patterns), _) => {
                for pattern in patterns {
                    self.bind(pattern, Value::Poison);
                }
            }
            (Pattern::Wild, _) => {}
        }
    }

    /// Sets a local variable and names its value.
    pub(super) fn set_local(&mut self, local: LocalId, value: Value) {
        if let (Value::Node(id), Some(name)) = (&value, self.local_name(local.0 as usize)) {
            self.name(*id, &name);
        }
        self.bind_argument(local, value);
    }

    /// Sets an argument. It gives no name: the caller's names say more.
    fn bind_argument(&mut self, local: LocalId, value: Value) {
        if let Some(place) = self.versions.locals.get_mut(local.0 as usize) {
            *place = Some(value);
        }
    }

    /// An assignment. After one that is not allowed the cell is what it was before the kernel, so that nothing follows.
    fn assign(&mut self, place: Place, value: Value, span: Span) {
        let cell = match place {
            Place::Local(local) => return self.set_local(local, value),
            Place::Param => Cell::Param,
            Place::State(state) => {
                self.written.insert(state);
                self.cell(state)
            }
        };
        // Of a value that is wrong nothing is known but that it is one the cell may hold.
        let Some(value) = value.node() else {
            self.versions.cells.remove(&cell);
            return;
        };
        match diagnose::assignment(self, cell, value, span) {
            Some(error) => {
                self.versions.cells.remove(&cell);
                self.errors.push(error);
            }
            None => {
                self.versions.cells.insert(cell, value);
                self.name_cell(cell, value);
            }
        }
    }

    /// Forgets what is known of everything that can be assigned: what stands here is wrong, and may have assigned it.
    pub(super) fn forget(&mut self) {
        for (value, local) in self.versions.locals.iter_mut().zip(self.locals) {
            if local.mutable && value.is_some() {
                *value = Some(Value::Poison);
            }
        }
        self.versions.cells.clear();
    }

    fn name_cell(&mut self, cell: Cell, value: NodeId) {
        let name = match cell.state() {
            None => "param".to_owned(),
            Some(state) => self.rule.states[state as usize].name.to_string(),
        };
        self.name(value, &name);
    }

    /// `if condition { then } else { otherwise }`: a settled condition lowers its arm alone.
    pub(super) fn choose(
        &mut self,
        condition: NodeId,
        span: Span,
        then: impl FnOnce(&mut Self) -> Value,
        otherwise: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        match self.graph().op(condition) {
            Op::Bool(true) => return then(self),
            Op::Bool(false) => return otherwise(self),
            _ => {}
        }
        let before = self.versions.clone();
        self.conditions.push(condition);
        let then_value = then(self);
        let then_versions = replace(&mut self.versions, before);
        let otherwise_value = otherwise(self);
        self.conditions.pop();
        self.merge_versions(condition, then_versions, span);
        self.merge(condition, then_value, otherwise_value, span)
    }

    /// Arms of which nobody knows which is taken: lowered for their own errors only.
    pub(super) fn poisoned<'b>(&mut self, arms: impl IntoIterator<Item = &'b Block>) -> Value {
        for arm in arms {
            let before = self.versions.clone();
            self.block(arm);
            self.versions = before;
        }
        self.forget();
        Value::Poison
    }

    /// `a && b` and `a || b`: the right side is evaluated only where the left one leaves it open.
    pub(super) fn lazy(&mut self, a: &Expr, b: &Expr, and: bool, span: Span) -> Value {
        let Some(left) = self.expression(a).node() else {
            self.expression(b);
            return Value::Poison;
        };
        if self.graph().op(left) == Op::Bool(!and) {
            return Value::Node(left);
        }
        let mut right = Value::Poison;
        let mut evaluate = |this: &mut Self| {
            right = this.expression(b);
            Value::Unit
        };
        if and {
            self.choose(left, span, &mut evaluate, |_| Value::Unit);
        } else {
            self.choose(left, span, |_| Value::Unit, &mut evaluate);
        }
        let function = if and { BinaryOp::And } else { BinaryOp::Or };
        right.node().and_then(|right| self.push(Op::Binary(function, left, right), span)).into()
    }

    /// Joins the versions after an arm with those after the other one, which stand in `self`.
    fn merge_versions(&mut self, condition: NodeId, then: Versions, span: Span) {
        let otherwise = replace(&mut self.versions, then.clone());
        for (index, pair) in then.locals.into_iter().zip(otherwise.locals).enumerate() {
            let merged = match pair {
                (Some(a), Some(b)) if a != b => {
                    let merged = self.merge(condition, a, b, span);
                    if let (Value::Node(id), Some(name)) = (&merged, self.local_name(index)) {
                        self.name(*id, &name);
                    }
                    Some(merged)
                }
                (Some(a), Some(_)) => Some(a),
                // A variable of one arm is out of scope after it.
                _ => None,
            };
            if let Some(place) = self.versions.locals.get_mut(index) {
                *place = merged;
            }
        }
        let cells: std::collections::BTreeSet<Cell> =
            then.cells.keys().chain(otherwise.cells.keys()).copied().collect();
        for cell in cells {
            let before = self.builder.push(Op::Load(cell));
            let a = then.cells.get(&cell).copied().unwrap_or(before);
            let b = otherwise.cells.get(&cell).copied().unwrap_or(before);
            if let Some(merged) = self.push(Op::Select(condition, a, b), span) {
                self.versions.cells.insert(cell, merged);
                self.name_cell(cell, merged);
            }
        }
    }

    /// The value of an `if`, from those of its arms.
    fn merge(&mut self, condition: NodeId, then: Value, otherwise: Value, span: Span) -> Value {
        match (then, otherwise) {
            // Arms of two types are reported.
            (Value::Node(a), Value::Node(b)) if self.graph().node(a).ty != self.graph().node(b).ty => Value::Poison,
            (Value::Node(a), Value::Node(b)) => self.push(Op::Select(condition, a, b), span).into(),
            (Value::Tuple(a), Value::Tuple(b)) => {
                Value::Tuple(a.into_iter().zip(b).map(|(a, b)| self.merge(condition, a, b, span)).collect())
            }
            (Value::Option(Some(a)), Value::Option(Some(b))) => match self.push(Op::Select(condition, a, b), span) {
                Some(payload) => Value::Option(Some(payload)),
                None => Value::Poison,
            },
            (a, b) if a == b => a,
            (Value::Option(_), Value::Option(_)) | (Value::Variant(_), Value::Variant(_)) => {
                self.errors.push(diagnose::choice_at_run_time(span));
                Value::Poison
            }
            // Something is reported already, that the arms differ if nothing else.
            _ => Value::Poison,
        }
    }
}
