//! Explains what became of a rule: `optspec explain`.
//!
//! Guarantees that the same rule gives the same text and the same picture, byte for byte. Nothing is decided here:
//! all of it is read off the planned programs.

mod arrange;
mod labels;
mod layers;
mod path;
mod picture;
mod sections;
mod svg;
mod text;
mod time;

pub use svg::svg;
pub use text::text;
pub use time::Memory;
