//! The expression graph of one entry (`update` or an `#[entry]`) under one combination of options.
//!
//! Guarantees of a verified graph: operands precede their users (the arena is in topological order); equal operations
//! are one node; every node's type, extent and stage follow from its operands; options have folded away, so no
//! hyper-parameter that is an option is left as a leaf.

use proc_macro2::Span;

/// Index of a node in [`Graph::nodes`]. Operands have smaller indices than their users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// Index of a statement of the rule in [`Graph::statements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementId(pub u32);

/// What kind of number a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A real: f64 on the host, f32 on the device.
    Real,
    /// A whole number: i64 on the host; on the device only a count, u32.
    Int,
    /// A truth value.
    Bool,
}

/// Over what a value varies. `Const < Row < Tensor < Element`, `Const < All < Tensor`, `join(Row, All) = Tensor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// `run`, shared hyper-parameters, literals: one value per step. Computed on the host, in f64.
    Const,
    /// `step`, hyper-parameters of a group, host states, shape: one value per tensor and step. Host, f64.
    Row,
    /// From a reduction over all tensors or an `#[all]` state: one value per step, on the device.
    All,
    /// From a reduction over one tensor or a `#[tensor]` state: one value per tensor, on the device.
    Tensor,
    /// From `param`, `grad`, an input or an element state: one value per element, on the device.
    Element,
}

impl Extent {
    /// The smallest extent that covers both.
    pub fn join(self, other: Self) -> Self {
        use Extent::*;
        match (self, other) {
            (a, b) if a == b => a,
            (Const, x) | (x, Const) => x,
            (Element, _) | (_, Element) => Element,
            (Row, All) | (All, Row) | (Tensor, _) | (_, Tensor) => Tensor,
            (a, _) => a,
        }
    }

    /// Whether a value of this extent may stand where `other` is asked for: `self ≤ other` in the lattice.
    pub fn fits(self, other: Self) -> bool {
        self.join(other) == other
    }

    /// Whether values of this extent are computed on the host, in f64.
    pub fn is_host(self) -> bool {
        matches!(self, Extent::Const | Extent::Row)
    }
}

/// Storage that outlives a step. Indices are into the rule's list of states (all kinds in one list, in order of
/// declaration), see [`crate::checked::Rule::states`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// The parameter, one per element.
    Param,
    /// A plain `f32` state, one per element.
    ElementState(u32),
    /// A `#[tensor] f32` state.
    TensorState(u32),
    /// An `#[all] f32` state.
    AllState(u32),
    /// A `#[host] f64` state.
    HostState(u32),
}

impl Cell {
    /// The extent of a read of this cell.
    pub fn extent(self) -> Extent {
        match self {
            Cell::Param | Cell::ElementState(_) => Extent::Element,
            Cell::TensorState(_) => Extent::Tensor,
            Cell::AllState(_) => Extent::All,
            Cell::HostState(_) => Extent::Row,
        }
    }

    /// The state, if it is one.
    pub fn state(self) -> Option<u32> {
        match self {
            Cell::Param => None,
            Cell::ElementState(state) | Cell::TensorState(state) | Cell::AllState(state) | Cell::HostState(state) => {
                Some(state)
            }
        }
    }
}

/// Operations with one operand. Those on [`Type::Int`] exist on the host only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x` (Real, Int).
    Negate,
    /// `!x` (Bool).
    Not,
    /// `|x|` (Real, Int).
    Abs,
    /// Square root (Real).
    Sqrt,
    /// 1, -1, or +0 at ±0 and NaN (Real).
    Sign,
    /// Whether it is neither infinite nor NaN: Bool from Real, by its bits on the device.
    IsFinite,
    /// Whether it is NaN: Bool from Real, by its bits on the device. Of the prologue alone.
    IsNan,
    /// Real from Int: `as f32`.
    ToReal,
    /// Largest whole number not above x (Real; host only).
    Floor,
    /// Smallest whole number not below x (Real; host only).
    Ceil,
    /// e^x (Real).
    Exp,
    /// Natural logarithm (Real).
    Ln,
    /// Cube root (Real).
    Cbrt,
    /// Hyperbolic tangent (Real).
    Tanh,
}

