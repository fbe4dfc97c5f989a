//! The element functions as text: a statement for each step that has a name, the others where they are used.

use super::text::{LONGEST_LINE, Text};
use crate::functions::sequence::{Infix, Kind, Operation, Sequence, Step, StepId};

/// What a language says differently.
pub(super) trait Notation {
    /// A literal real.
    fn real(&self, value: f32) -> String;
    /// A literal of bits, from its digits.
    fn bits(&self, digits: String) -> String;
    /// A literal where nothing beside it says its kind.
    fn typed(&self, literal: String, kind: Kind) -> String;
    /// The same number in another kind; the value also comes in parentheses if it needs them beside an operator.
    fn convert(&self, to: Kind, value: &str, guarded: &str) -> String;
    /// The same bits in another kind.
    fn reinterpret(&self, to: Kind, value: &str) -> String;
    /// `if condition { then } else { otherwise }`
    fn select(&self, condition: &str, then: &str, otherwise: &str) -> String;
    /// The operators for "both" and "either" of truth values.
    fn logic(&self) -> (&'static str, &'static str);
    /// A named value.
    fn declare(&self, kind: Kind, name: &str, value: &str) -> String;
    /// The last statement.
    fn give(&self, value: &str) -> String;
}

/// How tightly an expression holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    /// Operations on bits, comparisons, signs: in parentheses as operands.
    Loose,
    Sum,
    Product,
    /// Names, calls, literals.
    Tight,
}

struct Expression {
    text: String,
    binding: Binding,
}

impl Expression {
    fn tight(text: String) -> Self {
        Self { text, binding: Binding::Tight }
    }

    fn at_least(self, least: Binding) -> String {
        if self.binding >= least { self.text } else { format!("({})", self.text) }
    }
}

/// The statements of a function's body.
pub(super) fn body(notation: &dyn Notation, sequence: &Sequence, text: &mut Text) {
    let printer = Printer { notation, sequence };
    for step in &sequence.steps {
        let Some(name) = step.name else { continue };
        if matches!(step.operation, Operation::Argument(_)) {
            continue;
        }
        if let Some(note) = step.note {
            comment(note, text);
        }
        text.line(notation.declare(step.kind, name, &printer.definition(step).text));
    }
    text.line(notation.give(&printer.operand(sequence.result).text));
}

/// A comment, on as many lines as it needs.
pub(super) fn comment(note: &str, text: &mut Text) {
    let mut line = "//".to_owned();
    for word in note.split(' ') {
        if line.len() + 1 + word.len() > LONGEST_LINE {
            text.line(std::mem::replace(&mut line, "//".to_owned()));
        }
        line += " ";
        line += word;
    }
    text.line(line);
}

struct Printer<'a> {
    notation: &'a dyn Notation,
    sequence: &'a Sequence,
}

impl Printer<'_> {
    fn operand(&self, id: StepId) -> Expression {
        let step = self.sequence.step(id);
        step.name.map_or_else(|| self.definition(step), |name| Expression::tight(name.to_owned()))
    }

    fn definition(&self, step: &Step) -> Expression {
        let notation = self.notation;
        match step.operation {
            Operation::Argument(place) => {
                let argument = self.sequence.arguments.get(place as usize);
                Expression::tight(argument.map_or_else(String::new, |argument| argument.0.to_owned()))
            }
            Operation::Real(bits) => number(notation.real(f32::from_bits(bits))),
            Operation::Whole(value) if value >= HEXADECIMAL => Expression::tight(format!("{value:#x}")),
            Operation::Whole(value) => number(value.to_string()),
            Operation::Bits(value) if value >= HEXADECIMAL as u32 => {
                Expression::tight(notation.bits(format!("{value:#010x}")))
            }
            Operation::Bits(value) => Expression::tight(notation.bits(value.to_string())),
            Operation::Infix(infix, a, b) => self.infix(infix, step.kind, a, b),
            Operation::Compare(comparison, a, b) => {
                let (a, b) = (self.operand(a).at_least(Binding::Sum), self.operand(b).at_least(Binding::Sum));
                Expression { text: format!("{a} {} {b}", comparison.symbol()), binding: Binding::Loose }
            }
            Operation::Select(condition, then, otherwise) => {
                let is_literal = self.is_literal(then) && self.is_literal(otherwise);
                let then = self.operand(then).text;
                let then = if is_literal { notation.typed(then, step.kind) } else { then };
                let (condition, otherwise) = (self.operand(condition).text, self.operand(otherwise).text);
                Expression::tight(notation.select(&condition, &then, &otherwise))
            }
            Operation::Convert(a) => {
                let (plain, guarded) = (self.operand(a).text, self.operand(a).at_least(Binding::Tight));
                Expression::tight(notation.convert(step.kind, &plain, &guarded))
            }
            Operation::Reinterpret(a) => Expression::tight(notation.reinterpret(step.kind, &self.operand(a).text)),
            Operation::Call(function, a, b) => {
                let arguments: Vec<_> = [Some(a), b].into_iter().flatten().map(|id| self.operand(id).text).collect();
                Expression::tight(format!("{}({})", function.name(), arguments.join(", ")))
            }
        }
    }

    fn is_literal(&self, id: StepId) -> bool {
        matches!(self.sequence.step(id).operation, Operation::Real(_) | Operation::Whole(_) | Operation::Bits(_))
    }

    fn infix(&self, infix: Infix, kind: Kind, a: StepId, b: StepId) -> Expression {
        let (both, either) = if kind == Kind::Truth { self.notation.logic() } else { ("&", "|") };
        let (sign, binding, right) = match infix {
            Infix::Add => ("+", Binding::Sum, Binding::Product),
            Infix::Subtract => ("-", Binding::Sum, Binding::Product),
            Infix::Multiply => ("*", Binding::Product, Binding::Tight),
            Infix::Divide => ("/", Binding::Product, Binding::Tight),
            Infix::And => (both, Binding::Loose, Binding::Tight),
            Infix::Or => (either, Binding::Loose, Binding::Tight),
            Infix::ShiftLeft => ("<<", Binding::Loose, Binding::Tight),
            Infix::ShiftRight => (">>", Binding::Loose, Binding::Tight),
        };
        // Without precedence between them, operations on bits want parentheses on the left, too, but for a chain of one.
        let is_chain = matches!(infix, Infix::And | Infix::Or)
            && matches!(self.sequence.step(a).operation, Operation::Infix(inner, ..) if inner == infix);
        let left = if binding == Binding::Loose && !is_chain { Binding::Tight } else { binding };
        let (a, b) = (self.operand(a).at_least(left), self.operand(b).at_least(right));
        Expression { text: format!("{a} {sign} {b}"), binding }
    }
}

/// From here on whole numbers are bits of reals, or parts of them, and read better in hexadecimal.
const HEXADECIMAL: i32 = 0x1_0000;

fn number(digits: String) -> Expression {
    let binding = if digits.starts_with('-') { Binding::Sum } else { Binding::Tight };
    Expression { text: digits, binding }
}
