/// Stochastic gradient descent with momentum, dampening, Nesterov momentum and L2 weight decay.
///
/// With `g = grad + weight_decay·p`, and where momentum is not 0 `buf₁ = g₁`, `buf = momentum·buf + (1 − dampening)·g`:
/// `p ← p − lr·buf`, or with Nesterov `p ← p − lr·(g + momentum·buf)`.
///
/// Follows `torch.optim.SGD`: the first momentum step takes the gradient undampened, after weight decay, and the
/// learning rate multiplies the buffer, not the gradient (Sutskever et al., "On the importance of initialization and
/// momentum in deep learning", ICML 2013, multiply the gradient instead).
///
/// # Rule
///
/// ```text
/// fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SgdParams, step: u32) {
///     let g = grad + hyper.weight_decay * *param;
///     let direction = if hyper.momentum != 0.0 {
///         state.momentum_buffer = if step == 1 {
///             g
///         } else {
///             hyper.momentum * state.momentum_buffer + (1.0 - hyper.dampening) * g
///         };
///         if hyper.nesterov { g + hyper.momentum * state.momentum_buffer } else { state.momentum_buffer }
///     } else {
///         g
///     };
///     if hyper.learning_rate != 0.0 { *param -= hyper.learning_rate * direction; }
/// }
/// ```
///
/// # State
///
/// | name | one per | starts at | |
/// |---|---|---|---|
/// | `momentum_buffer` | element | 0.0 | Momentum buffer. |
///
/// # Cost
///
/// Bytes per element: held as state, and moved by a step.
///
/// | options | state | `update` moves | passes |
/// |---|---|---|---|
/// | `momentum = 0`, `nesterov = false` | 0 | 12 | 1 |
/// | `momentum != 0`, `nesterov = false` | 4 | 20 | 1 |
/// | `momentum != 0`, `nesterov = true` | 4 | 20 | 1 |
pub mod sgd {
    /// Hyper-parameters of [`GpuSgd`].
    #[derive(
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::fmt::Debug,
        ::core::cmp::PartialEq
    )]
    pub struct SgdParams {
        /// Step size.
        ///
        /// Default `0.01`, range `0.0..`.
        pub learning_rate: ::core::primitive::f32,
        /// Share of the momentum buffer that a step keeps. At 0 there is no buffer.
        ///
        /// Default `0.0`, range `0.0..`. Whether it is 0 is fixed when the optimizer is built.
        pub momentum: ::core::primitive::f32,
        /// Share of the gradient that does not enter the momentum buffer.
        ///
        /// Default `0.0`.
        pub dampening: ::core::primitive::f32,
        /// L2 penalty, added to the gradient.
        ///
        /// Default `0.0`, range `0.0..`.
        pub weight_decay: ::core::primitive::f32,
        /// Nesterov momentum.
        ///
        /// Default `false`. Fixed when the optimizer is built.
        pub nesterov: ::core::primitive::bool,
    }
    /// The update rule of [`GpuSgd`], see [the module](self).
    #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
    pub struct Sgd;
    /// The optimizer: [the rule](self) with hyper-parameters [`SgdParams`].
    pub type GpuSgd = ::optirs_gpu::Optimizer<Sgd>;
    #[allow(
        clippy::float_cmp,
        clippy::missing_asserts_for_indexing,
        clippy::suboptimal_flops,
        clippy::too_many_arguments
    )]
    mod generated {
        use ::core::prelude::v1::*;
        use ::optirs_gpu::GpuOptimError;
        use ::optirs_gpu::rule::{self, check, math};
        impl Default for super::SgdParams {
            fn default() -> Self {
                Self {
                    learning_rate: 0.01,
                    momentum: 0.0,
                    dampening: 0.0,
                    weight_decay: 0.0,
                    nesterov: false,
                }
            }
        }
        impl super::SgdParams {
            /// Checked hyper-parameters: one argument per field, in order.
            ///
            /// # Errors
            ///
            /// Where a value is not finite, out of its range, or against a requirement of the rule.
            pub fn new(
                learning_rate: ::core::primitive::f32,
                momentum: ::core::primitive::f32,
                dampening: ::core::primitive::f32,
                weight_decay: ::core::primitive::f32,
                nesterov: ::core::primitive::bool,
            ) -> Result<Self, GpuOptimError> {
                let params = Self {
                    learning_rate,
                    momentum,
                    dampening,
                    weight_decay,
                    nesterov,
                };
                rule::RuleParams::validate(&params)?;
                Ok(params)
            }
        }
        impl rule::RuleParams for super::SgdParams {
            fn validate(&self) -> Result<(), GpuOptimError> {
                check::real("learning_rate", self.learning_rate, 0.0.., "0.0..")?;
                check::real("momentum", self.momentum, 0.0.., "0.0..")?;
                check::real("dampening", self.dampening, .., "..")?;
                check::real("weight_decay", self.weight_decay, 0.0.., "0.0..")?;
                check::requirement(
                    !self.nesterov
                        || math::decimal(self.momentum) > 0.0_f64
                            && math::decimal(self.dampening) == 0.0_f64,
                    "nesterov needs momentum above 0 and dampening 0: it looks ahead along an undampened buffer",
                )?;
                Ok(())
            }
            fn fields(
                &self,
                show: &mut dyn FnMut(
                    &'static ::core::primitive::str,
                    rule::Value<'static>,
                ),
            ) {
                show("learning_rate", rule::Value::Real(self.learning_rate));
                show("momentum", rule::Value::Real(self.momentum));
                show("dampening", rule::Value::Real(self.dampening));
                show("weight_decay", rule::Value::Real(self.weight_decay));
                show("nesterov", rule::Value::Flag(self.nesterov));
            }
            fn set_field(
                &mut self,
                field: &::core::primitive::str,
                value: rule::Value<'_>,
            ) -> ::core::primitive::bool {
                match (field, value) {
                    ("learning_rate", rule::Value::Real(value)) => {
                        self.learning_rate = value;
                    }
                    ("momentum", rule::Value::Real(value)) => self.momentum = value,
                    ("dampening", rule::Value::Real(value)) => self.dampening = value,
                    ("weight_decay", rule::Value::Real(value)) => {
                        self.weight_decay = value;
                    }
                    ("nesterov", rule::Value::Flag(value)) => self.nesterov = value,
                    _ => return false,
                }
                true
            }
        }
        static VARIANTS: [rule::Variant; 3] = [
            rule::Variant {
                options: &[("momentum", "0"), ("nesterov", "false")],
                element_states: &[],
                host_states: &[],
                all_states: &[],
                tensor_states: &[],
                header_words: 4,
                all_words: 0,
                tensor_words: 0,
                programs: &[variant0::update::PROGRAM],
            },
            rule::Variant {
                options: &[("momentum", "nonzero"), ("nesterov", "false")],
                element_states: &[0],
                host_states: &[],
                all_states: &[],
                tensor_states: &[],
                header_words: 4,
                all_words: 0,
                tensor_words: 0,
                programs: &[variant1::update::PROGRAM],
            },
            rule::Variant {
                options: &[("momentum", "nonzero"), ("nesterov", "true")],
                element_states: &[0],
                host_states: &[],
                all_states: &[],
                tensor_states: &[],
                header_words: 4,
                all_words: 0,
                tensor_words: 0,
                programs: &[variant2::update::PROGRAM],
            },
        ];
        impl rule::Rule for super::Sgd {
            type Params = super::SgdParams;
            const NAME: &'static str = "sgd";
            const STATES: &'static [rule::State] = &[
                rule::State {
                    name: "momentum_buffer",
                    kind: rule::StateKind::Element,
                    init: rule::Init::Number(0.0),
                },
            ];
            const INPUTS: &'static [&'static str] = &[];
            const SCALARS: &'static [&'static str] = &[];
            const VARIANTS: &'static [rule::Variant] = &VARIANTS;
            const WGSL: &'static str = VARIANTS[0].programs[0].wgsl;
            const MSL: &'static str = VARIANTS[0].programs[0].msl;
            const CHECKS_SHAPES: bool = false;
            fn variant(params: &Self::Params) -> Option<usize> {
                match (params.momentum != 0.0, params.nesterov) {
                    (false, false) => Some(0),
                    (true, false) => Some(1),
                    (true, true) => Some(2),
                    _ => None,
                }
            }
            fn hyper(params: &Self::Params, index: usize) -> f32 {
                0.0
            }
            fn shared_difference(
                first: &Self::Params,
                second: &Self::Params,
            ) -> Option<&'static str> {
                None
            }
            fn check_shape(
                params: &Self::Params,
                shape: &[usize],
            ) -> Result<(), GpuOptimError> {
                Ok(())
            }
            fn row(
                variant: usize,
                program: usize,
                context: &rule::RowContext<'_, Self::Params>,
                host_states: &mut [f64],
                row: &mut [u32],
            ) -> Result<(), rule::RowError> {
                match (variant, program) {
                    (0, 0) => variant0::update::row(context, host_states, row),
                    (1, 0) => variant1::update::row(context, host_states, row),
                    (2, 0) => variant2::update::row(context, host_states, row),
                    _ => {
                        Err(rule::RowError {
                            expression: "a program that the rule does not have",
                            value: f64::NAN,
                        })
                    }
                }
            }
        }
        /// `momentum = 0`, `nesterov = false`
        mod variant0 {
            pub(super) mod update {
                use ::core::prelude::v1::*;
                use ::optirs_gpu::rule::{self, RowContext, RowError, cpu, math};
                use super::super::super::SgdParams;
                /// What the host computes for `update`, per tensor and step.
                #[repr(C)]
                #[derive(Clone, Copy)]
                struct Row {
                    /// `grad_scale`
                    grad_scale: f32,
                    /// `clip_value`
                    clip_value: f32,
                    /// `-clip_value`
                    minus_clip_value: f32,
                    /// `hyper.weight_decay`
                    weight_decay: f32,
                    /// `hyper.learning_rate`
                    learning_rate: f32,
                    /// `hyper.learning_rate != 0.0`
                    learning_rate_is_not_0: u32,
                }
                impl Row {
                    fn from_words(words: &[u32]) -> Self {
                        Self {
                            grad_scale: f32::from_bits(words[0]),
                            clip_value: f32::from_bits(words[1]),
                            minus_clip_value: f32::from_bits(words[2]),
                            weight_decay: f32::from_bits(words[3]),
                            learning_rate: f32::from_bits(words[4]),
                            learning_rate_is_not_0: words[5],
                        }
                    }
                    fn write(self, words: &mut [u32]) {
                        words[0] = self.grad_scale.to_bits();
                        words[1] = self.clip_value.to_bits();
                        words[2] = self.minus_clip_value.to_bits();
                        words[3] = self.weight_decay.to_bits();
                        words[4] = self.learning_rate.to_bits();
                        words[5] = self.learning_rate_is_not_0;
                    }
                }
                /// Computes the row of one tensor for `update`.
                pub fn row(
                    context: &RowContext<'_, SgdParams>,
                    host_states: &mut [f64],
                    words: &mut [u32],
                ) -> Result<(), RowError> {
                    let hyper = context.params;
                    let grad_scale = context.grad_scale;
                    let clip_value = context.clip_value;
                    let weight_decay = math::decimal(hyper.weight_decay);
                    let learning_rate = math::decimal(hyper.learning_rate);
                    let learning_rate_is_not_0 = learning_rate != 0.0;
                    let row = Row {
                        grad_scale: if learning_rate_is_not_0 {
                            math::to_f32(grad_scale, "grad_scale")?
                        } else {
                            0.0
                        },
                        clip_value: if learning_rate_is_not_0 {
                            math::limit(clip_value)
                        } else {
                            0.0
                        },
                        minus_clip_value: if learning_rate_is_not_0 {
                            math::limit(-clip_value)
                        } else {
                            0.0
                        },
                        weight_decay: if learning_rate_is_not_0 {
                            math::to_f32(weight_decay, "hyper.weight_decay")?
                        } else {
                            0.0
                        },
                        learning_rate: if learning_rate_is_not_0 {
                            math::to_f32(learning_rate, "hyper.learning_rate")?
                        } else {
                            0.0
                        },
                        learning_rate_is_not_0: u32::from(learning_rate_is_not_0),
                    };
                    row.write(words);
                    Ok(())
                }
                /// `update_pass1` over one chunk.
                #[inline(always)]
                pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
                    let Row {
                        grad_scale,
                        clip_value,
                        minus_clip_value,
                        weight_decay,
                        learning_rate,
                        learning_rate_is_not_0,
                    } = Row::from_words(chunk.row);
                    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
                    let clip = chunk.clip;
                    for block in cpu::blocks(chunk.param.len()) {
                        update_pass1_block(
                            grad_scale,
                            clip_value,
                            minus_clip_value,
                            weight_decay,
                            learning_rate,
                            learning_rate_is_not_0,
                            clip,
                            &chunk.grad[block.clone()],
                            &mut chunk.param[block.clone()],
                        );
                    }
                }
                #[inline(always)]
                fn update_pass1_block(
                    grad_scale: f32,
                    clip_value: f32,
                    minus_clip_value: f32,
                    weight_decay: f32,
                    learning_rate: f32,
                    learning_rate_is_not_0: bool,
                    clip: f32,
                    gradients: &[f32],
                    params: &mut [f32],
                ) {
                    let len = gradients.len();
                    let params = &mut params[..len];
                    for lane in 0..len {
                        let raw_grad = gradients[lane];
                        let param = params[lane];
                        let scaled_grad = raw_grad * grad_scale;
                        let clamped_grad = math::min(
                            math::max(scaled_grad, minus_clip_value),
                            clip_value,
                        );
                        let is_nan = scaled_grad.is_nan();
                        let limited_grad = math::select(
                            is_nan,
                            scaled_grad,
                            clamped_grad,
                        );
                        let grad = limited_grad * clip;
                        let g = grad + weight_decay * param;
                        let param_2 = param - learning_rate * g;
                        let param_new = math::select(
                            learning_rate_is_not_0,
                            param_2,
                            param,
                        );
                        params[lane] = param_new;
                    }
                }
                pub const PROGRAM: rule::Program = rule::Program {
                    name: "update",
                    takes_grad: true,
                    mode: None,
                    wgsl: r#"// sgd: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: momentum = 0, nesterov = false.
// Traffic: 12 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    weight_decay: f32,
    learning_rate: f32,
    learning_rate_is_not_0: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> params: array<vec4f>;
@group(0) @binding(3) var<storage, read> gradients: array<vec4f>;
@group(0) @binding(5) var<storage, read> scalars: array<u32>;

// The four elements that a thread holds.
const lanes = vec4u(0u, 1u, 2u, 3u);

fn smaller4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, b < a);
}

