//! `optirs_gpu::kernel_fusion` on the rules: the plan for a rule's own operations moves the bytes that `optspec explain` names.

use std::collections::BTreeSet;

use optimizer_specs::ir::Names;
use optimizer_specs::{compile, explain, parse, standard};
use optirs_gpu::kernel_fusion::{FusionGraph, FusionPlanner, OpKind};
use optirs_gpu::rule::{KernelKind, Rule};
use optirs_gpu::rules;

const ELEMENTS: usize = 1000;

/// What `explain` says of `update` in each combination of options.
fn explained(name: &str) -> Vec<u64> {
    let (attribute, item) = parse::parse_file(standard::source(name).unwrap()).unwrap().into_iter().next().unwrap();
    let compiled = compile(attribute, item).unwrap();
    let names = Names::of(&compiled.rule);
    let bytes = |variant| {
        let text = explain::text(name, &names, std::slice::from_ref(variant), None);
        let line = text.lines().find_map(|line| line.strip_prefix("update: ")).unwrap_or_else(|| panic!("{text}"));
        line.strip_suffix(" bytes per element").unwrap_or_else(|| panic!("{line}")).parse().unwrap()
    };
    compiled.variants.iter().map(bytes).collect()
}

fn holds<R: Rule>() -> &'static str {
    let explained = explained(R::NAME);
    assert_eq!(explained.len(), R::VARIANTS.len());
    for (variant, bytes) in R::VARIANTS.iter().zip(explained) {
        let update = &variant.programs[0];
        let graph = FusionGraph::from_program(update, ELEMENTS).unwrap();
        let plan = FusionPlanner::new().with_multi_output(true).plan(&graph).unwrap();
        let reductions = graph.ops().iter().filter(|op| op.kind == OpKind::Reduce).count() as u64;
        let (name, options) = (R::NAME, variant.options);
        assert_eq!(plan.bytes_fused, bytes * ELEMENTS as u64 + 4 * reductions, "{name} with {options:?}");
        let passes = update.kernels.iter().filter(|kernel| matches!(kernel.kind, KernelKind::Pass(_))).count();
        assert!(plan.num_groups() >= passes, "{name} with {options:?}: fewer kernels than passes");
        if passes == 1 {
            assert_eq!(plan.num_groups(), 1, "{name} with {options:?}");
        }
        assert!(plan.bytes_unfused > plan.bytes_fused, "{name} with {options:?}");
    }
    R::NAME
}

macro_rules! all {
    ($($rule:ident),* $(,)?) => {
        BTreeSet::from([$(holds::<rules::$rule>()),*])
    };
}

#[test]
fn the_plan_of_every_rule_moves_what_explain_says() {
    let held = all!(
        AdEmaMix,
        AdaBelief,
        Adadelta,
        Adagrad,
        Adam,
        AdamW,
        Adamax,
        AdamaxW,
        Adan,
        Adopt,
        AmsGrad,
        Asgd,
        CautiousAdamW,
        DiffGrad,
        Ftrl,
        Grams,
        LaProp,
        Lamb,
        LambApex,
        LambBounded,
        Lars,
        Lion,
        Madgrad,
        NAdam,
        NovoGrad,
        Padam,
        Prodigy,
        QhAdam,
        RAdam,
        Rmsprop,
        Rprop,
        ScheduleFreeAdamW,
        Sgd,
        SignSgd,
        Signum,
        Sophia,
        StableAdamW,
        Tiger,
        Yogi,
    );
    let standard: BTreeSet<&str> = standard::ALL.iter().map(|(name, _)| *name).collect();
    assert_eq!(held, standard);
}
