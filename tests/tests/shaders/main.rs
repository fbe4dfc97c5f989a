//! The shader sources of every rule, entry and combination of options, as text: what other tools make of them.

mod abi;
mod determinism;
mod golden;
mod hlsl;
mod literals;
mod metal;
mod naga_modules;
mod spirv;
