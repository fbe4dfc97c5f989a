//! Calls of functions: the shape, helper functions, and where each other kind is checked.

use proc_macro2::{Ident, Span};

use super::body::{Body, Place, Symbol, poison};
use super::foreign;
use super::items::Parameter;
use super::reductions::reduction;
use crate::ast;
use crate::checked::{Expr, ExprKind, Function1, Function3, Ty};
use crate::error::code;
use crate::ir::Scope;

/// Functions of the language, beside reductions.
pub(super) const FUNCTIONS: [&str; 5] = ["sign", "lerp", "len", "ndim", "dim"];

/// Whether a name is a function of the language, which a rule cannot declare.
pub(super) fn is_language_function(name: &str) -> bool {
    FUNCTIONS.contains(&name) || reduction(name).is_some()
}

impl Body<'_, '_> {
    /// `path(arguments)`
    pub(super) fn call(&mut self, path: &[Ident], arguments: &[ast::Expr], span: Span) -> Expr {
        if self.has_named_argument(arguments) {
            return poison(span);
        }
        match path {
            [name] => self.function_call(name, arguments),
            [scope, name] if scope == "all" => self.call_all(name, arguments),
            _ => {
                self.unknown_path(path, arguments, span);
                poison(span)
            }
        }
    }

    /// Reports `dim = 0` among the arguments of a call; the other arguments are then checked for themselves.
    pub(super) fn has_named_argument(&mut self, arguments: &[ast::Expr]) -> bool {
        let is_named = |argument: &&ast::Expr| matches!(argument.kind, ast::ExprKind::Assign(..));
        let Some(named) = arguments.iter().find(is_named) else { return false };
        let help = "give the values alone, in their order";
        self.error(code::UNSUPPORTED, named.span, "arguments have no names in the language", help);
        for argument in arguments.iter().filter(|argument| !is_named(argument)) {
            self.check_all(std::slice::from_ref(argument));
        }
        true
    }

    fn function_call(&mut self, name: &Ident, arguments: &[ast::Expr]) -> Expr {
        let (text, span) = (name.to_string(), name.span());
        if let Some(index) = self.items.helpers.iter().position(|helper| helper.function.name == text) {
            return self.helper(index, arguments, span);
        }
        if let Some(reduction) = reduction(&text) {
            return self.reduce(reduction, Scope::Tensor, name, arguments);
        }
        let (kind, ty) = match (text.as_str(), arguments) {
            ("sign", [value]) => (ExprKind::Call1(Function1::Sign, Box::new(self.expect(value, &Ty::Real))), Ty::Real),
            ("lerp", [from, to, weight]) => {
                let from = Box::new(self.expect(from, &Ty::Real));
                let to = Box::new(self.expect(to, &Ty::Real));
                let weight = Box::new(self.expect(weight, &Ty::Real));
                (ExprKind::Call3(Function3::Lerp, from, to, weight), Ty::Real)
            }
            ("len", []) => (self.shape(ExprKind::Len, name), Ty::Int),
            ("ndim", []) => (self.shape(ExprKind::Ndim, name), Ty::Int),
            ("dim", [axis]) => (self.dim(axis, name), Ty::Int),
            ("sign" | "lerp" | "len" | "ndim" | "dim", _) => {
                let expected = match text.as_str() {
                    "sign" | "dim" => 1,
                    "lerp" => 3,
                    _ => 0,
                };
                self.arity(&text, expected, arguments, span);
                return poison(span);
            }
            _ => {
                self.unknown_function(name, arguments);
                return poison(span);
            }
        };
        Expr { kind, ty, span }
    }

    fn shape(&mut self, kind: ExprKind, name: &Ident) -> ExprKind {
        self.uses.shape = true;
        if self.place.is_constant() {
            let message = format!("`{name}()` differs from tensor to tensor");
            self.error(code::CONSTANT, name.span(), message, "write a literal");
            return ExprKind::Error;
        }
        kind
    }

