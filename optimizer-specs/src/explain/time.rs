//! How long an entry takes where memory is all that it waits for.

use crate::ir::Program;

/// A memory, and how many elements lie in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// Bytes that it reads and writes in a nanosecond: a copy's, counting both ways.
    pub gigabytes_per_second: f64,
    /// Elements of all tensors.
    pub elements: u64,
}

impl Memory {
    /// Milliseconds that the entry's bytes take: the floor of a run, without the start of its kernels and what their
    /// tables take, which weighs where elements are few.
    pub fn milliseconds(&self, program: &Program) -> f64 {
        self.bytes(program) / self.gigabytes_per_second / 1e6
    }

    fn bytes(&self, program: &Program) -> f64 {
        f64::from(program.bytes_per_element) * self.elements as f64
    }

    /// The prediction as a line.
    pub(super) fn line(&self, program: &Program) -> String {
        format!(
            "{:.4} ms for {:.4} GB of {} elements, at {} GB/s",
            self.milliseconds(program),
            self.bytes(program) / 1e9,
            self.elements,
            self.gigabytes_per_second
        )
    }
}
