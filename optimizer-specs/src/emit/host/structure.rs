//! `Row`: the host values of a program, laid out as the kernels read them.

use super::names::expression;
use crate::emit::names::members;
use crate::emit::text::Text;
use crate::ir::{FieldType, Names, Program};

/// The fields of a program's row in order: name and type. Each is four bytes, at four times its index.
pub fn struct_fields(program: &Program) -> Vec<(String, FieldType)> {
    members(program).into_iter().zip(program.row.iter().map(|field| field.ty)).collect()
}

/// Prints the struct and its conversions from and to words.
pub(super) fn write(labels: &Names, program: &Program, text: &mut Text) {
    let fields = struct_fields(program);
    text.line(format!("/// What the host computes for `{}`, per tensor and step.", program.graph.name));
    text.line("#[repr(C)]");
    text.line("#[derive(Clone, Copy)]");
    text.open("struct Row {");
    for ((name, ty), field) in fields.iter().zip(&program.row) {
        text.line(format!("/// `{}`", expression(labels, &program.graph, field.node)));
        text.line(format!("{name}: {},", rust_type(*ty)));
    }
    text.close("}");
    text.gap();
    text.open("impl Row {");
    text.open("fn from_words(words: &[u32]) -> Self {");
    text.open("Self {");
    for (place, (name, ty)) in fields.iter().enumerate() {
        text.line(match ty {
            FieldType::F32 => format!("{name}: f32::from_bits(words[{place}]),"),
            FieldType::U32 => format!("{name}: words[{place}],"),
            FieldType::I32 => format!("{name}: words[{place}].cast_signed(),"),
        });
    }
    text.close("}");
    text.close("}");
    text.gap();
    text.open("fn write(self, words: &mut [u32]) {");
    for (place, (name, ty)) in fields.iter().enumerate() {
        text.line(match ty {
            FieldType::F32 => format!("words[{place}] = self.{name}.to_bits();"),
            FieldType::U32 => format!("words[{place}] = self.{name};"),
            FieldType::I32 => format!("words[{place}] = self.{name}.cast_unsigned();"),
        });
    }
    text.close("}");
    text.close("}");
}

fn rust_type(ty: FieldType) -> &'static str {
    match ty {
        FieldType::F32 => "f32",
        FieldType::U32 => "u32",
        FieldType::I32 => "i32",
    }
}
