//! Values to step: normal deviates, the same in every run. Zeros would be compressed by some devices, and would send rules
//! through branches that training does not take.

use optirs_gpu::ndarray::{ArrayD, IxDyn, ShapeError};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

/// Parameters and gradients of a set, by the order of its tensors.
pub struct Values {
    /// With a deviation of 0.02, as layers begin.
    pub parameters: Vec<ArrayD<f32>>,
    /// With a deviation of 0.01.
    pub gradients: Vec<ArrayD<f32>>,
}

impl Values {
    /// Values of these shapes.
    ///
    /// # Errors
    /// For shapes larger than an array can be.
    pub fn new(shapes: &[Vec<usize>]) -> Result<Values, ShapeError> {
        let mut random = SmallRng::seed_from_u64(1);
        let mut arrays = |deviation: f32| {
            let array = |shape: &Vec<usize>| {
                let values = normal(&mut random, shape.iter().product(), deviation);
                ArrayD::from_shape_vec(IxDyn(shape), values)
            };
            shapes.iter().map(array).collect::<Result<Vec<_>, _>>()
        };
        Ok(Values { parameters: arrays(0.02)?, gradients: arrays(0.01)? })
    }
}

/// Normal deviates around 0.
pub fn normal(random: &mut SmallRng, count: usize, deviation: f32) -> Vec<f32> {
    (0..count).map(|_| deviation * random.sample::<f32, _>(StandardNormal)).collect()
}

/// What the tensors of a set are called.
pub fn name(place: usize) -> String {
    format!("tensor {place}")
}
