//! Pages that are documentation alone.

#[doc = include_str!("for_pytorch_users.md")]
pub mod for_pytorch_users {}
