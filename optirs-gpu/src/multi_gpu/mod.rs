//! Gradients of data-parallel training, averaged on a device.
//!
//! * The mean is of kernels that are generated as those of rules are: [`shaders::CollectiveKernel`](crate::shaders::CollectiveKernel)
//!   has their text. No strategy, number of chunks or device changes a bit of it, but that a GPU may flush subnormal numbers.
//! * There is one device: of one rank, or of several replicas that are trained on it. A configuration of more is refused,
//!   and so is a context that cannot run kernels.
//! * A call that returns an error has changed neither gradients nor residual.
//!
//! ```
//! use optirs_gpu::Device;
//! use optirs_gpu::multi_gpu::{MultiGpuConfig, MultiGpuSync, SyncStrategy};
//! use optirs_gpu::ndarray::array;
//!
//! let config = MultiGpuConfig { sync_strategy: SyncStrategy::PipelineParallel, ..MultiGpuConfig::default() };
//! let mut sync = MultiGpuSync::new(Device::cpu(), config, 1 << 20)?; // or Device::new()? for a GPU
//! let mut replicas = [array![1.0f32, -2.0, 3.0], array![3.0, -4.0, 3.0]];
//! sync.all_reduce_mean(&mut replicas)?;
//! assert_eq!(replicas, [array![2.0, -3.0, 3.0], array![2.0, -3.0, 3.0]]);
//!
//! // A third of the elements, the largest; what is not sent is sent later.
//! let config = MultiGpuConfig { gradient_compression: true, compression_ratio: 0.34, ..MultiGpuConfig::default() };
//! let mut sync = MultiGpuSync::new(Device::cpu(), config, 3)?;
//! let (values, indices) = sync.compress_gradients(&array![1.0f32, -5.0, 4.0])?;
//! assert_eq!((values, indices), (vec![-5.0], vec![1]));
//! let (values, indices) = sync.compress_gradients(&array![1.0f32, 0.0, 4.0])?;
//! assert_eq!((values, indices), (vec![8.0], vec![2]));
//! assert_eq!(sync.residual(), [2.0, 0.0, 0.0]);
//! # Ok::<(), optirs_gpu::GpuOptimError>(())
//! ```

mod compression;
mod config;
mod context;
mod elements;
mod performance;
mod reduction;
#[cfg(test)]
mod tests;

use core::any::TypeId;
use core::marker::PhantomData;
use core::time::Duration;
use std::time::Instant;

use compression::{Compressed, kept_of, top_k};
use config::at_least_one;
pub use config::{MultiGpuConfig, SyncStrategy};
pub use context::{MultiGpuSetup, SyncContext};
use elements::{cast, fill, not_served, reals};
pub use performance::{AdaptiveCommunicationSelector, CommunicationPerformanceMonitor, CommunicationPerformanceStats};
use reduction::Reduction;
use scirs2_core::gpu::GpuDataType;
use scirs2_core::ndarray::{ArrayBase, Data, DataMut, Dimension};
use scirs2_core::numeric::Float;

use crate::{Device, GpuOptimError};

/// Synchronizes the gradients of one rank, or of the replicas on one device. Elements are f32: of another type,
/// [`MultiGpuSync::new`] is an error.
///
/// It keeps memory on the device for the latest number of elements, twice: gradients that come one tensor at a time are
/// served faster as one flat array, or by one `MultiGpuSync` each.
#[derive(Debug)]
pub struct MultiGpuSync<A: Float + GpuDataType> {
    device: Device,
    config: MultiGpuConfig,
    max_param_size: usize,
    reduction: Option<Reduction>,
    /// What compression has not sent yet; empty where there is none.
    residual: Vec<f32>,
    monitor: CommunicationPerformanceMonitor,
    selector: AdaptiveCommunicationSelector,
    step_count: usize,
    element: PhantomData<A>,
}

