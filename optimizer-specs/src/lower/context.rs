//! The state of lowering one entry under one combination of options: the graph, the versions of everything that can
//! be assigned, the conditions around.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proc_macro2::Span;

use super::value::Value;
use super::{diagnose, fold};
use crate::checked::{self, HyperType, HyperValue, Rule, StateKind};
use crate::error::Diagnostic;
use crate::ir::build::{GraphBuilder, HyperLeaf};
use crate::ir::{Cell, Graph, NodeId, Op, Statement, StatementId, Type};
use crate::options::{Choice, Combination};

/// What can be assigned, at one point of the entry.
#[derive(Clone, Debug, Default)]
pub(super) struct Versions {
    /// Of the function that is being lowered, by index; `None` before its `let`.
    pub(super) locals: Vec<Option<Value>>,
    /// Cells that were assigned; others still hold what they held before the kernel.
    pub(super) cells: BTreeMap<Cell, NodeId>,
}

/// Lowers one entry under one combination.
pub(super) struct Lowerer<'r> {
    pub(super) rule: &'r Rule,
    combination: &'r Combination,
    pub(super) builder: GraphBuilder,
    pub(super) versions: Versions,
    /// The declarations of [`Versions::locals`].
    pub(super) locals: &'r [checked::Local],
    /// The conditions around, outermost first, as far as options leave them open.
    pub(super) conditions: Vec<NodeId>,
    statements: HashMap<*const checked::Statement, StatementId>,
    /// States that are assigned.
    pub(super) written: BTreeSet<u32>,
    pub(super) errors: Vec<Diagnostic>,
    /// How many expressions were lowered, those of inlined helpers included.
    expressions: usize,
    /// Whether hyper-parameters have the values of their defaults.
    pub(super) defaults: bool,
}

/// The most expressions that an entry may come to. Helpers that call helpers twice double with each level, and all that
/// follows takes its time for every operation; rules that people write stay under a tenth of it.
const MOST_EXPRESSIONS: usize = 4096;

impl<'r> Lowerer<'r> {
    pub(super) fn new(rule: &'r Rule, combination: &'r Combination, name: &str) -> Self {
        let leaves = rule.hypers.iter().map(|hyper| HyperLeaf { ty: leaf_type(hyper.ty), shared: hyper.shared });
        Self {
            rule,
            combination,
            builder: GraphBuilder::new(name, leaves.collect()),
            versions: Versions::default(),
            locals: &[],
            conditions: Vec::new(),
            statements: HashMap::new(),
            written: BTreeSet::new(),
            errors: Vec::new(),
            expressions: 0,
            defaults: false,
        }
    }

    /// Whether one more expression may be lowered; the first one that may not is reported.
    pub(super) fn has_room(&mut self, span: Span) -> bool {
        self.expressions += 1;
        if self.expressions == MOST_EXPRESSIONS + 1 {
            self.errors.push(diagnose::too_long(&self.graph().name, MOST_EXPRESSIONS, span));
        }
        self.expressions <= MOST_EXPRESSIONS
    }

    /// The name of a variable.
    pub(super) fn local_name(&self, index: usize) -> Option<String> {
        self.locals.get(index).map(|local| local.name.to_string())
    }

    pub(super) fn graph(&self) -> &Graph {
        self.builder.graph()
    }

    /// The node for an operation, folded; `None` where it is not allowed, which is then reported.
    pub(super) fn push(&mut self, op: Op, span: Span) -> Option<NodeId> {
        match fold::fold(self.graph(), op) {
            Ok(Some(fold::Folded::Literal(literal))) => Some(self.builder.push(literal)),
            Ok(Some(fold::Folded::Same(id))) => Some(id),
            Ok(None) => {
                let derived = self.builder.derive(op);
                match diagnose::operation(self, op, derived, span) {
                    None => Some(self.builder.push(op)),
                    Some(error) => self.report(error),
                }
            }
            Err(text) => self.report(diagnose::not_finite(&text, span)),
        }
    }

