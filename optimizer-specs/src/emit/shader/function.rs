//! The element functions in shading languages: for a scalar, and for the four elements that a thread holds, one by one.

use super::syntax::{Syntax, Width, Word};
use crate::emit::literal;
use crate::emit::sequence::{self, Notation};
use crate::emit::text::Text;
use crate::functions::Function;
use crate::functions::sequence::Kind;

/// Prints a function at a width. At [`Width::Four`] it calls that at [`Width::One`].
pub(super) fn print(function: Function, width: Width, name: &str, syntax: &dyn Syntax, text: &mut Text) {
    let sequence = function.sequence();
    let arguments = sequence.arguments.iter().map(|&(argument, kind)| (argument, width, word(kind)));
    let head = syntax.function(name, width, &arguments.collect::<Vec<_>>());
    match width {
        Width::One => {
            sequence::comment(sequence.summary, text);
            text.open(head);
            sequence::body(&Shader(syntax), sequence, text);
        }
        Width::Four => {
            text.open(head);
            // Written out four times, long functions take some drivers minutes to compile.
            let lanes: Vec<String> =
                sequence.arguments.iter().map(|argument| format!("{}[lane]", argument.0)).collect();
            let (first, _) = sequence.arguments[0];
            text.line(syntax.variable(Word::F32, Width::Four, "values", first));
            let begin = syntax.variable(Word::U32, Width::One, "lane", "0u");
            text.open(format!("for ({begin} lane < 4u; lane += 1u) {{"));
            text.line(format!("values[lane] = {}({});", function.name(), lanes.join(", ")));
            text.close("}");
            text.line("return values;");
        }
    }
    text.close("}");
}

fn word(kind: Kind) -> Word {
    match kind {
        Kind::Real => Word::F32,
        Kind::Whole => Word::I32,
        Kind::Bits => Word::U32,
        Kind::Truth => Word::Bool,
    }
}

struct Shader<'a>(&'a dyn Syntax);

impl Notation for Shader<'_> {
    fn real(&self, value: f32) -> String {
        literal::real(value)
    }

    fn bits(&self, digits: String) -> String {
        digits + "u"
    }

    fn typed(&self, literal: String, _: Kind) -> String {
        literal
    }

    fn convert(&self, to: Kind, value: &str, _: &str) -> String {
        format!("{}({value})", self.0.ty(word(to), Width::One))
    }

    fn reinterpret(&self, to: Kind, value: &str) -> String {
        if to == Kind::Real { self.0.real_of_bits(value) } else { self.0.bits_of_real(value, Width::One) }
    }

    fn select(&self, condition: &str, then: &str, otherwise: &str) -> String {
        self.0.select((condition, Width::One), then, otherwise)
    }

    fn logic(&self) -> (&'static str, &'static str) {
        self.0.logic(Width::One)
    }

    fn declare(&self, kind: Kind, name: &str, value: &str) -> String {
        self.0.constant(word(kind), Width::One, name, value)
    }

    fn give(&self, value: &str) -> String {
        format!("return {value};")
    }
}
