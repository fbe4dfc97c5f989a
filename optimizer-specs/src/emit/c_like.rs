//! The C-like targets: one syntax, and a [`Dialect`] of words for each.

use super::host::struct_fields;
use super::names;
use super::shader::syntax::{Builtin, Head, Syntax, Width, Word};
use super::shader::{self, Kernels};
use super::text::Text;
use crate::checked::Rule;
use crate::ir::{FieldType, Program, Variant};
use crate::layout::{Role, WORKGROUP_SIZE};

/// What one C-like language calls things.
pub(crate) struct Dialect {
    /// Lines after the preface: includes, and the pragmas that forbid contraction and fast math.
    pub prologue: &'static [&'static str],
    /// Before a kernel's name.
    pub kernel: &'static str,
    /// Before a pointer to a buffer.
    pub buffer: &'static str,
    /// Before an array that a workgroup shares.
    pub shared: &'static str,
    /// Before a constant of the file.
    pub constant: &'static str,
    /// Before a function that kernels call.
    pub function: &'static str,
    /// The attribute of the buffer at a place in the kernel's list.
    pub binding: fn(usize) -> String,
    /// Arguments `group` and `grid`.
    pub grid: &'static [&'static str],
    /// The argument `invocation`.
    pub invocation: &'static str,
    /// Waits for the workgroup.
    pub barrier: &'static str,
    /// Reinterprets the bits of a value: as the type that follows.
    pub bitcast: &'static str,
    /// The name of a predeclared function.
    pub builtin: fn(Builtin) -> &'static str,
}

/// The source of a program: a preamble, then each kernel.
pub(crate) fn source(dialect: &'static Dialect, rule: &Rule, variant: &Variant, program: &Program) -> String {
    let c = CLike { dialect, inputs: names::input_buffers(rule) };
    let Kernels { text: kernels, library } = shader::kernels(&c, rule, variant, program);
    let mut text = Text::default();
    for line in shader::preface(rule, variant, program) {
        text.line(format!("// {line}").trim_end());
    }
    text.gap();
    for line in dialect.prologue {
        text.line(line);
    }
    text.gap();
    if !program.row.is_empty() {
        text.line("// What the host computes for a tensor, in f64, and rounds once.");
        text.open("struct Row {");
        for (name, ty) in struct_fields(program) {
            let word = match ty {
                FieldType::F32 => "float",
                FieldType::U32 => "uint",
                FieldType::I32 => "int",
            };
            text.line(format!("{word} {name};"));
        }
        text.close("};");
        text.gap();
    }
    text.line("// The four elements that a thread holds.");
    text.line(format!("{} uint4 lanes = uint4(0u, 1u, 2u, 3u);", dialect.constant));
    [text.finish(), library, kernels].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

struct CLike {
    dialect: &'static Dialect,
    inputs: Vec<String>,
}

impl Syntax for CLike {
    fn ty(&self, word: Word, width: Width) -> &'static str {
        match (word, width) {
            (Word::F32, Width::One) => "float",
            (Word::U32, Width::One) => "uint",
            (Word::I32, Width::One) => "int",
            (Word::Bool, Width::One) => "bool",
            (Word::F32, Width::Four) => "float4",
            (Word::U32, Width::Four) => "uint4",
            (Word::I32, Width::Four) => "int4",
            (Word::Bool, Width::Four) => "bool4",
        }
    }

    fn constant(&self, word: Word, width: Width, name: &str, value: &str) -> String {
        format!("const {} {name} = {value};", self.ty(word, width))
    }

    fn variable(&self, word: Word, width: Width, name: &str, value: &str) -> String {
        format!("{} {name} = {value};", self.ty(word, width))
    }

    fn row(&self, index: &str) -> String {
        format!("const Row row = rows[{index}];")
    }

    fn select(&self, condition: (&str, Width), then: &str, otherwise: &str) -> String {
        match condition.1 {
            Width::One => format!("({} ? {then} : {otherwise})", condition.0),
            Width::Four => format!("select({otherwise}, {then}, {})", condition.0),
        }
    }

    fn logic(&self, _: Width) -> (&'static str, &'static str) {
        ("&&", "||")
    }

    fn builtin(&self, builtin: Builtin) -> &'static str {
        (self.dialect.builtin)(builtin)
    }

    fn real_of_bits(&self, bits: &str) -> String {
        format!("{}<{}>({bits})", self.dialect.bitcast, self.ty(Word::F32, Width::One))
    }

    fn bits_of_real(&self, real: &str, width: Width) -> String {
        format!("{}<{}>({real})", self.dialect.bitcast, self.ty(Word::U32, width))
    }

    fn buffer(&self, role: Role, _: bool) -> String {
        let name = match role {
            Role::Hyper => "rows",
            Role::Chunks => "chunks",
            Role::Param => "params",
            Role::Gradient => "gradients",
            Role::State => "states",
            Role::Scalars => "scalars",
            Role::Partials => "partials",
            Role::Input(index) => self.inputs.get(index as usize).map_or("inputs", String::as_str),
        };
        name.to_owned()
    }

    fn barrier(&self) -> &'static str {
        self.dialect.barrier
    }

    fn open_kernel(&self, text: &mut Text, head: Head<'_>) {
        let dialect = self.dialect;
        text.open(format!("{} {}(", dialect.kernel, head.name));
        for (place, binding) in head.bindings.iter().enumerate() {
            let element = match binding.role {
                Role::Hyper => "Row",
                Role::Chunks => "uint4",
                Role::Param | Role::Gradient | Role::State | Role::Input(_) => "float4",
                Role::Scalars | Role::Partials => "uint",
            };
            let constness = if binding.writes { "" } else { "const " };
            let name = self.buffer(binding.role, binding.writes);
            text.line(format!("{} {constness}{element}* {name}{},", dialect.buffer, (dialect.binding)(place)));
        }
        if head.gridded {
            for argument in dialect.grid {
                text.line(format!("{argument},"));
            }
        }
        text.line(dialect.invocation);
        text.turn(") {");
        for &(tree, count) in head.trees {
            let element = self.ty(tree.word(), Width::One);
            text.line(format!("{} {element} {}[{count}][{WORKGROUP_SIZE}];", dialect.shared, tree.name()));
        }
    }

    fn function(&self, name: &str, width: Width, arguments: &[(&str, Width, Word)]) -> String {
        let typed = arguments.iter().map(|&(argument, width, word)| format!("{} {argument}", self.ty(word, width)));
        let arguments = typed.collect::<Vec<_>>().join(", ");
        format!("{} {} {name}({arguments}) {{", self.dialect.function, self.ty(Word::F32, width))
    }
}
