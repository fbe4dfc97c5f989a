//! Lowering: whole rules and small ones, from text to verified graphs.

mod arms;
mod errors;
mod extents;
mod folding;
mod options;
mod print;
mod states;
mod support;
mod verify;
