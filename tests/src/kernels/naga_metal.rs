//! Metal sources that naga makes of the generated WGSL, as wgpu has it do on Metal: one for each kernel.

use naga::back::msl::{BindTarget, EntryPointResources, Options, PipelineOptions, write_string};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ResourceBinding, ShaderStage};
use optimizer_specs::emit::wgsl;
use optimizer_specs::{ir, layout};

use super::metal::Kernel;
use crate::compiled::Case;

/// Where the sizes of the buffers are bound: the last place there is, behind all roles.
const SIZES: u8 = 30;

/// The kernels of a program, as C++. Every difference between Metal's language and C++ that naga's sources meet and that
/// the shim of `metal_stdlib` cannot hide is taken care of here; nothing that computes is touched.
pub fn kernels(case: Case<'_>) -> Vec<Kernel> {
    let text = wgsl::program(case.rule, case.variant, case.program);
    let module = naga::front::wgsl::parse_str(&text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text)));
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).unwrap();
    let kernels = case.program.kernels.iter().map(|kernel| {
        let (source, entry) = translate(&module, &info, kernel);
        let call = call(&module, &source, &entry);
        Kernel { source: as_cpp(&source), call }
    });
    kernels.collect()
}

/// A kernel's source and the name of its function, with the checks that the runtime has wgpu put in.
fn translate(module: &Module, info: &ModuleInfo, kernel: &ir::Kernel) -> (String, String) {
    let resources = layout::bindings(kernel).into_iter().map(|binding| {
        let index = binding.role.index();
        let target = BindTarget { buffer: Some(index as u8), mutable: binding.writes, ..BindTarget::default() };
        (ResourceBinding { group: 0, binding: index }, target)
    });
    let resources =
        EntryPointResources { resources: resources.collect(), immediates_buffer: None, sizes_buffer: Some(SIZES) };
    let restrict = BoundsCheckPolicy::Restrict;
    let checks =
        BoundsCheckPolicies { index: restrict, buffer: restrict, image_load: restrict, binding_array: restrict };
    let options = Options {
        lang_version: (3, 0),
        per_entry_point_map: [(kernel.name.clone(), resources)].into(),
        fake_missing_bindings: false,
        bounds_check_policies: checks,
        zero_initialize_workgroup_memory: false,
        ..Options::default()
    };
    let entry_point = Some((ShaderStage::Compute, kernel.name.clone()));
    let pipeline = PipelineOptions { entry_point, ..PipelineOptions::default() };
    let (source, translation) = write_string(module, info, &options, &pipeline).unwrap();
    (source, translation.entry_point_names.into_iter().next().unwrap().unwrap())
}

/// The call of a kernel's function, by what its parameters are.
fn call(module: &Module, source: &str, entry: &str) -> String {
    let (_, rest) = source.split_once(&format!("kernel void {entry}(")).unwrap();
    let (parameters, _) = rest.split_once("\n) {").unwrap();
    let mut shared = String::new();
    let arguments = parameters.split("\n, ").map(|parameter| {
        let words: Vec<_> = parameter.split_whitespace().collect();
        match words[..] {
            [.., "[[threadgroup_position_in_grid]]"] => "group".to_owned(),
            [.., "[[threadgroups_per_grid]]"] => "grid".to_owned(),
            [.., "[[thread_index_in_threadgroup]]"] => "invocation".to_owned(),
            ["constant", "_mslBufferSizes&", ..] => "sizes".to_owned(),
            ["threadgroup", ty, name] => {
                shared += &format!("static {} {name}; ", ty.trim_end_matches('&'));
                name.to_owned()
            }
            ["device", ty, .., buffer] => {
                let index = buffer.trim_start_matches("[[buffer(").trim_end_matches(")]]");
                format!("*static_cast<{}*>(roles[{index}])", ty.trim_end_matches('&'))
            }
            _ => panic!("an argument for `{parameter}`"),
        }
    });
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    let unsized_globals = module.global_variables.iter().map(|(_, global)| global);
    let unsized_globals =
        unsized_globals.filter(|global| module.types[global.ty].inner.needs_host_buffer_byte_size(&module.types));
    let sizes = unsized_globals.map(|global| format!("roles[{}].bytes", global.binding.unwrap().binding));
    let sizes = sizes.collect::<Vec<_>>().join(", ");
    format!("const _mslBufferSizes sizes = {{{sizes}}}; {shared}{entry}({arguments});")
}

/// What C++ reads as Metal's language reads the original.
fn as_cpp(source: &str) -> String {
    // Memory of a workgroup is handed over: the parameter is a mere reference.
    let mut text = String::from(
        "#undef threadgroup\n#define threadgroup\n#pragma GCC diagnostic push\n\
         #pragma GCC diagnostic ignored \"-Wunused-parameter\"\n",
    );
    for line in source.lines() {
        let mut words = line.trim_end_matches("[1];").split(' ');
        match (words.next(), line.ends_with("[1];")) {
            // An array of unknown length. In C++ nothing lies behind the first element of an array of one.
            (Some("typedef"), true) => {
                let [element, name] = [words.next(), words.next()].map(Option::unwrap);
                text += &format!("typedef metal::unsized_array<{element}> {name};\n");
            }
            _ => text += &(single_precision(line) + "\n"),
        }
    }
    text + "#pragma GCC diagnostic pop\n#undef threadgroup\n#define threadgroup static\n"
}

/// Marks literals as f32, which they are in Metal's language without a mark.
fn single_precision(line: &str) -> String {
    let mut text = String::new();
    let mut word = String::new();
    for character in line.chars().chain(['\n']) {
        if character.is_alphanumeric() || matches!(character, '_' | '.') {
            word.push(character);
            continue;
        }
        let is_real = word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.');
        text += &std::mem::take(&mut word);
        text.extend(is_real.then_some('f'));
        text.extend((character != '\n').then_some(character));
    }
    text
}
