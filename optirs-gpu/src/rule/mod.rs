//! What a rule is at run time: constants and a few host functions. `#[gpu_optimizer]` generates the implementation.
//!
//! Nothing here depends on a particular rule, and nothing that does not depend on the rule is generated.

pub mod check;
mod compiled;
pub mod cpu;
mod fields;
mod functions;
pub mod math;
mod operation;
pub mod records;

pub use fields::Value;
pub use operation::{Operation, OperationKind};

use crate::GpuOptimError;

/// An optimizer's update rule, compiled. Implemented by `#[gpu_optimizer]` on a unit struct (`adam::Adam`).
pub trait Rule: Send + Sync + 'static {
    /// The hyper-parameters.
    type Params: RuleParams;
    /// The rule's module name, `adam`.
    const NAME: &'static str;
    /// All states of the rule, in order of declaration.
    const STATES: &'static [State];
    /// Names of the `#[input]` arguments.
    const INPUTS: &'static [&'static str];
    /// Names of the `#[scalar]` arguments.
    const SCALARS: &'static [&'static str];
    /// One per combination of options that `#[require]` allows.
    const VARIANTS: &'static [Variant];
    /// WGSL of `update` with the default hyper-parameters.
    const WGSL: &'static str;
    /// Metal Shading Language of `update` with the default hyper-parameters.
    const MSL: &'static str;
    /// Whether [`Rule::check_shape`] refuses any shape. Where it does not, new hyper-parameters cost the same for any number
    /// of tensors.
    const CHECKS_SHAPES: bool = true;

    /// Index in [`Rule::VARIANTS`] of the options that these parameters choose; `None` if `#[require]` forbids them.
    fn variant(params: &Self::Params) -> Option<usize>;

    /// The hyper-parameter that a state starts from ([`Init::Hyper`]), as f32.
    fn hyper(params: &Self::Params, index: usize) -> f32;

    /// The first `shared` hyper-parameter in which two parameter groups differ; they must differ in none.
    fn shared_difference(first: &Self::Params, second: &Self::Params) -> Option<&'static str>;

    /// Checks the `#[require]`s that read the shape of a tensor.
    fn check_shape(params: &Self::Params, shape: &[usize]) -> Result<(), GpuOptimError>;

    /// Computes the row of one tensor: all host values of `VARIANTS[variant].programs[program]`, in f64, each rounded
    /// once. `host_states` holds the variant's host states, old values in, new values out. `row` has the program's
    /// `row_words` words.
    fn row(
        variant: usize,
        program: usize,
        context: &RowContext<'_, Self::Params>,
        host_states: &mut [f64],
        row: &mut [u32],
    ) -> Result<(), RowError>;
}

/// The hyper-parameters of a rule.
pub trait RuleParams: Copy + Default + PartialEq + core::fmt::Debug + Send + Sync + 'static {
    /// Checks every range and every `#[require]` that reads no shape.
    fn validate(&self) -> Result<(), GpuOptimError>;

    /// Shows every field and its value, in order of declaration.
    fn fields(&self, show: &mut dyn FnMut(&'static str, Value<'static>));

    /// Gives a field a value, unchecked. False where no field has that name, or it is of another type.
    fn set_field(&mut self, field: &str, value: Value<'_>) -> bool;
}

/// What the host knows when it makes a row.
#[derive(Clone, Copy, Debug)]
pub struct RowContext<'a, P> {
    /// The hyper-parameters of the tensor's group.
    pub params: &'a P,
    /// Updates the tensor has taken, this one included (in an entry: taken so far).
    pub step: u64,
    /// Updates the optimizer has taken, this one included (in an entry: taken so far).
    pub run: u64,
    /// The tensor's shape.
    pub shape: &'a [usize],
    /// Elements of all tensors that take part.
    pub all_len: u64,
    /// Values of the `#[scalar]` arguments.
    pub scalars: &'a [f32],
    /// Loss scale and sign: the factor of every gradient.
    pub grad_scale: f64,
    /// What a gradient's element may be after that, in magnitude: infinite where gradients are not clipped by value.
    pub clip_value: f64,
}

/// A host value that cannot go into a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowError {
    /// The expression of the rule.
    pub expression: &'static str,
    /// Its value: not finite, or out of the field's range.
    pub value: f64,
}

/// A state of a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Field name.
    pub name: &'static str,
    /// Where it lives.
    pub kind: StateKind,
    /// Its first value.
    pub init: Init,
}

/// Where a state lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// One f32 per element, on the device.
    Element,
    /// One f32 per tensor, on the device.
    Tensor,
    /// One f32 per optimizer, on the device.
    All,
    /// One f64 per tensor, on the host.
    Host,
}

