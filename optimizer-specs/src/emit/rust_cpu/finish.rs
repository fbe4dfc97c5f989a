//! Finishes: totals of what the chunks accumulated, and the values that follow from them.

use std::collections::BTreeMap;

use super::kernel::{Writer, combine};
use crate::ir::{Accumulator, Combine, NodeId, Slot};

/// The finish of one tensor.
pub(super) fn write_tensor(writer: &mut Writer<'_>) {
    writer.text.line(format!("/// `{}` of one tensor.", writer.kernel.name));
    writer.text.open(format!("pub fn {}(tensor: &mut cpu::TensorArguments<'_>) {{", writer.kernel.name));
    writer.read_uniforms("tensor");
    let mut own: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
    let mut totals = Vec::new();
    for (accumulator, name) in writer.kernel.accumulators.iter().zip(writer.names.accumulators()) {
        let total =
            format!("cpu::total_of_chunks::<{}>(tensor, {})", combine(accumulator.combine), accumulator.partial);
        writer.text.line(format!("let {name} = {total};"));
        match accumulator.tensor_total {
            Some(slot) => totals.push((slot, to_bits(accumulator, name))),
            None => own.entry(accumulator.reduction).or_default().push(name.clone()),
        }
    }
    define(writer, &own);
    let uniform = &writer.kernel.uniform;
    writer.statements(uniform);
    for (slot, bits) in totals {
        if let Slot::Tensor(word) = slot {
            writer.text.line(format!("tensor.tensor[{word}] = {bits};"));
        }
    }
    writer.write_scalars("tensor");
    writer.text.close("}");
}

/// The finish over all tensors.
pub(super) fn write_all(writer: &mut Writer<'_>) {
    writer.text.line(format!("/// `{}` over all tensors that take part.", writer.kernel.name));
    writer.text.open(format!("pub fn {}(all: &mut cpu::AllArguments<'_>) {{", writer.kernel.name));
    writer.read_uniforms("all");
    let mut own: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
    for (accumulator, name) in writer.kernel.accumulators.iter().zip(writer.names.accumulators()) {
        if let Some(Slot::Tensor(word)) = accumulator.tensor_total {
            let total = format!("cpu::total_of_tensors::<{}>(all, {word})", combine(accumulator.combine));
            writer.text.line(format!("let {name} = {total};"));
            own.entry(accumulator.reduction).or_default().push(name.clone());
        }
    }
    define(writer, &own);
    let uniform = &writer.kernel.uniform;
    writer.statements(uniform);
    writer.write_scalars("all");
    writer.text.close("}");
}

/// A reduction from its one accumulator, a norm from its two.
fn define(writer: &mut Writer<'_>, totals: &BTreeMap<NodeId, Vec<String>>) {
    for (&reduction, accumulators) in totals {
        if let Some(name) = writer.names.get(reduction) {
            let line = match accumulators.as_slice() {
                [squares, scaled] => format!("let {name} = cpu::norm({squares}, {scaled});"),
                one => format!("let {name} = {};", one.concat()),
            };
            writer.text.line(line);
        }
    }
}

fn to_bits(accumulator: &Accumulator, name: &str) -> String {
    match accumulator.combine {
        Combine::Count => name.to_owned(),
        _ => format!("{name}.to_bits()"),
    }
}
