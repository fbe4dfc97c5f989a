//! What rules are measured on: a GPU or the CPU.

use optirs_gpu::{Device, ParamSet};

use crate::Failure;
use crate::rules::Stepping;

/// A device, its clock and its roof.
pub trait Machine {
    /// As the library has it.
    fn device(&self) -> &Device;

    /// Its name, its driver, and how many threads run steps where it is a CPU.
    fn description(&self) -> (String, String, Option<u64>);

    /// Milliseconds of each of `runs` steps by the device's own clock; none where it has none.
    ///
    /// # Errors
    /// What a step says, or the clock.
    fn on_device(
        &self,
        runs: u32,
        optimizer: &mut dyn Stepping,
        params: &mut ParamSet,
    ) -> Result<Option<Vec<f64>>, Failure>;

    /// The first and the last value of a tensor.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn ends(&self, params: &ParamSet, tensor: &str) -> Result<[f32; 2], Failure>;

    /// Gigabytes a second of a copy that moves so many bytes, what it reads and what it writes together.
    ///
    /// # Errors
    /// Where the device fails, or what it copied is not what there was.
    fn copy_gb_per_s(&mut self, bytes: u64) -> Result<f64, Failure>;
}
