//! A user's crate without the prelude anywhere, where what the language calls `f32`, `Option`, `Some` or `core` is
//! something else, and so are macros. It is the root that is full of them: nothing of a rule may look there.

#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all, clippy::nursery, clippy::pedantic)]
#![allow(non_camel_case_types, clippy::missing_const_for_fn, reason = "the names are those of primitive types")]

macro_rules! not {
    ($($name:ident),*) => {
        $(
            #[doc = ::core::concat!("Not what the language calls `", ::core::stringify!($name), "`.")]
            pub struct $name;
        )*
    };
}
not!(bool, f32, f64, i64, str, u32, u64, usize);
not!(Err, None, Ok, Option, Result, Some, String, Vec, Box);

macro_rules! no_trait {
    ($($name:ident),*) => {
        $(
            #[doc = ::core::concat!("Not what the language calls `", ::core::stringify!($name), "`.")]
            pub trait $name {}
        )*
    };
}
no_trait!(Clone, Copy, Debug, Default, Eq, Fn, From, Into, IntoIterator, Iterator, PartialEq, PartialOrd, Send, Sync);

macro_rules! no_module {
    ($($name:ident),*) => {
        $(
            #[doc = ::core::concat!("Not what others call `", ::core::stringify!($name), "`.")]
            pub mod $name {}
        )*
    };
}
no_module!(alloc, core, std, optirs_gpu, rule, math, check, cpu, generated, variant0);

macro_rules! no_macro {
    ($($name:ident)*) => {
        $(
            #[allow(unused_macros, reason = "there to be in the way")]
            macro_rules! $name {
                () => {
                    ::core::compile_error!("a rule must not call the macros that stand around it")
                };
            }
        )*
    };
}
no_macro!(assert debug_assert format matches panic unreachable vec write);

use ::optirs_gpu::gpu_optimizer;

::core::include!("../../../rules/options.rs");
::core::include!("../../../../optimizer-specs/specs/prodigy.rs");
::core::include!("../../../rules/reductions.rs");
::core::include!("../../../../optimizer-specs/specs/schedule_free_adamw.rs");
::core::include!("../../../../optimizer-specs/specs/sophia.rs");

#[cfg(test)]
mod tests {
    use ::core::prelude::v1::test;
    use ::optirs_gpu::ndarray::arr1;
    use ::optirs_gpu::{Device, ParamSet};

    use super::options::{GpuOptions, OptionsParams};

    #[test]
    fn a_rule_steps() {
        let device = Device::cpu();
        let hyper = <OptionsParams as ::core::default::Default>::default();
        let mut params = ParamSet::new(&device, [("w", arr1(&[1.0]))]).unwrap();
        params.write_grad("w", &arr1(&[1.0])).unwrap();
        GpuOptions::on(&device, hyper).unwrap().step(&mut params).unwrap();
        ::core::assert!(params.read("w").unwrap()[[0]] < 1.0);
    }
}