/// Operations with two operands of one type, unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `a + b` (Real, Int).
    Add,
    /// `a - b` (Real, Int).
    Subtract,
    /// `a * b` (Real, Int).
    Multiply,
    /// `a / b` (Real, Int: towards zero).
    Divide,
    /// `a % b`, the sign of a (Real, Int; host only).
    Remainder,
    /// `if b < a { b } else { a }` (Real, Int).
    Min,
    /// `if a < b { b } else { a }` (Real, Int).
    Max,
    /// Real to the power of an Int, by square-and-multiply from the lowest bit; a negative power is the reciprocal.
    Powi,
    /// Real to the power of a Real.
    Powf,
    /// Both (Bool).
    And,
    /// Either (Bool).
    Or,
}

/// Comparisons of two operands of one type. IEEE: each is false with a NaN, but for `NotEqual`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

impl Comparison {
    /// The operator, which is the same in Rust and on every target.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
        }
    }
}

/// How a reduction combines. `mean` is a sum over `len`, `max_abs` a `Max` over `|x|` by the time of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceKind {
    /// Sum of reals.
    Sum,
    /// `sqrt(sum(x·x))`, guarded against overflow by a second, scaled sum.
    Norm,
    /// Least; a NaN is passed over.
    Min,
    /// Greatest; a NaN is passed over.
    Max,
    /// How many are true: Int.
    Count,
}

impl ReduceKind {
    /// The function of the rule language.
    pub fn name(self) -> &'static str {
        match self {
            ReduceKind::Sum => "sum",
            ReduceKind::Norm => "norm",
            ReduceKind::Min => "min",
            ReduceKind::Max => "max",
            ReduceKind::Count => "count",
        }
    }
}

/// Over what a reduction goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The elements of one tensor.
    Tensor,
    /// The elements of all tensors that take part in the step.
    All,
}

/// One operation. f64 literals are kept as bits, so that an `Op` can be hashed and shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A real literal (bits of the f64). Never NaN or infinite.
    Real(u64),
    /// A whole literal.
    Int(i64),
    /// A truth literal.
    Bool(bool),
    /// A hyper-parameter, by index of its field. Real, or Int for u32. `Some`'s payload for an `Option`.
    Hyper(u32),
    /// Updates this tensor has taken, this one included (in an entry: taken so far).
    Step,
    /// Updates the optimizer has taken, this one included (in an entry: taken so far).
    Run,
    /// Number of elements of the tensor.
    Len,
    /// Number of dimensions of the tensor.
    Ndim,
    /// Length of one dimension.
    Dim(u32),
    /// Number of elements of all tensors that take part: `all::len()`.
    AllLen,
    /// A `#[scalar]` argument, by index: one value per step, extent Const.
    Scalar(u32),
    /// The prologue's host factor: loss scale and sign (−1 for maximize). Row, Real.
    GradScale,
    /// The prologue's limit of what a gradient's element may be after the host's factor, in magnitude: infinite where
    /// gradients are not clipped by value. Row, Real.
    ClipValue,
    /// The prologue's device factor: the clip coefficient of the tensor, 1 when clipping is off. Tensor, Real, stage 0.
    Clip,
    /// The gradient as the caller gave it. `grad` in a rule is `RawGrad * GradScale`, limited to
    /// ±`ClipValue`, times `Clip`.
    RawGrad,
    /// An `#[input]` argument, by index: one value per element.
    Input(u32),
    /// The value of a cell before this kernel: version 0.
    Load(Cell),
    /// One operand.
    Unary(UnaryOp, NodeId),
    /// Two operands.
    Binary(BinaryOp, NodeId, NodeId),
    /// Bool from two operands.
    Compare(Comparison, NodeId, NodeId),
    /// `a * b + c`, rounded once. Only where the rule says `mul_add`.
    MulAdd(NodeId, NodeId, NodeId),
    /// `if condition { then } else { otherwise }`, as (condition, then, otherwise). On the host only the taken arm is
    /// evaluated; on the device a select.
    Select(NodeId, NodeId, NodeId),
    /// A reduction of an element value. The operand is Bool for `Count`, else Real.
    Reduce(ReduceKind, Scope, NodeId),
}