    /// Notes an error; the value is then unknown.
    pub(super) fn report<T>(&mut self, error: Diagnostic) -> Option<T> {
        self.errors.push(error);
        None
    }

    /// What the combination chooses for a hyper-parameter, if it is an option.
    pub(super) fn choice(&self, hyper: u32) -> Option<Choice> {
        self.combination.choice(hyper)
    }

    /// A hyper-parameter: a literal or a value of compile time where it is an option.
    pub(super) fn hyper(&mut self, index: u32) -> Value {
        if let (true, Some(hyper)) = (self.defaults, self.rule.hypers.get(index as usize)) {
            return self.default_value(&hyper.default);
        }
        let literal = match self.choice(index) {
            // An option that is none has a default that is refused.
            None if self.is_option(index) => return Value::Poison,
            None | Some(Choice::Zero(false)) => Op::Hyper(index),
            Some(Choice::Bool(value)) => Op::Bool(value),
            Some(Choice::Zero(true)) => match self.builder.derive(Op::Hyper(index)).ty {
                Type::Int => Op::Int(0),
                _ => Op::Real(0.0_f64.to_bits()),
            },
            Some(Choice::Some(false)) => return Value::Option(None),
            Some(Choice::Some(true)) => return Value::Option(Some(self.builder.push(Op::Hyper(index)))),
            Some(Choice::Variant(variant)) => return Value::Variant(variant),
        };
        Value::Node(self.builder.push(literal))
    }

    fn is_option(&self, index: u32) -> bool {
        let ty = self.rule.hypers.get(index as usize).map(|hyper| hyper.ty);
        ty.is_some_and(|ty| !matches!(ty, HyperType::F32 | HyperType::U32))
    }

    fn default_value(&mut self, value: &HyperValue) -> Value {
        match *value {
            HyperValue::F32(value) => Value::Node(self.builder.real(value)),
            HyperValue::U32(value) => Value::Node(self.builder.push(Op::Int(value.into()))),
            HyperValue::Bool(value) => Value::Node(self.builder.push(Op::Bool(value))),
            HyperValue::NoneValue => Value::Option(None),
            HyperValue::SomeF32(value) => Value::Option(Some(self.builder.real(value))),
            HyperValue::SomeU32(value) => Value::Option(Some(self.builder.push(Op::Int(value.into())))),
            HyperValue::Enum(variant) => Value::Variant(variant),
        }
    }

    /// The cell of a state.
    pub(super) fn cell(&self, state: u32) -> Cell {
        match self.rule.states[state as usize].kind {
            StateKind::Element => Cell::ElementState(state),
            StateKind::Tensor => Cell::TensorState(state),
            StateKind::All => Cell::AllState(state),
            StateKind::Host => Cell::HostState(state),
        }
    }

    /// The current version of a cell.
    pub(super) fn read(&mut self, cell: Cell) -> NodeId {
        match self.versions.cells.get(&cell) {
            Some(&id) => id,
            None => self.builder.push(Op::Load(cell)),
        }
    }

    /// Names a computed value. Leaves and literals keep their own names.
    pub(super) fn name(&mut self, id: NodeId, name: &str) {
        if self.graph().op(id).operands().next().is_some() {
            self.builder.name(id, name);
        }
    }

    /// The entry in the graph's table of statements.
    pub(super) fn statement_id(&mut self, statement: &checked::Statement) -> StatementId {
        let table = &mut self.builder.graph_mut().statements;
        *self.statements.entry(statement).or_insert_with(|| {
            table.push(Statement { text: statement.text.clone(), span: statement.span });
            StatementId(table.len() as u32 - 1)
        })
    }
}

fn leaf_type(ty: HyperType) -> Type {
    match ty {
        HyperType::F32 | HyperType::OptionF32 => Type::Real,
        HyperType::U32 | HyperType::OptionU32 => Type::Int,
        HyperType::Bool | HyperType::Enum(_) => Type::Bool,
    }
}
