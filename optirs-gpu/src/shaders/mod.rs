//! Shader sources of the standard rules, by name. Those of other options, and of rules of your own, are in
//! [`Rule::VARIANTS`](crate::rule::Rule::VARIANTS).

pub mod msl;
pub mod wgsl;

pub use scirs2_core::gpu::GpuBackend;

/// Threads of a workgroup.
pub const WORKGROUP_SIZE: usize = crate::rule::records::WORKGROUP_SIZE;

/// The kernels of the standard rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OptimizerKernel {
    /// [`GpuAdam`](crate::GpuAdam)
    Adam,
    /// [`GpuAdamW`](crate::GpuAdamW)
    AdamW,
    /// [`GpuSgd`](crate::GpuSgd)
    Sgd,
    /// [`GpuRmsprop`](crate::GpuRmsprop)
    Rmsprop,
    /// [`GpuAdagrad`](crate::GpuAdagrad)
    Adagrad,
    /// [`GpuLamb`](crate::GpuLamb)
    Lamb,
}

impl OptimizerKernel {
    /// The rule's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Adam => "adam",
            Self::AdamW => "adamw",
            Self::Sgd => "sgd",
            Self::Rmsprop => "rmsprop",
            Self::Adagrad => "adagrad",
            Self::Lamb => "lamb",
        }
    }

    /// The source for a back end; none for those that take no shaders, or that we have none for.
    pub fn source_for(self, backend: GpuBackend) -> Option<&'static str> {
        let (wgsl, msl) = match self {
            Self::Adam => (wgsl::ADAM, msl::ADAM),
            Self::AdamW => (wgsl::ADAMW, msl::ADAMW),
            Self::Sgd => (wgsl::SGD, msl::SGD),
            Self::Rmsprop => (wgsl::RMSPROP, msl::RMSPROP),
            Self::Adagrad => (wgsl::ADAGRAD, msl::ADAGRAD),
            Self::Lamb => (wgsl::LAMB, msl::LAMB),
        };
        match backend {
            GpuBackend::Wgpu => Some(wgsl),
            GpuBackend::Metal => Some(msl),
            GpuBackend::Cuda | GpuBackend::Rocm | GpuBackend::OpenCL | GpuBackend::Cpu => None,
        }
    }

    /// Another one for every kernel and language, to cache compiled sources by; the same for back ends without one.
    pub fn cache_key(self, backend: GpuBackend) -> &'static str {
        match (self, backend) {
            (Self::Adam, GpuBackend::Wgpu) => "adam.wgsl",
            (Self::Adam, GpuBackend::Metal) => "adam.metal",
            (Self::AdamW, GpuBackend::Wgpu) => "adamw.wgsl",
            (Self::AdamW, GpuBackend::Metal) => "adamw.metal",
            (Self::Sgd, GpuBackend::Wgpu) => "sgd.wgsl",
            (Self::Sgd, GpuBackend::Metal) => "sgd.metal",
            (Self::Rmsprop, GpuBackend::Wgpu) => "rmsprop.wgsl",
            (Self::Rmsprop, GpuBackend::Metal) => "rmsprop.metal",
            (Self::Adagrad, GpuBackend::Wgpu) => "adagrad.wgsl",
            (Self::Adagrad, GpuBackend::Metal) => "adagrad.metal",
            (Self::Lamb, GpuBackend::Wgpu) => "lamb.wgsl",
            (Self::Lamb, GpuBackend::Metal) => "lamb.metal",
            (kernel, _) => kernel.id(),
        }
    }
}

/// The kernels that average over ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CollectiveKernel {
    /// What [`MultiGpuSync`](crate::multi_gpu::MultiGpuSync) runs: [`Accumulate`](crate::programs::Accumulate), with gradients
    /// times 1/ranks.
    AllReduceMean,
}

impl CollectiveKernel {
    /// The kernel's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::AllReduceMean => "all_reduce_mean",
        }
    }

    /// As [`OptimizerKernel::source_for`].
    pub fn source_for(self, backend: GpuBackend) -> Option<&'static str> {
        match (self, backend) {
            (Self::AllReduceMean, GpuBackend::Wgpu) => Some(wgsl::ALL_REDUCE_MEAN),
            (Self::AllReduceMean, GpuBackend::Metal) => Some(msl::ALL_REDUCE_MEAN),
            (_, GpuBackend::Cuda | GpuBackend::Rocm | GpuBackend::OpenCL | GpuBackend::Cpu) => None,
        }
    }

    /// As [`OptimizerKernel::cache_key`].
    pub fn cache_key(self, backend: GpuBackend) -> &'static str {
        match (self, backend) {
            (Self::AllReduceMean, GpuBackend::Wgpu) => "all_reduce_mean.wgsl",
            (Self::AllReduceMean, GpuBackend::Metal) => "all_reduce_mean.metal",
            (kernel, _) => kernel.id(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_have_sources_in_two_languages_and_keys_of_their_own() {
        use OptimizerKernel::{Adagrad, Adam, AdamW, Lamb, Rmsprop, Sgd};
        let mut keys = Vec::new();
        for kernel in [Adam, AdamW, Sgd, Rmsprop, Adagrad, Lamb] {
            assert!(kernel.source_for(GpuBackend::Wgpu).is_some_and(|source| source.contains("@compute")));
            assert!(kernel.source_for(GpuBackend::Metal).is_some_and(|source| source.contains("kernel void")));
            assert_eq!(kernel.source_for(GpuBackend::Cuda), None);
            keys.extend(
                [GpuBackend::Wgpu, GpuBackend::Metal, GpuBackend::Cpu].map(|backend| kernel.cache_key(backend)),
            );
            assert!(keys[keys.len() - 3..].iter().all(|key| key.starts_with(kernel.id())));
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 18);
    }

    #[test]
    fn the_mean_over_ranks_is_a_generated_kernel() {
        let kernel = CollectiveKernel::AllReduceMean;
        let backends = [GpuBackend::Wgpu, GpuBackend::Metal, GpuBackend::Cpu];
        let keys = backends.map(|backend| kernel.cache_key(backend));
        assert_eq!(keys, ["all_reduce_mean.wgsl", "all_reduce_mean.metal", "all_reduce_mean"]);
        assert!(kernel.source_for(GpuBackend::Wgpu).is_some_and(|source| source.contains("*param += grad")));
        assert!(kernel.source_for(GpuBackend::Metal).is_some_and(|source| source.contains("kernel void")));
        assert_eq!(kernel.source_for(GpuBackend::Cuda), None);
    }
}
