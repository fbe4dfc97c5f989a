//! Gradient descent by hand, as the compiler would generate it: the smallest rule.

use crate::GpuOptimError;
use crate::rule::cpu::{ChunkArguments, CompiledPass, Pass};
use crate::rule::records::SCALARS_HEADER_WORDS;
use crate::rule::{
    Binding, Kernel, KernelKind, Program, Role, RowContext, RowError, RowReads, Rule, RuleParams, State, Value,
    Variant, check, math,
};

pub struct Descent;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DescentParams {
    pub learning_rate: f32,
    /// An option.
    pub flag: bool,
    /// Shared by all groups.
    pub common: f32,
}

impl Default for DescentParams {
    fn default() -> Self {
        DescentParams { learning_rate: 0.5, flag: false, common: 1.0 }
    }
}

impl RuleParams for DescentParams {
    fn validate(&self) -> Result<(), GpuOptimError> {
        check::real("learning_rate", self.learning_rate, 0.0.., "0.0..")
    }

    fn fields(&self, show: &mut dyn FnMut(&'static str, Value<'static>)) {
        show("learning_rate", Value::Real(self.learning_rate));
        show("flag", Value::Flag(self.flag));
        show("common", Value::Real(self.common));
    }

    fn set_field(&mut self, field: &str, value: Value<'_>) -> bool {
        match (field, value) {
            ("learning_rate", Value::Real(value)) => self.learning_rate = value,
            ("flag", Value::Flag(value)) => self.flag = value,
            ("common", Value::Real(value)) => self.common = value,
            _ => return false,
        }
        true
    }
}

const fn bound(role: Role, writes: bool) -> Binding {
    Binding { role, writes }
}

const UPDATE: Program = Program {
    name: "update",
    takes_grad: true,
    mode: None,
    wgsl: "",
    msl: "",
    row_words: 2,
    partial_words: 0,
    bytes_per_element: 12,
    operations: &[],
    reads: RowReads { step: false, shape: false, host_states: false, scalars: false },
    kernels: &[Kernel {
        name: "pass_0",
        kind: KernelKind::Pass(CompiledPass::of::<Descend>()),
        bindings: &[
            bound(Role::Hyper, false),
            bound(Role::Chunks, false),
            bound(Role::Param, true),
            bound(Role::Gradient, false),
            bound(Role::Scalars, false),
        ],
    }],
};

const PLAIN: Variant = Variant {
    options: &[("flag", "false")],
    element_states: &[],
    host_states: &[],
    all_states: &[],
    tensor_states: &[],
    header_words: SCALARS_HEADER_WORDS,
    all_words: 0,
    tensor_words: 0,
    programs: &[UPDATE],
};

struct Descend;

impl Pass for Descend {
    fn run(chunk: &mut ChunkArguments<'_>) {
        let [rate, scale] = [0, 1].map(|field| f32::from_bits(chunk.row[field]));
        for (param, grad) in chunk.param.iter_mut().zip(chunk.grad) {
            *param -= rate * (grad * scale * chunk.clip);
        }
    }
}

impl Rule for Descent {
    type Params = DescentParams;
    const NAME: &'static str = "descent";
    const STATES: &'static [State] = &[];
    const INPUTS: &'static [&'static str] = &[];
    const SCALARS: &'static [&'static str] = &[];
    const VARIANTS: &'static [Variant] = &[PLAIN, Variant { options: &[("flag", "true")], ..PLAIN }];
    const WGSL: &'static str = "";
    const MSL: &'static str = "";

    fn variant(params: &DescentParams) -> Option<usize> {
        Some(usize::from(params.flag))
    }

    fn hyper(params: &DescentParams, _index: usize) -> f32 {
        params.learning_rate
    }

    fn shared_difference(first: &DescentParams, second: &DescentParams) -> Option<&'static str> {
        (first.common != second.common).then_some("common")
    }

    fn check_shape(_params: &DescentParams, shape: &[usize]) -> Result<(), GpuOptimError> {
        check::requirement(shape.len() <= 3, "this rule is for tensors of at most three dimensions")
    }

    fn row(
        _variant: usize,
        _program: usize,
        context: &RowContext<'_, DescentParams>,
        _host_states: &mut [f64],
        row: &mut [u32],
    ) -> Result<(), RowError> {
        row[0] = math::to_f32(math::decimal(context.params.learning_rate), "learning_rate")?.to_bits();
        row[1] = math::to_f32(context.grad_scale, "grad_scale")?.to_bits();
        Ok(())
    }
}
