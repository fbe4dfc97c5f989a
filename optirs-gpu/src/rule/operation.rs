//! What a program does with an element, for planning; what runs is generated from the same plan.

/// An operation on an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it is.
    pub kind: OperationKind,
    /// The operations that it takes from, by their places among those of the program. What is the same for all elements is
    /// no operand. Of a load: the store that it reads what was written by, if an earlier pass did.
    pub operands: &'static [u16],
}

/// The kinds of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// Reads 4 bytes.
    Load,
    /// Writes 4 bytes: its operand, or without one what is the same for all elements.
    Store,
    /// Takes its operand into a reduction.
    Reduce,
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a * b + c`, rounded once.
    MultiplyAdd,
    /// `tanh(a)`
    Tanh,
    /// Any other function.
    Other,
}
