//! Lowering, and the graphs that it makes.

mod verify;
