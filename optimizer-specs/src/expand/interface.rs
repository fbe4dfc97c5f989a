//! The items that a user names: parameters, enums, the rule, the optimizer.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::{documentation, is_called};
use crate::checked::{Hyper, HyperType, Rule};
use crate::compile::Compiled;
use crate::emit::docs;

/// Parameter struct, enums, rule and optimizer.
pub(super) fn items(compiled: &Compiled) -> TokenStream {
    let rule = &compiled.rule;
    let (params, rule_name, optimizer, crate_path) =
        (&rule.params_name, rule_name(rule), optimizer_name(rule), &rule.crate_path);
    let params_attributes = &rule.params_attributes;
    // The author's own documentation stands alone.
    let is_documented = params_attributes.iter().any(|attribute| is_called(attribute, "doc"));
    let params_docs = (!is_documented).then(|| documentation(&docs::params(rule)));
    let fields = rule.hypers.iter().map(|hyper| field(rule, hyper));
    let enums = rule.enums.iter().map(|item| {
        let (attributes, name) = (&item.attributes, &item.name);
        let variants = item.variants.iter().map(|(variant, attributes)| quote!(#(#attributes)* #variant));
        // Lints that find something in the author's enum shall point at it.
        let item = quote_spanned!(name.span()=> pub enum #name { #(#variants),* });
        quote! {
            #(#attributes)*
            #[derive(
                ::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq, ::core::cmp::Eq
            )]
            #item
        }
    });
    let (rule_docs, optimizer_docs) = (documentation(&docs::rule(rule)), documentation(&docs::optimizer(rule)));
    quote! {
        #params_docs
        #(#params_attributes)*
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq)]
        pub struct #params { #(#fields),* }

        #(#enums)*

        #rule_docs
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        pub struct #rule_name;

        #optimizer_docs
        pub type #optimizer = #crate_path::Optimizer<#rule_name>;
    }
}

/// `Adam`
pub(super) fn rule_name(rule: &Rule) -> Ident {
    Ident::new(&rule.base_name, rule.params_name.span())
}

/// `GpuAdam`
fn optimizer_name(rule: &Rule) -> Ident {
    format_ident!("Gpu{}", rule.base_name, span = rule.params_name.span())
}

fn field(rule: &Rule, hyper: &Hyper) -> TokenStream {
    let (attributes, name, ty) = (&hyper.attributes, &hyper.name, ty(rule, hyper.ty, &quote!()));
    let docs = documentation(&docs::field(rule, hyper));
    quote!(#(#attributes)* #docs pub #name: #ty)
}

/// The type of a field; `module` is the path to the rule's module, with `::` behind it.
pub(super) fn ty(rule: &Rule, ty: HyperType, module: &TokenStream) -> TokenStream {
    match ty {
        HyperType::F32 => quote!(::core::primitive::f32),
        HyperType::U32 => quote!(::core::primitive::u32),
        HyperType::Bool => quote!(::core::primitive::bool),
        HyperType::OptionF32 => quote!(::core::option::Option<::core::primitive::f32>),
        HyperType::OptionU32 => quote!(::core::option::Option<::core::primitive::u32>),
        HyperType::Enum(index) => {
            let name = rule.enums.get(index as usize).map(|item| &item.name);
            quote!(#module #name)
        }
    }
}
