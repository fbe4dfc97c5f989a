//! The attribute `#[gpu_optimizer]`, and the macros that `optirs-gpu` is made with: a shell over
//! [`optimizer_specs`], which does all the work and can be tested without a macro.

use proc_macro::TokenStream;

/// Compiles the update rule in a module.
///
/// The module becomes the parameter struct as written, the rule's own type, and the optimizer type `Gpu…`. With
/// `#[gpu_optimizer(crate = path)]` the expansion refers to `optirs_gpu` by that path, for crates that re-export it.
#[proc_macro_attribute]
pub fn gpu_optimizer(attribute: TokenStream, item: TokenStream) -> TokenStream {
    optimizer_specs::expand::attribute(attribute.into(), item.into()).into()
}

/// The element functions of the language in Rust, for `optirs-gpu` itself.
#[proc_macro]
pub fn element_functions(_: TokenStream) -> TokenStream {
    optimizer_specs::expand::element_functions().into()
}

/// Compiles a standard rule by its module name: `standard_rule!("adam")`.
#[proc_macro]
pub fn standard_rule(name: TokenStream) -> TokenStream {
    optimizer_specs::expand::standard(name.into()).into()
}
