//! Constants: states, variants, programs, kernels, bindings.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::operations::operations;
use super::{label, real, tokens};
use crate::checked::{Entry, Init, Mode, Rule, StateKind};
use crate::compile::Compiled;
use crate::emit::{msl, wgsl};
use crate::ir::{Cell, Kernel, KernelKind, Op, Program, Variant};
use crate::layout::{self, Binding, Role};

/// `rule::State { … }`, comma separated.
pub(super) fn states(rule: &Rule) -> TokenStream {
    let states = rule.states.iter().map(|state| {
        let name = label(&state.name);
        let kind = match state.kind {
            StateKind::Element => quote!(Element),
            StateKind::Tensor => quote!(Tensor),
            StateKind::All => quote!(All),
            StateKind::Host => quote!(Host),
        };
        let init = match state.init {
            Init::Number(value) => {
                let value = real(value);
                quote!(Number(#value))
            }
            Init::Hyper(index) => {
                let index = Literal::u32_unsuffixed(index);
                quote!(Hyper(#index))
            }
            Init::Param => quote!(Param),
        };
        quote!(rule::State { name: #name, kind: rule::StateKind::#kind, init: rule::Init::#init })
    });
    quote!(#(#states),*)
}

/// The static `VARIANTS`. It is a static so that each program has one address.
pub(super) fn variants(compiled: &Compiled) -> TokenStream {
    let count = Literal::usize_unsuffixed(compiled.variants.len());
    let variants = compiled.variants.iter().enumerate().map(|(index, variant)| {
        let module = format_ident!("variant{index}");
        let entries = compiled.rule.entries.iter().map(|entry| &entry.name);
        variant_tokens(variant, &quote!(#(#module::#entries::PROGRAM),*))
    });
    quote!(static VARIANTS: [rule::Variant; #count] = [#(#variants),*];)
}

fn variant_tokens(variant: &Variant, programs: &TokenStream) -> TokenStream {
    let options = variant.options.iter().map(|(option, value)| quote!((#option, #value)));
    let (elements, hosts) = (indices(&variant.element_states), indices(&variant.host_states));
    let (all, tensor) = (indices(&variant.all.states), indices(&variant.tensor.states));
    let header_words = count(variant.header);
    let (all_words, tensor_words) = (count(variant.all.words), count(variant.tensor.words));
    quote! {
        rule::Variant {
            options: &[#(#options),*],
            element_states: #elements,
            host_states: #hosts,
            all_states: #all,
            tensor_states: #tensor,
            header_words: #header_words,
            all_words: #all_words,
            tensor_words: #tensor_words,
            programs: &[#programs],
        }
    }
}

fn indices(states: &[u32]) -> TokenStream {
    let states = states.iter().map(|&state| count(state));
    quote!(&[#(#states),*])
}

fn count(value: u32) -> Literal {
    Literal::u32_unsuffixed(value)
}

/// `const PROGRAM`, to stand beside the program's kernels.
pub(super) fn program(rule: &Rule, variant: &Variant, program: &Program, entry: &Entry) -> TokenStream {
    let name = label(&entry.name);
    let takes_grad = program.graph.takes_grad;
    let mode = match entry.mode {
        Some(Mode::Train) => quote!(Some(rule::Mode::Train)),
        Some(Mode::Eval) => quote!(Some(rule::Mode::Eval)),
        None => quote!(None),
    };
    let wgsl = source(&wgsl::program(rule, variant, program));
    let msl = source(&msl::program(rule, variant, program));
    let row_words = Literal::usize_unsuffixed(program.row.len());
    let (partial_words, bytes) = (count(program.partial_words), count(program.bytes_per_element));
    let (reads, operations) = (row_reads(program), operations(program));
    let kernels = program.kernels.iter().map(kernel);
    quote! {
        pub const PROGRAM: rule::Program = rule::Program {
            name: #name,
            takes_grad: #takes_grad,
            mode: #mode,
            wgsl: #wgsl,
            msl: #msl,
            row_words: #row_words,
            partial_words: #partial_words,
            bytes_per_element: #bytes,
            operations: &[#operations],
            reads: rule::RowReads { #reads },
            kernels: &[#(#kernels),*],
        };
    }
}

/// What rows depend on: the fields of a `RowReads`.
fn row_reads(program: &Program) -> TokenStream {
    let reads = |what: fn(Op) -> bool| program.graph.nodes.iter().any(|node| what(node.op));
    let step = reads(|op| op == Op::Step);
    let shape = reads(|op| matches!(op, Op::Len | Op::Ndim | Op::Dim(_)));
    let host_states = reads(|op| matches!(op, Op::Load(Cell::HostState(_))));
    let scalars = reads(|op| matches!(op, Op::Scalar(_)));
    quote!(step: #step, shape: #shape, host_states: #host_states, scalars: #scalars)
}

fn kernel(kernel: &Kernel) -> TokenStream {
    let name = &kernel.name;
    let function = format_ident!("{}", kernel.name);
    let kind = match kernel.kind {
        KernelKind::Pass => quote! {
            Pass({
                struct Function;
                impl cpu::Pass for Function {
                    #[inline(always)]
                    fn run(chunk: &mut cpu::ChunkArguments<'_>) {
                        #function(chunk);
                    }
                }
                cpu::CompiledPass::of::<Function>()
            })
        },
        KernelKind::FinishTensor | KernelKind::FinishTensorLate => quote!(FinishTensor(#function)),
        KernelKind::FinishAll => quote!(FinishAll(#function)),
    };
    let bindings = layout::bindings(kernel).into_iter().map(binding);
    quote! {
        rule::Kernel { name: #name, kind: rule::KernelKind::#kind, bindings: &[#(#bindings),*] }
    }
}

fn binding(Binding { role, writes }: Binding) -> TokenStream {
    let role = match role {
        Role::Hyper => quote!(Hyper),
        Role::Chunks => quote!(Chunks),
        Role::Param => quote!(Param),
        Role::Gradient => quote!(Gradient),
        Role::State => quote!(State),
        Role::Scalars => quote!(Scalars),
        Role::Partials => quote!(Partials),
        Role::Input(index) => {
            let index = count(index);
            quote!(Input(#index))
        }
    };
    quote!(rule::Binding { role: rule::Role::#role, writes: #writes })
}

/// A source as a raw string, so that the expansion reads as the shader does.
fn source(text: &str) -> TokenStream {
    let fence = (1..).map(|count| "#".repeat(count)).find(|fence| !text.contains(&format!("\"{fence}")));
    let fence = fence.unwrap_or_default();
    tokens(&format!("r{fence}\"{text}\"{fence}"))
}
