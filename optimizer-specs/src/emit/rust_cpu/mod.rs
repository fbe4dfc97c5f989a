//! The CPU target: each kernel as a safe Rust function that `optirs_gpu::rule::KernelKind` can hold.
//!
//! Guarantees: the same operations in the same order as the interpreter in f32, sums in the order of
//! `optirs_gpu::rule::cpu`; no unsafe code; the loop over elements runs over slices of one length that do not alias, so
//! that it vectorises; values that are the same for a tensor are computed before it; a pass is inlined with its block, so that
//! whoever calls it decides for which processors it is compiled (`optirs_gpu::rule::cpu::CompiledPass`).
//!
//! The text stands where `Row` of [`super::host`] and the modules `cpu` and `math` of `optirs_gpu::rule` are in scope.

mod finish;
mod function;
mod kernel;
mod pass;

pub use self::function::functions;
use self::kernel::Writer;
use super::text::Text;
use crate::checked::Rule;
use crate::ir::{KernelKind, Program, Variant};

/// The kernels of a program, in order of execution.
pub fn program(rule: &Rule, variant: &Variant, program: &Program) -> String {
    let mut text = Text::default();
    for kernel in &program.kernels {
        text.gap();
        let mut writer = Writer::new(rule, program, kernel, &mut text);
        match kernel.kind {
            KernelKind::Pass => pass::write(&mut writer, variant),
            KernelKind::FinishTensor | KernelKind::FinishTensorLate => finish::write_tensor(&mut writer),
            KernelKind::FinishAll => finish::write_all(&mut writer),
        }
    }
    text.finish()
}
