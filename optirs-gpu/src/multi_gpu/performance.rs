//! Measured bandwidth, and the choice of a strategy by it. No number here is infinite or NaN: an operation that took no
//! measurable time is counted, and no bandwidth is made of it.

use core::time::Duration;
use std::collections::VecDeque;

use super::{MultiGpuConfig, SyncStrategy};

/// What a [`MultiGpuSync`](super::MultiGpuSync) has done so far. Bytes are those that went to the device and came back,
/// in units of 10⁹.
#[derive(Debug, Clone)]
pub struct CommunicationPerformanceStats {
    /// Bytes over seconds, of the latest [`MultiGpuConfig::bandwidth_monitor_interval`] operations: transfers and kernels
    /// together. 0 before the first.
    pub average_bandwidth_gb_s: f64,
    /// All-reduces that were done.
    pub total_operations: usize,
    /// What all of them moved.
    pub total_data_transferred_gb: f64,
    /// The strategy in use; trials of [`MultiGpuConfig::adaptive_communication`] do not show.
    pub current_strategy: SyncStrategy,
    /// Always 0: a call returns when its work is done.
    pub pending_async_ops: usize,
    /// Calls that synchronized gradients, those of empty ones among them.
    pub step_count: usize,
}

/// Counts operations and measures their bandwidth over a window of the latest ones.
#[derive(Debug, Clone)]
pub struct CommunicationPerformanceMonitor {
    window: usize,
    /// Bytes and times of the latest operations.
    latest: VecDeque<(u64, Duration)>,
    operations: usize,
    bytes: u128,
}

impl CommunicationPerformanceMonitor {
    /// One that looks back so many operations.
    pub(super) fn new(window: usize) -> Self {
        Self { window, latest: VecDeque::new(), operations: 0, bytes: 0 }
    }

    /// Takes in an operation.
    pub(super) fn record(&mut self, bytes: u64, time: Duration) {
        if self.latest.len() >= self.window {
            self.latest.pop_front();
        }
        self.latest.push_back((bytes, time));
        self.operations += 1;
        self.bytes += u128::from(bytes);
    }

    /// Operations so far.
    pub fn operations(&self) -> usize {
        self.operations
    }

    /// 10⁹ bytes that were moved so far.
    pub fn gigabytes(&self) -> f64 {
        self.bytes as f64 / 1e9
    }

    /// 10⁹ bytes per second over the window; 0 where there is nothing to measure.
    pub fn bandwidth_gb_s(&self) -> f64 {
        let bytes: u128 = self.latest.iter().map(|(bytes, _)| u128::from(*bytes)).sum();
        let seconds: f64 = self.latest.iter().map(|(_, time)| time.as_secs_f64()).sum();
        bandwidth(bytes as f64, seconds).unwrap_or(0.0)
    }
}

/// How much faster a trial must be for its strategy to be taken: differences below are noise.
const CLEARLY: f64 = 1.1;

/// Chooses the strategy of the next operation: the configured one or, where each interval's trial is clearly faster, the
/// other route. On one device there are two: in one piece (ring, tree, hierarchical), and in chunks (pipeline).
#[derive(Debug)]
pub struct AdaptiveCommunicationSelector {
    configured: SyncStrategy,
    current: SyncStrategy,
    /// Operations between decisions; none where it does not adapt.
    interval: Option<usize>,
    /// Operations of this interval, and their bytes and seconds.
    done: usize,
    bytes: f64,
    seconds: f64,
}

impl AdaptiveCommunicationSelector {
    /// One that begins with the configured strategy.
    pub(super) fn new(config: &MultiGpuConfig) -> Self {
        // An interval of one operation would be all trial.
        let interval = config.adaptive_communication.then_some(config.bandwidth_monitor_interval.max(2));
        let configured = config.sync_strategy;
        Self { configured, current: configured, interval, done: 0, bytes: 0.0, seconds: 0.0 }
    }

    /// The strategy in use.
    pub fn current(&self) -> SyncStrategy {
        self.current
    }