/// The first value of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init {
    /// A number.
    Number(f64),
    /// A hyper-parameter, see [`Rule::hyper`].
    Hyper(usize),
    /// The parameter.
    Param,
}

/// One combination of options: what exists in it.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Option fields and their values, for messages: `[("momentum", "0"), ("nesterov", "false")]`.
    pub options: &'static [(&'static str, &'static str)],
    /// Element states that exist, indices in [`Rule::STATES`], in arena order.
    pub element_states: &'static [usize],
    /// Host states that exist, indices in [`Rule::STATES`].
    pub host_states: &'static [usize],
    /// `#[all]` states that exist: words 0, 1, … of the all record.
    pub all_states: &'static [usize],
    /// `#[tensor]` states that exist: words 0, 1, … of a tensor record.
    pub tensor_states: &'static [usize],
    /// Words of the scalars header before the all record: [`records::SCALARS_HEADER_WORDS`], or 0 in a program that runs
    /// before a rule and decides what the header holds, which is its all record.
    pub header_words: usize,
    /// Words of the all record.
    pub all_words: usize,
    /// Words of a tensor record.
    pub tensor_words: usize,
    /// `update` first, then the entries.
    pub programs: &'static [Program],
}

impl Variant {
    /// First word of a slot's tensor record in the scalars: behind the header and the all record.
    pub const fn tensor_start(&self, slot: usize) -> usize {
        self.header_words + self.all_words + slot * self.tensor_words
    }
}

/// An entry under one combination of options.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// `update`, or the entry's name.
    pub name: &'static str,
    /// Whether it runs over the tensors that have a gradient; else over all.
    pub takes_grad: bool,
    /// The mode that running it puts the optimizer into.
    pub mode: Option<Mode>,
    /// One WGSL module with every kernel as an entry point.
    pub wgsl: &'static str,
    /// Metal source: a preamble, then each kernel, beginning with a line `kernel void NAME(`.
    pub msl: &'static str,
    /// Words of a row.
    pub row_words: usize,
    /// Words of a chunk's partial record; 0 without reductions.
    pub partial_words: usize,
    /// Bytes that the passes move per element.
    pub bytes_per_element: usize,
    /// What the passes do with an element, one pass after another.
    pub operations: &'static [Operation],
    /// What a row depends on, beside the group's hyper-parameters.
    pub reads: RowReads,
    /// In order of execution.
    pub kernels: &'static [Kernel],
}

/// What the rows of a program depend on: tensors that agree in it share one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RowReads {
    /// `step`
    pub step: bool,
    /// `len()`, `ndim()`, `dim(i)`
    pub shape: bool,
    /// A host state.
    pub host_states: bool,
    /// A `#[scalar]`: the same for all tensors, and only then must it have been set.
    pub scalars: bool,
}

/// `#[entry(mode = …)]`: at which points the parameters stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Where gradients are taken.
    Train,
    /// Where the model is evaluated.
    Eval,
}

/// One dispatch, or one per range.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Entry point.
    pub name: &'static str,
    /// What it is, with its CPU implementation.
    pub kind: KernelKind,
    /// What it binds, ascending.
    pub bindings: &'static [Binding],
}

/// The kinds of kernel, each with its CPU implementation.
#[derive(Clone, Copy, Debug)]
pub enum KernelKind {
    /// One workgroup per chunk.
    Pass(cpu::CompiledPass),
    /// One workgroup per tensor.
    FinishTensor(fn(&mut cpu::TensorArguments<'_>)),
    /// One workgroup.
    FinishAll(fn(&mut cpu::AllArguments<'_>)),
}

/// A binding of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// What is bound; its discriminant is the index in the bind group.
    pub role: Role,
    /// Whether the kernel writes it: `read_write` instead of `read`.
    pub writes: bool,
}

/// What can be bound. The order is the binding index on every target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Rows: `array<Row>`.
    Hyper,
    /// Header, tensor records, chunk records: `array<vec4<u32>>`. See [`records`].
    Chunks,
    /// Parameters: `array<vec4<f32>>`.
    Param,
    /// Gradients: `array<vec4<f32>>`.
    Gradient,
    /// Element states: `array<vec4<f32>>`.
    State,
    /// Scalars: `array<u32>`.
    Scalars,
    /// Partial results: `array<u32>`.
    Partials,
    /// The n-th extra input: `array<vec4<f32>>`.
    Input(u8),
}

impl Role {
    /// The binding index.
    pub const fn index(self) -> u32 {
        match self {
            Role::Hyper => 0,
            Role::Chunks => 1,
            Role::Param => 2,
            Role::Gradient => 3,
            Role::State => 4,
            Role::Scalars => 5,
            Role::Partials => 6,
            Role::Input(n) => 7 + n as u32,
        }
    }
}