    fn dim(&mut self, axis: &ast::Expr, name: &Ident) -> ExprKind {
        match axis.kind {
            ast::ExprKind::Int(axis, _) => match u32::try_from(axis) {
                Ok(axis) => self.shape(ExprKind::Dim(axis), name),
                Err(_) => ExprKind::Error,
            },
            _ => {
                self.error(code::ARGUMENTS, axis.span, "`dim` takes a literal", "write `dim(0)`, `dim(1)`, …");
                ExprKind::Error
            }
        }
    }

    fn helper(&mut self, index: usize, arguments: &[ast::Expr], span: Span) -> Expr {
        let helper = &self.items.helpers[index];
        let name = helper.function.name.to_string();
        if self.place.is_constant() || self.place == Place::Require {
            let code = if self.place == Place::Require { code::REQUIRE } else { code::CONSTANT };
            self.error(code, span, "helper functions cannot be called here", "write the expression itself");
            self.check_all(arguments);
            return poison(span);
        }
        self.uses.calls.push((index as u32, span));
        let (parameters, result) = (helper.parameters.clone(), helper.result.clone());
        if !self.arity(&name, parameters.len(), arguments, span) {
            return Expr { ty: result, ..poison(span) };
        }
        let mut values = Vec::new();
        for (source, parameter) in arguments.iter().zip(&parameters) {
            match parameter {
                Parameter::Value(ty) => values.push(self.expect(source, ty)),
                Parameter::Hyper if matches!(self.symbol_of(source), Some(Symbol::Hyper)) => {}
                Parameter::State(mutable) if matches!(self.symbol_of(source), Some(Symbol::State(_))) => {
                    if *mutable && matches!(self.symbol_of(source), Some(Symbol::State(false))) {
                        let help = "make the argument of this function `&mut State`, too";
                        self.error(code::ARGUMENTS, source.span, format!("`{name}` changes the state"), help);
                    }
                }
                Parameter::Param => {}
                Parameter::Hyper | Parameter::State(_) => {
                    let word = if *parameter == Parameter::Hyper { "hyper" } else { "state" };
                    if matches!(source.kind, ast::ExprKind::Refused(_) | ast::ExprKind::Error) {
                        self.expr(source);
                    } else {
                        let message = format!("`{name}` takes `{word}` here");
                        let help = format!("pass `{word}` itself, by name and without `&`");
                        self.error(code::ARGUMENTS, source.span, message, help);
                    }
                }
            }
        }
        Expr { kind: ExprKind::Helper(index as u32, values), ty: result, span }
    }

    /// Checks the number of arguments; where it is wrong, the arguments themselves too, since nobody else will.
    pub(super) fn arity(&mut self, name: &str, expected: usize, arguments: &[ast::Expr], span: Span) -> bool {
        if arguments.len() == expected {
            return true;
        }
        let count = match expected {
            0 => "no arguments".to_owned(),
            1 => "1 argument".to_owned(),
            n => format!("{n} arguments"),
        };
        let message = format!("`{name}` takes {count}, not {}", arguments.len());
        let helper = self.items.helpers.iter().find(|helper| helper.function.name == name);
        let help = match helper {
            Some(helper) => {
                let names: Vec<String> =
                    helper.function.arguments.iter().map(|argument| argument.name.to_string()).collect();
                format!("write `{name}({})`", names.join(", "))
            }
            None => foreign::signature(name),
        };
        self.error(code::ARGUMENTS, span, message, help);
        self.check_all(arguments);
        false
    }

    /// Checks expressions only for the errors inside them.
    pub(super) fn check_all(&mut self, sources: &[ast::Expr]) {
        for source in sources {
            if !matches!(self.symbol_of(source), Some(Symbol::Hyper | Symbol::State(_) | Symbol::Param)) {
                self.expr(source);
            }
        }
    }
}
