//! The syntax of function bodies: statements, patterns, expressions.

use proc_macro2::{Ident, Span};

use super::Type;
use crate::error::Diagnostic;

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
    /// Already reported; with the names that it would declare.
    Refused(Vec<Ident>),
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
    /// Already reported; with the names in it.
    Refused(Vec<Ident>),
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
    /// Not of the language. Reported when the expression is looked at.
    Refused(Box<Diagnostic>),
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
    /// Another pattern of Rust, with the names in it. Reported where it is known over what the `match` goes.
    Other(Span, Vec<Ident>),
}