impl<A: Float + GpuDataType + Send + Sync> MultiGpuSync<A> {
    /// On a [`Device`], or on the device of a scirs2 `Arc<GpuContext>`; for gradients of at most so many elements.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] as [`MultiGpuConfig::validate`], and for a `max_param_size` of 0;
    /// [`GpuOptimError::UnsupportedOperation`] for more than one GPU, asynchronous updates, elements other than f32, and a
    /// context that cannot run kernels; what opening the device says.
    pub fn new(
        context: impl SyncContext,
        config: MultiGpuConfig,
        max_param_size: usize,
    ) -> Result<Self, GpuOptimError> {
        config.validate()?;
        at_least_one("max_param_size", max_param_size as u64)?;
        config.check_supported()?;
        if TypeId::of::<A>() != TypeId::of::<f32>() {
            return Err(not_served::<A>());
        }
        Ok(Self {
            device: context.into_device(Duration::from_millis(config.communication_timeout_ms))?,
            max_param_size,
            reduction: None,
            residual: Vec::new(),
            monitor: CommunicationPerformanceMonitor::new(config.bandwidth_monitor_interval),
            selector: AdaptiveCommunicationSelector::new(&config),
            step_count: 0,
            element: PhantomData,
            config,
        })
    }

    /// Replaces the gradients of this rank by the mean over all ranks, of which there is one: what comes back from the
    /// kernel is what went in or, with [`MultiGpuConfig::gradient_compression`], what of it is sent. Empty gradients are
    /// left alone.
    ///
    /// # Errors
    /// [`GpuOptimError::DimensionMismatch`] for more elements than `max_param_size`; [`GpuOptimError::Timeout`] after
    /// [`MultiGpuConfig::communication_timeout_ms`]; [`GpuOptimError::InvalidState`] as
    /// [`MultiGpuSync::compress_gradients`]; what the device says.
    pub fn sync_gradients<S, D>(&mut self, gradients: &mut ArrayBase<S, D>) -> Result<(), GpuOptimError>
    where
        S: DataMut<Elem = A>,
        D: Dimension,
    {
        if !self.config.gradient_compression {
            return self.all_reduce_mean(core::slice::from_mut(gradients));
        }
        if gradients.is_empty() {
            return Ok(());
        }
        let compressed = self.compressed(gradients)?;
        let mean = self.mean(&[compressed.decompressed()])?;
        self.keep_residual(compressed.residual);
        self.step_count += 1;
        fill(gradients, mean)
    }

    /// Replaces the gradients of every replica of a model on this device by their mean: `Σ_r g_r · (1 / replicas)`, in f32
    /// and in the order of the replicas, as NCCL's `ncclAvg` multiplies before it adds. Nothing is compressed.
    ///
    /// # Errors
    /// As [`MultiGpuSync::sync_gradients`]; [`GpuOptimError::DimensionMismatch`] where shapes differ.
    pub fn all_reduce_mean<S, D>(&mut self, replicas: &mut [ArrayBase<S, D>]) -> Result<(), GpuOptimError>
    where
        S: DataMut<Elem = A>,
        D: Dimension,
    {
        if let Some((first, others)) = replicas.split_first() {
            self.check_len(first.len())?;
            if let Some(other) = others.iter().find(|other| other.shape() != first.shape()) {
                let (expected, actual) = (first.shape().to_vec(), other.shape().to_vec());
                return Err(GpuOptimError::DimensionMismatch { expected, actual });
            }
            let ranks = replicas.iter().map(reals).collect::<Result<Vec<_>, _>>()?;
            let mean = self.mean(&ranks)?;
            replicas.iter_mut().try_for_each(|replica| fill(replica, mean.clone()))?;
        }
        self.step_count += 1;
        Ok(())
    }

    /// What has been done so far.
    pub fn get_performance_stats(&self) -> CommunicationPerformanceStats {
        CommunicationPerformanceStats {
            average_bandwidth_gb_s: self.monitor.bandwidth_gb_s(),
            total_operations: self.monitor.operations(),
            total_data_transferred_gb: self.monitor.gigabytes(),
            current_strategy: self.selector.current(),
            pending_async_ops: 0,
            step_count: self.step_count,
        }
    }

    /// Waits until all work on the device is done.
    ///
    /// # Errors
    /// [`GpuOptimError::Timeout`]; [`GpuOptimError::DeviceLost`].
    pub fn synchronize_all(&mut self) -> Result<(), GpuOptimError> {
        self.device.wait()
    }

