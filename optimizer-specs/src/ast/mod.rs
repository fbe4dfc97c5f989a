//! The syntax tree of a rule: only what the language has, names not yet resolved.
//!
//! What the language does not have is already reported by the time it would stand here; an `Error` node keeps its
//! place, so that nothing follows from it. Every node points at the token that an error about it should point at.

mod body;
pub mod text;

use proc_macro2::{Ident, Span, TokenStream};

use crate::checked::{Mode, StateKind};
use crate::error::Diagnostic;
pub use body::{
    Arm, ArmPattern, AssignOperator, BinaryOperator, Block, Expr, ExprKind, Pattern, PatternKind, Statement,
    StatementKind,
};

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
    /// `#[gpu_optimizer(header)]`
    pub is_header: bool,
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
    /// The names that refused items would declare: what uses them is not wrong once more.
    pub refused: Vec<Ident>,
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
    /// In order; `None` where the struct has no named fields, which is reported.
    pub fields: Option<Vec<HyperField>>,
}

impl Params {
    /// The fields that are known.
    pub fn fields(&self) -> &[HyperField] {
        self.fields.as_deref().unwrap_or_default()
    }
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
    /// In order; `None` where the struct has no named fields, which is reported.
    pub fields: Option<Vec<StateField>>,
}

impl State {
    /// The fields that are known.
    pub fn fields(&self) -> &[StateField] {
        self.fields.as_deref().unwrap_or_default()
    }
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
    /// The names in arguments that are refused: what uses them is not wrong once more.
    pub refused: Vec<Ident>,
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
    /// Not of the language. Reported by whoever asks for the type, who may know better what to write instead.
    Refused(Box<RefusedType>),
}

/// A type that the language does not have.
#[derive(Clone, Debug)]
pub struct RefusedType {
    /// What is written.
    pub text: String,
    /// Why it is none, and what to write where nothing more is known.
    pub diagnostic: Diagnostic,
}
