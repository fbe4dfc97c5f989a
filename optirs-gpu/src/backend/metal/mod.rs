//! Metal on macOS, through scirs2-core. Nobody has run it yet: it is compiled for macOS in every check, and the parts that
//! need no Metal are tested everywhere.
//!
//! What scirs2-core 0.6.5 allows decides its shape. A kernel is a source of its own, and its entry point the first one in
//! it. Buffers are bound by name, seven at most, and whole: what starts within a buffer is copied to one of its own
//! first. A batch of dispatches is one command buffer, and is waited for without a time limit. Errors of a command
//! buffer are not reported, so a lost device goes unnoticed. Opening a context starts `system_profiler` once.
//!
//! The wgpu back end reaches Metal too, has none of these limits, and is the one to choose where there is a choice.

#[cfg(all(feature = "metal", target_os = "macos"))]
mod context;
#[cfg(all(feature = "metal", target_os = "macos"))]
mod launch;
mod source;

#[cfg(all(feature = "metal", target_os = "macos"))]
pub(crate) use context::{adapter, open};
