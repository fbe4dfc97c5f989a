//! The syntax tree of a rule: only what the language has, names not yet resolved.
//!
//! What the language does not have is already reported by the time it would stand here; an `Error` node keeps its place,
//! so that nothing follows from it. Every node points at the token that an error about it should point at.

pub mod text;

use proc_macro2::{Ident, Span, TokenStream};

use crate::checked::{Mode, StateKind};
use crate::error::Diagnostic;

/// A rule as parsed, with the errors from which the parser recovered.
#[derive(Debug)]
pub struct Rule {
    /// The module's name.
    pub name: Ident,
    /// The module's visibility.
    pub visibility: TokenStream,
    /// Attributes that pass through.
    pub attributes: Vec<TokenStream>,
    /// `#[gpu_optimizer(crate = path)]`, else `::optirs_gpu`.
    pub crate_path: TokenStream,
    /// `#[require(…)]`, in order.
    pub requires: Vec<Require>,
    /// Every struct whose name ends in `Params`, or that can only be meant as one: a rule has exactly one.
    pub params: Vec<Params>,
    /// Every struct named `State`: a rule has at most one.
    pub states: Vec<State>,
    /// Enums, in order.
    pub enums: Vec<Enum>,
    /// Constants, in order.
    pub constants: Vec<Constant>,
    /// All functions, `update` and entries among them, in order.
    pub functions: Vec<Function>,
    /// Already found wrong. `check` reports them with its own.
    pub errors: Vec<Diagnostic>,
}

/// `#[require(condition, "message")]`
#[derive(Debug)]
pub struct Require {
    /// What must hold.
    pub condition: Expr,
    /// What to say when it does not.
    pub message: String,
}

/// `pub struct …Params { … }`
#[derive(Debug)]
pub struct Params {
    /// Its name.
    pub name: Ident,
    /// Attributes that pass through.
    pub attributes: Vec<TokenStream>,
    /// In order.
    pub fields: Vec<HyperField>,
}

/// A field of the parameter struct.
#[derive(Debug)]
pub struct HyperField {
    /// Its name.
    pub name: Ident,
    /// Attributes that pass through.
    pub attributes: Vec<TokenStream>,
    /// Its type.
    pub ty: Type,
    /// `#[hyper(…)]`
    pub hyper: Option<HyperAttribute>,
}

/// `#[hyper(default = …, range = …, switch, shared)]`
#[derive(Debug)]
pub struct HyperAttribute {
    /// The word `hyper`.
    pub span: Span,
    /// `default = …`
    pub default: Option<Expr>,
    /// `range = …`
    pub range: Option<Range>,
    /// The word `switch`.
    pub switch: Option<Span>,
    /// The word `shared`.
    pub shared: Option<Span>,
}

/// `a..b`, `a..=b`, `a..`, `..b`, `..=b`
#[derive(Debug)]
pub struct Range {
    /// The dots.
    pub span: Span,
    /// Before the dots.
    pub start: Option<Expr>,
    /// After the dots.
    pub end: Option<Expr>,
    /// `..=`
    pub end_included: bool,
}

/// `pub struct State { … }`
#[derive(Debug)]
pub struct State {
    /// The word `State`.
    pub name: Ident,
    /// In order.
    pub fields: Vec<StateField>,
}

/// A field of the state struct.
#[derive(Debug)]
pub struct StateField {
    /// Its name.
    pub name: Ident,
    /// Attributes that pass through.
    pub attributes: Vec<TokenStream>,
    /// Its type.
    pub ty: Type,
    /// `#[tensor]`, `#[all]`, `#[host]`, or none of them.
    pub kind: StateKind,
    /// `#[init(…)]`
    pub init: Option<Expr>,
    /// `#[keep]`
    pub keep: bool,
}

/// An enum. Its variants have no fields.
#[derive(Debug)]
pub struct Enum {
    /// Its name.
    pub name: Ident,
    /// Attributes that pass through.
    pub attributes: Vec<TokenStream>,
    /// Name and attributes of each variant.
    pub variants: Vec<(Ident, Vec<TokenStream>)>,
}

/// `const NAME: ty = value;`
#[derive(Debug)]
pub struct Constant {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub value: Expr,
}

