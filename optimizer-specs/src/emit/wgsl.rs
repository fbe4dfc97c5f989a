//! WGSL: one module per program, every kernel an entry point of it.
//!
//! Bindings have the same number in all kernels ([`Role::index`]). A buffer that some kernels write and others only
//! read is declared twice, since WGSL asks a declaration for the access; no entry point uses both. The module passes
//! uniformity analysis: barriers depend on nothing but read-only buffers at uniform indices.

use super::host::struct_fields;
use super::names;
use super::shader::syntax::{Builtin, Head, Syntax, Tree, Width, Word};
use super::shader::{self, Kernels};
use super::text::Text;
use crate::checked::Rule;
use crate::ir::{FieldType, Program, Variant};
use crate::layout::{self, Binding, Role, WORKGROUP_SIZE};

/// The module of a program.
pub fn program(rule: &Rule, variant: &Variant, program: &Program) -> String {
    let wgsl = Wgsl::new(rule, program);
    let Kernels { text: kernels, library } = shader::kernels(&wgsl, rule, variant, program);
    let mut text = Text::default();
    for line in shader::preface(rule, variant, program) {
        text.line(format!("// {line}").trim_end());
    }
    text.gap();
    wgsl.print_row(program, &mut text);
    text.gap();
    for &binding in &wgsl.bindings {
        text.line(wgsl.declaration(binding));
    }
    text.gap();
    for tree in [Tree::Real, Tree::Count] {
        let most = program.kernels.iter().flat_map(shader::trees).filter(|one| one.0 == tree).map(|one| one.1).max();
        if let Some(most) = most {
            let element = wgsl.ty(tree.word(), Width::One);
            let (name, array) = (tree.name(), format!("array<{element}, {WORKGROUP_SIZE}>"));
            text.line(format!("var<workgroup> {name}: array<{array}, {most}>;"));
        }
    }
    text.gap();
    text.line("// The four elements that a thread holds.");
    text.line("const lanes = vec4u(0u, 1u, 2u, 3u);");
    [text.finish(), library, kernels].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What the module declares.
struct Wgsl {
    /// The bindings of all kernels: each role with each access that some kernel needs.
    bindings: Vec<Binding>,
    inputs: Vec<String>,
}

impl Wgsl {
    fn new(rule: &Rule, program: &Program) -> Self {
        let mut bindings: Vec<_> = program.kernels.iter().flat_map(layout::bindings).collect();
        bindings.sort_by_key(|binding| (binding.role, !binding.writes));
        bindings.dedup();
        Self { bindings, inputs: names::input_buffers(rule) }
    }

    fn print_row(&self, program: &Program, text: &mut Text) {
        if !program.row.is_empty() {
            text.line("// What the host computes for a tensor, in f64, and rounds once.");
            text.open("struct Row {");
            for (name, ty) in struct_fields(program) {
                let word = match ty {
                    FieldType::F32 => "f32",
                    FieldType::U32 => "u32",
                    FieldType::I32 => "i32",
                };
                text.line(format!("{name}: {word},"));
            }
            text.close("}");
        }
    }

    fn declaration(&self, binding: Binding) -> String {
        let access = if binding.writes { "read_write" } else { "read" };
        let element = match binding.role {
            Role::Hyper => "Row",
            Role::Chunks => "vec4u",
            Role::Param | Role::Gradient | Role::State | Role::Input(_) => "vec4f",
            Role::Scalars | Role::Partials => "u32",
        };
        let (index, name) = (binding.role.index(), self.buffer(binding.role, binding.writes));
        format!("@group(0) @binding({index}) var<storage, {access}> {name}: array<{element}>;")
    }
}

impl Syntax for Wgsl {
    fn ty(&self, word: Word, width: Width) -> &'static str {
        match (word, width) {
            (Word::F32, Width::One) => "f32",
            (Word::U32, Width::One) => "u32",
            (Word::I32, Width::One) => "i32",
            (Word::Bool, Width::One) => "bool",
            (Word::F32, Width::Four) => "vec4f",
            (Word::U32, Width::Four) => "vec4u",
            (Word::I32, Width::Four) => "vec4i",
            (Word::Bool, Width::Four) => "vec4<bool>",
        }
    }

    fn constant(&self, _: Word, _: Width, name: &str, value: &str) -> String {
        format!("let {name} = {value};")
    }

    fn variable(&self, _: Word, _: Width, name: &str, value: &str) -> String {
        format!("var {name} = {value};")
    }

    fn row(&self, index: &str) -> String {
        format!("let row = rows[{index}];")
    }

    fn select(&self, condition: (&str, Width), then: &str, otherwise: &str) -> String {
        format!("select({otherwise}, {then}, {})", condition.0)
    }

    fn logic(&self, width: Width) -> (&'static str, &'static str) {
        match width {
            Width::One => ("&&", "||"),
            Width::Four => ("&", "|"),
        }
    }

    fn builtin(&self, builtin: Builtin) -> &'static str {
        match builtin {
            Builtin::Abs => "abs",
            Builtin::Sqrt => "sqrt",
            Builtin::Fma => "fma",
            Builtin::Floor => "floor",
            Builtin::Ceil => "ceil",
        }
    }

    fn real_of_bits(&self, bits: &str) -> String {
        format!("bitcast<f32>({bits})")
    }

    fn bits_of_real(&self, real: &str, width: Width) -> String {
        format!("bitcast<{}>({real})", self.ty(Word::U32, width))
    }

    fn buffer(&self, role: Role, writes: bool) -> String {
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
        let is_written = self.bindings.contains(&Binding { role, writes: true });
        if is_written && !writes { format!("{name}_read") } else { name.to_owned() }
    }

    fn barrier(&self) -> &'static str {
        "workgroupBarrier();"
    }

    fn open_kernel(&self, text: &mut Text, head: Head<'_>) {
        text.line(format!("@compute @workgroup_size({WORKGROUP_SIZE})"));
        text.open(format!("fn {}(", head.name));
        if head.gridded {
            text.line("@builtin(workgroup_id) group: vec3u,");
            text.line("@builtin(num_workgroups) grid: vec3u,");
        }
        text.line("@builtin(local_invocation_index) invocation: u32,");
        text.turn(") {");
    }

    fn function(&self, name: &str, width: Width, arguments: &[(&str, Width, Word)]) -> String {
        let typed = arguments.iter().map(|&(argument, width, word)| format!("{argument}: {}", self.ty(word, width)));
        format!("fn {name}({}) -> {} {{", typed.collect::<Vec<_>>().join(", "), self.ty(Word::F32, width))
    }
}
