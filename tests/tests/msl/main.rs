//! The Metal sources, compiled as C++ through a shim of `metal_stdlib` and run, kernel by kernel, against the interpreter:
//! the same bits.

mod arena;
mod compiler;
mod run;
mod source;
