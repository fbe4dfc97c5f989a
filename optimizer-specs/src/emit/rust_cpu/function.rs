//! The element functions in Rust, for `optirs_gpu::rule::functions`: generated kernels call them there, in `math`.

use crate::emit::sequence::{self, Notation};
use crate::emit::text::Text;
use crate::functions::Function;
use crate::functions::sequence::Kind;

/// All element functions.
pub fn functions() -> String {
    let mut text = Text::default();
    for function in Function::ALL {
        let sequence = function.sequence();
        text.gap();
        text.line(format!("/// {}", sequence.summary));
        let arguments: Vec<_> =
            sequence.arguments.iter().map(|&(name, kind)| format!("{name}: {}", ty(kind))).collect();
        text.line("#[inline]");
        text.open(format!("pub fn {}({}) -> f32 {{", function.name(), arguments.join(", ")));
        sequence::body(&Rust, sequence, &mut text);
        text.close("}");
    }
    text.finish()
}

fn ty(kind: Kind) -> &'static str {
    match kind {
        Kind::Real => "f32",
        Kind::Whole => "i32",
        Kind::Bits => "u32",
        Kind::Truth => "bool",
    }
}

struct Rust;

impl Notation for Rust {
    fn real(&self, value: f32) -> String {
        format!("{value:?}")
    }

    fn bits(&self, digits: String) -> String {
        digits
    }

    fn typed(&self, literal: String, kind: Kind) -> String {
        format!("{literal}_{}", ty(kind))
    }

    fn convert(&self, to: Kind, _: &str, guarded: &str) -> String {
        format!("({guarded} as {})", ty(to))
    }

    fn reinterpret(&self, to: Kind, value: &str) -> String {
        format!("f32::{}({value})", if to == Kind::Real { "from_bits" } else { "to_bits" })
    }

    fn select(&self, condition: &str, then: &str, otherwise: &str) -> String {
        format!("math::select({condition}, {then}, {otherwise})")
    }

    /// Without short circuits, so that loops vectorise.
    fn logic(&self) -> (&'static str, &'static str) {
        ("&", "|")
    }

    fn declare(&self, _: Kind, name: &str, value: &str) -> String {
        format!("let {name} = {value};")
    }

    fn give(&self, value: &str) -> String {
        value.to_owned()
    }
}
