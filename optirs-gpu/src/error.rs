//! The one error type of the crate: every variant names what was wrong, the value, and what to do.

use scirs2_core::gpu::GpuError;

/// Anything that can go wrong. A call that returns an error has changed nothing, unless the variant says otherwise.
///
/// `Debug` prints the same text as `Display`, so that `fn main() -> Result<(), GpuOptimError>` ends in a readable one.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum GpuOptimError {
    /// An error of scirs2-core's GPU layer.
    #[error("GPU error: {0}")]
    GpuError(#[from] GpuError),
    /// What was asked for does not exist on this device or in this build.
    #[error("unsupported: {0}")]
    UnsupportedOperation(String),
    /// The call does not fit the state of the object; the text names the call to make instead.
    #[error("invalid state: {0}")]
    InvalidState(String),
    /// Two arrays that must agree in shape do not.
    #[error("shapes differ: expected {expected:?}, got {actual:?}")]
    DimensionMismatch {
        /// The shape that was needed.
        expected: Vec<usize>,
        /// The shape that was given.
        actual: Vec<usize>,
    },
    /// Kept from 0.3.2; not returned any more.
    #[error("not initialized")]
    NotInitialized,
    /// Kept from 0.3.2; choosing CUDA returns [`GpuOptimError::UnsupportedOperation`].
    #[error("CUDA is not available")]
    CudaNotAvailable,
    /// A hyper-parameter outside its range, NaN or infinite.
    #[error("{field} = {} is out of range: it must be finite{}", short(*value), within(range))]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// The range, as Rust writes it.
        range: &'static str,
    },
    /// A `#[require]` of the rule does not hold.
    #[error("{0}")]
    Requirement(String),
    /// A value that the host computes for a row is not finite; nothing was stepped.
    #[error("`{expression}` is {} for tensor `{tensor}`: it must be finite as f32", short(*value))]
    NotFinite {
        /// The expression of the rule.
        expression: &'static str,
        /// Its value.
        value: f64,
        /// The tensor's name.
        tensor: String,
    },
    /// No tensor of that name in the set.
    #[error("no tensor is named `{0}`")]
    UnknownTensor(String),
    /// A tensor of that name is in the set already, or twice among those that are given.
    #[error("tensor `{0}` is named twice")]
    DuplicateTensor(String),
    /// Another parameter group was given the tensor by its name.
    #[error(
        "tensor `{tensor}` is in {group:?} already: take that group away with `remove_group`, or leave the tensor to it"
    )]
    TensorInGroup {
        /// The tensor's name.
        tensor: String,
        /// The group that has it.
        group: crate::GroupId,
    },
    /// Values of another shape than the tensor takes there. Nothing is written.
    #[error("tensor `{tensor}`: values of shape {expected:?} are expected, not of {actual:?}")]
    ShapeMismatch {
        /// The tensor's name.
        tensor: String,
        /// The shape that was needed: the tensor's, or that of one of its states.
        expected: Vec<usize>,
        /// The shape that was given.
        actual: Vec<usize>,
    },
    /// Memory of the caller's of another size than a tensor's. Nothing is bound.
    #[error(
        "tensor `{tensor}`: f32 of shape {shape:?} take {needed} bytes, but the binding of its {half} has {actual}"
    )]
    BindingSize {
        /// The tensor's name.
        tensor: String,
        /// Which of its bindings: of parameters or of gradients.
        half: &'static str,
        /// The tensor's shape.
        shape: Vec<usize>,
        /// The bytes of such a tensor, or the most that can be counted.
        needed: u64,
        /// The binding's bytes.
        actual: u64,
    },
    /// No device fits what was asked for.
    #[error("no usable GPU adapter: {0}")]
    NoAdapter(String),
    /// The device is lost. Parameters, states and inputs on it cannot be read any more; no other device is affected. A new
    /// device, a set of parameters that were read before, and an optimizer that was
    /// [reset](crate::Optimizer::reset) and [moved to it](crate::Optimizer::move_to) go on from there.
    #[error("the device is lost: {0}; open a device anew, with parameters that were read before")]
    DeviceLost(String),
    /// More than the device ever does in one piece, on every back end. Nothing was allocated or run.
    #[error("{what} needs {needed} {unit}, but this device allows at most {limit}")]
    LimitExceeded {
        /// What was asked for.
        what: String,
        /// How much it needs.
        needed: u64,
        /// How much there can be.
        limit: u64,
        /// Of what.
        unit: &'static str,
    },
    /// The device, or the host, has not enough memory left for an allocation that its limits allow; what the call had
    /// allocated by then is freed. On the CPU that is found out before memory is touched, as far as the system tells: an
    /// operating system may promise memory to several processes that it then does not have.
    #[error("out of memory: {0}; free memory, or step fewer parameters at once")]
    OutOfMemory(String),
    /// A checkpoint that cannot be written or read, or that does not fit the set or the optimizer.
    #[error("checkpoint `{}`: {problem}", path.display())]
    Checkpoint {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it, and where.
        problem: String,
    },
    /// The device did not answer in time.
    #[error("timed out after {seconds} s waiting for {what}")]
    Timeout {
        /// What was waited for.
        what: &'static str,
        /// The limit.
        seconds: f64,
    },
    /// The driver or wgpu refused something that we generated or asked for.
    #[error("the device refused it: {0}")]
    Device(String),
}

impl core::fmt::Debug for GpuOptimError {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "{self}")
    }
}

/// A number in few digits: written out, f64's largest has 309.
fn short(value: f64) -> String {
    if value.abs() >= 1e7 { format!("{value:e}") } else { value.to_string() }
}

/// The end of a sentence about a range; the full range says no more than that the value is finite.
fn within(range: &str) -> String {
    if range == ".." { String::new() } else { format!(" and in {range}") }
}
