//! A checked rule: names resolved, types known, every structural rule of the language held.
//!
//! This is what `check` makes of the syntax tree and `lower` turns into graphs. It still speaks the rule's language:
//! statements, helper functions, options, arms. Spans are kept on every expression for errors that only lowering can
//! find (extents, conditions).

use proc_macro2::{Ident, Span, TokenStream};

/// A rule, checked.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The module's name, `adam`.
    pub name: Ident,
    /// The module's visibility.
    pub visibility: TokenStream,
    /// Attributes that pass through to the module (doc, allow, deprecated, must_use).
    pub attributes: Vec<TokenStream>,
    /// `#[gpu_optimizer(crate = path)]`, else `::optirs_gpu`.
    pub crate_path: TokenStream,
    /// `#[gpu_optimizer(header)]`: its states of all tensors are the header of the scalars.
    pub is_header: bool,
    /// `AdamParams`, as written.
    pub params_name: Ident,
    /// `Adam`: the name before `Params`.
    pub base_name: String,
    /// Attributes of the parameter struct that pass through.
    pub params_attributes: Vec<TokenStream>,
    /// The hyper-parameters, in field order.
    pub hypers: Vec<Hyper>,
    /// `#[require(…)]`, in order.
    pub requires: Vec<Require>,
    /// The states, all kinds, in field order. `Cell` indices point here.
    pub states: Vec<State>,
    /// `#[input]` arguments over all entries, by name, in order of first appearance.
    pub inputs: Vec<Ident>,
    /// `#[scalar]` arguments over all entries, by name, in order of first appearance.
    pub scalars: Vec<Ident>,
    /// Enums of the module.
    pub enums: Vec<Enum>,
    /// Helper functions, called by index.
    pub functions: Vec<Function>,
    /// `update` first, then the `#[entry]` functions in order of the source.
    pub entries: Vec<Entry>,
}

/// A hyper-parameter.
#[derive(Clone, Debug)]
pub struct Hyper {
    /// Field name.
    pub name: Ident,
    /// Attributes that pass through (doc, …).
    pub attributes: Vec<TokenStream>,
    /// Field type.
    pub ty: HyperType,
    /// The default.
    pub default: HyperValue,
    /// `range = …`; for `Option`, of the payload.
    pub range: Option<Range>,
    /// `switch`: whether it is 0 is an option.
    pub switch: bool,
    /// `shared`: one value for all parameter groups.
    pub shared: bool,
}

/// The type of a hyper-parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum HyperType {
    F32,
    U32,
    Bool,
    OptionF32,
    OptionU32,
    /// An enum of the module, by index in [`Rule::enums`].
    Enum(u32),
}

/// The value of a default.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum HyperValue {
    /// The decimal as written: `1e-3` is 0.001 in f64; the field holds the nearest f32.
    F32(f64),
    U32(u32),
    Bool(bool),
    NoneValue,
    SomeF32(f64),
    SomeU32(u32),
    /// A variant, by index.
    Enum(u32),
}

/// A range of a hyper-parameter, as a Rust range: `a..b`, `a..=b`, `a..`, `..b`, `..=b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// Least value, included.
    pub start: Option<f64>,
    /// Greatest value.
    pub end: Option<f64>,
    /// Whether `end` is included.
    pub end_included: bool,
    /// As written, for messages: `0.0..1.0`.
    pub text: String,
}

/// `#[require(expr, "message")]`. The expression is Bool over hyper-parameters, `ndim()` and `len()`, host only.
#[derive(Clone, Debug)]
pub struct Require {
    /// What must hold. Field names stand as [`ExprKind::Hyper`].
    pub condition: Expr,
    /// What to say when it does not.
    pub message: String,
    /// Whether it reads `ndim()`, `len()` or `dim(i)`: then it is checked when a tensor is registered.
    pub reads_shape: bool,
}

/// An enum of the module: fieldless.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: Ident,
    /// Attributes that pass through.
    pub attributes: Vec<TokenStream>,
    /// The variants with attributes that pass through.
    pub variants: Vec<(Ident, Vec<TokenStream>)>,
}

/// A state.
#[derive(Clone, Debug)]
pub struct State {
    /// Field name.
    pub name: Ident,
    /// Doc attributes.
    pub attributes: Vec<TokenStream>,
    /// Where it lives.
    pub kind: StateKind,
    /// Its first value.
    pub init: Init,
    /// `#[keep]`: exists even where no path reads it.
    pub keep: bool,
}

/// Where a state lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// Plain `f32`: one per element, on the device.
    Element,
    /// `#[tensor] f32`: one per tensor, on the device.
    Tensor,
    /// `#[all] f32`: one per optimizer, on the device.
    All,
    /// `#[host] f64`: one per tensor, on the host.
    Host,
}

/// The first value of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init {
    /// A number; 0 without `#[init]`.
    Number(f64),
    /// A hyper-parameter, by index.
    Hyper(u32),
    /// The parameter (element states only).
    Param,
}

/// A local variable (an argument or a `let`), by index in its function's or entry's [`Body::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalId(pub u32);

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Ty {
    Real,
    Int,
    Bool,
    OptionReal,
    OptionInt,
    Enum(u32),
    Tuple(Vec<Ty>),
    /// No value: a block that ends in a statement.
    Unit,
    /// Already reported: fits everywhere, so that nothing follows.
    Error,
}