fn larger4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, a < b);
}

@compute @workgroup_size(256)
fn update_pass1(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.x || scalars[0] != 0u) {
        return;
    }
    let chunk_index = 2u * (1u + header.y + index);
    let starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    let tensor_index = 2u * (1u + chunk.y);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars[chunks[tensor_index + 1u].z]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let g = grad + hyper.weight_decay * *param;
        let g = grad + row.weight_decay * param;

        // *param -= hyper.learning_rate * direction;
        let param_2 = param - row.learning_rate * g;

        // if hyper.learning_rate != 0.0 {
        let param_new = select(param, param_2, row.learning_rate_is_not_0 != 0u);

        params[starts.x + quad] = select(param, param_new, inside);
    }
}
"#,
                    msl: r#"// sgd: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: momentum = 0, nesterov = false.
// Traffic: 12 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    float grad_scale;
    float clip_value;
    float minus_clip_value;
    float weight_decay;
    float learning_rate;
    uint learning_rate_is_not_0;
};

// The four elements that a thread holds.
constant uint4 lanes = uint4(0u, 1u, 2u, 3u);

static inline float4 smaller4(float4 a, float4 b) {
    return select(a, b, b < a);
}

static inline float4 larger4(float4 a, float4 b) {
    return select(a, b, a < b);
}

