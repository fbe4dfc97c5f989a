//! Bodies: variables, statements, blocks.

use proc_macro2::{Ident, Span};

use super::items::{Items, unique};
use super::scope::Scope;
pub(super) use super::scope::{Place, Symbol, Uses};
use super::types::{fits, unused};
use crate::ast::{self, PatternKind, text};
use crate::checked::{self, Block, Expr, ExprKind, Local, LocalId, Pattern, Statement, StatementKind, Ty};
use crate::error::{Diagnostic, code};

/// A body while it is checked.
pub(super) struct Body<'b, 'a> {
    pub items: &'b Items<'a>,
    pub place: Place,
    pub uses: Uses,
    locals: Vec<Local>,
    /// For each variable its least value, where that is known.
    least: Vec<Option<i64>>,
    scope: Scope,
    /// How many of the variables are arguments.
    arguments: usize,
}

impl<'b, 'a> Body<'b, 'a> {
    /// An empty scope.
    pub fn new(items: &'b Items<'a>, place: Place) -> Self {
        Self {
            items,
            place,
            uses: Uses::default(),
            locals: Vec::new(),
            least: Vec::new(),
            scope: Scope::default(),
            arguments: 0,
        }
    }

    /// Reports an error.
    pub fn error(&self, code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.items.errors.error(code, span, message, help);
    }

    /// Brings a name into scope.
    pub fn declare(&mut self, name: &Ident, symbol: Symbol) {
        self.scope.declare(name, symbol);
    }

