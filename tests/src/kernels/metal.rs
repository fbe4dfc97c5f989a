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

/// One C++ source of these programs, in order.
pub fn unite(programs: &[Source<'_>]) -> String {
    let mut text = String::from("#include \"harness.cpp\"\n");
    for (place, program) in programs.iter().enumerate() {
        write_program(&mut text, place, program);
    }
    text += "static const Program programs[] = {\n";
    for (place, program) in programs.iter().enumerate() {
        writeln!(text, "    {{calls{place}, {}}},", program.case.program.kernels.len()).unwrap();
    }
    writeln!(text, "}};\nstatic const Program* program_at(unsigned index) {{").unwrap();
    writeln!(text, "    if (index >= {}) fail(\"no such program\");\n    return &programs[index];\n}}", programs.len())
        .unwrap();
    text
}

fn write_program(text: &mut String, place: usize, source: &Source<'_>) {
    let Source { case, metal } = source;
    let mut parts = metal.split(MARKER);
    let preamble = parts.next().unwrap();
    let sections: Vec<_> = parts.collect();
    assert_eq!(sections.len(), case.program.kernels.len());
    for (number, (section, kernel)) in sections.iter().zip(&case.program.kernels).enumerate() {
        let entry = section.split('(').next().unwrap();
        assert_eq!(entry, kernel.name, "the entry point as scirs2-core finds it");
        let bindings = layout::bindings(kernel);
        let mut arguments: Vec<_> = bindings.iter().map(|binding| format!("roles[{}]", binding.role.index())).collect();
        if kernel.kind != KernelKind::FinishAll {
            arguments.extend(["group".to_owned(), "grid".to_owned()]);
        }
        arguments.push("invocation".to_owned());
        let arguments = arguments.join(", ");
        writeln!(text, "namespace program{place}_kernel{number} {{\n{preamble}{MARKER}{section}").unwrap();
        writeln!(text, "static void call(const Buffer* roles, uint3 group, uint3 grid, uint invocation) {{").unwrap();
        writeln!(text, "    (void)group, (void)grid;\n    {entry}({arguments});\n}}\n}}").unwrap();
    }
    let calls = (0..sections.len()).map(|number| format!("program{place}_kernel{number}::call"));
    writeln!(text, "static const Call calls{place}[] = {{{}}};", calls.collect::<Vec<_>>().join(", ")).unwrap();
}