/// A helper function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Ident,
    /// Its arguments, in order. `&hyper` and `&mut state` arguments are no values and are not listed.
    pub arguments: Vec<LocalId>,
    /// The body; its tail is the result.
    pub body: Body,
    /// As written, on one line, for documentation.
    pub text: String,
}

/// `update` or an `#[entry]`.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: Ident,
    /// Doc attributes.
    pub attributes: Vec<TokenStream>,
    /// Whether it takes `grad`.
    pub takes_grad: bool,
    /// `#[entry(mode = …)]`.
    pub mode: Option<Mode>,
    /// The body.
    pub body: Body,
    /// As written, on one line, for documentation.
    pub text: String,
}

/// `#[entry(mode = eval | train)]`: running it puts the optimizer into that mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Mode {
    Train,
    Eval,
}

/// A function body with its locals.
#[derive(Clone, Debug)]
pub struct Body {
    /// All local variables, those of nested blocks too.
    pub locals: Vec<Local>,
    /// Statements and tail.
    pub block: Block,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: Ty,
    /// `let mut`.
    pub mutable: bool,
}

/// Statements and an optional value.
#[derive(Clone, Debug)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
    /// The block's value.
    pub tail: Option<Box<Expr>>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// As written, on one line, for comments in generated code; of an `if`, its head.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `let pattern = value;`
    Let(Pattern, Expr),
    /// `place = value;`
    Assign(Place, Expr),
    /// `place += value;` and the like. The expression is `place + value`; of its two operands the right one is evaluated
    /// first, as Rust does it.
    Update(Place, Expr),
    /// An expression for its effects: an `if`, `match` or helper call without a value.
    Expr(Expr),
}

/// The left side of a `let`.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A variable.
    Local(LocalId),
    /// A tuple of patterns.
    Tuple(Vec<Pattern>),
    /// `_`
    Wild,
}

/// What can be assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A `let mut` variable.
    Local(LocalId),
    /// `*param`
    Param,
    /// `state.field`, by index.
    State(u32),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
    /// The token that errors point at.
    pub span: Span,
}

/// Element functions of one, two or three arguments (`docs/language.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Function1 {
    Negate,
    Not,
    Abs,
    Sqrt,
    Sign,
    IsFinite,
    Recip,
    Floor,
    Ceil,
    Exp,
    Ln,
    Cbrt,
    Tanh,
    /// `as f32`
    ToReal,
}

/// See [`Function1`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Function2 {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Min,
    Max,
    Powi,
    Powf,
    And,
    Or,
    Compare(crate::ir::Comparison),
}

/// See [`Function1`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Function3 {
    MulAdd,
    /// `clamp(x, low, high) = min(max(x, low), high)`
    Clamp,
    /// `lerp(a, b, w) = a + w·(b − a)`
    Lerp,
}

/// Reductions as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Reduction {
    Sum,
    Mean,
    Norm,
    Min,
    Max,
    MaxAbs,
    Count,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A real literal, or a real constant of the module or of `f32`.
    Real(f64),
    /// A whole literal or constant.
    Int(i64),
    /// `true`, `false`.
    Bool(bool),
    /// A variable.
    Local(LocalId),
    /// `hyper.field` (or, in `#[require]`, `field`), by index. Of an `Option` field: the option itself.
    Hyper(u32),
    /// `step`
    Step,
    /// `run`
    Run,
    /// `grad`, scaled by the prologue.
    Grad,
    /// `*param`
    Param,
    /// `state.field`, by index.
    State(u32),
    /// An `#[input]` argument, by index in [`Rule::inputs`].
    Input(u32),
    /// A `#[scalar]` argument, by index in [`Rule::scalars`].
    Scalar(u32),
    /// `len()`
    Len,
    /// `ndim()`
    Ndim,
    /// `dim(i)`
    Dim(u32),
    /// `all::len()`
    AllLen,
    /// An element function.
    Call1(Function1, Box<Expr>),
    /// An element function.
    Call2(Function2, Box<Expr>, Box<Expr>),
    /// An element function.
    Call3(Function3, Box<Expr>, Box<Expr>, Box<Expr>),
    /// A reduction.
    Reduce(Reduction, crate::ir::Scope, Box<Expr>),
    /// A helper function, by index; the arguments that are values, in order.
    Helper(u32, Vec<Expr>),
    /// `if`/`else`; without `else` an empty block stands there.
    If(Box<Expr>, Block, Block),
    /// `if let Some(local) = option`.
    IfSome(Box<Expr>, LocalId, Block, Block),
    /// `match` on an enum: one block per variant, in the enum's order.
    Match(Box<Expr>, Vec<Block>),
    /// A block value.
    Block(Block),
    /// A tuple.
    Tuple(Vec<Expr>),
    /// `option.is_some()`
    IsSome(Box<Expr>),
    /// `option.unwrap_or(value)`
    UnwrapOr(Box<Expr>, Box<Expr>),
    /// `Enum::Variant`: the enum and the variant, by index.
    Variant(u32, u32),
    /// `a == b` or `a != b` on values of one enum; true for `==`.
    SameVariant(bool, Box<Expr>, Box<Expr>),
    /// Already reported.
    Error,
}
