//! Combinations of options: which there are, in which order, and what each folds.

use expect_test::expect;

use crate::support::{errors, lowered, with_options};

fn combinations(source: &str) -> Vec<String> {
    let lowered = lowered(source);
    let text = |options: &[(String, String)], default: bool| {
        let options: Vec<String> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{}{}", options.join(" "), if default { " (default)" } else { "" })
    };
    lowered.variants.iter().map(|variant| text(&variant.options, variant.default)).collect()
}

#[test]
fn sgd_has_three() {
    assert_eq!(
        combinations(include_str!("../../../tests/rules/options.rs")).len(),
        10,
        "2 switches · 2 limits · 3 centres, less the mean without a gain"
    );
    assert_eq!(
        combinations(include_str!("../../specs/sgd.rs")),
        ["momentum=0 nesterov=false (default)", "momentum=nonzero nesterov=false", "momentum=nonzero nesterov=true"]
    );
}

#[test]
fn rmsprop_has_four() {
    assert_eq!(
        combinations(include_str!("../../specs/rmsprop.rs")),
        [
            "momentum=0 centered=false (default)",
            "momentum=0 centered=true",
            "momentum=nonzero centered=false",
            "momentum=nonzero centered=true"
        ]
    );
}

#[test]
fn every_kind_by_name() {
    let source = with_options(
        "#[hyper(default = Kind::Second)]
        pub kind: Kind,
        #[hyper(default = Some(0.5), range = 0.0..)]
        pub limit: Option<f32>,
        #[hyper(default = 2, switch)]
        pub delay: u32,",
        "",
        "let scale = match hyper.kind { Kind::First => 1.0, Kind::Second => 2.0 };
        if hyper.delay > 0 { *param -= scale * grad } else { *param -= hyper.limit.unwrap_or(scale) * grad }",
    );
    assert_eq!(
        combinations(&source),
        [
            "kind=First limit=None delay=0",
            "kind=First limit=None delay=nonzero",
            "kind=First limit=Some delay=0",
            "kind=First limit=Some delay=nonzero",
            "kind=Second limit=None delay=0",
            "kind=Second limit=None delay=nonzero",
            "kind=Second limit=Some delay=0",
            "kind=Second limit=Some delay=nonzero (default)"
        ]
    );
    let lowered = lowered(&source);
    let some = lowered.variant(&[("kind", "First"), ("limit", "Some"), ("delay", "0")]);
    expect![[r#"
        graph update, takes grad
          // *param -= hyper.limit.unwrap_or(scale) * grad;
          %0 = load param                      real element 0
          %1 = hyper.limit                     real row 0
          // the prologue
          %2 = raw_grad                        real element 0
          %3 = grad_scale                      real row 0
          %4 = multiply %2 %3                  real element 0  scaled_grad
          %5 = clip_value                      real row 0
          %6 = negate %5                       real row 0
          %7 = max %4 %6                       real element 0
          %8 = min %7 %5                       real element 0  clamped_grad
          %9 = is_nan %4                       bool element 0  is_nan
          %10 = select %9 %4 %8                real element 0  limited_grad
          %11 = clip                           real tensor 0
          %12 = multiply %10 %11               real element 0  grad
          // *param -= hyper.limit.unwrap_or(scale) * grad;
          %13 = multiply %1 %12                real element 0
          %14 = subtract %0 %13                real element 0  param
          store param = %14
    "#]]
    .assert_eq(&lowered.graph_text(&some.graphs[0]));
}

#[test]
fn comparisons_of_a_switch_with_0_fold_as_far_as_the_range_says() {
    let field = |range: &str| format!("#[hyper(default = 0.0{range}, switch)]\npub gain: f32,");
    let nonzero = |range: &str, condition: &str| {
        let source =
            with_options(&field(range), "", &format!("if {condition} {{ *param = 1.0 }} else {{ *param = 2.0 }}"));
        let lowered = lowered(&source);
        let graph = &lowered.variant(&[("gain", "nonzero")]).graphs[0];
        let value = graph.op(graph.stores[0].value);
        [1.0_f64, 2.0].iter().position(|literal| value == optimizer_specs::ir::Op::Real(literal.to_bits()))
    };
    let (holds, fails, open) = (Some(0), Some(1), None);
    assert_eq!(nonzero("", "hyper.gain != 0.0"), holds);
    assert_eq!(nonzero("", "0.0 == hyper.gain"), fails);
    assert_eq!(nonzero("", "{ let gain = hyper.gain; gain > 0.0 }"), open);
    assert_eq!(nonzero(", range = 0.0..", "hyper.gain > 0.0"), holds);
    assert_eq!(nonzero(", range = 0.0..", "0.0 < hyper.gain"), holds);
    assert_eq!(nonzero(", range = 0.0..", "hyper.gain <= 0.0"), fails);
    assert_eq!(nonzero(", range = 0.0..", "hyper.gain > 0.5"), open);
}

#[test]
fn a_requirement_prunes_only_what_it_certainly_forbids() {
    let source = |requirement: &str| {
        let field = "#[hyper(default = false)]\npub first: bool,\n#[hyper(default = false)]\npub second: bool,";
        with_options(field, "", "*param -= if hyper.first || hyper.second { 2.0 * grad } else { grad }")
            .replace("#[gpu_optimizer]", &format!("#[gpu_optimizer]\n#[require({requirement}, \"no\")]"))
    };
    assert_eq!(combinations(&source("!(first && second)")).len(), 3);
    assert_eq!(combinations(&source("rate > 0.0 || !first")).len(), 4);
    assert_eq!(combinations(&source("ndim() == 1 && !first")).len(), 2);
    expect![[r#"
        defaults-forbidden at `first`: the defaults do not hold to this requirement: no
          help: change a default or the requirement
    "#]]
    .assert_eq(&errors(&source("first")));
}

#[test]
fn too_many() {
    let fields: String = (0..6).map(|index| format!("#[hyper(default = false)]\npub option{index}: bool,\n")).collect();
    let conditions: String = (0..6).map(|index| format!("if hyper.option{index} {{ *param *= 0.5; }}\n")).collect();
    let source = with_options(&fields, "", &format!("{conditions} *param -= grad;"));
    expect![[r#"
        too-many-options at `SmallParams`: the options `option0`, `option1`, `option2`, `option3`, `option4`, `option5` give 64 kernel variants; at most 32 are allowed
          help: forbid combinations with `#[require(…)]`, leave out a `switch`, or make two rules of it
    "#]].assert_eq(&errors(&source));
    let pruned = source.replace("#[gpu_optimizer]", "#[gpu_optimizer]\n#[require(!option0, \"not yet\")]");
    assert_eq!(combinations(&pruned).len(), 32);
}

#[test]
fn far_too_many_are_not_even_tried() {
    let options = |join: &str| (0..13).map(|index| format!("option{index}")).collect::<Vec<_>>().join(join);
    let fields = options(":").replace("option", "#[hyper(default = false)]\npub option").replace(':', ": bool,\n");
    let condition = options(" || hyper.");
    let source = with_options(
        &format!("{fields}: bool,"),
        "",
        &format!("*param -= if hyper.{condition} {{ grad }} else {{ 2.0 * grad }};"),
    );
    let forbidden = format!("#[gpu_optimizer]\n#[require(!({}), \"none of them\")]", options(" || "));
    let text = errors(&source.replace("#[gpu_optimizer]", &forbidden));
    assert!(text.contains("`option12` give 8192 kernel variants"), "{text}");
}

#[test]
fn an_arm_that_is_settled_is_the_only_one() {
    let source = with_options(
        "#[hyper(default = 0.0, range = 0.0.., switch)]\npub gain: f32,
        #[hyper(default = Kind::Second)]\npub kind: Kind,",
        "",
        "let size = if hyper.kind != Kind::First { 2.0 } else { 3.0 };
        if hyper.gain == 0.0 { *param -= size; } else { *param -= size * (1.0 / hyper.gain); }",
    );
    let lowered = lowered(&source);
    let text = |kind: &str| lowered.graph_text(&lowered.variant(&[("gain", "0"), ("kind", kind)]).graphs[0]);
    assert!(text("First").contains("= 3.0 "), "{}", text("First"));
    assert!(text("Second").contains("= 2.0 "), "{}", text("Second"));
}

#[test]
fn arms_that_options_rule_out_leave_no_trace() {
    let source = with_options(
        "#[hyper(default = 0.0, range = 0.0.., switch)]\npub gain: f32,",
        "trace: f32, #[tensor] size: f32",
        "if hyper.gain != 0.0 {
            state.trace = hyper.gain * state.trace + grad;
            state.size = hyper.gain * state.size + norm(state.trace);
            *param -= state.trace / state.size / (1.0 / hyper.gain);
        } else {
            *param -= grad;
        }",
    );
    let lowered = lowered(&source);
    let without = lowered.variant(&[("gain", "0")]);
    assert_eq!(lowered.states(without), [""; 0]);
    assert_eq!(without.graphs[0].stores.len(), 1);
    assert_eq!(lowered.states(lowered.variant(&[("gain", "nonzero")])), ["trace", "size"]);
}
