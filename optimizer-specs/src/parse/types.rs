//! Types of the language.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments};

use crate::ast::{Type, TypeKind};
use crate::error::{Collector, code};

/// Reads a type; what the language does not have is reported and poisoned.
pub(super) fn ty(source: &syn::Type, errors: &Collector) -> Type {
    match source {
        syn::Type::Group(inner) => ty(&inner.elem, errors),
        syn::Type::Paren(inner) => ty(&inner.elem, errors),
        syn::Type::Path(path) if path.qself.is_none() => match path.path.segments.last() {
            Some(segment) if path.path.segments.len() == 1 && path.path.leading_colon.is_none() => {
                named(segment, errors)
            }
            _ => refuse(source.span(), "a path with `::` is not a type of the language", TYPES, errors),
        },
        syn::Type::Reference(reference) => {
            if let Some(lifetime) = &reference.lifetime {
                return refuse(lifetime.span(), "the language has no lifetimes", "remove it", errors);
            }
            let inner = ty(&reference.elem, errors);
            let span = reference.and_token.span();
            Type { kind: TypeKind::Reference(reference.mutability.is_some(), Box::new(inner)), span }
        }
        syn::Type::Tuple(tuple) => {
            let parts = tuple.elems.iter().map(|part| ty(part, errors)).collect();
            Type { kind: TypeKind::Tuple(parts), span: tuple.paren_token.span.open() }
        }
        _ => refuse(source.span(), "this type is not part of the language", TYPES, errors),
    }
}

const TYPES: &str = "the types are f32, u32, bool, Option<f32>, Option<u32>, and enums of the module";

fn named(segment: &syn::PathSegment, errors: &Collector) -> Type {
    let span = segment.ident.span();
    let name = segment.ident.to_string();
    if name == "Option" {
        return option(segment, span, errors);
    }
    if !matches!(segment.arguments, PathArguments::None) {
        return refuse(span, &format!("`{name}` with type arguments is not a type of the language"), TYPES, errors);
    }
    let kind = match name.as_str() {
        "f32" => TypeKind::F32,
        "f64" => TypeKind::F64,
        "u32" => TypeKind::U32,
        "bool" => TypeKind::Bool,
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u64" | "u128" | "usize" => {
            let message = format!("`{name}` is not a type of the language");
            let help = "whole numbers are `u32`; they live on the host and do not wrap";
            return refuse(span, &message, help, errors);
        }
        "f16" | "bf16" | "half" => {
            let message = format!("`{name}`: 16-bit storage is not part of the language yet");
            return refuse(span, &message, "write `f32`", errors);
        }
        _ => TypeKind::Named(segment.ident.clone()),
    };
    Type { kind, span }
}

fn option(segment: &syn::PathSegment, span: Span, errors: &Collector) -> Type {
    if let PathArguments::AngleBracketed(arguments) = &segment.arguments
        && let (Some(GenericArgument::Type(inner)), 1) = (arguments.args.first(), arguments.args.len())
    {
        let inner = ty(inner, errors);
        if matches!(inner.kind, TypeKind::F32 | TypeKind::U32 | TypeKind::Error) {
            return Type { kind: TypeKind::Option(Box::new(inner)), span };
        }
    }
    refuse(span, "an option holds a number", "write `Option<f32>` or `Option<u32>`", errors)
}

fn refuse(span: Span, message: &str, help: &str, errors: &Collector) -> Type {
    errors.error(code::UNSUPPORTED_TYPE, span, message, help);
    Type { kind: TypeKind::Error, span }
}
