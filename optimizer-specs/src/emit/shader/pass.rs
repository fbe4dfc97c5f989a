//! A pass: one workgroup per chunk, each thread four elements at a time.

use super::kernel::KernelWriter;
use super::syntax::{Width, Word};
use crate::ir::{Cell, LoadSource, NodeId};
use crate::layout::{Role, WORKGROUP_SIZE};

impl KernelWriter<'_> {
    /// The body of a pass.
    pub fn pass(&mut self) {
        let scalars = self.buffer(Role::Scalars);
        self.place_in_grid("header.x", &format!(" || {scalars}[0] != 0u"));
        self.index("chunk_index", "2u * (1u + header.y + index)");
        self.table_vector("starts", "chunks[chunk_index] / 4u", "of param, gradient, state, input");
        self.table_vector("chunk", "chunks[chunk_index + 1u]", "length, tensor, partial");
        self.tensor("chunk.y");
        self.cell_starts();
        self.read_uniforms();
        self.statements(&self.kernel.uniform);
        self.text.gap();
        self.begin_accumulators(Width::Four);
        let first = self.syntax.variable(Word::U32, Width::One, "quad", "invocation");
        self.text.open(format!("for ({first} 4u * quad < chunk.x; quad += {WORKGROUP_SIZE}u) {{"));
        self.elements();
        self.text.close("}");
        self.store_partials();
    }

    /// Loads, operations, stores and accumulation for the four elements of a quad.
    fn elements(&mut self) {
        let inside = format!("lanes < {}", self.syntax.splat(Word::U32, "chunk.x - 4u * quad"));
        self.constant(Word::Bool, Width::Four, "inside", &inside);
        for load in &self.kernel.loads {
            if let Some(name) = self.names.get(load.node) {
                let value = self.place(load.source);
                self.constant(Word::F32, Width::Four, name, &value);
            }
        }
        self.text.gap();
        self.statements(&self.kernel.body);
        self.text.gap();
        for &(cell, value) in &self.kernel.stores {
            self.store(cell, value);
        }
        self.text.gap();
        self.accumulate();
    }

    /// Stores the elements inside the chunk; what lies beyond keeps its value.
    fn store(&mut self, cell: Cell, value: NodeId) {
        let source = LoadSource::Cell(cell);
        let place = self.place(source);
        let value = self.expressions.spread(value);
        let loaded = self.kernel.loads.iter().find(|load| load.source == source);
        match loaded.and_then(|load| self.names.get(load.node)) {
            Some(old) => {
                let value = self.syntax.select(("inside", Width::Four), &value, old);
                self.text.line(format!("{place} = {value};"));
            }
            None => {
                let masked = self.syntax.select(("inside", Width::Four), &value, &place);
                self.text.open("if (inside.w) {");
                self.text.line(format!("{place} = {value};"));
                self.text.turn("} else {");
                self.text.line(format!("{place} = {masked};"));
                self.text.close("}");
            }
        }
    }

    /// Where an element value lies.
    fn place(&self, source: LoadSource) -> String {
        match source {
            LoadSource::Gradient => format!("{}[starts.y + quad]", self.buffer(Role::Gradient)),
            LoadSource::Input(index) => format!("{}[starts.w + quad]", self.buffer(Role::Input(index))),
            LoadSource::Cell(Cell::Param) => format!("{}[starts.x + quad]", self.buffer(Role::Param)),
            LoadSource::Cell(cell) => {
                let start = self.names.start(cell).unwrap_or("starts.z");
                format!("{}[{start} + quad]", self.buffer(Role::State))
            }
        }
    }

    /// Where the element states of the chunk lie, one after another by the tensor's cell stride.
    fn cell_starts(&mut self) {
        for (cell, &state) in self.variant.element_states.iter().enumerate() {
            if let Some(name) = self.names.start(Cell::ElementState(state)) {
                let start = match cell {
                    0 => "starts.z".to_owned(),
                    1 => "starts.z + tensor.y / 4u".to_owned(),
                    _ => format!("starts.z + {cell}u * (tensor.y / 4u)"),
                };
                self.index(name, &start);
            }
        }
    }
}
