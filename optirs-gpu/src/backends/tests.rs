//! Trees as sysfs has them, and launches over any number of elements.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::{
    BackendError, GRID_LIMIT_CUDA, GRID_LIMIT_WGPU, GpuBackend, GpuVendor, LaunchConfig, backends_of,
    detected_backends, gpus_in,
};

/// A device: address, vendor, device, class.
type Entry = (&'static str, &'static str, &'static str, &'static str);

const BRIDGE: Entry = ("0000:00:00.0", "0x8086", "0x29c0", "0x060000");
const BOARD_DISPLAY: Entry = ("0000:03:00.0", "0x1a03", "0x2000", "0x030000");
const NETWORK_NVIDIA: Entry = ("0000:17:00.0", "0x10de", "0x1af1", "0x068000");
const AUDIO_NVIDIA: Entry = ("0000:65:00.1", "0x10de", "0x10ef", "0x040300");
const H200: Entry = ("0000:65:00.0", "0x10de", "0x2335", "0x030200");
const RADEON: Entry = ("0000:2d:00.0", "0x1002", "0x744c", "0x030000");
const INSTINCT: Entry = ("0001:05:00.0", "0x1002", "0x74a1", "0x120000");
const ARC: Entry = ("0000:00:02.0", "0x8086", "0x56a0", "0x030000");
const NEURAL_INTEL: Entry = ("0000:00:0b.0", "0x8086", "0x7d1d", "0x120000");

fn tree(entries: &[Entry]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (address, vendor, device, class) in entries {
        let folder = root.path().join(address);
        fs::create_dir(&folder).unwrap();
        for (file, value) in [("vendor", vendor), ("device", device), ("class", class)] {
            fs::write(folder.join(file), format!("{value}\n")).unwrap();
        }
    }
    root
}

fn found(entries: &[Entry]) -> (Vec<GpuVendor>, Vec<GpuBackend>) {
    let gpus = gpus_in(tree(entries).path()).unwrap();
    (gpus.iter().map(|gpu| gpu.vendor).collect(), backends_of(&gpus))
}

fn problem(root: &Path) -> String {
    match gpus_in(root) {
        Err(BackendError::InitializationFailed { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_vendor_is_found_and_nothing_else() {
    assert_eq!(found(&[BRIDGE, H200, AUDIO_NVIDIA]), (vec![GpuVendor::Nvidia], vec![GpuBackend::Cuda]));
    assert_eq!(found(&[RADEON, BRIDGE]), (vec![GpuVendor::Amd], vec![GpuBackend::Rocm]));
    assert_eq!(found(&[INSTINCT]), (vec![GpuVendor::Amd], vec![GpuBackend::Rocm]));
    assert_eq!(found(&[BRIDGE, ARC, NEURAL_INTEL]), (vec![GpuVendor::Intel], vec![GpuBackend::Wgpu]));
    assert_eq!(found(&[BRIDGE, BOARD_DISPLAY, NETWORK_NVIDIA, AUDIO_NVIDIA, NEURAL_INTEL]), (vec![], vec![]));
    assert_eq!(found(&[]), (vec![], vec![]));
}

#[test]
fn several_are_listed_by_address_and_each_back_end_once() {
    let gpus = gpus_in(tree(&[RADEON, H200, INSTINCT, ARC, BOARD_DISPLAY]).path()).unwrap();
    let seen: Vec<_> = gpus.iter().map(|gpu| (gpu.address.as_str(), gpu.vendor, gpu.device)).collect();
    assert_eq!(
        seen,
        [
            ("0000:00:02.0", GpuVendor::Intel, 0x56a0),
            ("0000:2d:00.0", GpuVendor::Amd, 0x744c),
            ("0000:65:00.0", GpuVendor::Nvidia, 0x2335),
            ("0001:05:00.0", GpuVendor::Amd, 0x74a1),
        ]
    );
    assert_eq!(backends_of(&gpus), [GpuBackend::Cuda, GpuBackend::Rocm, GpuBackend::Wgpu]);
}

#[test]
fn what_cannot_be_read_is_an_error_that_names_the_file() {
    assert!(problem(Path::new("/no/such/folder")).starts_with("/no/such/folder: "));
    let root = tree(&[H200]);
    fs::write(root.path().join(H200.0).join("class"), "display\n").unwrap();
    assert!(problem(root.path()).ends_with("0000:65:00.0/class: `display` is no hexadecimal number"));
    fs::remove_file(root.path().join(H200.0).join("class")).unwrap();
    assert!(problem(root.path()).contains("0000:65:00.0/class: "));
}

#[test]
fn this_machine_can_be_asked() {
    let backends = detected_backends().unwrap();
    assert!(!backends.contains(&GpuBackend::Cpu), "a CPU is no GPU");
    assert_eq!(backends.contains(&GpuBackend::Metal), cfg!(target_os = "macos"));
}

#[test]
fn a_launch_that_cannot_be_says_why() {
    let refused = |elements, threads, limit| LaunchConfig::linear(elements, threads, limit).unwrap_err().to_string();
    assert!(refused(0, 256, GRID_LIMIT_CUDA).contains("over 0 elements in blocks of 256"));
    assert!(refused(1, 0, GRID_LIMIT_CUDA).contains("blocks of 0 threads"));
    assert!(refused(1, 1, (0, 1, 1)).contains("rows of at most 0"));
    let most = 65_535 * 65_535;
    assert_eq!(LaunchConfig::linear(most, 1, GRID_LIMIT_WGPU).unwrap().grid_size, (65_535, 65_535, 1));
    assert!(refused(most + 1, 1, GRID_LIMIT_WGPU).contains("4294836226 blocks"));
    assert!(refused(u64::MAX, 1, GRID_LIMIT_CUDA).contains("at most 2147483647 x 65535"));
    let huge = LaunchConfig { block_size: (u32::MAX, u32::MAX, 2), ..LaunchConfig::linear(1, 1, (1, 1, 1)).unwrap() };
    assert_eq!((huge.blocks(), huge.threads_per_block()), (Some(1), None));
}

proptest! {
    #[test]
    fn a_launch_covers_every_element_with_less_than_a_row_to_spare(
        elements in 1u64..1 << 40, threads in 1u32..=1024, width in 1u32..=70_000,
    ) {
        let Ok(launch) = LaunchConfig::linear(elements, threads, (width, u32::MAX, 1)) else {
            prop_assert!(elements.div_ceil(u64::from(threads)).div_ceil(u64::from(width)) > u64::from(u32::MAX));
            return Ok(());
        };
        let (blocks, needed) = (launch.blocks().unwrap(), elements.div_ceil(u64::from(threads)));
        prop_assert_eq!(launch.threads_per_block(), Some(u64::from(threads)));
        prop_assert!(launch.grid_size.0 <= width);
        prop_assert!(needed <= blocks && blocks - needed < u64::from(launch.grid_size.1));
    }
}
