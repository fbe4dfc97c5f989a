//! The adapters of a machine, as a user sees them.

use core::fmt;

use super::config::DeviceLimits;

/// An adapter: something that a [`Device`](crate::Device) can be opened on, or why it cannot.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AdapterInfo {
    /// Its name, as the driver gives it.
    pub name: String,
    /// The interface that it is reached through: `Vulkan`, `Metal`, `DX12`, `CPU`.
    pub interface: &'static str,
    /// What it is.
    pub kind: AdapterKind,
    /// The driver's name and version; empty where it does not say.
    pub driver: String,
    /// Bytes of memory that are its own, where they are known.
    pub memory: Option<u64>,
    /// What it can do in one piece, where it is known without opening it.
    pub limits: Option<DeviceLimits>,
    /// Why it is not the one that is taken; none on the one that is.
    pub not_taken: Option<String>,
}

/// What an adapter is, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the memory of the host.
    Integrated,
    /// A GPU, or part of one, lent by a virtual machine's host.
    Virtual,
    /// A GPU that does not say what it is.
    Other,
    /// A driver that runs shaders on the CPU: llvmpipe, SwiftShader, WARP. For tests, not for speed.
    Software,
    /// The CPU back end of this crate: no shaders, generated Rust.
    Cpu,
}

impl fmt::Display for AdapterKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            AdapterKind::Discrete => "discrete",
            AdapterKind::Integrated => "integrated",
            AdapterKind::Virtual => "virtual",
            AdapterKind::Other => "other",
            AdapterKind::Software => "software",
            AdapterKind::Cpu => "CPU",
        })
    }
}

impl fmt::Display for AdapterInfo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            AdapterKind::Cpu => formatter.write_str(&self.name),
            kind => write!(formatter, "`{}` ({}, {kind})", self.name, self.interface),
        }
    }
}

impl AdapterInfo {
    /// The CPU back end. It is listed, so that a reader of the list knows of it, and never taken unasked.
    pub(crate) fn cpu() -> Self {
        Self {
            name: "CPU".to_owned(),
            interface: "CPU",
            kind: AdapterKind::Cpu,
            driver: String::new(),
            memory: None,
            limits: None,
            not_taken: Some("taken only by `Device::cpu()`".to_owned()),
        }
    }
}
