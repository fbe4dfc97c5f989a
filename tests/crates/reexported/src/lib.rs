//! A user's crate that depends on a facade alone: neither `optirs_gpu` nor its macros are among its dependencies.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all, clippy::nursery, clippy::pedantic)]

use renamed::engine::gpu_optimizer;

/// Descent along the sign.
#[gpu_optimizer(crate = renamed::engine)]
pub mod signs {
    /// Hyper-parameters.
    pub struct SignsParams {
        /// Step size.
        #[hyper(default = 0.5, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &SignsParams) {
        *param -= hyper.learning_rate * sign(grad);
    }
}

renamed::descent!(slow, SlowParams, 0.25);
renamed::descent!(fast, FastParams, 2.0);

#[cfg(test)]
mod tests {
    use renamed::engine::ndarray::arr1;
    use renamed::engine::{Device, GpuOptimError, Optimizer, ParamSet};

    use super::{fast, signs, slow};

    fn stepped<R: renamed::engine::rule::Rule>(hyper: R::Params) -> Result<f32, GpuOptimError> {
        let device = Device::cpu();
        let mut params = ParamSet::new(&device, [("w", arr1(&[1.0]))])?;
        params.write_grad("w", &arr1(&[0.5]))?;
        Optimizer::<R>::on(&device, hyper)?.step(&mut params)?;
        Ok(params.read("w")?[[0]])
    }

    #[test]
    fn each_rule_steps() -> Result<(), GpuOptimError> {
        let results = [
            stepped::<signs::Signs>(signs::SignsParams::default())?,
            stepped::<slow::Slow>(slow::SlowParams::default())?,
            stepped::<fast::Fast>(fast::FastParams::default())?,
        ];
        assert_eq!(results.map(f32::to_bits), [0.5f32, 0.875, 0.0].map(f32::to_bits));
        Ok(())
    }
}