/// A function: `update`, an entry or a helper.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: Ident,
    /// Attributes that pass through.
    pub attributes: Vec<TokenStream>,
    /// `#[entry]`
    pub entry: Option<EntryAttribute>,
    /// In order.
    pub arguments: Vec<Argument>,
    /// After `->`.
    pub result: Option<Type>,
    /// The body.
    pub body: Block,
}

/// `#[entry]`, `#[entry(mode = …)]`
#[derive(Debug)]
pub struct EntryAttribute {
    /// The word `entry`.
    pub span: Span,
    /// The mode.
    pub mode: Option<Mode>,
}

/// A function's argument.
#[derive(Debug)]
pub struct Argument {
    /// Its name.
    pub name: Ident,
    /// `mut name`
    pub mutable: bool,
    /// Its type.
    pub ty: Type,
    /// `#[input]`, `#[scalar]`, or neither.
    pub role: ArgumentRole,
}

/// What an attribute makes of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentRole {
    /// No attribute.
    Plain,
    /// `#[input]`: one value per element.
    Input,
    /// `#[scalar]`: one value per step.
    Scalar,
}

/// A type.
#[derive(Clone, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Its most telling token.
    pub span: Span,
}

/// What a type is.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum TypeKind {
    F32,
    F64,
    U32,
    Bool,
    Option(Box<Type>),
    /// A name of the module.
    Named(Ident),
    Tuple(Vec<Type>),
    /// `&T`, or, true, `&mut T`.
    Reference(bool, Box<Type>),
    /// Already reported.
    Error,
}

/// Statements and an optional value.
#[derive(Clone, Debug)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
    /// The last expression, if no `;` follows it.
    pub tail: Option<Box<Expr>>,
    /// The opening brace.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Its first token, or its operator.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `let pattern: type = value;`
    Let(Pattern, Option<Type>, Expr),
    /// An expression followed by `;`, or a block-like one without.
    Expr(Expr),
    /// Already reported.
    Error,
}

/// The left side of a `let`.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// What it is.
    pub kind: PatternKind,
    /// Where it starts.
    pub span: Span,
}

/// What a pattern is.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// A name and whether it is `mut`.
    Name(Ident, bool),
    /// `(a, b)`
    Tuple(Vec<Pattern>),
    /// `_`
    Wild,
    /// Already reported.
    Error,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The token that an error about it points at: the operator, the method's name, the keyword.
    pub span: Span,
}

/// Operators of assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum AssignOperator {
    Assign,
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A real literal and its text.
    Real(f64, String),
    /// A whole literal and its text.
    Int(i64, String),
    /// `true`, `false`
    Bool(bool),
    /// `name`, `Enum::Variant`, `f32::EPSILON`
    Path(Vec<Ident>),
    /// `base.name`
    Field(Box<Expr>, Ident),
    /// `*x`
    Deref(Box<Expr>),
    /// `-x`
    Negate(Box<Expr>),
    /// `!x`
    Not(Box<Expr>),
    /// `(x)`
    Paren(Box<Expr>),
    /// `x as type`
    Cast(Box<Expr>, Type),
    /// `a + b`
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `place = value`, `place += value`. A statement in the clothes of an expression.
    Assign(AssignOperator, Box<Expr>, Box<Expr>),
    /// `path(arguments)`
    Call(Vec<Ident>, Vec<Expr>),
    /// `receiver.name(arguments)`
    Method(Box<Expr>, Ident, Vec<Expr>),
    /// `if condition { … } else …`; the `else` is an `If`, an `IfSome` or a `Block`.
    If(Box<Expr>, Block, Option<Box<Expr>>),
    /// `if let Some(pattern) = option { … } else …`
    IfSome(Pattern, Box<Expr>, Block, Option<Box<Expr>>),
    /// `match value { arms }`
    Match(Box<Expr>, Vec<Arm>),
    /// `{ … }`
    Block(Block),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// Already reported.
    Error,
}

/// `A::B | A::C => value`
#[derive(Clone, Debug)]
pub struct Arm {
    /// The alternatives.
    pub patterns: Vec<ArmPattern>,
    /// The value.
    pub value: Expr,
}

/// A pattern of a `match`.
#[derive(Clone, Debug)]
pub enum ArmPattern {
    /// `Enum::Variant`
    Path(Vec<Ident>, Span),
    /// `_`
    Wild(Span),
    /// Already reported.
    Error,
}
