//! Finds what can be saved of a rule that does not compile, from its tokens alone.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Fields, Item, Type};

use crate::naming::{base_name, camel_case, is_name};
use crate::parse::depth;

/// The parts of a rule that users name.
pub(super) struct Recovered {
    /// The module's visibility.
    pub visibility: TokenStream,
    /// The module's name.
    pub name: Ident,
    /// The parameter struct's name.
    pub params: Ident,
    /// The name before `Params`.
    pub base: Ident,
    /// Name, type and documentation of each hyper-parameter.
    pub fields: Vec<(Ident, TokenStream, TokenStream)>,
    /// Name and variants of each enum.
    pub enums: Vec<(Ident, Vec<Ident>)>,
}

/// Reads what can be read. `None` if the item is no module with a body.
pub(super) fn recover(item: &TokenStream) -> Option<Recovered> {
    let (visibility, name, body) = module(item)?;
    let items: Vec<Item> = split(body);
    let enums: Vec<_> = items.iter().filter_map(enumeration).collect();
    let structs: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            Item::Struct(item) if item.ident != "State" => Some(item),
            _ => None,
        })
        .collect();
    let main = structs.iter().find(|item| item.ident.to_string().ends_with("Params")).or(structs.first());
    let names =
        [main.map(|main| base_name(&main.ident.to_string())).unwrap_or_default(), camel_case(&name.to_string())];
    // A struct whose name lacks `Params` must not meet a rule of the same name.
    let free = |base: &String| is_name(base) && main.is_none_or(|main| main.ident != *base);
    let base = names.into_iter().find(free).unwrap_or_else(|| "Rule".to_owned());
    let span = main.map_or(name.span(), |main| main.ident.span());
    Some(Recovered {
        params: main.map_or_else(|| Ident::new(&format!("{base}Params"), span), |main| main.ident.clone()),
        base: Ident::new(&base, span),
        fields: main.map(|main| fields(&main.fields, &enums)).unwrap_or_default(),
        visibility,
        name,
        enums,
    })
}

/// Visibility, name and body of a module, past its attributes.
fn module(item: &TokenStream) -> Option<(TokenStream, Ident, TokenStream)> {
    let tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let at = tokens.iter().position(|token| matches!(token, TokenTree::Ident(word) if word == "mod"))?;
    let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) = (tokens.get(at + 1), tokens.get(at + 2)) else {
        return None;
    };
    if body.delimiter() != Delimiter::Brace || is_keyword(name) {
        return None;
    }
    let public = tokens.iter().take(at).position(|token| matches!(token, TokenTree::Ident(word) if word == "pub"));
    let visibility: TokenStream = public.map(|start| tokens[start..at].iter().cloned().collect()).unwrap_or_default();
    let visibility = syn::parse2::<syn::Visibility>(visibility).map(|it| it.to_token_stream()).unwrap_or_default();
    Some((visibility, name.clone(), body.stream()))
}

/// Splits the body of a module into items, each of which ends in a brace or a semicolon; what is none is left out.
fn split(body: TokenStream) -> Vec<Item> {
    let mut items = Vec::new();
    let mut current: Vec<TokenTree> = Vec::new();
    for token in body {
        let ends = match &token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        current.push(token);
        if ends {
            let item: TokenStream = current.drain(..).collect();
            if depth::check(&item).is_ok() {
                items.extend(syn::parse2::<Item>(item).ok());
            }
        }
    }
    items
}

fn enumeration(item: &Item) -> Option<(Ident, Vec<Ident>)> {
    let Item::Enum(item) = item else { return None };
    let mut variants: Vec<Ident> = Vec::new();
    for variant in &item.variants {
        if !variants.contains(&variant.ident) {
            variants.push(variant.ident.clone());
        }
    }
    (!variants.is_empty()).then(|| (item.ident.clone(), variants))
}

fn fields(source: &Fields, enums: &[(Ident, Vec<Ident>)]) -> Vec<(Ident, TokenStream, TokenStream)> {
    let mut fields: Vec<(Ident, TokenStream, TokenStream)> = Vec::new();
    let Fields::Named(named) = source else { return fields };
    for field in &named.named {
        let Some(name) = &field.ident else { continue };
        if name != "_" && fields.iter().all(|(known, ..)| known != name) {
            let documentation: TokenStream = field
                .attrs
                .iter()
                .filter(|attribute| attribute.path().is_ident("doc"))
                .map(|attribute| {
                    let meta = &attribute.meta;
                    quote!(#[#meta])
                })
                .collect();
            fields.push((name.clone(), field_type(&field.ty, enums), documentation));
        }
    }
    fields
}

/// Primitive types that a field may keep, so that code which fills it goes on compiling.
const PRIMITIVE: [&str; 16] = [
    "f32", "f64", "bool", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    "char",
];

/// A type that surely exists: what is written where that is known to, `f32` otherwise.
fn field_type(source: &Type, enums: &[(Ident, Vec<Ident>)]) -> TokenStream {
    let Type::Path(path) = source else { return quote!(f32) };
    let Some(segment) = path.path.segments.last() else { return quote!(f32) };
    let name = &segment.ident;
    if let ("Option", syn::PathArguments::AngleBracketed(arguments)) = (name.to_string().as_str(), &segment.arguments) {
        let inner = match arguments.args.first() {
            Some(syn::GenericArgument::Type(inner)) => field_type(inner, enums),
            _ => quote!(f32),
        };
        return quote!(::core::option::Option<#inner>);
    }
    if PRIMITIVE.iter().any(|known| name == known) || enums.iter().any(|(known, _)| known == name) {
        return quote!(#name);
    }
    quote!(f32)
}

fn is_keyword(name: &Ident) -> bool {
    syn::parse2::<Ident>(name.to_token_stream()).is_err()
}