    /// Brings a variable into scope.
    pub fn argument(&mut self, name: &Ident, ty: Ty, mutable: bool) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name: name.clone(), ty, mutable });
        self.least.push(None);
        self.declare(name, Symbol::Local(id));
        id
    }

    /// The variables so far are arguments: of a helper, before its body is checked, those that are values.
    pub fn arguments(&mut self) -> Vec<LocalId> {
        self.arguments = self.locals.len();
        (0..self.locals.len() as u32).map(LocalId).collect()
    }

    /// Whether a variable is an argument.
    pub fn is_argument(&self, id: LocalId) -> bool {
        (id.0 as usize) < self.arguments
    }

    /// What a name stands for here.
    pub fn lookup(&self, name: &Ident) -> Option<&Symbol> {
        self.scope.lookup(name)
    }

    /// The names in scope, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.scope.names()
    }

    /// A variable.
    pub fn local(&self, id: LocalId) -> Option<&Local> {
        self.locals.get(id.0 as usize)
    }

    /// The least value of a variable, where that is known.
    pub fn least_of(&self, id: LocalId) -> Option<i64> {
        self.least.get(id.0 as usize).copied().flatten()
    }

    /// Runs `inside` in a scope of its own.
    pub fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.scope.len();
        let result = inside(self);
        self.scope.truncate(mark);
        result
    }

    /// Checks the block of a function whose result is of type `result`.
    pub fn function(mut self, source: &ast::Block, result: &Ty) -> (checked::Body, Uses) {
        let (mut block, ty) = self.block(source);
        if !fits(&ty, result) {
            block.tail = Some(Box::new(poison(source.span)));
            let diagnostic = match &source.tail {
                Some(tail) if *result == Ty::Unit => Some(unused(self.place, tail.span)),
                Some(tail) => Some(self.items.mismatch(result, &ty, tail)),
                // A value that is followed by `;` is already reported as unused.
                None if matches!(block.statements.last(), Some(last) if last.is_unused_value()) => None,
                None => {
                    let message = format!("the body has no value; its result is `{}`", self.items.type_name(result));
                    let help = "let the last line be the value, without `;`";
                    Some(Diagnostic::new(code::TYPE, source.span, message).help(help))
                }
            };
            self.items.errors.extend(diagnostic);
        }
        (checked::Body { locals: self.locals, block }, self.uses)
    }

    /// Checks a block in a scope of its own; its type is that of its value.
    pub fn block(&mut self, source: &ast::Block) -> (Block, Ty) {
        self.scoped(|body| {
            let mut statements: Vec<Statement> =
                source.statements.iter().map(|statement| body.statement(statement)).collect();
            let Some(tail) = &source.tail else { return (Block { statements, tail: None }, Ty::Unit) };
            let (block, ty) = body.value_block(tail);
            statements.extend(block.statements);
            (Block { statements, tail: block.tail }, ty)
        })
    }

    /// Checks an expression that stands where a block could: the value of an arm, what follows `else`, a tail. Without
    /// a value it becomes a statement.
    pub fn value_block(&mut self, source: &ast::Expr) -> (Block, Ty) {
        let as_statement = |kind| Statement { kind, text: text::expr_statement(source), span: source.span };
        if let ast::ExprKind::Block(block) = &source.kind {
            return self.block(block);
        }
        if let ast::ExprKind::Assign(operator, place, value) = &source.kind {
            let kind = self.assign(*operator, place, value, source.span);
            return (Block { statements: vec![as_statement(kind)], tail: None }, Ty::Unit);
        }
        let value = self.expr(source);
        match value.ty {
            Ty::Unit => (Block { statements: vec![as_statement(StatementKind::Expr(value))], tail: None }, Ty::Unit),
            _ => {
                let ty = value.ty.clone();
                (Block { statements: Vec::new(), tail: Some(Box::new(value)) }, ty)
            }
        }
    }

    fn statement(&mut self, source: &ast::Statement) -> Statement {
        if self.place == Place::Require {
            let help = "write it without statements";
            self.error(code::REQUIRE, source.span, "a requirement is one expression", help);
        }
        let kind = match &source.kind {
            ast::StatementKind::Let(left, ty, value) => self.let_statement(left, ty.as_ref(), value),
            ast::StatementKind::Expr(value) => match &value.kind {
                ast::ExprKind::Assign(operator, place, assigned) => self.assign(*operator, place, assigned, value.span),
                _ => {
                    let checked = self.expr(value);
                    if !fits(&checked.ty, &Ty::Unit) {
                        self.items.errors.push(unused(self.place, value.span));
                    }
                    StatementKind::Expr(checked)
                }
            },
            ast::StatementKind::Refused(names) => {
                self.declare_refused(names);
                StatementKind::Expr(self.refused(source.span))
            }
        };
        Statement { kind, text: text::statement(source), span: source.span }
    }

    fn let_statement(&mut self, left: &ast::Pattern, ty: Option<&ast::Type>, source: &ast::Expr) -> StatementKind {
        let value = match ty {
            // `Vec<f32> = vec![…]` is one mistake.
            Some(ast::Type { kind: ast::TypeKind::Refused(_), .. })
                if matches!(source.kind, ast::ExprKind::Refused(_)) =>
            {
                ty.map(|ty| self.items.value_type(ty));
                self.refused(source.span)
            }
            Some(ty) => {
                let ty = self.items.value_type(ty);
                self.expect(source, &ty)
            }
            None => self.expr(source),
        };
        if value.ty == Ty::Unit {
            self.error(code::TYPE, source.span, "this has no value", "let the block end in a value, without `;`");
        }
        let least = self.least(&value);
        let ty = if value.ty == Ty::Unit { Ty::Error } else { value.ty.clone() };
        unique(names_of(left).into_iter(), "variable", self.items.errors);
        let pattern = self.pattern(left, &ty, least);
        StatementKind::Let(pattern, value)
    }

    /// Declares the names of a pattern.
    pub fn pattern(&mut self, source: &ast::Pattern, ty: &Ty, least: Option<i64>) -> Pattern {
        match &source.kind {
            PatternKind::Name(name, mutable) => {
                let id = self.argument(name, ty.clone(), *mutable);
                if let (Some(known), false) = (self.least.last_mut(), mutable) {
                    *known = least;
                }
                Pattern::Local(id)
            }
            PatternKind::Tuple(parts) => {
                let types = match ty {
                    Ty::Tuple(types) if types.len() == parts.len() => types.clone(),
                    Ty::Error => vec![Ty::Error; parts.len()],
                    _ => {
                        let message =
                            format!("a pattern of {} parts for a `{}`", parts.len(), self.items.type_name(ty));
                        self.error(code::TYPE, source.span, message, "let both sides have the same number of parts");
                        vec![Ty::Error; parts.len()]
                    }
                };
                Pattern::Tuple(parts.iter().zip(&types).map(|(part, ty)| self.pattern(part, ty, None)).collect())
            }
            PatternKind::Wild => Pattern::Wild,
            PatternKind::Refused(names) => {
                self.declare_refused(names);
                Pattern::Wild
            }
        }
    }

    /// Declares the names in something refused: nothing is known of them, and nothing more is said.
    pub fn declare_refused(&mut self, names: &[Ident]) {
        for name in names {
            self.declare(name, Symbol::Value(ExprKind::Error, Ty::Error));
        }
    }

    /// What stands in place of refused syntax, which may have written any state.
    pub fn refused(&mut self, span: Span) -> Expr {
        self.uses.unknown_write = true;
        poison(span)
    }

    /// Checks an expression that must be of a type.
    pub fn expect(&mut self, source: &ast::Expr, expected: &Ty) -> Expr {
        let value = self.expr(source);
        if fits(&value.ty, expected) {
            return value;
        }
        self.items.errors.push(self.items.mismatch(expected, &value.ty, source));
        poison(source.span)
    }
}

/// The names that a pattern declares.
fn names_of(pattern: &ast::Pattern) -> Vec<&Ident> {
    match &pattern.kind {
        PatternKind::Name(name, _) => vec![name],
        PatternKind::Tuple(parts) => parts.iter().flat_map(names_of).collect(),
        PatternKind::Wild | PatternKind::Refused(_) => Vec::new(),
    }
}

impl Statement {
    /// Whether the statement is a value that nothing takes.
    fn is_unused_value(&self) -> bool {
        matches!(&self.kind, StatementKind::Expr(value) if value.ty != Ty::Unit)
    }
}

/// What stands in place of an expression that is already reported.
pub(super) fn poison(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, ty: Ty::Error, span }
}
