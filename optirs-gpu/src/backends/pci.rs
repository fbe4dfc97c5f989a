//! GPUs on the PCI bus, as Linux lists them in sysfs: a folder per device with its vendor, class and number in hexadecimal.

use std::fs;
use std::path::Path;

use super::{BackendError, GpuBackend};

/// A maker of GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GpuVendor {
    /// PCI vendor 10de.
    Nvidia,
    /// PCI vendor 1002.
    Amd,
    /// PCI vendor 8086.
    Intel,
}

impl GpuVendor {
    /// By the number that the [PCI ID repository](https://pci-ids.ucw.cz) gives to a vendor.
    #[must_use]
    pub const fn from_pci_id(vendor: u32) -> Option<Self> {
        match vendor {
            0x10de => Some(Self::Nvidia),
            0x1002 => Some(Self::Amd),
            0x8086 => Some(Self::Intel),
            _ => None,
        }
    }

    /// The vendor's own interface; for Intel, which has none in [`GpuBackend`], wgpu.
    #[must_use]
    pub const fn backend(self) -> GpuBackend {
        match self {
            Self::Nvidia => GpuBackend::Cuda,
            Self::Amd => GpuBackend::Rocm,
            Self::Intel => GpuBackend::Wgpu,
        }
    }
}

/// A GPU on the PCI bus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PciGpu {
    /// Its place on the bus, `0000:65:00.0`.
    pub address: String,
    /// Who made it.
    pub vendor: GpuVendor,
    /// Which of the vendor's devices it is.
    pub device: u32,
}

/// The GPUs in a folder of the form of `/sys/bus/pci/devices`, in the order of their addresses. Displays of other makers,
/// as server boards and virtual machines have them, are no GPUs to compute on and are left out.
///
/// # Errors
/// [`BackendError::InitializationFailed`] names the folder or file that cannot be read or is no hexadecimal number.
pub fn gpus_in(devices: &Path) -> Result<Vec<PciGpu>, BackendError> {
    let mut gpus = Vec::new();
    for entry in fs::read_dir(devices).map_err(|error| failed(devices, &error))? {
        let folder = entry.map_err(|error| failed(devices, &error))?.path();
        let Some(vendor) = GpuVendor::from_pci_id(number(&folder.join("vendor"))?) else { continue };
        if is_gpu(vendor, number(&folder.join("class"))?) {
            let address = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            gpus.push(PciGpu { address, vendor, device: number(&folder.join("device"))? });
        }
    }
    gpus.sort_by(|a, b| a.address.cmp(&b.address));
    Ok(gpus)
}

/// By the class code, `0xBBSSPP`: base class 03 is a display controller. AMD's Instinct cards without a display are
/// processing accelerators, 1200; what Intel has there are neural processors.
fn is_gpu(vendor: GpuVendor, class: u32) -> bool {
    class >> 16 == 0x03 || (vendor == GpuVendor::Amd && class >> 8 == 0x1200)
}

fn number(file: &Path) -> Result<u32, BackendError> {
    let text = fs::read_to_string(file).map_err(|error| failed(file, &error))?;
    let digits = text.trim().strip_prefix("0x");
    digits
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .ok_or_else(|| failed(file, &format!("`{}` is no hexadecimal number", text.trim())))
}

fn failed(path: &Path, problem: &dyn core::fmt::Display) -> BackendError {
    BackendError::InitializationFailed { reason: format!("{}: {problem}", path.display()) }
}
