//! A pass over one chunk: values of the tensor first, then its elements in blocks of one element per lane.
//!
//! The block is a function of its own, because only as arguments are the slices known not to alias.

use std::collections::BTreeSet;

use super::kernel::{Writer, combine};
use crate::ir::{Accumulator, Cell, Combine, LoadSource, NodeId, Variant};

/// Prints the pass and its block.
pub(super) fn write(writer: &mut Writer<'_>, variant: &Variant) {
    let locals = Locals::new(writer);
    writer.text.line(format!("/// `{}` over one chunk.", writer.kernel.name));
    writer.text.line("#[inline(always)]");
    writer.text.open(format!("pub fn {}(chunk: &mut cpu::ChunkArguments<'_>) {{", writer.kernel.name));
    writer.read_uniforms("chunk");
    let uniform = &writer.kernel.uniform;
    writer.statements(uniform);
    if let Some(states) = locals.states(variant) {
        writer.text.line(format!("let {states} = cpu::states(chunk.states);"));
    }
    for (accumulator, name) in writer.kernel.accumulators.iter().zip(writer.names.accumulators()) {
        writer.text.line(format!("let mut {name} = cpu::Lanes::<{}>::new();", combine(accumulator.combine)));
    }
    writer.text.open(format!("for {} in cpu::blocks(chunk.param.len()) {{", locals.block));
    call_block(writer, &locals);
    writer.text.close("}");
    for (accumulator, name) in writer.kernel.accumulators.iter().zip(writer.names.accumulators()) {
        writer.text.line(format!("chunk.partials[{}] = {name}.total();", accumulator.partial));
    }
    writer.text.close("}");
    writer.text.gap();
    write_block(writer, &locals);
}

fn call_block(writer: &mut Writer<'_>, locals: &Locals) {
    let block = &locals.block;
    writer.text.open(format!("{}_block(", writer.kernel.name));
    for &node in &locals.scalars {
        let value = writer.value(node);
        writer.text.line(value + ",");
    }
    for slice in &locals.slices {
        let whole = match slice.source {
            LoadSource::Gradient => "chunk.grad".to_owned(),
            LoadSource::Input(index) => format!("chunk.inputs[{index}]"),
            LoadSource::Cell(Cell::Param) => "chunk.param".to_owned(),
            LoadSource::Cell(_) => slice.name.clone(),
        };
        writer.text.line(format!("&{}{whole}[{block}.clone()],", mutable(slice.writes)));
    }
    for name in writer.names.accumulators() {
        writer.text.line(format!("{name}.block({block}.len()),"));
    }
    writer.text.close(");");
}

fn write_block(writer: &mut Writer<'_>, locals: &Locals) {
    writer.text.line("#[inline(always)]");
    writer.text.open(format!("fn {}_block(", writer.kernel.name));
    for &node in &locals.scalars {
        let argument = format!("{}: {},", writer.value(node), writer.rust_type(node));
        writer.text.line(argument);
    }
    for slice in &locals.slices {
        writer.text.line(format!("{}: &{}[f32],", slice.name, mutable(slice.writes)));
    }
    for (accumulator, name) in writer.kernel.accumulators.iter().zip(writer.names.accumulators()) {
        let ty = if accumulator.combine == Combine::Count { "u32" } else { "f32" };
        writer.text.line(format!("{name}: &mut [{ty}],"));
    }
    writer.text.turn(") {");
    // Slices of one length that the compiler can see need no bounds checks inside the loop.
    let slices = locals.slices.iter().map(|slice| (&slice.name, slice.writes));
    let all = slices.chain(writer.names.accumulators().iter().map(|name| (name, true)));
    for (place, (name, writes)) in all.enumerate() {
        let len = &locals.len;
        writer.text.line(match place {
            0 => format!("let {len} = {name}.len();"),
            _ => format!("let {name} = &{}{name}[..{len}];", mutable(writes)),
        });
    }
    writer.text.open(format!("for lane in 0..{} {{", locals.len));
    write_element(writer, locals);
    writer.text.close("}");
    writer.text.close("}");
}

