//! A rule by hand that has one of everything: states of every kind and first value, reductions with both finishes, an
//! input, a scalar, and entries with modes.
//!
//! ```text
//! total = sum(grad)              t += total            d += all::sum(grad)           h += step
//! m += grad                      c += 1
//! param -= rate * m + loss * weight + total
//! ```

use crate::GpuOptimError;
use crate::rule::cpu::{AllArguments, ChunkArguments, CompiledPass, Pass, TensorArguments};
use crate::rule::records::SCALARS_HEADER_WORDS;
use crate::rule::{
    Binding, Init, Kernel, KernelKind, Mode, Program, Role, RowContext, RowError, RowReads, Rule, RuleParams, State,
    StateKind, Value, Variant, math,
};

pub struct Everything;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EverythingParams {
    pub rate: f32,
    pub start: f32,
}

impl Default for EverythingParams {
    fn default() -> Self {
        EverythingParams { rate: 0.25, start: 7.0 }
    }
}

impl RuleParams for EverythingParams {
    fn validate(&self) -> Result<(), GpuOptimError> {
        Ok(())
    }

    fn fields(&self, show: &mut dyn FnMut(&'static str, Value<'static>)) {
        show("rate", Value::Real(self.rate));
        show("start", Value::Real(self.start));
    }

    fn set_field(&mut self, field: &str, value: Value<'_>) -> bool {
        match (field, value) {
            ("rate", Value::Real(value)) => self.rate = value,
            ("start", Value::Real(value)) => self.start = value,
            _ => return false,
        }
        true
    }
}

const READS: &[Binding] =
    &[Binding { role: Role::Gradient, writes: false }, Binding { role: Role::Partials, writes: true }];
const WRITES: &[Binding] = &[
    Binding { role: Role::Param, writes: true },
    Binding { role: Role::Gradient, writes: false },
    Binding { role: Role::State, writes: true },
    Binding { role: Role::Input(0), writes: false },
];
const PLAIN: &[Binding] = &[Binding { role: Role::Param, writes: true }, Binding { role: Role::State, writes: false }];

const UPDATE: Program = Program {
    name: "update",
    takes_grad: true,
    mode: None,
    wgsl: "",
    msl: "",
    row_words: 3,
    partial_words: 1,
    bytes_per_element: 36,
    operations: &[],
    reads: RowReads { step: true, shape: false, host_states: true, scalars: true },
    kernels: &[
        Kernel { name: "pass_0", kind: KernelKind::Pass(CompiledPass::of::<AddUp>()), bindings: READS },
        Kernel { name: "finish_0", kind: KernelKind::FinishTensor(finish_tensor), bindings: &[] },
        Kernel { name: "finish_0_all", kind: KernelKind::FinishAll(finish_all), bindings: &[] },
        Kernel { name: "pass_1", kind: KernelKind::Pass(CompiledPass::of::<Update>()), bindings: WRITES },
    ],
};

const fn entry(name: &'static str, mode: Option<Mode>, kernels: &'static [Kernel]) -> Program {
    Program { name, takes_grad: false, mode, partial_words: 0, kernels, ..UPDATE }
}

const TO_START: &[Kernel] =
    &[Kernel { name: "pass_0", kind: KernelKind::Pass(CompiledPass::of::<ToStart>()), bindings: PLAIN }];
const DOUBLE: &[Kernel] =
    &[Kernel { name: "pass_0", kind: KernelKind::Pass(CompiledPass::of::<Double>()), bindings: PLAIN }];

struct AddUp;

impl Pass for AddUp {
    fn run(chunk: &mut ChunkArguments<'_>) {
        chunk.partials[0] = chunk.grad.iter().sum::<f32>().to_bits();
    }
}

fn finish_tensor(tensor: &mut TensorArguments<'_>) {
    let total: f32 = tensor.partials.iter().map(|word| f32::from_bits(*word)).sum();
    tensor.tensor[1] = total.to_bits();
    tensor.tensor[0] = (f32::from_bits(tensor.tensor[0]) + total).to_bits();
}

fn finish_all(all: &mut AllArguments<'_>) {
    let of = |slot: &u32| f32::from_bits(all.tensors[*slot as usize * all.tensor_words + 1]);
    let total: f32 = all.slots.iter().map(of).sum();
    all.all[0] = (f32::from_bits(all.all[0]) + total).to_bits();
}

struct Update;

impl Pass for Update {
    fn run(chunk: &mut ChunkArguments<'_>) {
        let [rate, loss] = [0, 1].map(|field| f32::from_bits(chunk.row[field]));
        let total = f32::from_bits(chunk.tensor[1]);
        let [m, _, c] = chunk.states else { return };
        for i in 0..chunk.param.len() {
            m[i] += chunk.grad[i];
            c[i] += 1.0;
            chunk.param[i] -= rate * m[i] + loss * chunk.inputs[0][i] + total;
        }
    }
}

struct ToStart;

impl Pass for ToStart {
    fn run(chunk: &mut ChunkArguments<'_>) {
        chunk.param.copy_from_slice(chunk.states[1]);
    }
}

struct Double;

impl Pass for Double {
    fn run(chunk: &mut ChunkArguments<'_>) {
        chunk.param.iter_mut().for_each(|param| *param *= 2.0);
    }
}

const fn state(name: &'static str, kind: StateKind, init: Init) -> State {
    State { name, kind, init }
}

impl Rule for Everything {
    type Params = EverythingParams;
    const NAME: &'static str = "everything";
    const STATES: &'static [State] = &[
        state("m", StateKind::Element, Init::Number(0.0)),
        state("p0", StateKind::Element, Init::Param),
        state("c", StateKind::Element, Init::Number(2.0)),
        state("t", StateKind::Tensor, Init::Number(1.0)),
        state("d", StateKind::All, Init::Hyper(1)),
        state("h", StateKind::Host, Init::Hyper(0)),
    ];
    const INPUTS: &'static [&'static str] = &["weight"];
    const SCALARS: &'static [&'static str] = &["loss"];
    const VARIANTS: &'static [Variant] = &[Variant {
        options: &[],
        element_states: &[0, 1, 2],
        host_states: &[5],
        all_states: &[4],
        tensor_states: &[3],
        header_words: SCALARS_HEADER_WORDS,
        all_words: 1,
        tensor_words: 2,
        programs: &[
            UPDATE,
            entry("eval", Some(Mode::Eval), TO_START),
            entry("train", Some(Mode::Train), DOUBLE),
            entry("double", None, DOUBLE),
        ],
    }];
    const WGSL: &'static str = "";
    const MSL: &'static str = "";

    fn variant(_params: &EverythingParams) -> Option<usize> {
        Some(0)
    }

    fn hyper(params: &EverythingParams, index: usize) -> f32 {
        [params.rate, params.start][index]
    }

    fn shared_difference(_first: &EverythingParams, _second: &EverythingParams) -> Option<&'static str> {
        None
    }

    fn check_shape(_params: &EverythingParams, _shape: &[usize]) -> Result<(), GpuOptimError> {
        Ok(())
    }

    fn row(
        _variant: usize,
        program: usize,
        context: &RowContext<'_, EverythingParams>,
        host_states: &mut [f64],
        row: &mut [u32],
    ) -> Result<(), RowError> {
        if program == 0 {
            host_states[0] = math::finite(host_states[0] + context.step as f64, "h + step")?;
        }
        row[0] = context.params.rate.to_bits();
        row[1] = context.scalars[0].to_bits();
        row[2] = math::to_f32(1.0 / (host_states[0] - 1000.0), "1 / (h - 1000)")?.to_bits();
        Ok(())
    }
}
