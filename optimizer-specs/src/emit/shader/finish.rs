//! Finishes: what is computed once per tensor, or once for all of them, between passes.
//!
//! Whether a gradient was found that is not finite is tested where scalars are written, not at the start: the buffer is
//! written by the kernel, so a return on what it holds would not be uniform, and barriers follow.

use super::kernel::KernelWriter;
use super::reduction::offset;
use crate::ir::{KernelKind, Scope};
use crate::layout::Role;

impl KernelWriter<'_> {
    /// One workgroup per tensor: totals its partial records, then computes its values.
    pub fn finish_tensor(&mut self) {
        self.place_in_grid("header.y", "");
        self.tensor("index");
        if !self.kernel.accumulators.is_empty() {
            self.table_vector("range", "chunks[tensor_index + 1u]", "first partial, partials, clip");
        }
        let base = match self.program.partial_words {
            1 => "range.x + place".to_owned(),
            words => format!("{words}u * (range.x + place)"),
        };
        let partials = self.buffer(Role::Partials);
        self.total("range.y", ("partial", &base), |_, accumulator| {
            format!("{partials}[{}]", offset("partial", accumulator.partial))
        });
        self.conclude();
    }

    /// One workgroup: totals over the tensors, in table order, then values of all.
    pub fn finish_all(&mut self) {
        if !self.kernel.accumulators.is_empty() {
            self.header();
        }
        let record = self.tensor_record("chunks[2u * (1u + place)].z");
        let scalars = self.buffer(Role::Scalars);
        self.total("header.y", ("record", &record), |writer, accumulator| {
            let slot = accumulator.tensor_total.map(|slot| writer.slot(slot)).unwrap_or_default();
            format!("{scalars}[{slot}]")
        });
        self.conclude();
    }

    /// One thread per tensor: values that need those of all.
    pub fn finish_tensor_late(&mut self) {
        self.place_in_grid("header.y", "");
        self.tensor("index");
        self.conclude();
    }

    /// One thread computes the values and writes them.
    fn conclude(&mut self) {
        let scalars = self.buffer(Role::Scalars);
        self.text.open(format!("if (invocation == 0u && {scalars}[0] == 0u) {{"));
        self.read_uniforms();
        match self.kernel.kind {
            KernelKind::FinishTensor => self.define_totals(Scope::Tensor),
            KernelKind::FinishAll => self.define_totals(Scope::All),
            KernelKind::Pass | KernelKind::FinishTensorLate => {}
        }
        self.statements(&self.kernel.uniform);
        self.text.gap();
        if self.kernel.kind == KernelKind::FinishTensor {
            self.write_tensor_totals();
        }
        for write in &self.kernel.writes {
            let value = self.expressions.operand(write.node).text;
            self.write_scalar(write.slot, self.expressions.word(write.node), &value);
        }
        self.text.close("}");
    }
}
