//! Which adapter is taken, and what to say where none is. Plain code over plain data: it opens nothing.

use super::{AdapterInfo, AdapterKind, DeviceConfig};
use crate::GpuOptimError;

/// Chooses an adapter: the first of the best kind among those that are usable and asked for. The others are told why
/// not; those that come with a reason already are unusable and keep it.
pub(crate) fn choose(adapters: &mut [AdapterInfo], config: &DeviceConfig) -> Option<usize> {
    for adapter in adapters.iter_mut().filter(|adapter| adapter.not_taken.is_none()) {
        adapter.not_taken = match &config.adapter {
            Some(part) if !is_named(adapter, part) => Some(format!("its name does not contain `{part}`")),
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

fn is_named(adapter: &AdapterInfo, part: &str) -> bool {
    adapter.name.to_lowercase().contains(&part.to_lowercase())
}

/// What to say when none is taken: each adapter with its reason, and what to do about it.
pub(crate) fn none_taken(adapters: &[AdapterInfo], config: &DeviceConfig) -> GpuOptimError {
    let gpus: Vec<&AdapterInfo> = adapters.iter().filter(|adapter| adapter.kind != AdapterKind::Cpu).collect();
    let list = || gpus.iter().map(|gpu| format!("\n  - {gpu}: {}", gpu.not_taken.as_deref().unwrap_or("usable")));
    if let (Some(part), Some(best)) = (&config.adapter, gpus.iter().min_by_key(|gpu| gpu.kind))
        && !gpus.iter().any(|gpu| is_named(gpu, part))
    {
        let variable = DeviceConfig::ADAPTER_VARIABLE;
        return GpuOptimError::NoAdapter(format!(
            "none of {} has a name that contains `{part}`{}\nAsk for one by a part of its name, in any case: \
             {variable}={} or `DeviceConfig::adapter`; leave the name out to take the best GPU; or run on the CPU with \
             `Device::cpu()`",
            gpus.len(),
            list().collect::<String>(),
            word(best),
        ));
    }
    let mut text = match gpus.len() {
        0 => format!("none was found through {}", interfaces()),
        count => format!("none of {count} is taken"),
    };
    text.extend(list());
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
    if let Some(software) = gpus.iter().find(|adapter| adapter.kind == AdapterKind::Software) {
        text += &format!(", choose the software adapter with {}={}", DeviceConfig::ADAPTER_VARIABLE, word(software));
    }
    text += ", or run on the CPU with `Device::cpu()`";
    GpuOptimError::NoAdapter(text)
}

/// A word that names an adapter.
fn word(adapter: &AdapterInfo) -> &str {
    adapter.name.split([' ', '(']).next().unwrap_or_default()
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
        assert!(text.ends_with(", or run on the CPU with `Device::cpu()`"));
    }

    #[test]
    fn a_name_that_no_adapter_has_is_answered_with_those_that_there_are() {
        let mut adapters = machine();
        adapters.remove(3);
        assert_eq!(choose(&mut adapters, &named("A100")), None);
        let text = none_taken(&adapters, &named("A100")).to_string();
        assert_eq!(
            text,
            "no usable GPU adapter: none of 3 has a name that contains `A100`\n  - `llvmpipe (LLVM 15.0.6, 256 bits)` \
             (Vulkan, software): its name does not contain `A100`\n  - `Intel(R) Graphics` (Vulkan, integrated): its \
             name does not contain `A100`\n  - `NVIDIA H200` (Vulkan, discrete): its name does not contain `A100`\nAsk \
             for one by a part of its name, in any case: OPTIRS_ADAPTER=NVIDIA or `DeviceConfig::adapter`; leave the \
             name out to take the best GPU; or run on the CPU with `Device::cpu()`"
        );
    }
}
