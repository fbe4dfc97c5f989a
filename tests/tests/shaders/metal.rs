//! What Metal sources ask of Metal's compiler and of scirs2-core's Metal context, which no test here runs.

use optimizer_specs::emit::msl;
use optimizer_specs::layout;
use optirs_gpu_tests::compiled::rules;

/// The promise that results are those of the CPU, bit for bit, stands on it.
#[test]
fn exact_arithmetic_is_asked_for() {
    for rule in rules() {
        for case in rule.cases() {
            let source = msl::program(case.rule, case.variant, case.program);
            let code: Vec<_> = source.lines().filter(|line| !line.is_empty() && !line.starts_with("//")).collect();
            let asked = ["#pragma METAL fp math_mode(safe)", "#pragma METAL fp contract(off)"];
            assert_eq!(code[..2], asked, "{} {}", case.rule.name, case.label());
            let pragmas = code.iter().filter(|line| line.starts_with("#pragma")).count();
            assert_eq!(pragmas, asked.len(), "{} {}: something else is asked for later", case.rule.name, case.label());
        }
    }
}

/// scirs2-core numbers what is bound in the order that it is given.
#[test]
fn buffers_are_numbered_by_their_place() {
    for rule in rules() {
        for case in rule.cases() {
            let source = msl::program(case.rule, case.variant, case.program);
            for (section, kernel) in source.split("kernel void ").skip(1).zip(&case.program.kernels) {
                let places = section.split("[[buffer(").skip(1).map(|rest| rest.split(')').next().unwrap().parse());
                let places: Vec<usize> = places.collect::<Result<_, _>>().unwrap();
                assert!(places.into_iter().eq(0..layout::bindings(kernel).len()), "{} {}", case.rule.name, kernel.name);
            }
        }
    }
}