    /// The strategy of the next operation: the one in use, or the other one where it is tried.
    pub fn next(&self) -> SyncStrategy {
        if self.is_trial() { self.other() } else { self.current }
    }

    /// Takes in the operation that ran with [`AdaptiveCommunicationSelector::next`].
    pub(super) fn record(&mut self, bytes: u64, time: Duration) {
        let (bytes, seconds) = (bytes as f64, time.as_secs_f64());
        if !self.is_trial() {
            (self.done, self.bytes, self.seconds) = (self.done + 1, self.bytes + bytes, self.seconds + seconds);
            return;
        }
        let (usual, tried) = (bandwidth(self.bytes, self.seconds), bandwidth(bytes, seconds));
        if usual.zip(tried).is_some_and(|(usual, tried)| tried > CLEARLY * usual) {
            self.current = self.other();
        }
        (self.done, self.bytes, self.seconds) = (0, 0.0, 0.0);
    }

    fn is_trial(&self) -> bool {
        self.interval.is_some_and(|interval| self.done + 1 >= interval)
    }

    fn other(&self) -> SyncStrategy {
        match (self.current, self.configured) {
            (SyncStrategy::PipelineParallel, SyncStrategy::PipelineParallel) => SyncStrategy::RingAllReduce,
            (SyncStrategy::PipelineParallel, configured) => configured,
            _ => SyncStrategy::PipelineParallel,
        }
    }
}

/// 10⁹ bytes per second, where time has passed.
fn bandwidth(bytes: f64, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| bytes / 1e9 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_without_time_have_no_bandwidth_and_the_window_forgets() {
        let mut monitor = CommunicationPerformanceMonitor::new(2);
        assert_eq!(monitor.bandwidth_gb_s(), 0.0);
        monitor.record(1 << 40, Duration::ZERO);
        assert_eq!(monitor.bandwidth_gb_s(), 0.0);
        monitor.record(2_000_000_000, Duration::from_secs(1));
        monitor.record(6_000_000_000, Duration::from_secs(1));
        assert_eq!((monitor.bandwidth_gb_s(), monitor.operations()), (4.0, 3));
        assert_eq!(monitor.gigabytes(), 8.0 + (1u64 << 40) as f64 / 1e9);
    }

    /// The strategies that run where operations take so many milliseconds in one piece and in chunks.
    fn run(config: &MultiGpuConfig, whole: u64, chunks: u64, operations: usize) -> Vec<SyncStrategy> {
        let mut selector = AdaptiveCommunicationSelector::new(config);
        let mut ran = Vec::new();
        for _ in 0..operations {
            let next = selector.next();
            let millis = if next == SyncStrategy::PipelineParallel { chunks } else { whole };
            selector.record(1000, Duration::from_millis(millis));
            ran.push(next);
        }
        ran
    }

    #[test]
    fn a_strategy_is_left_only_for_one_that_is_clearly_faster() {
        use SyncStrategy::{PipelineParallel as Chunks, RingAllReduce as Ring, TreeAllReduce as Tree};
        let tree = MultiGpuConfig { sync_strategy: Tree, bandwidth_monitor_interval: 3, ..MultiGpuConfig::default() };
        assert_eq!(run(&tree, 100, 50, 8), [Tree, Tree, Chunks, Chunks, Chunks, Tree, Chunks, Chunks]);
        assert_eq!(run(&tree, 100, 95, 6), [Tree, Tree, Chunks, Tree, Tree, Chunks]);
        assert_eq!(run(&tree, 0, 0, 6), [Tree, Tree, Chunks, Tree, Tree, Chunks]);
        let chunks = MultiGpuConfig { sync_strategy: Chunks, ..tree.clone() };
        assert_eq!(run(&chunks, 50, 100, 5), [Chunks, Chunks, Ring, Ring, Ring]);
        let fixed = MultiGpuConfig { adaptive_communication: false, ..tree };
        assert_eq!(run(&fixed, 100, 1, 6), [Tree; 6]);
    }
}