kernel void update_pass1(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device float4* params [[buffer(2)]],
    device const float4* gradients [[buffer(3)]],
    device const uint* scalars [[buffer(4)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.x || scalars[0] != 0u) {
        return;
    }
    const uint chunk_index = 2u * (1u + header.y + index);
    const uint4 starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    const uint4 chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    const uint tensor_index = 2u * (1u + chunk.y);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let g = grad + hyper.weight_decay * *param;
        const float4 g = grad + row.weight_decay * param;

        // *param -= hyper.learning_rate * direction;
        const float4 param_2 = param - row.learning_rate * g;

        // if hyper.learning_rate != 0.0 {
        const float4 param_new = (row.learning_rate_is_not_0 != 0u ? param_2 : param);

        params[starts.x + quad] = select(param, param_new, inside);
    }
}
"#,
                    row_words: 6,
                    partial_words: 0,
                    bytes_per_element: 12,
                    operations: &[
                        rule::Operation {
                            kind: rule::OperationKind::Load,
                            operands: &[],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Load,
                            operands: &[],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[0],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[2],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[3],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[2],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[5, 2, 4],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[6],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[1],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Add,
                            operands: &[7, 8],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[9],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Subtract,
                            operands: &[1, 10],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[11, 1],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Store,
                            operands: &[12],
                        },
                    ],
                    reads: rule::RowReads {
                        step: false,
                        shape: false,
                        host_states: false,
                        scalars: false,
                    },
                    kernels: &[
                        rule::Kernel {
                            name: "update_pass1",
                            kind: rule::KernelKind::Pass({
                                struct Function;
                                impl cpu::Pass for Function {
                                    #[inline(always)]
                                    fn run(chunk: &mut cpu::ChunkArguments<'_>) {
                                        update_pass1(chunk);
                                    }
                                }
                                cpu::CompiledPass::of::<Function>()
                            }),
                            bindings: &[
                                rule::Binding {
                                    role: rule::Role::Hyper,
                                    writes: false,
                                },
                                rule::Binding {
                                    role: rule::Role::Chunks,
                                    writes: false,
                                },
                                rule::Binding {
                                    role: rule::Role::Param,
                                    writes: true,
                                },
                                rule::Binding {
                                    role: rule::Role::Gradient,
                                    writes: false,
                                },
                                rule::Binding {
                                    role: rule::Role::Scalars,
                                    writes: false,
                                },
                            ],
                        },
                    ],
                };
            }
        }
        /// `momentum != 0`, `nesterov = false`
        mod variant1 {
            pub(super) mod update {
                use ::core::prelude::v1::*;
                use ::optirs_gpu::rule::{self, RowContext, RowError, cpu, math};
                use super::super::super::SgdParams;
                /// What the host computes for `update`, per tensor and step.
                #[repr(C)]
                #[derive(Clone, Copy)]
                struct Row {
                    /// `grad_scale`
                    grad_scale: f32,
                    /// `clip_value`
                    clip_value: f32,
                    /// `-clip_value`
                    minus_clip_value: f32,
                    /// `hyper.weight_decay`
                    weight_decay: f32,
                    /// `hyper.momentum`
                    momentum: f32,
                    /// `step == 1`
                    step_is_1: u32,
                    /// `1.0 - hyper.dampening`
                    one_minus_dampening: f32,
                    /// `hyper.learning_rate`
                    learning_rate: f32,
                    /// `hyper.learning_rate != 0.0`
                    learning_rate_is_not_0: u32,
                }
                impl Row {
                    fn from_words(words: &[u32]) -> Self {
                        Self {
                            grad_scale: f32::from_bits(words[0]),
                            clip_value: f32::from_bits(words[1]),
                            minus_clip_value: f32::from_bits(words[2]),
                            weight_decay: f32::from_bits(words[3]),
                            momentum: f32::from_bits(words[4]),
                            step_is_1: words[5],
                            one_minus_dampening: f32::from_bits(words[6]),
                            learning_rate: f32::from_bits(words[7]),
                            learning_rate_is_not_0: words[8],
                        }
                    }
                    fn write(self, words: &mut [u32]) {
                        words[0] = self.grad_scale.to_bits();
                        words[1] = self.clip_value.to_bits();
                        words[2] = self.minus_clip_value.to_bits();
                        words[3] = self.weight_decay.to_bits();
                        words[4] = self.momentum.to_bits();
                        words[5] = self.step_is_1;
                        words[6] = self.one_minus_dampening.to_bits();
                        words[7] = self.learning_rate.to_bits();
                        words[8] = self.learning_rate_is_not_0;
                    }
                }
                /// Computes the row of one tensor for `update`.
                pub fn row(
                    context: &RowContext<'_, SgdParams>,
                    host_states: &mut [f64],
                    words: &mut [u32],
                ) -> Result<(), RowError> {
                    let hyper = context.params;
                    let grad_scale = context.grad_scale;
                    let clip_value = context.clip_value;
                    let weight_decay = math::decimal(hyper.weight_decay);
                    let momentum = math::decimal(hyper.momentum);
                    let step = math::whole(context.step);
                    let dampening = math::decimal(hyper.dampening);
                    let learning_rate = math::decimal(hyper.learning_rate);
                    let step_is_1 = step == 1;
                    let learning_rate_is_not_0 = learning_rate != 0.0;
                    let t1 = !step_is_1;
                    let row = Row {
                        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
                        clip_value: math::limit(clip_value),
                        minus_clip_value: math::limit(-clip_value),
                        weight_decay: math::to_f32(weight_decay, "hyper.weight_decay")?,
                        momentum: if t1 {
                            math::to_f32(momentum, "hyper.momentum")?
                        } else {
                            0.0
                        },
                        step_is_1: u32::from(step_is_1),
                        one_minus_dampening: if t1 {
                            math::to_f32(1.0 - dampening, "1.0 - hyper.dampening")?
                        } else {
                            0.0
                        },
                        learning_rate: if learning_rate_is_not_0 {
                            math::to_f32(learning_rate, "hyper.learning_rate")?
                        } else {
                            0.0
                        },
                        learning_rate_is_not_0: u32::from(learning_rate_is_not_0),
                    };
                    row.write(words);
                    Ok(())
                }
                /// `update_pass1` over one chunk.
                #[inline(always)]
                pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
                    let Row {
                        grad_scale,
                        clip_value,
                        minus_clip_value,
                        weight_decay,
                        momentum,
                        step_is_1,
                        one_minus_dampening,
                        learning_rate,
                        learning_rate_is_not_0,
                    } = Row::from_words(chunk.row);
                    let step_is_1 = step_is_1 != 0;
                    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
                    let clip = chunk.clip;
                    let [momentum_buffer_slice] = cpu::states(chunk.states);
                    for block in cpu::blocks(chunk.param.len()) {
                        update_pass1_block(
                            grad_scale,
                            clip_value,
                            minus_clip_value,
                            weight_decay,
                            momentum,
                            step_is_1,
                            one_minus_dampening,
                            learning_rate,
                            learning_rate_is_not_0,
                            clip,
                            &chunk.grad[block.clone()],
                            &mut chunk.param[block.clone()],
                            &mut momentum_buffer_slice[block.clone()],
                        );
                    }
                }
                #[inline(always)]
                fn update_pass1_block(
                    grad_scale: f32,
                    clip_value: f32,
                    minus_clip_value: f32,
                    weight_decay: f32,
                    momentum: f32,
                    step_is_1: bool,
                    one_minus_dampening: f32,
                    learning_rate: f32,
                    learning_rate_is_not_0: bool,
                    clip: f32,
                    gradients: &[f32],
                    params: &mut [f32],
                    momentum_buffer_slice: &mut [f32],
                ) {
                    let len = gradients.len();
                    let params = &mut params[..len];
                    let momentum_buffer_slice = &mut momentum_buffer_slice[..len];
                    for lane in 0..len {
                        let raw_grad = gradients[lane];
                        let param = params[lane];
                        let momentum_buffer = momentum_buffer_slice[lane];
                        let scaled_grad = raw_grad * grad_scale;
                        let clamped_grad = math::min(
                            math::max(scaled_grad, minus_clip_value),
                            clip_value,
                        );
                        let is_nan = scaled_grad.is_nan();
                        let limited_grad = math::select(
                            is_nan,
                            scaled_grad,
                            clamped_grad,
                        );
                        let grad = limited_grad * clip;
                        let g = grad + weight_decay * param;
                        let momentum_buffer_new = math::select(
                            step_is_1,
                            g,
                            momentum * momentum_buffer + one_minus_dampening * g,
                        );
                        let param_2 = param - learning_rate * momentum_buffer_new;
                        let param_new = math::select(
                            learning_rate_is_not_0,
                            param_2,
                            param,
                        );
                        params[lane] = param_new;
                        momentum_buffer_slice[lane] = momentum_buffer_new;
                    }
                }
                pub const PROGRAM: rule::Program = rule::Program {
                    name: "update",
                    takes_grad: true,
                    mode: None,
                    wgsl: r#"// sgd: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: momentum = nonzero, nesterov = false.
// State per element: momentum_buffer.
// Traffic: 20 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    weight_decay: f32,
    momentum: f32,
    step_is_1: u32,
    one_minus_dampening: f32,
    learning_rate: f32,
    learning_rate_is_not_0: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> params: array<vec4f>;
@group(0) @binding(3) var<storage, read> gradients: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> states: array<vec4f>;
@group(0) @binding(5) var<storage, read> scalars: array<u32>;

// The four elements that a thread holds.
const lanes = vec4u(0u, 1u, 2u, 3u);

fn smaller4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, b < a);
}

