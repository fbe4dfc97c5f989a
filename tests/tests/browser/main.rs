//! Every generated WGSL source in a browser: Tint, its compiler, has nothing to say of it, and its numbers are inside the
//! contract.

mod literals;
mod random;
mod sources;
mod steps;
