//! What a rule that does not compile expands to: its errors, and items of the right names and types.
//!
//! The errors stand on the tokens that they are about. The items hold nothing but what users of the optimizer name, so
//! that a wrong rule is reported for what is wrong in it and not once more for everything that is missing.

mod recover;

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use crate::error::{Collector, Diagnostic};
use crate::parse;
use crate::report::in_order;
use recover::{Recovered, recover};

/// The expansion of a rule with errors.
pub fn stub(item: &TokenStream, attribute: &TokenStream, diagnostics: &[Diagnostic]) -> TokenStream {
    let errors = in_order(diagnostics).into_iter().map(compile_error);
    let items = match recover(item) {
        Some(recovered) => module(&recovered, &crate_path(attribute)),
        None => other_item(item),
    };
    quote!(#(#errors)* #items)
}

fn compile_error(diagnostic: &Diagnostic) -> TokenStream {
    let message = match &diagnostic.help {
        Some(help) => format!("{}\nhelp: {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    quote_spanned!(diagnostic.span=> ::core::compile_error! { #message })
}

/// An item that is no module stays as it is; one that is no item at all would only be reported again.
fn other_item(item: &TokenStream) -> TokenStream {
    if parse::depth::check(item).is_err() {
        return TokenStream::new();
    }
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Mod(_)) | Err(_) => TokenStream::new(),
        Ok(_) => item.clone(),
    }
}

fn crate_path(attribute: &TokenStream) -> TokenStream {
    let ignored = Collector::new();
    let path = parse::crate_path(attribute.clone(), &ignored);
    // That the argument is wrong is among the diagnostics already.
    ignored.finish();
    path
}

fn module(recovered: &Recovered, crate_path: &TokenStream) -> TokenStream {
    let Recovered { visibility, name, base, .. } = recovered;
    let enums = recovered.enums.iter().map(|(name, variants)| enumeration(name, variants));
    let params = params(recovered, crate_path);
    let rule = rule(recovered, crate_path);
    let optimizer = Ident::new(&format!("Gpu{base}"), base.span());
    quote! {
        /// A rule that does not compile.
        #visibility mod #name {
            #(#enums)*
            #params
            #rule
            /// The optimizer of a rule that does not compile.
            pub type #optimizer = #crate_path::Optimizer<#base>;
        }
    }
}

fn derives() -> TokenStream {
    quote! {
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq)]
    }
}

fn enumeration(name: &Ident, variants: &[Ident]) -> TokenStream {
    let derives = derives();
    let first = variants.first();
    quote! {
        #[doc = "An option."]
        #derives
        pub enum #name { #(#[doc = "A choice."] #variants,)* }
        impl ::core::default::Default for #name {
            fn default() -> Self {
                Self::#first
            }
        }
    }
}

fn params(recovered: &Recovered, crate_path: &TokenStream) -> TokenStream {
    let name = &recovered.params;
    let derives = derives();
    let names: Vec<&Ident> = recovered.fields.iter().map(|(name, ..)| name).collect();
    let types: Vec<&TokenStream> = recovered.fields.iter().map(|(_, ty, _)| ty).collect();
    let documentation = recovered.fields.iter().map(|(.., documentation)| documentation);
    quote! {
        #[doc = "The hyper-parameters."]
        #derives
        pub struct #name { #(#documentation pub #names: #types,)* }
        impl ::core::default::Default for #name {
            fn default() -> Self {
                Self { #(#names: ::core::default::Default::default(),)* }
            }
        }
        impl #name {
            #[doc = "Checked hyper-parameters."]
            #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)]
            pub fn new(#(#names: #types),*) -> ::core::result::Result<Self, #crate_path::GpuOptimError> {
                ::core::result::Result::Ok(Self { #(#names),* })
            }
        }
        impl #crate_path::rule::RuleParams for #name {
            fn validate(&self) -> ::core::result::Result<(), #crate_path::GpuOptimError> {
                ::core::result::Result::Ok(())
            }
            fn fields(&self, _: &mut dyn ::core::ops::FnMut(&'static str, #crate_path::rule::Value<'static>)) {}
            fn set_field(&mut self, _: &str, _: #crate_path::rule::Value<'_>) -> bool {
                false
            }
        }
    }
}

/// An implementation of `optirs_gpu::rule::Rule` that type-checks and is never run.
fn rule(recovered: &Recovered, crate_path: &TokenStream) -> TokenStream {
    let Recovered { base, params, .. } = recovered;
    let name = recovered.name.to_string();
    let result = quote!(::core::result::Result);
    quote! {
        #[doc = "The rule."]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        pub struct #base;
        impl #crate_path::rule::Rule for #base {
            type Params = #params;
            const NAME: &'static str = #name;
            const STATES: &'static [#crate_path::rule::State] = &[];
            const INPUTS: &'static [&'static str] = &[];
            const SCALARS: &'static [&'static str] = &[];
            const VARIANTS: &'static [#crate_path::rule::Variant] = &[];
            const WGSL: &'static str = "";
            const MSL: &'static str = "";
            fn variant(_: &Self::Params) -> ::core::option::Option<usize> {
                ::core::option::Option::None
            }
            fn hyper(_: &Self::Params, _: usize) -> f32 {
                0.0
            }
            fn shared_difference(_: &Self::Params, _: &Self::Params) -> ::core::option::Option<&'static str> {
                ::core::option::Option::None
            }
            fn check_shape(_: &Self::Params, _: &[usize]) -> #result<(), #crate_path::GpuOptimError> {
                #result::Ok(())
            }
            fn row(
                _: usize,
                _: usize,
                _: &#crate_path::rule::RowContext<'_, Self::Params>,
                _: &mut [f64],
                _: &mut [u32],
            ) -> #result<(), #crate_path::rule::RowError> {
                #result::Ok(())
            }
        }
    }
}