fn larger4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, a < b);
}

@compute @workgroup_size(256)
fn update_pass1(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.x || scalars[0] != 0u) {
        return;
    }
    let chunk_index = 2u * (1u + header.y + index);
    let starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    let tensor_index = 2u * (1u + chunk.y);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let momentum_buffer_start = starts.z;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars[chunks[tensor_index + 1u].z]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];
        let momentum_buffer = states[momentum_buffer_start + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let g = grad + hyper.weight_decay * *param;
        let g = grad + row.weight_decay * param;

        // state.momentum_buffer = if step == 1 { g } else { hyper.momentum * state.momentum_buffer + (1.0 - hyper.d …
        let momentum_buffer_new = select(row.momentum * momentum_buffer + row.one_minus_dampening * g, g, row.step_is_1 != 0u);

        // *param -= hyper.learning_rate * direction;
        let param_2 = param - row.learning_rate * momentum_buffer_new;

        // if hyper.learning_rate != 0.0 {
        let param_new = select(param, param_2, row.learning_rate_is_not_0 != 0u);

        params[starts.x + quad] = select(param, param_new, inside);
        states[momentum_buffer_start + quad] = select(momentum_buffer, momentum_buffer_new, inside);
    }
}
"#,
                    msl: r#"// sgd: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: momentum = nonzero, nesterov = false.