    /// The elements of largest magnitude among gradients plus residual, and their places in logical order, ascending:
    /// ⌊[`compression_ratio`](MultiGpuConfig::compression_ratio) · n⌋ of n, at least 1. NaN is larger than infinity, and of
    /// equal magnitudes, +0 and −0 among them, the first are taken. With [`MultiGpuConfig::error_correction`], the others
    /// are the residual from then on.
    ///
    /// # Errors
    /// [`GpuOptimError::DimensionMismatch`] for more elements than `max_param_size`; [`GpuOptimError::InvalidState`] where
    /// the residual is of another number of elements; [`GpuOptimError::LimitExceeded`] beyond the indices of i32.
    pub fn compress_gradients<S, D>(&mut self, gradients: &ArrayBase<S, D>) -> Result<(Vec<A>, Vec<i32>), GpuOptimError>
    where
        S: Data<Elem = A>,
        D: Dimension,
    {
        let compressed = self.compressed(gradients)?;
        let values = cast(compressed.values)?;
        self.keep_residual(compressed.residual);
        Ok((values, compressed.indices))
    }

    /// What compression has not sent yet; empty before the first and without [`MultiGpuConfig::error_correction`].
    pub fn residual(&self) -> &[f32] {
        &self.residual
    }

    /// Forgets what compression has not sent.
    pub fn clear_residual(&mut self) {
        self.residual.clear();
    }

    /// Where the kernels run.
    pub fn device(&self) -> &Device {
        &self.device
    }

    fn check_len(&self, len: usize) -> Result<(), GpuOptimError> {
        if len <= self.max_param_size {
            return Ok(());
        }
        Err(GpuOptimError::DimensionMismatch { expected: vec![self.max_param_size], actual: vec![len] })
    }

    fn compressed<S, D>(&self, gradients: &ArrayBase<S, D>) -> Result<Compressed, GpuOptimError>
    where
        S: Data<Elem = A>,
        D: Dimension,
    {
        self.check_len(gradients.len())?;
        // Nothing is lost with zeros.
        let kept = self.residual.iter().any(|kept| *kept != 0.0).then_some(self.residual.as_slice());
        if let Some(kept) = kept.filter(|kept| kept.len() != gradients.len()) {
            return Err(GpuOptimError::InvalidState(format!(
                "a residual of {} elements is kept, the gradients have {}: use one `MultiGpuSync` for each array, or call \
                 `clear_residual`",
                kept.len(),
                gradients.len()
            )));
        }
        top_k(&reals(gradients)?, kept, kept_of(gradients.len(), self.config.compression_ratio))
    }

    fn keep_residual(&mut self, residual: Vec<f32>) {
        if self.config.error_correction {
            self.residual = residual;
        }
    }

    /// The mean of gradients of the same length, by the next strategy.
    fn mean(&mut self, ranks: &[Vec<f32>]) -> Result<Vec<f32>, GpuOptimError> {
        let len = ranks.first().map_or(0, Vec::len);
        if len == 0 {
            return Ok(Vec::new());
        }
        let chunks = match self.selector.next() {
            SyncStrategy::RingAllReduce | SyncStrategy::TreeAllReduce | SyncStrategy::HierarchicalAllReduce => 1,
            SyncStrategy::PipelineParallel => self.config.pipeline_depth,
        };
        let reduction = match self.reduction.take().filter(|reduction| reduction.is_for(len, chunks)) {
            Some(reduction) => self.reduction.insert(reduction),
            None => self.reduction.insert(Reduction::new(&self.device, len, chunks)?),
        };
        let begun = Instant::now();
        let mean = reduction.mean(ranks)?;
        let time = begun.elapsed();
        let limit = Duration::from_millis(self.config.communication_timeout_ms);
        if time > limit {
            return Err(GpuOptimError::Timeout { what: "an all-reduce", seconds: limit.as_secs_f64() });
        }
        let bytes = 4 * len as u64 * (ranks.len() as u64 + 1);
        self.monitor.record(bytes, time);
        self.selector.record(bytes, time);
        Ok(mean)
    }
}
