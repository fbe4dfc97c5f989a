//! A random rule as source text. Operands that are no leaves stand in parentheses.

use core::fmt::{self, Display, Formatter};

use super::rule::{Block, Expr, Form, Function, Hyper, Rule, State, Statement, Type};

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Type::Real => f.write_str("f32"),
            Type::Int => f.write_str("u32"),
            Type::Bool => f.write_str("bool"),
            Type::OptionReal => f.write_str("Option<f32>"),
            Type::OptionInt => f.write_str("Option<u32>"),
            Type::Enum(name) => f.write_str(name),
            Type::Tuple(parts) => write!(f, "({})", list(parts)),
            Type::Unit | Type::Context => f.write_str("()"),
        }
    }
}

fn list<T: ToString>(parts: &[T]) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// An operand: what binds less than an operator stands in parentheses.
struct Operand<'a>(&'a Expr);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let closed = match self.0 {
            Expr::Leaf(_, text) => !text.starts_with(['*', '-']),
            Expr::Apply(_, form, _) => matches!(form, Form::Method(_) | Form::Call(_) | Form::Tuple),
            _ => false,
        };
        if closed { write!(f, "{}", self.0) } else { write!(f, "({})", self.0) }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Leaf(_, text) => f.write_str(text),
            Expr::Apply(_, form, operands) => match (form, operands.as_slice()) {
                (Form::Prefix(operator), [a]) => write!(f, "{operator}{}", Operand(a)),
                (Form::Infix(operator), [a, b]) => write!(f, "{} {operator} {}", Operand(a), Operand(b)),
                (Form::Method(name), [a, rest @ ..]) => write!(f, "{}.{name}({})", Operand(a), list(rest)),
                (Form::AsReal, [a]) => write!(f, "{} as f32", Operand(a)),
                (Form::Call(name), _) => write!(f, "{name}({})", list(operands)),
                (Form::Tuple, _) => write!(f, "({})", list(operands)),
                (form, operands) => panic!("{form:?} of {} operands", operands.len()),
            },
            Expr::If(condition, then, otherwise) => {
                write!(f, "if {condition} {then}")?;
                otherwise.write_else(f)
            }
            Expr::IfSome(name, option, then, otherwise) => {
                write!(f, "if let Some({name}) = {option} {then}")?;
                otherwise.write_else(f)
            }
            Expr::Match(value, arms) => {
                write!(f, "match {value} {{")?;
                for (pattern, block) in arms {
                    write!(f, " {pattern} => {block}")?;
                }
                f.write_str(" }")
            }
            Expr::Block(block) => write!(f, "{block}"),
        }
    }
}

impl Block {
    fn write_else(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.statements.as_slice(), self.tail.as_deref()) {
            ([], None) => Ok(()),
            ([], Some(chained @ (Expr::If(..) | Expr::IfSome(..)))) => write!(f, " else {chained}"),
            _ => write!(f, " else {self}"),
        }
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for statement in &self.statements {
            write!(f, " {statement}")?;
        }
        if let Some(tail) = &self.tail {
            write!(f, " {tail}")?;
        }
        f.write_str(" }")
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Let(pattern, Some(ty), value) => write!(f, "let {pattern}: {ty} = {value};"),
            Statement::Let(pattern, None, value) => write!(f, "let {pattern} = {value};"),
            Statement::Assign(place, operator, value) => write!(f, "{place} {operator} {value};"),
            Statement::Expr(value @ Expr::Apply(..)) => write!(f, "{value};"),
            Statement::Expr(value) => write!(f, "{value}"),
        }
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.notes.iter().try_for_each(|note| writeln!(f, "    {note}"))?;
        write!(f, "    fn {}({})", self.name, self.arguments.join(", "))?;
        if self.result != Type::Unit {
            write!(f, " -> {}", self.result)?;
        }
        writeln!(f, " {{")?;
        for statement in &self.body.statements {
            writeln!(f, "        {statement}")?;
        }
        if let Some(tail) = &self.body.tail {
            writeln!(f, "        {tail}")?;
        }
        writeln!(f, "    }}")
    }
}

impl Display for Hyper {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.notes.iter().try_for_each(|note| writeln!(f, "        {note}"))?;
        write!(f, "        #[hyper(default = {}", self.default)?;
        if let Some(range) = &self.range {
            write!(f, ", range = {range}")?;
        }
        for (word, stands) in [("switch", self.switch), ("shared", self.shared)] {
            if stands {
                write!(f, ", {word}")?;
            }
        }
        writeln!(f, ")]\n        pub {}: {},", self.name, self.ty)
    }
}

impl Display for State {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.notes.iter().try_for_each(|note| writeln!(f, "        {note}"))?;
        if let Some(kind) = self.kind {
            writeln!(f, "        #[{kind}]")?;
        }
        if let Some(init) = &self.init {
            writeln!(f, "        #[init({init})]")?;
        }
        if self.keep {
            writeln!(f, "        #[keep]")?;
        }
        writeln!(f, "        {}: {},", self.name, if self.kind == Some("host") { "f64" } else { "f32" })
    }
}

impl Display for Rule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))?;
        writeln!(f, "#[gpu_optimizer]")?;
        for condition in &self.requires {
            writeln!(f, "#[require({condition}, \"what the rule asks for\")]")?;
        }
        writeln!(f, "pub mod {} {{", self.name)?;
        for (name, variants) in &self.enums {
            writeln!(f, "    pub enum {name} {{ {} }}", variants.join(", "))?;
        }
        for constant in &self.constants {
            writeln!(f, "    {constant}")?;
        }
        writeln!(f, "    pub struct {} {{", self.params)?;
        self.hypers.iter().try_for_each(|hyper| write!(f, "{hyper}"))?;
        writeln!(f, "    }}")?;
        if !self.states.is_empty() {
            writeln!(f, "    pub struct State {{")?;
            self.states.iter().try_for_each(|state| write!(f, "{state}"))?;
            writeln!(f, "    }}")?;
        }
        self.functions.iter().try_for_each(|function| write!(f, "{function}"))?;
        writeln!(f, "}}")
    }
}
