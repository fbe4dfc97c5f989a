//! The structure of a random rule: enough of the language's syntax to print a rule and to take parts out of it.
//!
//! Nothing here knows what the language allows. The generator builds only what is allowed; the shrinker tries what is
//! left and asks the compiler.

/// A type of the language.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Type {
    Real,
    Int,
    Bool,
    OptionReal,
    OptionInt,
    /// An enum of the module, by name.
    Enum(String),
    Tuple(Vec<Type>),
    /// No value.
    Unit,
    /// `&hyper` or `&mut state`, handed on to a helper.
    Context,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A literal, a variable, `hyper.field`, `*param`: text without operands.
    Leaf(Type, String),
    /// Something made of operands.
    Apply(Type, Form, Vec<Expr>),
    /// `if condition { … } else { … }`; an empty second block is left out.
    If(Box<Expr>, Block, Block),
    /// `if let Some(name) = option { … } else { … }`
    IfSome(String, Box<Expr>, Block, Block),
    /// `match value { pattern => { … } … }`
    Match(Box<Expr>, Vec<(String, Block)>),
    /// `{ … }`
    Block(Block),
}

/// How operands stand together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// `-a`, `!a`
    Prefix(&'static str),
    /// `a + b`
    Infix(&'static str),
    /// `a.name(b, …)`
    Method(&'static str),
    /// `name(a, …)`
    Call(String),
    /// `a as f32`
    AsReal,
    /// `(a, b)`
    Tuple,
}

/// Statements and the value after them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
    /// The value.
    pub tail: Option<Box<Expr>>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `let pattern: type = value;`; the pattern as text, the type where it is written.
    Let(String, Option<Type>, Expr),
    /// `place operator value;`, the operator being `=`, `+=`, …
    Assign(String, &'static str, Expr),
    /// An expression without a value.
    Expr(Expr),
}

/// A hyper-parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyper {
    /// Docs and attributes that pass through.
    pub notes: Vec<String>,
    /// Field name.
    pub name: String,
    /// Field type.
    pub ty: Type,
    /// As written: `0.9`, `Some(1.0)`, `Mode::Fast`.
    pub default: String,
    /// As written: `0.0..1.0`.
    pub range: Option<String>,
    /// `switch`
    pub switch: bool,
    /// `shared`
    pub shared: bool,
}

/// A state.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Docs and attributes that pass through.
    pub notes: Vec<String>,
    /// Field name.
    pub name: String,
    /// `tensor`, `all`, `host`, or none for one per element.
    pub kind: Option<&'static str>,
    /// The argument of `#[init(…)]`.
    pub init: Option<String>,
    /// `#[keep]`
    pub keep: bool,
}

/// A helper function, `update` or an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// `#[entry]` and the like, docs, attributes that pass through.
    pub notes: Vec<String>,
    /// Its name.
    pub name: String,
    /// As written: `param: &mut f32`, `#[input] hessian: f32`.
    pub arguments: Vec<String>,
    /// The type of its value.
    pub result: Type,
    /// Its body.
    pub body: Block,
}

/// A rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    /// The module's name.
    pub name: String,
    /// The parameter struct's name.
    pub params: String,
    /// Docs and attributes of the module that pass through.
    pub notes: Vec<String>,
    /// Names and variants.
    pub enums: Vec<(String, Vec<String>)>,
    /// As written: `const HALF: f32 = 0.5;`.
    pub constants: Vec<String>,
    /// Conditions of `#[require(…)]`.
    pub requires: Vec<Expr>,
    /// Hyper-parameters.
    pub hypers: Vec<Hyper>,
    /// States.
    pub states: Vec<State>,
    /// Functions in order of the source.
    pub functions: Vec<Function>,
}

impl Expr {
    /// The type of its value.
    pub fn ty(&self) -> Type {
        match self {
            Expr::Leaf(ty, _) | Expr::Apply(ty, ..) => ty.clone(),
            Expr::If(_, then, _) | Expr::IfSome(_, _, then, _) | Expr::Block(then) => then.ty(),
            Expr::Match(_, arms) => arms.first().map_or(Type::Unit, |(_, block)| block.ty()),
        }
    }

    /// A leaf that is a real.
    pub fn real(text: impl Into<String>) -> Self {
        Expr::Leaf(Type::Real, text.into())
    }

    /// A leaf that is a whole number.
    pub fn int(text: impl Into<String>) -> Self {
        Expr::Leaf(Type::Int, text.into())
    }

    /// `self operator other`
    pub fn infix(self, operator: &'static str, other: Expr, ty: Type) -> Self {
        Expr::Apply(ty, Form::Infix(operator), vec![self, other])
    }

    /// `self.name(arguments)`, of the type of `self`.
    pub fn method(self, name: &'static str, arguments: Vec<Expr>) -> Self {
        let ty = self.ty();
        Expr::Apply(ty, Form::Method(name), [vec![self], arguments].concat())
    }
}

impl Block {
    /// A value alone.
    pub fn value(value: Expr) -> Self {
        Block { statements: Vec::new(), tail: Some(Box::new(value)) }
    }

    /// The type of its value.
    pub fn ty(&self) -> Type {
        self.tail.as_ref().map_or(Type::Unit, |tail| tail.ty())
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty() && self.tail.is_none()
    }
}
