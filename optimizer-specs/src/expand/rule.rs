//! `impl Rule`: constants, and functions that only choose or compare.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::interface::rule_name;
use super::params::enum_value;
use super::requirement::Requirements;
use super::{label, tables};
use crate::checked::{Hyper, HyperType, Init, Rule};
use crate::compile::Compiled;

/// The implementation, to stand in the module `generated` beside the static `VARIANTS`.
pub(super) fn implementation(compiled: &Compiled, requirements: &Requirements) -> TokenStream {
    let rule = &compiled.rule;
    let (name, params, module) = (rule_name(rule), &rule.params_name, label(&rule.name));
    let states = tables::states(rule);
    let inputs = rule.inputs.iter().map(label);
    let scalars = rule.scalars.iter().map(label);
    let default = Literal::usize_unsuffixed(compiled.default_variant);
    let variant = variant(compiled);
    let hypers = initial_values(rule);
    let shared = rule.hypers.iter().filter(|hyper| hyper.shared).map(|hyper| {
        let (name, label) = (&hyper.name, label(&hyper.name));
        quote!(if first.#name != second.#name { return Some(#label); })
    });
    let checks_shapes = !requirements.of_shapes.is_empty();
    let shapes =
        requirements.of_shapes.iter().map(|(condition, message)| quote!(check::requirement(#condition, #message)?;));
    let rows = rows(compiled);
    quote! {
        impl rule::Rule for super::#name {
            type Params = super::#params;
            const NAME: &'static str = #module;
            const STATES: &'static [rule::State] = &[#states];
            const INPUTS: &'static [&'static str] = &[#(#inputs),*];
            const SCALARS: &'static [&'static str] = &[#(#scalars),*];
            const VARIANTS: &'static [rule::Variant] = &VARIANTS;
            const WGSL: &'static str = VARIANTS[#default].programs[0].wgsl;
            const MSL: &'static str = VARIANTS[#default].programs[0].msl;
            const CHECKS_SHAPES: bool = #checks_shapes;

            fn variant(params: &Self::Params) -> Option<usize> {
                #variant
            }

            fn hyper(params: &Self::Params, index: usize) -> f32 {
                #hypers
            }

            fn shared_difference(first: &Self::Params, second: &Self::Params) -> Option<&'static str> {
                #(#shared)*
                None
            }

            fn check_shape(params: &Self::Params, shape: &[usize]) -> Result<(), GpuOptimError> {
                #(#shapes)*
                Ok(())
            }

            fn row(
                variant: usize,
                program: usize,
                context: &rule::RowContext<'_, Self::Params>,
                host_states: &mut [f64],
                row: &mut [u32],
            ) -> Result<(), rule::RowError> {
                #rows
            }
        }
    }
}

/// A match over the options, one arm per variant.
fn variant(compiled: &Compiled) -> TokenStream {
    let rule = &compiled.rule;
    let options: Vec<&Hyper> = compiled.variants.first().map_or(Vec::new(), |variant| {
        let names = variant.options.iter().map(|(option, _)| option);
        names.filter_map(|name| rule.hypers.iter().find(|hyper| label(&hyper.name) == *name)).collect()
    });
    if options.is_empty() {
        return quote!(Some(0));
    }
    let chosen = options.iter().map(|hyper| choice(hyper));
    let arms = compiled.variants.iter().enumerate().map(|(index, variant)| {
        let index = Literal::usize_unsuffixed(index);
        let values = options.iter().zip(&variant.options).map(|(hyper, (_, value))| value_pattern(rule, hyper, value));
        quote!((#(#values,)*) => Some(#index),)
    });
    let combinations = options.iter().map(|hyper| choices(rule, hyper)).product::<usize>();
    let forbidden = (combinations > compiled.variants.len()).then(|| quote!(_ => None,));
    quote!(match (#(#chosen,)*) { #(#arms)* #forbidden })
}

/// What is chosen for an option.
fn choice(hyper: &Hyper) -> TokenStream {
    let name = &hyper.name;
    match hyper.ty {
        HyperType::F32 => quote!(params.#name != 0.0),
        HyperType::U32 => quote!(params.#name != 0),
        HyperType::OptionF32 | HyperType::OptionU32 => quote!(params.#name.is_some()),
        HyperType::Bool | HyperType::Enum(_) => quote!(params.#name),
    }
}

fn choices(rule: &Rule, hyper: &Hyper) -> usize {
    match hyper.ty {
        HyperType::Enum(index) => rule.enums.get(index as usize).map_or(0, |item| item.variants.len()),
        _ => 2,
    }
}

/// The pattern for an option's value as the variant names it.
fn value_pattern(rule: &Rule, hyper: &Hyper, value: &str) -> TokenStream {
    match hyper.ty {
        HyperType::Enum(index) => {
            let variants = rule.enums.get(index as usize).into_iter().flat_map(|item| &item.variants);
            let place = variants.take_while(|(variant, _)| label(variant) != value).count();
            enum_value(rule, hyper.ty, place as u32)
        }
        HyperType::Bool => {
            let truth = value == "true";
            quote!(#truth)
        }
        HyperType::OptionF32 | HyperType::OptionU32 => {
            let some = value == "Some";
            quote!(#some)
        }
        HyperType::F32 | HyperType::U32 => {
            let nonzero = value != "0";
            quote!(#nonzero)
        }
    }
}

/// The hyper-parameters that states start from.
fn initial_values(rule: &Rule) -> TokenStream {
    let mut indices: Vec<u32> = rule
        .states
        .iter()
        .filter_map(|state| match state.init {
            Init::Hyper(index) => Some(index),
            Init::Number(_) | Init::Param => None,
        })
        .collect();
    indices.sort_unstable();
    indices.dedup();
    let arms = indices.iter().filter_map(|&index| {
        let hyper = rule.hypers.get(index as usize)?;
        let (index, name) = (Literal::u32_unsuffixed(index), &hyper.name);
        let value = match hyper.ty {
            HyperType::U32 => quote!(params.#name as f32),
            _ => quote!(params.#name),
        };
        Some(quote!(#index => #value,))
    });
    if indices.is_empty() { quote!(0.0) } else { quote!(match index { #(#arms)* _ => 0.0 }) }
}

fn rows(compiled: &Compiled) -> TokenStream {
    let rule = &compiled.rule;
    let arms = compiled.variants.iter().enumerate().flat_map(|(variant, programs)| {
        programs.programs.iter().zip(&rule.entries).enumerate().map(move |(program, (_, entry))| {
            let module = format_ident!("variant{variant}");
            let (variant, program) = (Literal::usize_unsuffixed(variant), Literal::usize_unsuffixed(program));
            let entry = &entry.name;
            quote!((#variant, #program) => #module::#entry::row(context, host_states, row),)
        })
    });
    quote! {
        match (variant, program) {
            #(#arms)*
            _ => Err(rule::RowError { expression: "a program that the rule does not have", value: f64::NAN }),
        }
    }
}
