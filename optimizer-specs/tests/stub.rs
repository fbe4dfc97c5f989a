//! The stub of a rule that does not compile: its errors, and the items that users of the optimizer name.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

use optimizer_specs::compile;
use optimizer_specs::stub::stub;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// The stub of what cannot compile.
fn stub_of(item: TokenStream) -> String {
    let errors = compile(TokenStream::new(), item.clone()).unwrap_err();
    assert!(!errors.is_empty());
    stub(&item, &TokenStream::new(), &errors).to_string()
}

/// The item of that name in the stub, as text.
fn item_of(stub: &str, name: &str) -> String {
    let file: syn::File = syn::parse_str(stub).unwrap();
    let module = file.items.iter().find_map(|item| match item {
        syn::Item::Mod(module) => module.content.as_ref(),
        _ => None,
    });
    let (_, items) = module.unwrap();
    let found = items.iter().find(|item| match item {
        syn::Item::Struct(item) => item.ident == name,
        syn::Item::Enum(item) => item.ident == name,
        syn::Item::Type(item) => item.ident == name,
        _ => false,
    });
    found.unwrap_or_else(|| panic!("no `{name}` in {stub}")).to_token_stream().to_string()
}

#[test]
fn errors_come_with_their_help() {
    let stub = stub_of(quote! {
        pub mod wrong {
            pub struct WrongParams {}
            fn update(param: &mut f32, grad: f32) {
                *param -= grda;
            }
        }
    });
    let error = r#":: core :: compile_error ! { "no value `grda` here\nhelp: did you mean `grad`?" }"#;
    assert!(stub.starts_with(error), "{stub}");
    assert_eq!(stub.matches("compile_error").count(), 1);
}

#[test]
fn parameters_keep_their_fields_and_types() {
    let stub = stub_of(quote! {
        #[require(true, "")]
        pub(crate) mod wrong {
            pub enum Mode { Plain(f32), Fancy = 3, Fancy }
            struct WrongParams {
                /// Step size.
                #[hyper(default = 1)]
                learning_rate: f32,
                #[hyper]
                pub every: Option<u32>,
                pub mode: Mode,
                pub count: usize,
                pub unknown: some::Type<3>,
                pub count: u8,
                pub _: u8,
            }
            pub struct State { m: f32 }
        }
    });
    assert_eq!(
        item_of(&stub, "WrongParams"),
        quote! {
            #[doc = "The hyper-parameters."]
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq)]
            pub struct WrongParams {
                #[doc = r" Step size."]
                pub learning_rate: f32,
                pub every: ::core::option::Option<u32>,
                pub mode: Mode,
                pub count: usize,
                pub unknown: f32,
            }
        }
        .to_string()
    );
    assert_eq!(
        item_of(&stub, "Mode"),
        quote! {
            #[doc = "An option."]
            #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::cmp::PartialEq)]
            pub enum Mode { #[doc = "A choice."] Plain, #[doc = "A choice."] Fancy, }
        }
        .to_string()
    );
    assert!(stub.contains("pub (crate) mod wrong"), "{stub}");
    assert!(stub.contains("pub type GpuWrong = :: optirs_gpu :: Optimizer < Wrong >"), "{stub}");
}

#[test]
fn a_rule_without_parameters_is_named_after_its_module() {
    let stub = stub_of(quote!(
        mod schedule_free {}
    ));
    assert!(stub.contains("pub struct ScheduleFreeParams { }"), "{stub}");
    assert!(stub.contains("pub type GpuScheduleFree"), "{stub}");
}

#[test]
fn what_is_no_rust_is_searched_for_items() {
    let stub = stub_of(quote! {
        pub mod wrong {
            fn => {}
            pub struct WrongParams { pub rate: f32 }
        }
    });
    assert!(stub.contains("pub rate : f32"), "{stub}");
}

#[test]
fn what_would_overflow_the_stack_is_left_out() {
    let deep: TokenStream = format!("{}x{}", "(".repeat(10_000), ")".repeat(10_000)).parse().unwrap();
    let stub = stub_of(quote! {
        pub mod wrong {
            fn update() { #deep }
            pub struct WrongParams { pub rate: f32 }
        }
    });
    assert!(stub.contains("this is nested too deeply"), "{stub}");
    assert!(stub.contains("pub rate : f32"), "{stub}");
}
