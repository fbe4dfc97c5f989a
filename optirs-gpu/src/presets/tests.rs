//! What presets differ in, and that each is one that its rule takes.

use crate::rule::RuleParams;
use crate::rules::*;

/// The fields in which a preset differs from the default, as texts.
fn differences<P: RuleParams>(preset: P) -> Vec<String> {
    assert!(preset.validate().is_ok(), "{preset:?}");
    let mut default = Vec::new();
    P::default().fields(&mut |field, value| default.push(format!("{field} {value}")));
    let mut own = Vec::new();
    preset.fields(&mut |field, value| own.push(format!("{field} {value}")));
    own.into_iter().filter(|field| !default.contains(field)).collect()
}

#[test]
fn presets_differ_from_the_defaults_where_the_libraries_do() {
    let none: [&str; 0] = [];
    assert_eq!(differences(SgdParams::torch()), ["learning_rate 0.001"]);
    assert_eq!(differences(AdamParams::torch()), none);
    assert_eq!(differences(AdamWParams::torch()), none);
    assert_eq!(differences(RmspropParams::torch()), none);
    assert_eq!(differences(AdagradParams::torch()), none);
    assert_eq!(differences(AmsGradParams::torch()), none);
    assert_eq!(differences(NAdamParams::torch()), none);
    assert_eq!(differences(RAdamParams::torch()), none);
    assert_eq!(differences(AdamaxParams::torch()), none);
    assert_eq!(differences(AdadeltaParams::torch()), none);
    assert_eq!(differences(RpropParams::torch()), none);
    assert_eq!(differences(AsgdParams::torch()), none);

    assert_eq!(differences(SgdParams::burn()), ["dampening 0.1"]);
    assert_eq!(differences(AdamParams::burn()), ["epsilon 1e-5"]);
    assert_eq!(differences(AdamWParams::burn()), ["epsilon 1e-5", "weight_decay 0.0001"]);
    assert_eq!(differences(RmspropParams::burn()), ["epsilon 1e-5", "momentum 0.9"]);
    assert_eq!(differences(AdagradParams::burn()), ["epsilon 1e-5"]);
    assert_eq!(differences(LambParams::burn()), none);
    assert_eq!(differences(AmsGradParams::burn()), ["epsilon 1e-5"]);
    assert_eq!(differences(AdanParams::burn()), none);
    assert_eq!(differences(LionParams::burn()), none);

    assert_eq!(differences(SgdParams::optax()), none);
    assert_eq!(differences(AdamParams::optax()), none);
    assert_eq!(differences(AdamWParams::optax()), ["weight_decay 0.0001"]);
    assert_eq!(differences(RmspropParams::optax()), ["alpha 0.9"]);
    assert_eq!(differences(AdagradParams::optax()), ["epsilon 1e-7", "initial_accumulator 0.1"]);
    assert_eq!(differences(LambParams::optax()), none);
    assert_eq!(differences(LionParams::optax()), ["weight_decay 0.001"]);
    assert_eq!(differences(AdaBeliefParams::optax()), none);
    assert_eq!(differences(AdamaxWParams::optax()), none);
    assert_eq!(differences(YogiParams::optax()), none);
    assert_eq!(differences(NovoGradParams::optax()), none);
    assert_eq!(differences(LarsParams::optax()), none);
}

#[test]
fn burns_momentum_comes_with_its_dampening() {
    let params = SgdParams { momentum: 0.9, ..SgdParams::burn() };
    assert!(params.validate().is_ok());
    assert_eq!((params.momentum, params.dampening), (0.9, 0.1));
    assert!(SgdParams { nesterov: true, ..params }.validate().is_err());
}
