//! Prints syntax on one line, in rustfmt's spacing.
//!
//! The text is made from the tree, not from the source, so that it is the same in a macro (which sees only tokens) as
//! from a file: it ends up as comments in generated code.

use proc_macro2::Ident;

use super::*;

/// A statement on one line; of an `if`, `match` or block only its head.
pub fn statement(statement: &Statement) -> String {
    match &statement.kind {
        StatementKind::Let(left, ty, value) => {
            let ty = ty.as_ref().map(|ty| format!(": {}", type_text(ty))).unwrap_or_default();
            format!("let {}{ty} = {};", pattern(left), expr(value))
        }
        StatementKind::Expr(value) => expr_statement(value),
        StatementKind::Refused(_) => String::new(),
    }
}

/// A function on one line.
pub fn function(function: &Function) -> String {
    let argument = |argument: &Argument| format!("{}: {}", argument.name, type_text(&argument.ty));
    let arguments: Vec<String> = function.arguments.iter().map(argument).collect();
    let result = function.result.as_ref().map(|ty| format!(" -> {}", type_text(ty))).unwrap_or_default();
    format!("fn {}({}){result} {}", function.name, arguments.join(", "), block(&function.body))
}

/// An expression in the place of a statement.
pub fn expr_statement(value: &Expr) -> String {
    match &value.kind {
        ExprKind::If(condition, ..) => format!("if {} {{", expr(condition)),
        ExprKind::IfSome(name, option, ..) => format!("if let Some({}) = {} {{", pattern(name), expr(option)),
        ExprKind::Match(value, _) => format!("match {} {{", expr(value)),
        ExprKind::Block(_) => "{".to_owned(),
        _ => format!("{};", expr(value)),
    }
}

/// An expression on one line.
pub fn expr(value: &Expr) -> String {
    match &value.kind {
        ExprKind::Real(_, text) | ExprKind::Int(_, text) => text.clone(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Path(segments) => path(segments),
        ExprKind::Field(base, name) => format!("{}.{name}", expr(base)),
        ExprKind::Deref(value) => format!("*{}", expr(value)),
        ExprKind::Negate(value) => format!("-{}", expr(value)),
        ExprKind::Not(value) => format!("!{}", expr(value)),
        ExprKind::Paren(value) => format!("({})", expr(value)),
        ExprKind::Cast(value, ty) => format!("{} as {}", expr(value), type_text(ty)),
        ExprKind::Binary(operator, left, right) => format!("{} {} {}", expr(left), operator.text(), expr(right)),
        ExprKind::Assign(operator, place, value) => format!("{} {} {}", expr(place), operator.text(), expr(value)),
        ExprKind::Call(function, arguments) => format!("{}({})", path(function), list(arguments)),
        ExprKind::Method(receiver, name, arguments) => format!("{}.{name}({})", expr(receiver), list(arguments)),
        ExprKind::If(_, then, otherwise) | ExprKind::IfSome(_, _, then, otherwise) => {
            let otherwise = otherwise.as_ref().map(|value| format!(" else {}", expr(value))).unwrap_or_default();
            format!("{} {}{otherwise}", head(value), block(then))
        }
        ExprKind::Match(_, arms) => {
            let arms: Vec<String> = arms.iter().map(arm).collect();
            format!("{} {{ {} }}", head(value), arms.join(", "))
        }
        ExprKind::Block(value) => block(value),
        ExprKind::Tuple(values) if values.len() == 1 => format!("({},)", list(values)),
        ExprKind::Tuple(values) => format!("({})", list(values)),
        ExprKind::Refused(_) | ExprKind::Error => "_".to_owned(),
    }
}

/// The text of a literal number, negative or not; `None` for other expressions.
pub fn number(value: &Expr) -> Option<String> {
    match &value.kind {
        ExprKind::Real(_, text) | ExprKind::Int(_, text) => Some(text.clone()),
        ExprKind::Negate(inner) => number(inner).map(|text| format!("-{text}")),
        ExprKind::Paren(inner) => number(inner),
        _ => None,
    }
}

/// `a::b`
pub fn path(segments: &[Ident]) -> String {
    let segments: Vec<String> = segments.iter().map(Ident::to_string).collect();
    segments.join("::")
}

/// A type.
pub fn type_text(ty: &Type) -> String {
    match &ty.kind {
        TypeKind::F32 => "f32".to_owned(),
        TypeKind::F64 => "f64".to_owned(),
        TypeKind::U32 => "u32".to_owned(),
        TypeKind::Bool => "bool".to_owned(),
        TypeKind::Option(inner) => format!("Option<{}>", type_text(inner)),
        TypeKind::Named(name) => name.to_string(),
        TypeKind::Tuple(types) => {
            let types: Vec<String> = types.iter().map(type_text).collect();
            format!("({})", types.join(", "))
        }
        TypeKind::Reference(true, inner) => format!("&mut {}", type_text(inner)),
        TypeKind::Reference(false, inner) => format!("&{}", type_text(inner)),
        TypeKind::Refused(refused) => refused.text.clone(),
    }
}

fn head(value: &Expr) -> String {
    expr_statement(value).trim_end_matches(" {").to_owned()
}

fn block(block: &Block) -> String {
    let mut parts: Vec<String> = block
        .statements
        .iter()
        .map(|line| match &line.kind {
            StatementKind::Expr(value) if is_block_like(value) => expr(value),
            _ => statement(line),
        })
        .collect();
    parts.extend(block.tail.as_ref().map(|tail| expr(tail)));
    if parts.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", parts.join(" ")) }
}

fn is_block_like(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::If(..) | ExprKind::IfSome(..) | ExprKind::Match(..) | ExprKind::Block(_))
}

fn arm(arm: &Arm) -> String {
    let patterns: Vec<String> = arm
        .patterns
        .iter()
        .map(|pattern| match pattern {
            ArmPattern::Path(segments, _) => path(segments),
            ArmPattern::Wild(_) | ArmPattern::Other(..) => "_".to_owned(),
        })
        .collect();
    format!("{} => {}", patterns.join(" | "), expr(&arm.value))
}

fn list(values: &[Expr]) -> String {
    let values: Vec<String> = values.iter().map(expr).collect();
    values.join(", ")
}

fn pattern(pattern: &Pattern) -> String {
    match &pattern.kind {
        PatternKind::Name(name, true) => format!("mut {name}"),
        PatternKind::Name(name, false) => name.to_string(),
        PatternKind::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(self::pattern).collect();
            format!("({})", parts.join(", "))
        }
        PatternKind::Wild | PatternKind::Refused(_) => "_".to_owned(),
    }
}

impl BinaryOperator {
    /// As Rust writes it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::And => "&&",
            Self::Or => "||",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
        }
    }
}

impl AssignOperator {
    /// As Rust writes it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Assign => "=",
            Self::Add => "+=",
            Self::Subtract => "-=",
            Self::Multiply => "*=",
            Self::Divide => "/=",
        }
    }

    /// The operator that `place op= value` applies before it stores.
    pub fn operation(self) -> Option<BinaryOperator> {
        match self {
            Self::Assign => None,
            Self::Add => Some(BinaryOperator::Add),
            Self::Subtract => Some(BinaryOperator::Subtract),
            Self::Multiply => Some(BinaryOperator::Multiply),
            Self::Divide => Some(BinaryOperator::Divide),
        }
    }
}
