//! WGSL as naga reads it: valid without any capability, and laid out and bound as the ABI says.

use naga::valid::{Capabilities, GlobalUse, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ScalarKind, StorageAccess, TypeInner};
use optimizer_specs::emit::{names, wgsl};
use optimizer_specs::ir::FieldType;
use optimizer_specs::layout;
use optirs_gpu_tests::compiled::{Case, rules};

/// Parses and validates, without optional capabilities.
pub fn module(case: Case<'_>) -> (Module, ModuleInfo) {
    let source = wgsl::program(case.rule, case.variant, case.program);
    let name = format!("{} {}", case.rule.name, case.label());
    let module = naga::front::wgsl::parse_str(&source)
        .unwrap_or_else(|error| panic!("{name}:\n{}", error.emit_to_string(&source)));
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{name}:\n{}", error.emit_to_string(&source)));
    (module, info)
}

#[test]
fn every_program_is_valid() {
    let mut programs = 0;
    for rule in &rules() {
        for case in rule.cases() {
            let (module, _) = module(case);
            let entry_points: Vec<_> = module.entry_points.iter().map(|entry| entry.name.as_str()).collect();
            let kernels: Vec<_> = case.program.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            assert_eq!(entry_points, kernels, "{} {}", case.rule.name, case.label());
            for entry in &module.entry_points {
                assert_eq!(entry.workgroup_size, [layout::WORKGROUP_SIZE as u32, 1, 1]);
            }
            programs += 1;
        }
    }
    assert!(programs >= 90, "only {programs} programs: are rules missing?");
}

#[test]
fn a_row_lies_as_the_host_writes_it() {
    for rule in &rules() {
        for case in rule.cases().filter(|case| !case.program.row.is_empty()) {
            let (module, _) = module(case);
            let row = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some("Row"));
            let Some(TypeInner::Struct { members, span }) = row.map(|(_, ty)| &ty.inner) else {
                panic!("{} {} has no Row", case.rule.name, case.label());
            };
            let found: Vec<_> = members
                .iter()
                .map(|member| {
                    let TypeInner::Scalar(scalar) = module.types[member.ty].inner else { panic!("{member:?}") };
                    assert_eq!(scalar.width, 4);
                    (member.name.clone().unwrap_or_default(), member.offset, scalar.kind)
                })
                .collect();
            let expected: Vec<_> = names::members(case.program)
                .into_iter()
                .zip(&case.program.row)
                .enumerate()
                .map(|(word, (name, field))| (name, 4 * word as u32, kind(field.ty)))
                .collect();
            assert_eq!(found, expected, "{} {}", case.rule.name, case.label());
            assert_eq!(*span, 4 * case.program.row.len() as u32);
        }
    }
}

fn kind(ty: FieldType) -> ScalarKind {
    match ty {
        FieldType::F32 => ScalarKind::Float,
        FieldType::U32 => ScalarKind::Uint,
        FieldType::I32 => ScalarKind::Sint,
    }
}

#[test]
fn kernels_use_what_they_are_said_to_bind() {
    for rule in &rules() {
        for case in rule.cases() {
            let (module, info) = module(case);
            for (place, kernel) in case.program.kernels.iter().enumerate() {
                let usage = info.get_entry_point(place);
                let mut used = Vec::new();
                for (handle, variable) in module.global_variables.iter() {
                    let (AddressSpace::Storage { access }, Some(binding)) = (variable.space, &variable.binding) else {
                        continue;
                    };
                    if !usage[handle].is_empty() {
                        let writes = usage[handle].contains(GlobalUse::WRITE);
                        assert_eq!(writes, access.contains(StorageAccess::STORE), "access of {:?}", variable.name);
                        used.push((binding.binding, writes));
                    }
                }
                used.sort_unstable();
                let bindings = layout::bindings(kernel);
                let said: Vec<_> = bindings.iter().map(|binding| (binding.role.index(), binding.writes)).collect();
                assert_eq!(used, said, "{} {} {}", case.rule.name, case.label(), kernel.name);
            }
        }
    }
}
