//! What a synchronization is asked for. Every field is honoured, or refused with the reason.

use crate::GpuOptimError;
use crate::rule::check;

/// How an all-reduce travels between devices. On one device nothing travels: all strategies give the mean of the same
/// kernel, bit for bit, and differ only in how many pieces go through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncStrategy {
    /// Around a ring, in as many pieces as there are devices. On one device: one dispatch over all elements.
    RingAllReduce,
    /// Up a binary tree and down again. On one device, which is its root: one dispatch over all elements.
    TreeAllReduce,
    /// Within groups of [`MultiGpuConfig::local_group_size`], then between them. On one device, a group of its own: one
    /// dispatch over all elements.
    HierarchicalAllReduce,
    /// In [`MultiGpuConfig::pipeline_depth`] chunks, so that the upload of one overlaps with the kernel over the one
    /// before. On one device: one dispatch a chunk, none of which is waited for, and one wait for all.
    PipelineParallel,
}

/// The configuration of a [`MultiGpuSync`](super::MultiGpuSync).
#[derive(Debug, Clone)]
pub struct MultiGpuConfig {
    /// Devices, at least 1. More than one is refused by [`MultiGpuSync::new`](super::MultiGpuSync::new).
    pub num_gpus: usize,
    /// Which of them this is: below `num_gpus`.
    pub rank: usize,
    /// The strategy that is begun with, and stayed with unless `adaptive_communication` finds another one faster.
    pub sync_strategy: SyncStrategy,
    /// Whether [`MultiGpuSync::sync_gradients`](super::MultiGpuSync::sync_gradients) takes only the largest elements,
    /// as [`MultiGpuSync::compress_gradients`](super::MultiGpuSync::compress_gradients) does; the others are 0 then.
    pub gradient_compression: bool,
    /// The part of the elements that compression keeps: above 0, at most 1.
    pub compression_ratio: f32,
    /// Devices in a group of [`SyncStrategy::HierarchicalAllReduce`], at least 1. One device is one group whatever it is.
    pub local_group_size: usize,
    /// Whether each interval of `bandwidth_monitor_interval` operations ends with a trial of the other route (in chunks, or
    /// in one piece), to go on with it where it is faster by a tenth. Results do not depend on it.
    pub adaptive_communication: bool,
    /// Operations that the average of the bandwidth looks back, and between two trials: at least 1.
    pub bandwidth_monitor_interval: usize,
    /// Refused by [`MultiGpuSync::new`](super::MultiGpuSync::new): gradients are in the caller's array when a call
    /// returns, so nothing can be on its way after it.
    pub async_param_updates: bool,
    /// The longest that an all-reduce may take, in milliseconds, at least 1: one that took longer is an error, and leaves
    /// the gradients as they were. A device that does not answer is given up after its own
    /// [`DeviceConfig::timeout`](crate::DeviceConfig::timeout), which is this one where the device is opened for a context.
    pub communication_timeout_ms: u64,
    /// Whether compression keeps what it does not send, and adds it to the next gradients (error feedback).
    pub error_correction: bool,
    /// Chunks of [`SyncStrategy::PipelineParallel`], in 1 ..= 1024; fewer where there are fewer elements.
    pub pipeline_depth: usize,
}

impl Default for MultiGpuConfig {
    fn default() -> Self {
        Self {
            num_gpus: 1,
            rank: 0,
            sync_strategy: SyncStrategy::RingAllReduce,
            gradient_compression: false,
            compression_ratio: 0.1,
            local_group_size: 4,
            adaptive_communication: true,
            bandwidth_monitor_interval: 100,
            async_param_updates: false,
            communication_timeout_ms: 5000,
            error_correction: true,
            pipeline_depth: 2,
        }
    }
}

impl MultiGpuConfig {
    /// Checks every field that has a range.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] names the field, its value and its range.
    pub fn validate(&self) -> Result<(), GpuOptimError> {
        at_least_one("num_gpus", self.num_gpus as u64)?;
        if self.rank >= self.num_gpus {
            let (field, value, range) = ("rank", self.rank as f64, "..num_gpus");
            return Err(GpuOptimError::OutOfRange { field, value, range });
        }
        check::real("compression_ratio", self.compression_ratio, ..=1.0, "0.0..=1.0, and above 0")?;
        if self.compression_ratio <= 0.0 {
            let (value, range) = (f64::from(self.compression_ratio), "0.0..=1.0, and above 0");
            return Err(GpuOptimError::OutOfRange { field: "compression_ratio", value, range });
        }
        at_least_one("local_group_size", self.local_group_size as u64)?;
        at_least_one("bandwidth_monitor_interval", self.bandwidth_monitor_interval as u64)?;
        at_least_one("communication_timeout_ms", self.communication_timeout_ms)?;
        if !(1..=1024).contains(&self.pipeline_depth) {
            let (field, value, range) = ("pipeline_depth", self.pipeline_depth as f64, "1..=1024");
            return Err(GpuOptimError::OutOfRange { field, value, range });
        }
        Ok(())
    }

    /// Refuses what cannot be done on one device.
    pub(super) fn check_supported(&self) -> Result<(), GpuOptimError> {
        if self.num_gpus > 1 {
            return Err(GpuOptimError::UnsupportedOperation(format!(
                "num_gpus = {}: gradients are synchronized on one device only; for more, reduce them with a library of \
                 collectives (NCCL, RCCL, MPI) and step the result",
                self.num_gpus
            )));
        }
        if self.async_param_updates {
            return Err(GpuOptimError::UnsupportedOperation(
                "async_param_updates: gradients are in the caller's array when `sync_gradients` returns, so nothing can \
                 be on its way after it; set it to false"
                    .to_owned(),
            ));
        }
        Ok(())
    }
}

pub(super) fn at_least_one(field: &'static str, value: u64) -> Result<(), GpuOptimError> {
    if value == 0 { Err(GpuOptimError::OutOfRange { field, value: 0.0, range: "1.." }) } else { Ok(()) }
}
