//! How much memory the host has. Linux grants memory that it does not have and ends the process that writes to it, so
//! large buffers are held against what there is. Elsewhere the allocator's word is taken.

use crate::GpuOptimError;

/// From this many bytes on it is worth asking how many are free.
const LARGE: u64 = 64 << 20;

/// Bytes of memory and swap that this process may have in all.
pub(super) fn of_machine() -> u64 {
    let of_group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    let of_host = read("/proc/meminfo").and_then(|text| sum(&text, ["MemTotal:", "SwapTotal:"]));
    of_group.into_iter().chain(of_host).min().unwrap_or(u64::MAX)
}

/// Refuses a large buffer that the host has no free memory for now.
pub(super) fn check_free(label: &str, bytes: u64) -> Result<(), GpuOptimError> {
    if bytes < LARGE {
        return Ok(());
    }
    match read("/proc/meminfo").and_then(|text| sum(&text, ["MemAvailable:", "SwapFree:"])) {
        Some(free) if bytes > free => Err(GpuOptimError::OutOfMemory(format!(
            "buffer `{label}` of {bytes} bytes: the host has {free} bytes free"
        ))),
        _ => Ok(()),
    }
}

/// Whether there are files that say it. Miri, which stands for no system, shall not read those of its host.
const TOLD: bool = cfg!(all(target_os = "linux", not(miri)));

/// The text of a file that Linux has, and other systems have not.
fn read(path: &str) -> Option<String> {
    if TOLD { std::fs::read_to_string(path).ok() } else { None }
}

/// The sum of two lines of `/proc/meminfo`, which are in KiB, in bytes; none if one is missing.
fn sum(text: &str, names: [&str; 2]) -> Option<u64> {
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let [first, second] = names.map(value);
    first?.checked_add(second?)?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "MemTotal:       24683652 kB\nMemAvailable:   20838816 kB\nSwapTotal:          1024 kB\n";

    #[test]
    fn lines_are_added_in_bytes() {
        assert_eq!(sum(TEXT, ["MemTotal:", "SwapTotal:"]), Some((24_683_652 + 1024) << 10));
        assert_eq!(sum(TEXT, ["MemAvailable:", "SwapFree:"]), None);
        assert_eq!(sum("MemTotal: many kB\nSwapTotal: 0 kB", ["MemTotal:", "SwapTotal:"]), None);
    }

    #[test]
    fn more_than_is_free_is_refused_with_both_numbers_and_what_is_small_is_not_asked_for() {
        if !TOLD {
            assert_eq!(of_machine(), u64::MAX);
            return;
        }
        assert!((LARGE..u64::MAX).contains(&of_machine()));
        check_free("states", LARGE).unwrap();
        let error = check_free("states", 1 << 60).unwrap_err().to_string();
        assert!(
            error.starts_with("out of memory: buffer `states` of 1152921504606846976 bytes: the host has "),
            "{error}"
        );
    }
}
