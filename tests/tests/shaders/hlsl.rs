//! HLSL that naga makes of the WGSL, as wgpu has it do on DX12, read by Khronos' compiler. It is not run.

use std::path::Path;
use std::process::Command;

use naga::ShaderStage;
use naga::back::hlsl::{BindTarget, Options, PipelineOptions, ShaderModel, Writer};
use naga::valid::ModuleInfo;
use naga::{Module, ResourceBinding};
use optimizer_specs::ir::Kernel;
use optimizer_specs::layout;
use optirs_gpu_tests::compiled::rules;

use crate::naga_modules::module;
use crate::spirv::{is_installed, validate};

/// A kernel's source and the name of its function.
fn translate(module: &Module, info: &ModuleInfo, kernel: &Kernel) -> (String, String) {
    let target = |register| BindTarget { register, restrict_indexing: true, ..BindTarget::default() };
    let binding = |index| (ResourceBinding { group: 0, binding: index }, target(index));
    let bindings = layout::bindings(kernel);
    let options = Options {
        shader_model: ShaderModel::V6_0,
        binding_map: bindings.iter().map(|one| binding(one.role.index())).collect(),
        fake_missing_bindings: false,
        // The number of workgroups is handed over in it.
        special_constants_binding: Some(target(0)),
        zero_initialize_workgroup_memory: false,
        ..Options::default()
    };
    let pipeline = PipelineOptions { entry_point: Some((ShaderStage::Compute, kernel.name.clone())) };
    let mut text = String::new();
    let written = Writer::new(&mut text, &options, &pipeline).write(module, info, None).unwrap();
    let entry = written.entry_point_names.into_iter().next().unwrap().unwrap();
    (text, entry)
}

/// What glslang, or the validator of what it makes of a source, complains about; nothing where they accept.
fn complaints(source: &str, entry: &str) -> String {
    let name = format!("{entry}-{}.hlsl", std::process::id());
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let compiled = file.with_extension("spv");
    std::fs::write(&file, source).unwrap();
    let output = Command::new("glslangValidator")
        .args(["-D", "-V", "--target-env", "vulkan1.1", "-S", "comp", "-e", entry, "-o"])
        .args([&compiled, &file])
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    if !output.status.success() {
        return String::from_utf8_lossy(&output.stdout).into_owned();
    }
    let words = std::fs::read(&compiled).unwrap();
    std::fs::remove_file(&compiled).unwrap();
    validate(&words)
}

#[test]
fn glslang_accepts_every_kernel_in_hlsl() {
    if !is_installed("glslangValidator", "glslang-tools") || !is_installed("spirv-val", "spirv-tools") {
        return;
    }
    for rule in &rules() {
        for case in rule.cases() {
            let (module, info) = module(case);
            for kernel in &case.program.kernels {
                let (source, entry) = translate(&module, &info, kernel);
                let complaints = complaints(&source, &entry);
                assert!(complaints.is_empty(), "{} {} {entry}: {complaints}", case.rule.name, case.label());
            }
        }
    }
}

#[test]
fn glslang_refuses_what_is_wrong() {
    if is_installed("glslangValidator", "glslang-tools") {
        let kernel = "[numthreads(1, 1, 1)] void main() { VALUE; }";
        assert_eq!(complaints(&kernel.replace("VALUE", "float x = 1.0"), "main"), "");
        assert!(
            complaints(&kernel.replace("VALUE", "float x = no_such_function()"), "main").contains("no_such_function")
        );
    }
}
