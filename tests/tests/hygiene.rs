//! Rules in hostile places: what the user calls things, what is in scope around a rule, and which lints are on must
//! make no difference to what it expands to.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic)]

mod hygiene {
    pub mod facade;
    pub mod in_function;
    pub mod lints;
    pub mod made_by_macro;
    pub mod names;
    pub mod no_prelude;
    pub mod reexported;
    pub mod shadowed;
}
