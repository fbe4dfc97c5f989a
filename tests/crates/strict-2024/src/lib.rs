//! A user's crate that lets no warning pass, with every shape of rule in it: the standard rules, those of the tests, and
//! one that the rule compiler warns of.
//!
//! It is built twice, as edition 2021 and as edition 2024. All lints of rustc that are off by default and can meet an
//! expansion are on, all of clippy's that are meant for whole crates too; whatever fires in an expansion ends the build.
//! Rules work in doctests:
//!
//! ```
//! use optirs_gpu::{Device, ParamSet, gpu_optimizer, ndarray::arr1};
//!
//! #[gpu_optimizer]
//! mod descent {
//!     pub struct DescentParams {
//!         #[hyper(default = 0.5)]
//!         pub learning_rate: f32,
//!     }
//!     fn update(param: &mut f32, grad: f32, hyper: &DescentParams) {
//!         *param -= hyper.learning_rate * grad;
//!     }
//! }
//!
//! let device = Device::cpu();
//! let mut params = ParamSet::new(&device, [("w", arr1(&[1.0]))])?;
//! let mut optimizer = descent::GpuDescent::on(&device, descent::DescentParams::default())?;
//! params.write_grad("w", &arr1(&[1.0]))?;
//! optimizer.step(&mut params)?;
//! assert_eq!(params.read("w")?[[0]], 0.5);
//! # Ok::<(), optirs_gpu::GpuOptimError>(())
//! ```

#![forbid(
    unsafe_code,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]
#![deny(warnings, clippy::all, clippy::nursery, clippy::pedantic)]
#![deny(
    ambiguous_negative_literals,
    closure_returning_async_block,
    deprecated_in_future,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    future_incompatible,
    if_let_rescope,
    impl_trait_redundant_captures,
    keyword_idents,
    let_underscore_drop,
    macro_use_extern_crate,
    meta_variable_misuse,
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    non_ascii_idents,
    nonstandard_style,
    redundant_imports,
    redundant_lifetimes,
    rust_2018_idioms,
    rust_2021_compatibility,
    rust_2024_compatibility,
    single_use_lifetimes,
    tail_expr_drop_order,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unnameable_types,
    unreachable_pub,
    unused,
    unused_crate_dependencies,
    unused_extern_crates,
    unused_import_braces,
    unused_lifetimes,
    unused_macro_rules,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]

pub mod flawed;
pub mod standard;
pub mod various;