// State per element: momentum_buffer.
// Traffic: 20 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    float grad_scale;
    float clip_value;
    float minus_clip_value;
    float weight_decay;
    float momentum;
    uint step_is_1;
    float one_minus_dampening;
    float learning_rate;
    uint learning_rate_is_not_0;
};

// The four elements that a thread holds.
constant uint4 lanes = uint4(0u, 1u, 2u, 3u);

static inline float4 smaller4(float4 a, float4 b) {
    return select(a, b, b < a);
}

static inline float4 larger4(float4 a, float4 b) {
    return select(a, b, a < b);
}

kernel void update_pass1(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device float4* params [[buffer(2)]],
    device const float4* gradients [[buffer(3)]],
    device float4* states [[buffer(4)]],
    device const uint* scalars [[buffer(5)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.x || scalars[0] != 0u) {
        return;
    }
    const uint chunk_index = 2u * (1u + header.y + index);
    const uint4 starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    const uint4 chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    const uint tensor_index = 2u * (1u + chunk.y);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const uint momentum_buffer_start = starts.z;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 momentum_buffer = states[momentum_buffer_start + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let g = grad + hyper.weight_decay * *param;
        const float4 g = grad + row.weight_decay * param;

        // state.momentum_buffer = if step == 1 { g } else { hyper.momentum * state.momentum_buffer + (1.0 - hyper.d …
        const float4 momentum_buffer_new = (row.step_is_1 != 0u ? g : row.momentum * momentum_buffer + row.one_minus_dampening * g);

        // *param -= hyper.learning_rate * direction;
        const float4 param_2 = param - row.learning_rate * momentum_buffer_new;

        // if hyper.learning_rate != 0.0 {
        const float4 param_new = (row.learning_rate_is_not_0 != 0u ? param_2 : param);

        params[starts.x + quad] = select(param, param_new, inside);
        states[momentum_buffer_start + quad] = select(momentum_buffer, momentum_buffer_new, inside);
    }
}
"#,
                    row_words: 9,
                    partial_words: 0,
                    bytes_per_element: 20,
                    operations: &[
                        rule::Operation {
                            kind: rule::OperationKind::Load,
                            operands: &[],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Load,
                            operands: &[],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Load,
                            operands: &[],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[0],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[3],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[4],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[3],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[6, 3, 5],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[7],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[1],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Add,
                            operands: &[8, 9],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[2],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[10],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Add,
                            operands: &[11, 12],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[10, 13],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[14],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Subtract,
                            operands: &[1, 15],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[16, 1],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Store,
                            operands: &[17],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Store,
                            operands: &[14],
                        },
                    ],
                    reads: rule::RowReads {
                        step: true,
                        shape: false,
                        host_states: false,
                        scalars: false,
                    },
                    kernels: &[
                        rule::Kernel {
                            name: "update_pass1",
                            kind: rule::KernelKind::Pass({
                                struct Function;
                                impl cpu::Pass for Function {
                                    #[inline(always)]
                                    fn run(chunk: &mut cpu::ChunkArguments<'_>) {
                                        update_pass1(chunk);
                                    }
                                }
                                cpu::CompiledPass::of::<Function>()
                            }),
                            bindings: &[
                                rule::Binding {
                                    role: rule::Role::Hyper,
                                    writes: false,
                                },
                                rule::Binding {
                                    role: rule::Role::Chunks,
                                    writes: false,
                                },
                                rule::Binding {
                                    role: rule::Role::Param,
                                    writes: true,
                                },
                                rule::Binding {
                                    role: rule::Role::Gradient,
                                    writes: false,
                                },
                                rule::Binding {
                                    role: rule::Role::State,
                                    writes: true,
                                },
                                rule::Binding {
                                    role: rule::Role::Scalars,
                                    writes: false,
                                },
                            ],
                        },
                    ],
                };
            }
        }
        /// `momentum != 0`, `nesterov = true`
        mod variant2 {
            pub(super) mod update {
                use ::core::prelude::v1::*;
                use ::optirs_gpu::rule::{self, RowContext, RowError, cpu, math};
                use super::super::super::SgdParams;
                /// What the host computes for `update`, per tensor and step.
                #[repr(C)]
                #[derive(Clone, Copy)]
                struct Row {
                    /// `grad_scale`
                    grad_scale: f32,
                    /// `clip_value`
                    clip_value: f32,
                    /// `-clip_value`
                    minus_clip_value: f32,
                    /// `hyper.weight_decay`
                    weight_decay: f32,
                    /// `hyper.momentum`
                    momentum: f32,
                    /// `step == 1`
                    step_is_1: u32,
                    /// `1.0 - hyper.dampening`
                    one_minus_dampening: f32,
                    /// `hyper.learning_rate`
                    learning_rate: f32,
                    /// `hyper.learning_rate != 0.0`
                    learning_rate_is_not_0: u32,
                }
                impl Row {
                    fn from_words(words: &[u32]) -> Self {
                        Self {
                            grad_scale: f32::from_bits(words[0]),
                            clip_value: f32::from_bits(words[1]),
                            minus_clip_value: f32::from_bits(words[2]),
                            weight_decay: f32::from_bits(words[3]),
                            momentum: f32::from_bits(words[4]),
                            step_is_1: words[5],
                            one_minus_dampening: f32::from_bits(words[6]),
                            learning_rate: f32::from_bits(words[7]),
                            learning_rate_is_not_0: words[8],
                        }
                    }
                    fn write(self, words: &mut [u32]) {
                        words[0] = self.grad_scale.to_bits();
                        words[1] = self.clip_value.to_bits();
                        words[2] = self.minus_clip_value.to_bits();
                        words[3] = self.weight_decay.to_bits();
                        words[4] = self.momentum.to_bits();
                        words[5] = self.step_is_1;
                        words[6] = self.one_minus_dampening.to_bits();
                        words[7] = self.learning_rate.to_bits();
                        words[8] = self.learning_rate_is_not_0;
                    }
                }
                /// Computes the row of one tensor for `update`.
                pub fn row(
                    context: &RowContext<'_, SgdParams>,
                    host_states: &mut [f64],
                    words: &mut [u32],
                ) -> Result<(), RowError> {
                    let hyper = context.params;
                    let grad_scale = context.grad_scale;
                    let clip_value = context.clip_value;
                    let weight_decay = math::decimal(hyper.weight_decay);
                    let momentum = math::decimal(hyper.momentum);
                    let step = math::whole(context.step);
                    let dampening = math::decimal(hyper.dampening);
                    let learning_rate = math::decimal(hyper.learning_rate);
                    let step_is_1 = step == 1;
                    let learning_rate_is_not_0 = learning_rate != 0.0;
                    let t1 = !step_is_1;
                    let row = Row {
                        grad_scale: math::to_f32(grad_scale, "grad_scale")?,
                        clip_value: math::limit(clip_value),
                        minus_clip_value: math::limit(-clip_value),
                        weight_decay: math::to_f32(weight_decay, "hyper.weight_decay")?,
                        momentum: if t1 || learning_rate_is_not_0 {
                            math::to_f32(momentum, "hyper.momentum")?
                        } else {
                            0.0
                        },
                        step_is_1: u32::from(step_is_1),
                        one_minus_dampening: if t1 {
                            math::to_f32(1.0 - dampening, "1.0 - hyper.dampening")?
                        } else {
                            0.0
                        },
                        learning_rate: if learning_rate_is_not_0 {
                            math::to_f32(learning_rate, "hyper.learning_rate")?
                        } else {
                            0.0
                        },
                        learning_rate_is_not_0: u32::from(learning_rate_is_not_0),
                    };
                    row.write(words);
                    Ok(())
                }
                /// `update_pass1` over one chunk.
                #[inline(always)]
                pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
                    let Row {
                        grad_scale,
                        clip_value,
                        minus_clip_value,
                        weight_decay,
                        momentum,
                        step_is_1,
                        one_minus_dampening,
                        learning_rate,
                        learning_rate_is_not_0,
                    } = Row::from_words(chunk.row);
                    let step_is_1 = step_is_1 != 0;
                    let learning_rate_is_not_0 = learning_rate_is_not_0 != 0;
                    let clip = chunk.clip;
                    let [momentum_buffer_slice] = cpu::states(chunk.states);
                    for block in cpu::blocks(chunk.param.len()) {
                        update_pass1_block(
                            grad_scale,
                            clip_value,
                            minus_clip_value,
                            weight_decay,
                            momentum,
                            step_is_1,
                            one_minus_dampening,
                            learning_rate,
                            learning_rate_is_not_0,
                            clip,
                            &chunk.grad[block.clone()],
                            &mut chunk.param[block.clone()],
                            &mut momentum_buffer_slice[block.clone()],
                        );
                    }
                }
                #[inline(always)]
                fn update_pass1_block(
                    grad_scale: f32,
                    clip_value: f32,
                    minus_clip_value: f32,
                    weight_decay: f32,
                    momentum: f32,
                    step_is_1: bool,
                    one_minus_dampening: f32,
                    learning_rate: f32,
                    learning_rate_is_not_0: bool,
                    clip: f32,
                    gradients: &[f32],
                    params: &mut [f32],
                    momentum_buffer_slice: &mut [f32],
                ) {
                    let len = gradients.len();
                    let params = &mut params[..len];
                    let momentum_buffer_slice = &mut momentum_buffer_slice[..len];
                    for lane in 0..len {
                        let raw_grad = gradients[lane];
                        let param = params[lane];
                        let momentum_buffer = momentum_buffer_slice[lane];
                        let scaled_grad = raw_grad * grad_scale;
                        let clamped_grad = math::min(
                            math::max(scaled_grad, minus_clip_value),
                            clip_value,
                        );
                        let is_nan = scaled_grad.is_nan();
                        let limited_grad = math::select(
                            is_nan,
                            scaled_grad,
                            clamped_grad,
                        );
                        let grad = limited_grad * clip;
                        let g = grad + weight_decay * param;
                        let momentum_buffer_new = math::select(
                            step_is_1,
                            g,
                            momentum * momentum_buffer + one_minus_dampening * g,
                        );
                        let direction = g + momentum * momentum_buffer_new;
                        let param_2 = param - learning_rate * direction;
                        let param_new = math::select(
                            learning_rate_is_not_0,
                            param_2,
                            param,
                        );
                        params[lane] = param_new;
                        momentum_buffer_slice[lane] = momentum_buffer_new;
                    }
                }
                pub const PROGRAM: rule::Program = rule::Program {
                    name: "update",
                    takes_grad: true,
                    mode: None,
                    wgsl: r#"// sgd: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: momentum = nonzero, nesterov = true.
// State per element: momentum_buffer.
// Traffic: 20 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    grad_scale: f32,
    clip_value: f32,
    minus_clip_value: f32,
    weight_decay: f32,
    momentum: f32,
    step_is_1: u32,
    one_minus_dampening: f32,
    learning_rate: f32,
    learning_rate_is_not_0: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<Row>;
@group(0) @binding(1) var<storage, read> chunks: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> params: array<vec4f>;
@group(0) @binding(3) var<storage, read> gradients: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> states: array<vec4f>;
@group(0) @binding(5) var<storage, read> scalars: array<u32>;

// The four elements that a thread holds.
const lanes = vec4u(0u, 1u, 2u, 3u);

fn smaller4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, b < a);
}

