//! Optimizer update rules, written once and run at memory speed on any GPU.
//!
//! A rule is a module in a small language that is valid Rust syntax. [`macro@gpu_optimizer`] compiles it to WGSL, Metal
//! and Rust, and to a type `Gpu…` that steps parameters on a [`Device`]. [`rules`] holds those that are
//! there: torch's, and from Lion to Prodigy what papers since have brought.
//!
//! * [`ParamSet`] keeps named tensors and their gradients on a device; [`Optimizer::step`] updates all of them in one
//!   submission and does not wait for it.
//! * [`optimizers`] is the classic surface: `step_gpu` on one array that lives on the host.
//! * [`Device::new`] opens a GPU or says why there is none. The CPU is never taken silently: ask for [`Device::cpu`].
//! * [`doc::for_pytorch_users`] says what things are called here.
//! * Every error is a [`GpuOptimError`]; a call that returns one has changed nothing, unless it says otherwise.
//! * Every public type is `Send` and `Sync`. Any number of threads may use one device, each with sets and optimizers of its
//!   own, and results do not depend on who else does; one [`ParamSet`] or [`Optimizer`] is changed by one thread at a time.
//!
//! ```
//! use optirs_gpu::ndarray::array;
//! use optirs_gpu::{AdamWParams, Device, GpuAdamW, ParamSet};
//!
//! let device = Device::cpu(); // or Device::new()? for a GPU
//! let mut params = ParamSet::new(&device, [("w", array![1.0f32, 2.0])])?;
//! let mut optimizer = GpuAdamW::on(&device, AdamWParams::default())?;
//! params.write_grad("w", &array![0.1f32, -0.1])?;
//! optimizer.step(&mut params)?;
//! assert!(params.read("w")?[[0]] < 1.0);
//! # Ok::<(), optirs_gpu::GpuOptimError>(())
//! ```

// The standard rules are expanded here, and an expansion names the crate as its users do.
extern crate self as optirs_gpu;

mod accumulation;
mod averaging;
mod backend;
pub mod backends;
pub mod device;
pub mod doc;
mod error;
pub mod kernel_fusion;
mod magnitude;
pub mod memory;
pub mod mixed_precision;
pub mod multi_gpu;
pub mod occupancy;
mod optimizer;
pub mod optimizers;
mod params;
mod presets;
pub mod programs;
pub mod quantization;
pub mod rule;
pub mod rules;
mod schedule;
pub mod shaders;
mod snapshot;
pub mod sparse_optimizer;
mod tables;
pub mod tensor_cores;
mod threads;
pub mod utils;

pub use accumulation::GradientAccumulator;
pub use averaging::WeightAverage;
pub use backends::GpuBackend;
pub use device::{AdapterInfo, AdapterKind, Device, DeviceConfig, DeviceLimits, DeviceMemory, LimitsChoice};
pub use error::GpuOptimError;
pub use kernel_fusion::{FusionGraph, FusionGroup, FusionOp, FusionPlan, FusionPlanner, OpKind};
pub use memory::MemoryPool;
pub use mixed_precision::{DynamicLossScaler, MixedPrecisionConfig, OverflowStats, f16_bits_to_f32, f32_to_f16_bits};
pub use occupancy::{
    KernelResourceUsage, OccupancyLimiter, OccupancyResult, SmResourceLimits, calculate_occupancy, optimal_block_size,
};
pub use optimizer::{Clipping, GroupId, Optimizer, StepOutcome};
pub use optimizers::{GpuOptimizer, GpuOptimizerConfig};
pub use optirs_gpu_macros::gpu_optimizer;
pub use params::ParamSet;
#[cfg(feature = "wgpu")]
pub use params::TensorBinding;
pub use quantization::{
    Fp8Format, IntDtype, Qat, QatConfig, QatOptimizer, QuantParams, QuantScheme, QuantTarget, RoundingMode,
    WeightQuantization, fake_quant_backward, fake_quant_fp8, fake_quant_int, fake_quant_int_per_channel,
    per_channel_params,
};
/// The random numbers that stochastic rounding draws.
pub use rand;
pub use rules::{
    AdEmaMixParams, AdaBeliefParams, AdadeltaParams, AdagradParams, AdamParams, AdamWParams, AdamaxParams,
    AdamaxWParams, AdanParams, AdoptParams, AmsGradParams, AsgdParams, CautiousAdamWParams, DiffGradParams, FtrlParams,
    GpuAdEmaMix, GpuAdaBelief, GpuAdadelta, GpuAdagrad, GpuAdam, GpuAdamW, GpuAdamax, GpuAdamaxW, GpuAdan, GpuAdopt,
    GpuAmsGrad, GpuAsgd, GpuCautiousAdamW, GpuDiffGrad, GpuFtrl, GpuGrams, GpuLaProp, GpuLamb, GpuLambApex,
    GpuLambBounded, GpuLars, GpuLion, GpuMadgrad, GpuNAdam, GpuNovoGrad, GpuPadam, GpuProdigy, GpuQhAdam, GpuRAdam,
    GpuRmsprop, GpuRprop, GpuScheduleFreeAdamW, GpuSgd, GpuSignSgd, GpuSignum, GpuSophia, GpuStableAdamW, GpuTiger,
    GpuYogi, GramsParams, LaPropParams, LambApexParams, LambBoundedParams, LambParams, LarsParams, LionParams,
    MadgradParams, NAdamParams, NovoGradParams, PadamParams, ProdigyParams, QhAdamParams, RAdamParams, RmspropParams,
    RpropParams, ScheduleFreeAdamWParams, SgdParams, SignSgdParams, SignumParams, SophiaParams, StableAdamWParams,
    TigerParams, YogiParams,
};
pub use schedule::{OneCycle, Schedule};
/// The arrays that go in and out.
pub use scirs2_core::ndarray;
pub use snapshot::Snapshot;
pub use sparse_optimizer::{
    CooGradient, CsrGradient, LazyAdamMode, SparseAdam, SparseAdamConfig, SparseAdamTable, SparseSgd, SparseSgdConfig,
    SparseSgdTable,
};
/// The crate whose devices and buffers [`Device::from_wgpu`] and [`ParamSet::add_bound`] take, in the version that they take.
#[cfg(feature = "wgpu")]
pub use wgpu;
