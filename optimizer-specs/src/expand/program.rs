//! The modules of programs: one per combination of options and entry, with host function, CPU kernels and table.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{documentation, tables, tokens};
use crate::compile::Compiled;
use crate::emit::{docs, host, rust_cpu};

/// `mod variant0 { mod update { … } }`, …
pub(super) fn modules(compiled: &Compiled) -> TokenStream {
    let rule = &compiled.rule;
    let (crate_path, params) = (&rule.crate_path, &rule.params_name);
    let variants = compiled.variants.iter().enumerate().map(|(index, variant)| {
        let programs = variant.programs.iter().zip(&rule.entries).map(|(program, entry)| {
            let name = &entry.name;
            let host = tokens(&host::program(rule, variant, program));
            let kernels = tokens(&rust_cpu::program(rule, variant, program));
            let table = tables::program(rule, variant, program, entry);
            quote! {
                pub(super) mod #name {
                    use ::core::prelude::v1::*;
                    use #crate_path::rule::{self, RowContext, RowError, cpu, math};
                    use super::super::super::#params;

                    #host
                    #kernels
                    #table
                }
            }
        });
        let (module, docs) = (format_ident!("variant{index}"), documentation(&docs::options(variant)));
        quote! {
            #docs
            mod #module { #(#programs)* }
        }
    });
    quote!(#(#variants)*)
}
