//! Shaders as naga reads them: what the compiler accepts is valid WGSL without any capability, each kernel uses what it is
//! said to bind, and naga makes SPIR-V, MSL and HLSL of it, as it does for Vulkan, Metal and DX12.

use ::naga::back::{hlsl, msl, spv};
use ::naga::valid::{Capabilities, GlobalUse, ModuleInfo, ValidationFlags, Validator};
use ::naga::{AddressSpace, Module};
use optimizer_specs::emit::wgsl;
use optimizer_specs::layout;

use crate::compiled::Case;
use crate::random::subject::Subject;

/// Parses and validates the module of every program.
pub fn check(subject: &Subject) -> Result<(), String> {
    for case in (0..subject.compiled.variants.len()).flat_map(|variant| subject.cases(variant)) {
        let source = wgsl::program(case.rule, case.variant, case.program);
        let checked = module(&source).and_then(|(module, info)| {
            bindings(case, &module, &info)?;
            translations(&module, &info)
        });
        checked.map_err(|report| format!("`{}`: {report}\n{source}", case.label()))?;
    }
    Ok(())
}

fn module(source: &str) -> Result<(Module, ModuleInfo), String> {
    let module = ::naga::front::wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(&module).map_err(|error| error.emit_to_string(source))?;
    Ok((module, info))
}

fn bindings(case: Case<'_>, module: &Module, info: &ModuleInfo) -> Result<(), String> {
    for (place, kernel) in case.program.kernels.iter().enumerate() {
        let usage = info.get_entry_point(place);
        let globals =
            module.global_variables.iter().filter(|(_, global)| matches!(global.space, AddressSpace::Storage { .. }));
        let used = globals.filter(|(handle, _)| !usage[*handle].is_empty());
        let used = used
            .filter_map(|(handle, global)| Some((global.binding?.binding, usage[handle].contains(GlobalUse::WRITE))));
        let mut used: Vec<_> = used.collect();
        used.sort_unstable();
        let said = layout::bindings(kernel).into_iter().map(|binding| (binding.role.index(), binding.writes));
        let said: Vec<_> = said.collect();
        if used != said {
            return Err(format!("error: {} uses {used:?}, but is said to bind {said:?}", kernel.name));
        }
    }
    Ok(())
}

/// Every entry point in the languages that naga's other backends take.
fn translations(module: &Module, info: &ModuleInfo) -> Result<(), String> {
    spv::write_vec(module, info, &spv::Options::default(), None).map_err(|error| format!("error: SPIR-V: {error}"))?;
    let (_, translation) = msl::write_string(module, info, &msl::Options::default(), &msl::PipelineOptions::default())
        .map_err(|error| format!("error: MSL: {error}"))?;
    translation
        .entry_point_names
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| format!("error: MSL: {error}"))?;
    let mut text = String::new();
    let reflection = hlsl::Writer::new(&mut text, &hlsl::Options::default(), &hlsl::PipelineOptions::default())
        .write(module, info, None)
        .map_err(|error| format!("error: HLSL: {error}"))?;
    reflection
        .entry_point_names
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| format!("error: HLSL: {error}"))?;
    Ok(())
}
