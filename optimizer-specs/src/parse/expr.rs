//! Expressions and blocks of the language.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::attributes::refuse_all;
use super::{foreign_items, literal, pattern, types, unsupported};
use crate::ast::{AssignOperator, BinaryOperator, Block, Expr, ExprKind, Statement, StatementKind};
use crate::error::{Collector, code};

/// Reads a block.
pub(super) fn block(source: &syn::Block, errors: &Collector) -> Block {
    let mut statements = Vec::new();
    let mut tail = None;
    let last = source.stmts.len().saturating_sub(1);
    for (index, stmt) in source.stmts.iter().enumerate() {
        match stmt {
            // A semicolon alone, which Rust passes over.
            syn::Stmt::Expr(syn::Expr::Verbatim(tokens), Some(_)) if tokens.is_empty() => {}
            syn::Stmt::Expr(value, None) if index == last => tail = Some(Box::new(expr(value, errors))),
            _ => statements.push(statement(stmt, errors)),
        }
    }
    Block { statements, tail, span: source.brace_token.span.open() }
}

fn statement(source: &syn::Stmt, errors: &Collector) -> Statement {
    match source {
        syn::Stmt::Local(local) => {
            refuse_all(&local.attrs, errors);
            let span = local.let_token.span();
            Statement { kind: local_kind(local, errors), span }
        }
        syn::Stmt::Expr(value, _) => {
            let value = expr(value, errors);
            Statement { span: value.span, kind: StatementKind::Expr(value) }
        }
        syn::Stmt::Item(item) => {
            let (span, what) = foreign_items::describe(item);
            let message = format!("{what} cannot stand inside a function");
            errors.error(code::UNSUPPORTED, span, message, "helper functions and constants stand in the module");
            Statement { kind: StatementKind::Refused(foreign_items::declared(item)), span }
        }
        syn::Stmt::Macro(statement) => {
            let span = unsupported::first(&statement.mac.path);
            unsupported::report_macro(&statement.mac, errors);
            Statement { kind: StatementKind::Refused(Vec::new()), span }
        }
    }
}

fn local_kind(local: &syn::Local, errors: &Collector) -> StatementKind {
    let Some(init) = &local.init else {
        let message = "a `let` of the language has a value";
        let help = "write `let name = value;`, or `let name = if condition { a } else { b };`";
        errors.error(code::UNSUPPORTED, local.let_token.span(), message, help);
        return StatementKind::Refused(unsupported::names(&local.pat));
    };
    if let Some((token, _)) = &init.diverge {
        let help = "write `if let Some(x) = option { … } else { … }`, or `option.unwrap_or(value)`";
        errors.error(code::UNSUPPORTED, token.span(), "the language has no `let … else`", help);
        return StatementKind::Refused(unsupported::names(&local.pat));
    }
    let (left, ty) = match &local.pat {
        syn::Pat::Type(typed) => (pattern::pattern(&typed.pat, errors), Some(types::ty(&typed.ty))),
        other => (pattern::pattern(other, errors), None),
    };
    StatementKind::Let(left, ty, expr(&init.expr, errors))
}

/// Reads an expression; what the language does not have is reported and poisoned.
pub(super) fn expr(source: &syn::Expr, errors: &Collector) -> Expr {
    match try_expr(source, errors) {
        Some((kind, span)) => Expr { kind, span },
        None => {
            let diagnostic = unsupported::diagnostic(source);
            Expr { span: diagnostic.span, kind: ExprKind::Refused(Box::new(diagnostic)) }
        }
    }
}

