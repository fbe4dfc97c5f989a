//! That every public type can be sent to other threads and shared with them, asserted at compile time: on each build, for
//! each target, and for every rule that there can be.

use crate::rule::cpu::{AllArguments, ChunkArguments, Count, Lanes, Max, Min, Sum, TensorArguments};
use crate::rule::records::{ChunkRecord, TensorRecord};
use crate::rule::{Binding, Init, Kernel, Mode, Program, Role, RowContext, RowError, Rule, State, Value, Variant};
use crate::shaders::OptimizerKernel;
use crate::{
    AdapterInfo, AdapterKind, Clipping, CooGradient, CsrGradient, Device, DeviceConfig, DeviceLimits, DeviceMemory,
    DynamicLossScaler, GpuOptimError, GpuOptimizerConfig, GradientAccumulator, GroupId, LimitsChoice,
    MixedPrecisionConfig, OneCycle, Optimizer, OverflowStats, ParamSet, Qat, QatConfig, QatOptimizer, QuantParams,
    QuantTarget, RoundingMode, Schedule, Snapshot, SparseAdam, SparseAdamTable, SparseSgd, SparseSgdTable, StepOutcome,
    WeightAverage, WeightQuantization,
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
    shared::<(CooGradient, CsrGradient, SparseAdam, SparseAdamTable, SparseSgd, SparseSgdTable)>();
    shared::<(WeightAverage, GradientAccumulator, Snapshot)>();
    shared::<GpuOptimizerConfig>();
    shared::<GpuOptimError>();
    shared::<(Variant, Program, Kernel, Binding, Role, Mode, State, Init, RowError)>();
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
