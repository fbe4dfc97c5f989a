//! One C++ source of the kernels of all rules. Each kernel stands with the preamble in a namespace of its own, as Metal
//! back ends compile it: a kernel that needs another part of its source does not compile.

use std::fmt::Write;

use crate::compiled::Case;
use optimizer_specs::emit::msl;
use optimizer_specs::ir::KernelKind;
use optimizer_specs::layout;

/// The marker by which scirs2-core finds the entry point: the text behind it up to the next parenthesis.
const MARKER: &str = "kernel void ";

/// A program with its Metal source.
pub struct Source<'a> {
    /// The program.
    pub case: Case<'a>,
    /// Its source, as emitted or harmed.
    pub metal: String,
}

impl<'a> Source<'a> {
    /// As emitted.
    pub fn of(case: Case<'a>) -> Self {
        Self { case, metal: msl::program(case.rule, case.variant, case.program) }
    }
}

/// A kernel as C++: what stands in its namespace, and how its function is called there.
pub struct Kernel {
    /// The source.
    pub source: String,
    /// Statements over `roles`, `group`, `grid` and `invocation`.
    pub call: String,
}

/// One C++ source of these programs, in order.
pub fn unite(programs: &[Source<'_>]) -> String {
    unite_kernels(programs.iter().map(Source::kernels))
}

/// One C++ source of programs, each of which is its kernels.
pub fn unite_kernels(programs: impl Iterator<Item = Vec<Kernel>>) -> String {
    let mut text = String::from("#include \"harness.cpp\"\n");
    let mut table = String::new();
    let mut count = 0;
    for kernels in programs {
        let mut calls = String::new();
        for (number, Kernel { source, call }) in kernels.iter().enumerate() {
            let namespace = format!("program{count}_kernel{number}");
            writeln!(text, "namespace {namespace} {{\n{source}").unwrap();
            text += "static void call(const Buffer* roles, metal::uint3 group, metal::uint3 grid, metal::uint invocation) {\n";
            writeln!(text, "    (void)roles, (void)group, (void)grid, (void)invocation;\n    {call}\n}}\n}}").unwrap();
            write!(calls, "{namespace}::call, ").unwrap();
        }
        writeln!(text, "static const Call calls{count}[] = {{{calls}}};").unwrap();
        writeln!(table, "    {{calls{count}, {}}},", kernels.len()).unwrap();
        count += 1;
    }
    writeln!(text, "static const Program programs[] = {{\n{table}}};").unwrap();
    writeln!(text, "static const Program* program_at(unsigned index) {{").unwrap();
    writeln!(text, "    if (index >= {count}) fail(\"no such program\");\n    return &programs[index];\n}}").unwrap();
    text
}

impl Source<'_> {
    /// The kernels, each with the preamble.
    fn kernels(&self) -> Vec<Kernel> {
        let Self { case, metal } = self;
        let mut parts = metal.split(MARKER);
        let preamble = parts.next().unwrap();
        let sections: Vec<_> = parts.collect();
        assert_eq!(sections.len(), case.program.kernels.len());
        let kernels = sections.iter().zip(&case.program.kernels).map(|(section, kernel)| {
            let entry = section.split('(').next().unwrap();
            assert_eq!(entry, kernel.name, "the entry point as scirs2-core finds it");
            let bindings = layout::bindings(kernel).into_iter();
            let mut arguments: Vec<_> = bindings.map(|binding| format!("roles[{}]", binding.role.index())).collect();
            if kernel.kind != KernelKind::FinishAll {
                arguments.extend(["group".to_owned(), "grid".to_owned()]);
            }
            arguments.push("invocation".to_owned());
            let call = format!("{entry}({});", arguments.join(", "));
            Kernel { source: format!("{preamble}{MARKER}{section}"), call }
        });
        kernels.collect()
    }
}