fn write_element(writer: &mut Writer<'_>, locals: &Locals) {
    for load in &writer.kernel.loads {
        if let (Some(name), Some(slice)) = (writer.names.get(load.node), locals.slice(load.source)) {
            writer.text.line(format!("let {name} = {slice}[lane];"));
        }
    }
    let body = &writer.kernel.body;
    writer.statements(body);
    for &(cell, value) in &writer.kernel.stores {
        if let Some(slice) = locals.slice(LoadSource::Cell(cell)) {
            let value = writer.value(value);
            writer.text.line(format!("{slice}[lane] = {value};"));
        }
    }
    for (accumulator, name) in writer.kernel.accumulators.iter().zip(writer.names.accumulators()) {
        writer.text.line(accumulate(writer, accumulator, name));
    }
}

fn accumulate(writer: &Writer<'_>, accumulator: &Accumulator, name: &str) -> String {
    let operand = writer.program.graph.op(accumulator.reduction).operands().next();
    let x = operand.map(|operand| writer.value(operand)).unwrap_or_default();
    match accumulator.combine {
        Combine::Sum => format!("{name}[lane] += {x};"),
        Combine::SumOfSquares => format!("{name}[lane] += cpu::square({x});"),
        Combine::ScaledSumOfSquares => format!("{name}[lane] += cpu::scaled_square({x});"),
        Combine::Min => format!("{name}[lane] = math::min({name}[lane], {x});"),
        Combine::Max => format!("{name}[lane] = math::max({name}[lane], {x});"),
        Combine::Count => format!("{name}[lane] += u32::from({x});"),
    }
}

fn mutable(writes: bool) -> &'static str {
    if writes { "mut " } else { "" }
}

/// A slice of the chunk that the block works on.
struct Slice {
    source: LoadSource,
    name: String,
    writes: bool,
}

/// The pass's own variables, named beside those of the rule.
struct Locals {
    /// In order of the bindings.
    slices: Vec<Slice>,
    /// Values of the tensor that the block uses.
    scalars: Vec<NodeId>,
    block: String,
    len: String,
}

impl Locals {
    fn new(writer: &mut Writer<'_>) -> Self {
        let kernel = writer.kernel;
        let loaded = kernel.loads.iter().map(|load| load.source);
        let stored: Vec<_> = kernel.stores.iter().map(|store| LoadSource::Cell(store.0)).collect();
        let sources: BTreeSet<_> = loaded.chain(stored.iter().copied()).collect();
        let slices = sources.into_iter().map(|source| {
            let name = match source {
                LoadSource::Gradient => "gradients".to_owned(),
                LoadSource::Cell(Cell::Param) => "params".to_owned(),
                LoadSource::Input(index) => writer.names.unique(&format!("{}_slice", writer.labels.input(index))),
                LoadSource::Cell(state) => writer.names.unique(&format!("{}_slice", writer.labels.cell(state))),
            };
            Slice { source, name, writes: stored.contains(&source) }
        });
        let slices = slices.collect();
        let scalars = scalars(writer);
        let (block, len) = (writer.names.unique("block"), writer.names.unique("len"));
        Self { slices, scalars, block, len }
    }

    fn slice(&self, source: LoadSource) -> Option<&str> {
        self.slices.iter().find(|slice| slice.source == source).map(|slice| slice.name.as_str())
    }

    /// `[m, _, v]`: what the pass needs of the element states; `None` if nothing.
    fn states(&self, variant: &Variant) -> Option<String> {
        let slice = |&state: &u32| self.slice(LoadSource::Cell(Cell::ElementState(state)));
        let slices: Vec<_> = variant.element_states.iter().map(slice).collect();
        let names: Vec<_> = slices.iter().map(|name| name.unwrap_or("_")).collect();
        slices.iter().any(Option::is_some).then(|| format!("[{}]", names.join(", ")))
    }
}

/// Values of the tensor that the block uses, each once.
fn scalars(writer: &Writer<'_>) -> Vec<NodeId> {
    let (graph, kernel) = (&writer.program.graph, writer.kernel);
    let reductions = kernel.accumulators.iter().map(|accumulator| accumulator.reduction);
    let operands = kernel.body.iter().copied().chain(reductions).flat_map(|node| graph.op(node).operands());
    let used: BTreeSet<_> = operands.chain(kernel.stores.iter().map(|store| store.1)).collect();
    let fields = kernel.fields.iter().filter_map(|&index| writer.program.row.get(index as usize));
    let reads = kernel.reads.iter().map(|read| read.node);
    let known = fields.map(|field| field.node).chain(reads).chain(kernel.uniform.iter().copied());
    known.filter(|node| used.contains(node)).collect()
}