/// `None` for what is not part of the language.
fn try_expr(source: &syn::Expr, errors: &Collector) -> Option<(ExprKind, Span)> {
    let read = |value: &syn::Expr| Box::new(expr(value, errors));
    let read_all = |values: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>| {
        values.iter().map(|value| expr(value, errors)).collect()
    };
    Some(match source {
        syn::Expr::Lit(value) => {
            refuse_all(&value.attrs, errors);
            let literal = literal::literal(&value.lit);
            (literal.kind, literal.span)
        }
        syn::Expr::Paren(value) => {
            refuse_all(&value.attrs, errors);
            let inner = read(&value.expr);
            let span = inner.span;
            (ExprKind::Paren(inner), span)
        }
        // Invisible delimiters of a macro variable: as good as parentheses around an operator, nothing otherwise.
        syn::Expr::Group(value) => {
            let inner = expr(&value.expr, errors);
            let span = inner.span;
            match inner.kind {
                kind @ (ExprKind::Binary(..) | ExprKind::Negate(_) | ExprKind::Not(_) | ExprKind::Cast(..)) => {
                    (ExprKind::Paren(Box::new(Expr { kind, span })), span)
                }
                kind => (kind, span),
            }
        }
        syn::Expr::Path(value) => {
            refuse_all(&value.attrs, errors);
            (ExprKind::Path(path(value)?), value.path.segments.last()?.ident.span())
        }
        syn::Expr::Field(value) => {
            let syn::Member::Named(name) = &value.member else { return None };
            (ExprKind::Field(read(&value.base), name.clone()), name.span())
        }
        syn::Expr::Unary(value) => match value.op {
            syn::UnOp::Deref(token) => (ExprKind::Deref(read(&value.expr)), token.span()),
            syn::UnOp::Not(token) => (ExprKind::Not(read(&value.expr)), token.span()),
            syn::UnOp::Neg(token) => (ExprKind::Negate(read(&value.expr)), token.span()),
            _ => return None,
        },
        syn::Expr::Cast(value) => (ExprKind::Cast(read(&value.expr), types::ty(&value.ty)), value.as_token.span()),
        syn::Expr::Binary(value) => {
            let span = value.op.span();
            match operator(&value.op)? {
                Operator::Binary(operator) => (ExprKind::Binary(operator, read(&value.left), read(&value.right)), span),
                Operator::Assign(operator) => (ExprKind::Assign(operator, read(&value.left), read(&value.right)), span),
            }
        }
        syn::Expr::Assign(value) => {
            let span = value.eq_token.span();
            (ExprKind::Assign(AssignOperator::Assign, read(&value.left), read(&value.right)), span)
        }
        syn::Expr::Call(value) => {
            let syn::Expr::Path(function) = &*value.func else { return None };
            let span = function.path.segments.last()?.ident.span();
            (ExprKind::Call(path(function)?, read_all(&value.args)), span)
        }
        syn::Expr::MethodCall(value) => {
            if let Some(arguments) = &value.turbofish {
                let message = "the language has no type arguments";
                errors.error(code::UNSUPPORTED, arguments.lt_token.span(), message, "remove them");
            }
            let kind = ExprKind::Method(read(&value.receiver), value.method.clone(), read_all(&value.args));
            (kind, value.method.span())
        }
        syn::Expr::If(value) => (if_kind(value, errors), value.if_token.span()),
        syn::Expr::Match(value) => {
            let arms = value.arms.iter().map(|arm| pattern::arm(arm, errors)).collect();
            (ExprKind::Match(read(&value.expr), arms), value.match_token.span())
        }
        syn::Expr::Block(value) if value.label.is_none() => {
            let block = block(&value.block, errors);
            let span = block.span;
            (ExprKind::Block(block), span)
        }
        syn::Expr::Tuple(value) => (ExprKind::Tuple(read_all(&value.elems)), value.paren_token.span.open()),
        _ => return None,
    })
}

/// The segments of a plain path.
fn path(source: &syn::ExprPath) -> Option<Vec<proc_macro2::Ident>> {
    let plain = source.qself.is_none()
        && source.path.leading_colon.is_none()
        && source.path.segments.iter().all(|segment| segment.arguments.is_none());
    plain.then(|| source.path.segments.iter().map(|segment| segment.ident.clone()).collect())
}

fn if_kind(source: &syn::ExprIf, errors: &Collector) -> ExprKind {
    let otherwise = |errors| source.else_branch.as_ref().map(|(_, value)| Box::new(expr(value, errors)));
    match &*source.cond {
        syn::Expr::Let(condition) => {
            let name = pattern::some(&condition.pat, errors);
            let option = Box::new(expr(&condition.expr, errors));
            ExprKind::IfSome(name, option, block(&source.then_branch, errors), otherwise(errors))
        }
        condition => {
            let condition = Box::new(expr(condition, errors));
            ExprKind::If(condition, block(&source.then_branch, errors), otherwise(errors))
        }
    }
}

enum Operator {
    Binary(BinaryOperator),
    Assign(AssignOperator),
}

fn operator(source: &syn::BinOp) -> Option<Operator> {
    Some(match source {
        syn::BinOp::Add(_) => Operator::Binary(BinaryOperator::Add),
        syn::BinOp::Sub(_) => Operator::Binary(BinaryOperator::Subtract),
        syn::BinOp::Mul(_) => Operator::Binary(BinaryOperator::Multiply),
        syn::BinOp::Div(_) => Operator::Binary(BinaryOperator::Divide),
        syn::BinOp::Rem(_) => Operator::Binary(BinaryOperator::Remainder),
        syn::BinOp::And(_) => Operator::Binary(BinaryOperator::And),
        syn::BinOp::Or(_) => Operator::Binary(BinaryOperator::Or),
        syn::BinOp::Lt(_) => Operator::Binary(BinaryOperator::Less),
        syn::BinOp::Le(_) => Operator::Binary(BinaryOperator::LessEqual),
        syn::BinOp::Gt(_) => Operator::Binary(BinaryOperator::Greater),
        syn::BinOp::Ge(_) => Operator::Binary(BinaryOperator::GreaterEqual),
        syn::BinOp::Eq(_) => Operator::Binary(BinaryOperator::Equal),
        syn::BinOp::Ne(_) => Operator::Binary(BinaryOperator::NotEqual),
        syn::BinOp::AddAssign(_) => Operator::Assign(AssignOperator::Add),
        syn::BinOp::SubAssign(_) => Operator::Assign(AssignOperator::Subtract),
        syn::BinOp::MulAssign(_) => Operator::Assign(AssignOperator::Multiply),
        syn::BinOp::DivAssign(_) => Operator::Assign(AssignOperator::Divide),
        _ => return None,
    })
}
