//! That every public type can be sent to other threads and shared with them, asserted at compile time: on each build, for
//! each target, and for every rule that there can be.

use crate::backends::{BackendError, DeviceCapabilities, GpuVendor, LaunchConfig, PciGpu};
use crate::memory::MemoryError;
use crate::memory::allocation::{Arena, Block, Buddy, Mark, Slab, Span};
use crate::memory::management::{
    Access, DefragmentationPlan, EvictionPolicy, Handle, Heap, Move, Placed, PrefetchPattern, Prefetcher, ResidentSet,
};
use crate::memory::vendors::{
    Buffer, BufferSlice, Event, MemoryKind, MemoryPool, MemoryStatistics, Stream, VendorProfile,
};
use crate::multi_gpu::{
    AdaptiveCommunicationSelector, CommunicationPerformanceMonitor, CommunicationPerformanceStats, MultiGpuConfig,
    MultiGpuSetup, MultiGpuSync, SyncStrategy,
};
use crate::quantization::Fp8Overflow;
use crate::rule::cpu::{
    AllArguments, ChunkArguments, CompiledPass, Count, Instructions, Lanes, Max, Min, Sum, TensorArguments,
};
use crate::rule::records::{ChunkRecord, TensorRecord};
use crate::rule::{Binding, Init, Kernel, Mode, Program, Role, RowContext, RowError, Rule, State, Value, Variant};
use crate::shaders::OptimizerKernel;
use crate::tensor_cores::{
    GemmPlan, GemmShape, HardwareUtilizationState, MatrixLayout, MixedPrecisionTrainer, SparseTensorCoreMatrix,
    TensorCoreConfig, TensorCoreOptimizer, TensorCorePrecision,
};
use crate::{
    AdapterInfo, AdapterKind, Clipping, CooGradient, CsrGradient, Device, DeviceConfig, DeviceLimits, DeviceMemory,
    DynamicLossScaler, Fp8Format, FusionGraph, FusionGroup, FusionOp, FusionPlan, FusionPlanner, GpuBackend,
    GpuOptimError, GpuOptimizerConfig, GradientAccumulator, GroupId, IntDtype, KernelResourceUsage, LazyAdamMode,
    LimitsChoice, MixedPrecisionConfig, OccupancyLimiter, OccupancyResult, OneCycle, OpKind, Optimizer, OverflowStats,
    ParamSet, Qat, QatConfig, QatOptimizer, QuantParams, QuantScheme, QuantTarget, RoundingMode, Schedule,
    SmResourceLimits, Snapshot, SparseAdam, SparseAdamConfig, SparseAdamTable, SparseSgd, SparseSgdConfig,
    SparseSgdTable, StepOutcome, WeightAverage, WeightQuantization,
};

const fn shared<T: Send + Sync + 'static>() {}

const fn borrowed<T: Send + Sync>() {}

const _: () = {
    shared::<Device>();
    shared::<DeviceConfig>();
    shared::<DeviceLimits>();
    shared::<DeviceMemory>();
    shared::<LimitsChoice>();
    shared::<AdapterInfo>();
    shared::<AdapterKind>();
    shared::<ParamSet>();
    #[cfg(feature = "wgpu")]
    shared::<crate::TensorBinding>();
    shared::<GroupId>();
    shared::<(Schedule, OneCycle)>();
    shared::<(Clipping, StepOutcome, DynamicLossScaler, MixedPrecisionConfig, OverflowStats)>();
    shared::<(QuantParams, QatConfig, QatOptimizer, WeightQuantization, QuantTarget, RoundingMode)>();
    shared::<(QuantScheme, IntDtype, Fp8Format, Fp8Overflow)>();
    shared::<(CooGradient, CsrGradient, SparseAdam, SparseAdamTable, SparseSgd, SparseSgdTable)>();
    shared::<(SparseAdamConfig, SparseSgdConfig, LazyAdamMode)>();
    shared::<(FusionGraph, FusionGroup, FusionOp, FusionPlan, FusionPlanner, OpKind)>();
    shared::<(SmResourceLimits, KernelResourceUsage, OccupancyLimiter, OccupancyResult)>();
    shared::<(TensorCoreOptimizer, TensorCoreConfig, TensorCorePrecision, GemmPlan, GemmShape, MatrixLayout)>();
    shared::<(HardwareUtilizationState, MixedPrecisionTrainer, SparseTensorCoreMatrix)>();
    shared::<(GpuBackend, BackendError, DeviceCapabilities, GpuVendor, LaunchConfig, PciGpu)>();
    shared::<(MultiGpuConfig, SyncStrategy, MultiGpuSync<f32>, MultiGpuSetup)>();
    shared::<(AdaptiveCommunicationSelector, CommunicationPerformanceMonitor, CommunicationPerformanceStats)>();
    shared::<(MemoryError, Arena, Mark, Buddy, Slab, Block, Span)>();
    shared::<(Access<u64>, EvictionPolicy, ResidentSet<u64>, DefragmentationPlan, Move, Placed)>();
    shared::<(Heap, Handle, Prefetcher, PrefetchPattern)>();
    shared::<(MemoryPool, Buffer, BufferSlice, MemoryKind, MemoryStatistics, Stream, Event, VendorProfile)>();
    shared::<(WeightAverage, GradientAccumulator, Snapshot)>();
    shared::<GpuOptimizerConfig>();
    shared::<GpuOptimError>();
    shared::<(Variant, Program, Kernel, Binding, Role, Mode, State, Init, RowError)>();
    shared::<(CompiledPass, Instructions)>();
    shared::<(OptimizerKernel, TensorRecord, ChunkRecord)>();
    borrowed::<Value<'_>>();
    borrowed::<(ChunkArguments<'_>, TensorArguments<'_>, AllArguments<'_>)>();
    shared::<(Lanes<Sum>, Lanes<Min>, Lanes<Max>, Lanes<Count>)>();
};

/// Checked where it is defined, for any rule.
const _: fn() = || {
    const fn of_rule<R: Rule>() {
        shared::<Optimizer<R>>();
        shared::<Qat<R>>();
        shared::<R>();
        shared::<R::Params>();
        borrowed::<RowContext<'_, R::Params>>();
    }
    of_rule::<crate::rules::Adam>();
};
