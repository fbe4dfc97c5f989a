//! The adapters of a machine, and which of them is taken. The choice is plain code over plain data: it opens nothing.

use core::fmt;

use super::config::{DeviceConfig, DeviceLimits};
use crate::GpuOptimError;

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
        write!(formatter, "`{}` ({}, {})", self.name, self.interface, self.kind)
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

/// Chooses an adapter: the first of the best kind among those that are usable and asked for. The others are told why
/// not; those that come with a reason already are unusable and keep it.
pub(crate) fn choose(adapters: &mut [AdapterInfo], config: &DeviceConfig) -> Option<usize> {
    for adapter in adapters.iter_mut().filter(|adapter| adapter.not_taken.is_none()) {
        adapter.not_taken = match &config.adapter {
            Some(part) if !adapter.name.to_lowercase().contains(&part.to_lowercase()) => {
                Some(format!("its name does not contain `{part}`"))
            }
            None if adapter.kind == AdapterKind::Software && !config.allow_software => {
                Some("a software adapter is taken only when it is asked for".to_owned())
            }
            _ => None,
        };
    }
    let fits = |index: &usize| adapters.get(*index).is_some_and(|adapter| adapter.not_taken.is_none());
    let chosen = (0..adapters.len()).filter(fits).min_by_key(|&index| adapters.get(index).map(|it| it.kind))?;
    let name = adapters.get(chosen).map(ToString::to_string).unwrap_or_default();
    for (index, adapter) in adapters.iter_mut().enumerate() {
        if index != chosen && adapter.not_taken.is_none() {
            adapter.not_taken = Some(format!("{name} comes first"));
        }
    }
    Some(chosen)
}

/// What to say when none is taken: each adapter with its reason, and what to do about it.
pub(crate) fn none_taken(adapters: &[AdapterInfo], config: &DeviceConfig) -> GpuOptimError {
    let gpus = adapters.iter().filter(|adapter| adapter.kind != AdapterKind::Cpu);
    let mut text = match gpus.clone().count() {
        0 => format!("none was found through {}", interfaces()),
        count => format!("none of {count} is taken"),
    };
    for adapter in gpus.clone() {
        text += &format!("\n  - {adapter}: {}", adapter.not_taken.as_deref().unwrap_or("usable"));
    }
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        if let Some(files) = std::env::var_os(variable) {
            text += &format!("\n{variable} is `{}`: Vulkan looks for drivers nowhere else", files.display());
        }
    }
    text += "\nInstall the driver of your GPU";
    if cfg!(target_os = "linux") {
        text += " (Debian: `apt-get install mesa-vulkan-drivers libvulkan1` for AMD, Intel and software; NVIDIA's own \
                 driver for NVIDIA)";
    }
    if let Some(software) = gpus.clone().find(|adapter| adapter.kind == AdapterKind::Software) {
        let word = software.name.split([' ', '(']).next().unwrap_or_default();
        text += &format!(", choose the software adapter with {}={word}", DeviceConfig::ADAPTER_VARIABLE);
    } else if config.adapter.is_some() {
        text += ", choose another name";
    }
    text += ", or run on the CPU with `Device::cpu()`";
    GpuOptimError::NoAdapter(text)
}

/// The interfaces that are looked at; never OpenGL, whose storage buffers do not suffice.
fn interfaces() -> &'static str {
    if cfg!(windows) {
        "Vulkan or DX12"
    } else if cfg!(target_vendor = "apple") {
        "Metal"
    } else {
        "Vulkan"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(name: &str, kind: AdapterKind) -> AdapterInfo {
        AdapterInfo { name: name.to_owned(), interface: "Vulkan", kind, not_taken: None, ..AdapterInfo::cpu() }
    }

    fn machine() -> Vec<AdapterInfo> {
        vec![
            adapter("llvmpipe (LLVM 15.0.6, 256 bits)", AdapterKind::Software),
            adapter("Intel(R) Graphics", AdapterKind::Integrated),
            adapter("NVIDIA H200", AdapterKind::Discrete),
            adapter("NVIDIA H200", AdapterKind::Discrete),
            AdapterInfo::cpu(),
        ]
    }

    fn named(name: &str) -> DeviceConfig {
        DeviceConfig { adapter: Some(name.to_owned()), ..DeviceConfig::default() }
    }

    #[test]
    fn discrete_comes_before_integrated_and_the_first_of_equals_is_taken() {
        let mut adapters = machine();
        assert_eq!(choose(&mut adapters, &DeviceConfig::default()), Some(2));
        assert_eq!(adapters[2].not_taken, None);
        assert_eq!(adapters[1].not_taken.as_deref(), Some("`NVIDIA H200` (Vulkan, discrete) comes first"));
        assert_eq!(adapters[3].not_taken, adapters[1].not_taken);
        assert_eq!(adapters[0].not_taken.as_deref(), Some("a software adapter is taken only when it is asked for"));
    }

    #[test]
    fn a_name_asks_for_software_in_any_case() {
        let mut adapters = machine();
        assert_eq!(choose(&mut adapters, &named("LLVMpipe")), Some(0));
        assert_eq!(adapters[2].not_taken.as_deref(), Some("its name does not contain `LLVMpipe`"));
    }

    #[test]
    fn software_will_do_only_after_every_gpu() {
        let config = DeviceConfig { allow_software: true, ..DeviceConfig::default() };
        assert_eq!(choose(&mut machine(), &config), Some(2));
        let mut only_software = vec![machine().swap_remove(0)];
        assert_eq!(choose(&mut only_software.clone(), &DeviceConfig::default()), None);
        assert_eq!(choose(&mut only_software, &config), Some(0));
    }

    #[test]
    fn an_unusable_adapter_keeps_its_reason() {
        let mut adapters = machine();
        adapters[2].not_taken = Some("it binds 4 storage buffers, 8 are needed".to_owned());
        assert_eq!(choose(&mut adapters, &DeviceConfig::default()), Some(3));
        assert_eq!(adapters[2].not_taken.as_deref(), Some("it binds 4 storage buffers, 8 are needed"));
    }

    #[test]
    fn the_error_lists_what_was_seen_and_what_to_do() {
        let mut adapters = vec![machine().swap_remove(0), AdapterInfo::cpu()];
        assert_eq!(choose(&mut adapters, &DeviceConfig::default()), None);
        let text = none_taken(&adapters, &DeviceConfig::default()).to_string();
        assert!(text.starts_with(
            "no usable GPU adapter: none of 1 is taken\n  - `llvmpipe (LLVM 15.0.6, 256 bits)` (Vulkan, software): a \
             software adapter is taken only when it is asked for\n"
        ));
        assert!(text.ends_with(
            ", choose the software adapter with OPTIRS_ADAPTER=llvmpipe, or run on the CPU with `Device::cpu()`"
        ));
    }

    #[test]
    fn the_error_says_when_nothing_was_seen() {
        let text = none_taken(&[AdapterInfo::cpu()], &named("h200")).to_string();
        assert!(text.starts_with("no usable GPU adapter: none was found through "));
        assert!(text.ends_with(", choose another name, or run on the CPU with `Device::cpu()`"));
    }
}