fn larger4(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, a < b);
}

@compute @workgroup_size(256)
fn update_pass1(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) grid: vec3u,
    @builtin(local_invocation_index) invocation: u32,
) {
    let header = chunks[0]; // chunks, tensors, +inf, -inf
    let index = group.x + group.y * grid.x;
    if (index >= header.x || scalars[0] != 0u) {
        return;
    }
    let chunk_index = 2u * (1u + header.y + index);
    let starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    let tensor_index = 2u * (1u + chunk.y);
    let tensor = chunks[tensor_index]; // row, cell stride, slot, length
    let momentum_buffer_start = starts.z;
    let row = rows[tensor.x];
    let clip = bitcast<f32>(scalars[chunks[tensor_index + 1u].z]);

    for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        let inside = lanes < vec4u(chunk.x - 4u * quad);
        let raw_grad = gradients[starts.y + quad];
        let param = params[starts.x + quad];
        let momentum_buffer = states[momentum_buffer_start + quad];

        let scaled_grad = raw_grad * row.grad_scale;
        let clamped_grad = smaller4(larger4(scaled_grad, vec4f(row.minus_clip_value)), vec4f(row.clip_value));
        let is_nan = (bitcast<vec4u>(scaled_grad) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
        let limited_grad = select(clamped_grad, scaled_grad, is_nan);
        let grad = limited_grad * clip;

        // let g = grad + hyper.weight_decay * *param;
        let g = grad + row.weight_decay * param;

        // state.momentum_buffer = if step == 1 { g } else { hyper.momentum * state.momentum_buffer + (1.0 - hyper.d …
        let momentum_buffer_new = select(row.momentum * momentum_buffer + row.one_minus_dampening * g, g, row.step_is_1 != 0u);

        // let direction = if hyper.momentum != 0.0 { state.momentum_buffer = if step == 1 { g } else { hyper.moment …
        let direction = g + row.momentum * momentum_buffer_new;

        // *param -= hyper.learning_rate * direction;
        let param_2 = param - row.learning_rate * direction;

        // if hyper.learning_rate != 0.0 {
        let param_new = select(param, param_2, row.learning_rate_is_not_0 != 0u);

        params[starts.x + quad] = select(param, param_new, inside);
        states[momentum_buffer_start + quad] = select(momentum_buffer, momentum_buffer_new, inside);
    }
}
"#,
                    msl: r#"// sgd: update