impl Op {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        let three = match *self {
            Op::Unary(_, a) | Op::Reduce(_, _, a) => [Some(a), None, None],
            Op::Binary(_, a, b) | Op::Compare(_, a, b) => [Some(a), Some(b), None],
            Op::MulAdd(a, b, c) | Op::Select(a, b, c) => [Some(a), Some(b), Some(c)],
            _ => [None, None, None],
        };
        three.into_iter().flatten()
    }

    /// The same operation on other operands.
    #[must_use]
    pub fn with_operands(self, rename: impl Fn(NodeId) -> NodeId) -> Self {
        match self {
            Op::Unary(function, a) => Op::Unary(function, rename(a)),
            Op::Binary(function, a, b) => Op::Binary(function, rename(a), rename(b)),
            Op::Compare(comparison, a, b) => Op::Compare(comparison, rename(a), rename(b)),
            Op::MulAdd(a, b, c) => Op::MulAdd(rename(a), rename(b), rename(c)),
            Op::Select(a, b, c) => Op::Select(rename(a), rename(b), rename(c)),
            Op::Reduce(kind, scope, a) => Op::Reduce(kind, scope, rename(a)),
            leaf => leaf,
        }
    }
}

/// A node: an operation and what is known of its value.
#[derive(Clone, Debug)]
pub struct Node {
    /// What is computed.
    pub op: Op,
    /// The kind of number.
    pub ty: Type,
    /// Over what it varies.
    pub extent: Extent,
    /// After how many reductions in a row it exists: 0 for leaves, a reduction its operand's + 1.
    pub stage: u32,
    /// The name that the rule gave it (`let bias1 = …`, `state.m = …`), for readable output. Not unique.
    pub name: Option<String>,
    /// The statement that it comes from; none for the prologue.
    pub statement: Option<StatementId>,
}

/// A statement of the rule, for comments in generated code and for spans.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The statement as the rule's author wrote it, on one line, in rustfmt's spacing.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// The last version of a cell that the entry changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// Which cell.
    pub cell: Cell,
    /// Its final value. Type Real; extent at most the cell's.
    pub value: NodeId,
}

/// All that one entry computes under one combination of options.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// `update`, or the entry's name.
    pub name: String,
    /// The arena, in topological order.
    pub nodes: Vec<Node>,
    /// The rule's statements, in order of the source.
    pub statements: Vec<Statement>,
    /// The final versions of the cells that change, at most one per cell, ordered by cell. Cells that no path reads
    /// are already gone.
    pub stores: Vec<Store>,
    /// Whether the entry takes `grad`, hence runs over the tensors that have one.
    pub takes_grad: bool,
}

impl Graph {
    /// The node behind an id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The operation behind an id.
    pub fn op(&self, id: NodeId) -> Op {
        self.node(id).op
    }

    /// Whether a node is a limit of the prologue, the only host value that may be infinite on the device.
    pub fn is_limit(&self, id: NodeId) -> bool {
        match self.op(id) {
            Op::ClipValue => true,
            Op::Unary(UnaryOp::Negate, of) => self.op(of) == Op::ClipValue,
            _ => false,
        }
    }

    /// Per node, whether the roots depend on it, the roots included.
    pub fn below(&self, roots: impl IntoIterator<Item = NodeId>) -> Vec<bool> {
        let mut reached = vec![false; self.nodes.len()];
        for root in roots {
            reached[root.0 as usize] = true;
        }
        // Operands precede their users, so one sweep from the back reaches everything.
        for index in (0..self.nodes.len()).rev() {
            if reached[index] {
                for operand in self.nodes[index].op.operands() {
                    reached[operand.0 as usize] = true;
                }
            }
        }
        reached
    }
}
