//! What the parameter struct can do: `Default`, `new`, `validate`, and its fields by name.

use proc_macro2::TokenStream;
use quote::quote;

use super::interface::ty;
use super::requirement::Requirements;
use super::{label, real, tokens};
use crate::checked::{Hyper, HyperType, HyperValue, Range, Rule};

/// The implementations, to stand in the module `generated`.
pub(super) fn implementations(rule: &Rule, requirements: &Requirements) -> TokenStream {
    let params = &rule.params_name;
    let fields: Vec<_> = rule.hypers.iter().map(|hyper| &hyper.name).collect();
    let defaults = rule.hypers.iter().map(|hyper| default(rule, hyper));
    let types = rule.hypers.iter().map(|hyper| ty(rule, hyper.ty, &quote!(super::)));
    let ranges = rule.hypers.iter().filter_map(range);
    let requirements =
        requirements.of_values.iter().map(|(condition, message)| quote!(check::requirement(#condition, #message)?;));
    let (shown, set) = match rule.hypers.is_empty() {
        true => (quote!(let _ = show;), quote!(let _ = (field, value); false)),
        false => (shown(rule), set(rule)),
    };
    quote! {
        impl Default for super::#params {
            fn default() -> Self {
                Self { #(#fields: #defaults),* }
            }
        }

        impl super::#params {
            /// Checked hyper-parameters: one argument per field, in order.
            ///
            /// # Errors
            ///
            /// Where a value is not finite, out of its range, or against a requirement of the rule.
            pub fn new(#(#fields: #types),*) -> Result<Self, GpuOptimError> {
                let params = Self { #(#fields),* };
                rule::RuleParams::validate(&params)?;
                Ok(params)
            }
        }

        impl rule::RuleParams for super::#params {
            fn validate(&self) -> Result<(), GpuOptimError> {
                #(#ranges)*
                #(#requirements)*
                Ok(())
            }

            fn fields(&self, show: &mut dyn FnMut(&'static ::core::primitive::str, rule::Value<'static>)) {
                #shown
            }

            fn set_field(
                &mut self,
                field: &::core::primitive::str,
                value: rule::Value<'_>,
            ) -> ::core::primitive::bool {
                #set
            }
        }
    }
}

fn default(rule: &Rule, hyper: &Hyper) -> TokenStream {
    match hyper.default {
        HyperValue::F32(value) => real_f32(value),
        HyperValue::U32(value) => tokens(&value.to_string()),
        HyperValue::Bool(value) => quote!(#value),
        HyperValue::NoneValue => quote!(None),
        HyperValue::SomeF32(value) => {
            let value = real_f32(value);
            quote!(Some(#value))
        }
        HyperValue::SomeU32(value) => {
            let value = tokens(&value.to_string());
            quote!(Some(#value))
        }
        HyperValue::Enum(variant) => enum_value(rule, hyper.ty, variant),
    }
}

/// A variant of an enum of the module, seen from the module `generated`.
pub(super) fn enum_value(rule: &Rule, of: HyperType, variant: u32) -> TokenStream {
    let item = match of {
        HyperType::Enum(index) => rule.enums.get(index as usize),
        _ => None,
    };
    let name = item.map(|item| &item.name);
    let variant = item.and_then(|item| item.variants.get(variant as usize)).map(|(variant, _)| variant);
    quote!(super::#name::#variant)
}

/// The statements that show the fields.
fn shown(rule: &Rule) -> TokenStream {
    let shown = rule.hypers.iter().map(|hyper| {
        let (name, label) = (&hyper.name, label(&hyper.name));
        let value = match hyper.ty {
            HyperType::F32 => quote!(Real(self.#name)),
            HyperType::U32 => quote!(Whole(self.#name)),
            HyperType::Bool => quote!(Flag(self.#name)),
            HyperType::OptionF32 => quote!(OptionalReal(self.#name)),
            HyperType::OptionU32 => quote!(OptionalWhole(self.#name)),
            HyperType::Enum(_) => {
                let arms = choices(rule, hyper.ty).map(|(choice, variant)| quote!(#variant => #choice));
                quote!(Choice(match self.#name { #(#arms),* }))
            }
        };
        quote!(show(#label, rule::Value::#value);)
    });
    quote!(#(#shown)*)
}

/// The choice of the field that is set.
fn set(rule: &Rule) -> TokenStream {
    let arms = rule.hypers.iter().map(|hyper| {
        let (name, label) = (&hyper.name, label(&hyper.name));
        let of = |kind| quote!((#label, rule::Value::#kind(value)) => self.#name = value,);
        match hyper.ty {
            HyperType::F32 => of(quote!(Real)),
            HyperType::U32 => of(quote!(Whole)),
            HyperType::Bool => of(quote!(Flag)),
            HyperType::OptionF32 => of(quote!(OptionalReal)),
            HyperType::OptionU32 => of(quote!(OptionalWhole)),
            HyperType::Enum(_) => {
                let arms = choices(rule, hyper.ty)
                    .map(|(choice, variant)| quote!((#label, rule::Value::Choice(#choice)) => self.#name = #variant,));
                quote!(#(#arms)*)
            }
        }
    });
    quote! {
        match (field, value) {
            #(#arms)*
            _ => return false,
        }
        true
    }
}

/// The variants of an enum: names and values.
fn choices(rule: &Rule, of: HyperType) -> impl Iterator<Item = (String, TokenStream)> {
    let item = match of {
        HyperType::Enum(index) => rule.enums.get(index as usize),
        _ => None,
    };
    let variants = item.map_or(&[][..], |item| &item.variants[..]).iter().zip(0..);
    variants.map(move |((name, _), index)| (label(name), enum_value(rule, of, index)))
}

/// The f32 nearest to the decimal.
fn real_f32(value: f64) -> TokenStream {
    tokens(&format!("{:?}", value as f32))
}

/// The check of a field's range; a u32 without a range has none.
fn range(hyper: &Hyper) -> Option<TokenStream> {
    let name = &hyper.name;
    let label = label(name);
    let text = hyper.range.as_ref().map_or("..", |range| range.text.as_str());
    let bounds = hyper.range.as_ref().map_or(quote!(..), bounds);
    let some = |check| quote!(if let Some(value) = self.#name { #check });
    match hyper.ty {
        HyperType::F32 => Some(quote!(check::real(#label, self.#name, #bounds, #text)?;)),
        HyperType::OptionF32 => Some(some(quote!(check::real(#label, value, #bounds, #text)?;))),
        HyperType::U32 if hyper.range.is_some() => Some(quote!(check::whole(#label, self.#name, #bounds, #text)?;)),
        HyperType::OptionU32 if hyper.range.is_some() => {
            Some(some(quote!(check::whole(#label, value, #bounds, #text)?;)))
        }
        HyperType::U32 | HyperType::OptionU32 | HyperType::Bool | HyperType::Enum(_) => None,
    }
}

fn bounds(range: &Range) -> TokenStream {
    let (start, end) = (range.start.map(real), range.end.map(real));
    if range.end_included { quote!(#start ..= #end) } else { quote!(#start .. #end) }
}