// Generated from the rule by optimizer-specs. Edit the rule, not this.
//
// Options: momentum = nonzero, nesterov = true.
// State per element: momentum_buffer.
// Traffic: 20 bytes per element.
//
// `chunks` is a table: a head, then the tensors, then the chunks, two vectors each.

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#include <metal_stdlib>
using namespace metal;

// What the host computes for a tensor, in f64, and rounds once.
struct Row {
    float grad_scale;
    float clip_value;
    float minus_clip_value;
    float weight_decay;
    float momentum;
    uint step_is_1;
    float one_minus_dampening;
    float learning_rate;
    uint learning_rate_is_not_0;
};

// The four elements that a thread holds.
constant uint4 lanes = uint4(0u, 1u, 2u, 3u);

static inline float4 smaller4(float4 a, float4 b) {
    return select(a, b, b < a);
}

static inline float4 larger4(float4 a, float4 b) {
    return select(a, b, a < b);
}

kernel void update_pass1(
    device const Row* rows [[buffer(0)]],
    device const uint4* chunks [[buffer(1)]],
    device float4* params [[buffer(2)]],
    device const float4* gradients [[buffer(3)]],
    device float4* states [[buffer(4)]],
    device const uint* scalars [[buffer(5)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint3 grid [[threadgroups_per_grid]],
    uint invocation [[thread_index_in_threadgroup]]
) {
    const uint4 header = chunks[0]; // chunks, tensors, +inf, -inf
    const uint index = group.x + group.y * grid.x;
    if (index >= header.x || scalars[0] != 0u) {
        return;
    }
    const uint chunk_index = 2u * (1u + header.y + index);
    const uint4 starts = chunks[chunk_index] / 4u; // of param, gradient, state, input
    const uint4 chunk = chunks[chunk_index + 1u]; // length, tensor, partial
    const uint tensor_index = 2u * (1u + chunk.y);
    const uint4 tensor = chunks[tensor_index]; // row, cell stride, slot, length
    const uint momentum_buffer_start = starts.z;
    const Row row = rows[tensor.x];
    const float clip = as_type<float>(scalars[chunks[tensor_index + 1u].z]);

    for (uint quad = invocation; 4u * quad < chunk.x; quad += 256u) {
        const bool4 inside = lanes < uint4(chunk.x - 4u * quad);
        const float4 raw_grad = gradients[starts.y + quad];
        const float4 param = params[starts.x + quad];
        const float4 momentum_buffer = states[momentum_buffer_start + quad];

        const float4 scaled_grad = raw_grad * row.grad_scale;
        const float4 clamped_grad = smaller4(larger4(scaled_grad, float4(row.minus_clip_value)), float4(row.clip_value));
        const bool4 is_nan = (as_type<uint4>(scaled_grad) & uint4(0x7fffffffu)) > uint4(0x7f800000u);
        const float4 limited_grad = select(clamped_grad, scaled_grad, is_nan);
        const float4 grad = limited_grad * clip;

        // let g = grad + hyper.weight_decay * *param;
        const float4 g = grad + row.weight_decay * param;

        // state.momentum_buffer = if step == 1 { g } else { hyper.momentum * state.momentum_buffer + (1.0 - hyper.d …
        const float4 momentum_buffer_new = (row.step_is_1 != 0u ? g : row.momentum * momentum_buffer + row.one_minus_dampening * g);

        // let direction = if hyper.momentum != 0.0 { state.momentum_buffer = if step == 1 { g } else { hyper.moment …
        const float4 direction = g + row.momentum * momentum_buffer_new;

        // *param -= hyper.learning_rate * direction;
        const float4 param_2 = param - row.learning_rate * direction;

        // if hyper.learning_rate != 0.0 {
        const float4 param_new = (row.learning_rate_is_not_0 != 0u ? param_2 : param);

        params[starts.x + quad] = select(param, param_new, inside);
        states[momentum_buffer_start + quad] = select(momentum_buffer, momentum_buffer_new, inside);
    }
}
"#,
                    row_words: 9,
                    partial_words: 0,
                    bytes_per_element: 20,
                    operations: &[
                        rule::Operation {
                            kind: rule::OperationKind::Load,
                            operands: &[],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Load,
                            operands: &[],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Load,
                            operands: &[],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[0],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[3],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[4],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[3],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[6, 3, 5],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[7],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[1],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Add,
                            operands: &[8, 9],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[2],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[10],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Add,
                            operands: &[11, 12],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[10, 13],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[14],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Add,
                            operands: &[10, 15],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Multiply,
                            operands: &[16],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Subtract,
                            operands: &[1, 17],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Other,
                            operands: &[18, 1],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Store,
                            operands: &[19],
                        },
                        rule::Operation {
                            kind: rule::OperationKind::Store,
                            operands: &[14],
                        },
                    ],
                    reads: rule::RowReads {
                        step: true,
                        shape: false,
                        host_states: false,
                        scalars: false,
                    },
                    kernels: &[
                        rule::Kernel {
                            name: "update_pass1",
                            kind: rule::KernelKind::Pass({
                                struct Function;
                                impl cpu::Pass for Function {
                                    #[inline(always)]
                                    fn run(chunk: &mut cpu::ChunkArguments<'_>) {
                                        update_pass1(chunk);
                                    }
                                }
                                cpu::CompiledPass::of::<Function>()
                            }),
                            bindings: &[
                                rule::Binding {
                                    role: rule::Role::Hyper,
                                    writes: false,
                                },
                                rule::Binding {
                                    role: rule::Role::Chunks,
                                    writes: false,
                                },
                                rule::Binding {
                                    role: rule::Role::Param,
                                    writes: true,
                                },
                                rule::Binding {
                                    role: rule::Role::Gradient,
                                    writes: false,
                                },
                                rule::Binding {
                                    role: rule::Role::State,
                                    writes: true,
                                },
                                rule::Binding {
                                    role: rule::Role::Scalars,
                                    writes: false,
                                },
                            ],
                        },
                    ],
                };
            }
        }
    }
}
