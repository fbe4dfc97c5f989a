//! Types of the language. What is none of them is not reported here: whoever asks for the type knows what it is for.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments};

use super::text::compact;
use super::unsupported::first;
use crate::ast::{RefusedType, Type, TypeKind};
use crate::error::{Diagnostic, code};

/// Reads a type.
pub(super) fn ty(source: &syn::Type) -> Type {
    match source {
        syn::Type::Group(inner) => ty(&inner.elem),
        syn::Type::Paren(inner) => ty(&inner.elem),
        syn::Type::Path(path) if path.qself.is_none() => match path.path.segments.last() {
            Some(segment) if path.path.segments.len() == 1 && path.path.leading_colon.is_none() => {
                named(segment, source)
            }
            Some(segment) => {
                let message = format!("the path `{}` is not a type of the language", compact(source));
                refuse(source, segment.ident.span(), &message, TYPES)
            }
            None => refuse(source, source.span(), OTHER, TYPES),
        },
        syn::Type::Reference(reference) => {
            if let Some(lifetime) = &reference.lifetime {
                return refuse(source, lifetime.span(), "the language has no lifetimes", "remove it");
            }
            let inner = ty(&reference.elem);
            let span = reference.and_token.span();
            Type { kind: TypeKind::Reference(reference.mutability.is_some(), Box::new(inner)), span }
        }
        syn::Type::Tuple(tuple) => {
            let parts = tuple.elems.iter().map(ty).collect();
            Type { kind: TypeKind::Tuple(parts), span: tuple.paren_token.span.open() }
        }
        syn::Type::Array(_) | syn::Type::Slice(_) => refuse(source, source.span(), OTHER, ELEMENT),
        _ => refuse(source, first(source), OTHER, TYPES),
    }
}

const OTHER: &str = "this type is not part of the language";
const TYPES: &str = "the types are f32, u32, bool, Option<f32>, Option<u32>, and enums of the module";
const ELEMENT: &str = "a rule is written for one element: write `f32`";

fn named(segment: &syn::PathSegment, source: &syn::Type) -> Type {
    let span = segment.ident.span();
    let name = segment.ident.to_string();
    if name == "Option" {
        return option(segment, source, span);
    }
    let help = match name.as_str() {
        "f32" | "f64" | "u32" | "bool" if segment.arguments.is_none() => return Type { kind: number(&name), span },
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u64" | "u128" | "usize" => {
            "whole numbers are `u32`; they live on the host and do not wrap"
        }
        "f16" | "bf16" | "half" => {
            let message = format!("`{name}`: 16-bit storage is not part of the language yet");
            return refuse(source, span, &message, "write `f32`");
        }
        "str" | "char" => TEXT,
        _ if segment.arguments.is_none() => return Type { kind: TypeKind::Named(segment.ident.clone()), span },
        "Vec" | "Array" | "ArrayView" | "Tensor" => ELEMENT,
        _ => TYPES,
    };
    refuse(source, span, &format!("`{}` is not a type of the language", compact(source)), help)
}

/// What to write instead of text.
pub(crate) const TEXT: &str = "for a choice write an enum in the module: `pub enum Mode { Plain, Fancy }`";

fn number(name: &str) -> TypeKind {
    match name {
        "f32" => TypeKind::F32,
        "f64" => TypeKind::F64,
        "u32" => TypeKind::U32,
        _ => TypeKind::Bool,
    }
}

fn option(segment: &syn::PathSegment, source: &syn::Type, span: Span) -> Type {
    if let PathArguments::AngleBracketed(arguments) = &segment.arguments
        && let (Some(GenericArgument::Type(inner)), 1) = (arguments.args.first(), arguments.args.len())
    {
        let inner = ty(inner);
        if matches!(inner.kind, TypeKind::F32 | TypeKind::U32) {
            return Type { kind: TypeKind::Option(Box::new(inner)), span };
        }
    }
    refuse(source, span, "an option holds an f32 or a u32", "write `Option<f32>` or `Option<u32>`")
}

fn refuse(source: &syn::Type, span: Span, message: &str, help: &str) -> Type {
    let diagnostic = Diagnostic::new(code::UNSUPPORTED_TYPE, span, message).help(help);
    Type { kind: TypeKind::Refused(Box::new(RefusedType { text: compact(source), diagnostic })), span }
}
