//! A rule that calls its values what the expansion calls its own, and what the targets reserve.

use optirs_gpu::rule::Rule;
use optirs_gpu::{Device, ParamSet};
use optirs_gpu_macros::gpu_optimizer;
use scirs2_core::ndarray::arr1;

/// Names.
#[gpu_optimizer]
pub mod names {
    /// Hyper-parameters.
    pub struct RuleParams {
        /// A keyword.
        #[hyper(default = 0.5)]
        pub r#type: f32,
        /// A word of WGSL and Metal.
        #[hyper(default = 0.25)]
        pub kernel: f32,
        /// The argument of the host function.
        #[hyper(default = 0.125)]
        pub context: f32,
        /// And the other one.
        #[hyper(default = 1.0, range = 0.5..)]
        pub words: f32,
        /// An enum that is called as a type of the expansion's.
        #[hyper(default = Variant::Row)]
        pub variant: Variant,
    }
    /// As the expansion's module.
    pub enum Variant {
        /// Only one.
        Row,
    }
    const VARIANTS: f32 = 1.0;
    pub struct State {
        param: f32,
        chunk: f32,
        #[tensor]
        row: f32,
        #[host]
        host_states: f64,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        let len = hyper.r#type * hyper.kernel * VARIANTS;
        let Ok = len + step as f32;
        let PROGRAM = Ok * Ok + hyper.words;
        let block = match hyper.variant {
            Variant::Row => len + hyper.context,
        };
        let None = grad * PROGRAM;
        let lane = None * None * block;
        let math = lane + step as f32;
        let cpu = state.param + math;
        let select = state.chunk + cpu;
        let hyper_ = hyper.words * select;
        let t1 = norm(hyper_);
        state.host_states = state.host_states + hyper.words;
        state.row = state.row + t1;
        state.param = cpu;
        state.chunk = select;
        *param -= hyper_ * state.row * state.host_states;
    }
}

/// Raw identifiers.
#[gpu_optimizer]
pub mod r#mod {
    /// Hyper-parameters.
    pub struct RawParams {
        /// A keyword.
        #[hyper(default = 0.5, range = 0.0..)]
        pub r#type: f32,
    }
    pub struct State {
        #[init(param)]
        r#in: f32,
    }
    fn r#match(x: f32) -> f32 {
        x + 1.0
    }
    fn update(param: &mut f32, grad: f32, hyper: &RawParams) {
        let r#for = r#match(grad);
        *param -= hyper.r#type * r#for;
    }
    #[entry]
    fn r#loop(param: &mut f32, state: &mut State, #[input] r#as: f32, #[scalar] r#dyn: f32) {
        *param = state.r#in + r#as * r#dyn;
    }
}

/// Options with raw names.
#[gpu_optimizer]
pub mod choices {
    /// Hyper-parameters.
    pub struct ChoiceParams {
        /// An option.
        #[hyper(default = false)]
        pub r#dyn: bool,
        /// Another one.
        #[hyper(default = Way::r#as)]
        pub r#in: Way,
    }
    /// Only one.
    #[allow(non_camel_case_types)]
    pub enum Way {
        /// A keyword.
        r#as,
    }
    fn update(param: &mut f32, grad: f32, hyper: &ChoiceParams) {
        match hyper.r#in {
            Way::r#as => *param -= if hyper.r#dyn { grad } else { 0.5 * grad },
        }
    }
}

#[test]
fn raw_names_are_raw_in_rust_alone() {
    assert_eq!((r#mod::Raw::NAME, r#mod::Raw::INPUTS, r#mod::Raw::SCALARS), ("mod", &["as"][..], &["dyn"][..]));
    let entry = &r#mod::Raw::VARIANTS[0].programs[1];
    assert_eq!((entry.name, entry.kernels[0].name), ("loop", "loop_pass1"));
    assert!(entry.wgsl.contains("fn loop_pass1("));
    let error = r#mod::RawParams::new(-1.0).unwrap_err();
    assert_eq!(error.to_string(), "type = -1 is out of range: it must be finite and in 0.0..");
}

#[test]
fn options_are_called_what_the_rule_calls_them() {
    let options: Vec<_> = choices::Choice::VARIANTS.iter().map(|variant| variant.options).collect();
    assert_eq!(options, [[("dyn", "false"), ("in", "as")], [("dyn", "true"), ("in", "as")]]);
    let chosen = choices::ChoiceParams { r#dyn: true, ..choices::ChoiceParams::default() };
    assert_eq!(choices::Choice::variant(&chosen), Some(1));
}

#[test]
fn a_scalar_is_asked_for_only_by_an_entry_that_reads_it() {
    let device = Device::cpu();
    let mut params = ParamSet::new(&device, [("w", arr1(&[1.0]))]).unwrap();
    params.write_grad("w", &arr1(&[1.0])).unwrap();
    let mut optimizer = r#mod::GpuRaw::on(&device, r#mod::RawParams::default()).unwrap();
    optimizer.step(&mut params).unwrap();
    optimizer.write_input(&params, "as", "w", &arr1(&[1.0])).unwrap();
    let error = optimizer.run_entry("loop", &mut params).unwrap_err().to_string();
    assert!(error.contains("call `set_scalar(\"dyn\", …)` before"), "{error}");
}

#[test]
fn an_error_names_the_field() {
    let error = names::RuleParams::new(0.5, 0.25, 0.125, 0.0, names::Variant::Row).unwrap_err();
    assert_eq!(error.to_string(), "words = 0 is out of range: it must be finite and in 0.5..");
}
