//! Which states exist.

use expect_test::expect;

use crate::support::{lowered, plain, report};

#[test]
fn sgd_has_its_buffer_only_with_momentum() {
    let sgd = lowered(include_str!("../../specs/sgd.rs"));
    let states: Vec<Vec<String>> = sgd.variants.iter().map(|variant| sgd.states(variant)).collect();
    assert_eq!(states[0], [""; 0]);
    assert_eq!(states[1].len(), 1);
    assert_eq!(states[2], states[1]);
    let stores: Vec<usize> = sgd.variants.iter().map(|variant| variant.graphs[0].stores.len()).collect();
    assert_eq!(stores, [1, 2, 2]);
}

#[test]
fn rmsprop_has_what_its_options_need() {
    let rmsprop = lowered(include_str!("../../specs/rmsprop.rs"));
    let states: Vec<Vec<String>> = rmsprop.variants.iter().map(|variant| rmsprop.states(variant)).collect();
    assert_eq!(states[0], ["square_average"]);
    assert_eq!(states[1], ["square_average", "gradient_average"]);
    assert_eq!(states[2], ["square_average", "momentum_buffer"]);
    assert_eq!(states[3], ["square_average", "gradient_average", "momentum_buffer"]);
}

#[test]
fn entries_keep_what_update_only_writes() {
    let schedule_free = lowered(include_str!("../../specs/schedule_free_adamw.rs"));
    assert_eq!(schedule_free.states(&schedule_free.variants[0]), ["z", "v", "weight_sum", "rate_max"]);
    let stored: Vec<usize> = schedule_free.variants[0].graphs.iter().map(|graph| graph.stores.len()).collect();
    assert_eq!(stored, [5, 1, 1]);

    let sam = lowered(include_str!("../../../tests/rules/sam_sgd.rs"));
    assert_eq!(sam.states(&sam.variants[0]), ["home"]);

    let source = plain("slow: f32", "state.slow = lerp(state.slow, grad, 0.1); *param -= grad;").replace(
        "fn update",
        "#[entry]\nfn sync(param: &mut f32, state: &mut State) { *param = state.slow; }\nfn update",
    );
    assert_eq!(lowered(&source).states(&lowered(&source).variants[0]), ["slow"]);
}

#[test]
fn a_state_lives_through_conditions_and_other_states() {
    let source = plain(
        "first: f32, second: f32, third: f32, #[tensor] size: f32",
        "state.first = state.second + grad;
        state.second = if state.third > 0.0 { state.second } else { grad };
        state.third = state.third + grad;
        state.size = state.size + norm(grad);
        *param -= if state.size > 1.0 { state.first } else { grad };",
    );
    let lowered = lowered(&source);
    // `first` is written before it is read: its old value is never needed.
    assert_eq!(lowered.states(&lowered.variants[0]), ["second", "third", "size"]);
    expect![[r#"
        dead-state at `first`: `state.first` is written, but no step needs the value of an earlier one: it is left out
          help: use a `let`, or mark it `#[keep]` to look at it from outside
    "#]]
    .assert_eq(&report(&lowered.warnings));
}

#[test]
fn states_that_feed_only_each_other_are_dead_unless_kept() {
    let body = "state.a = state.a + state.b; state.b = state.b + grad; *param -= grad;";
    let dead = lowered(&plain("a: f32, b: f32", body));
    assert_eq!(dead.states(&dead.variants[0]), [""; 0]);
    assert_eq!(dead.variants[0].graphs[0].stores.len(), 1);
    expect![[r#"
        dead-state at `a`: `state.a` is written, but no step needs the value of an earlier one: it is left out
          help: use a `let`, or mark it `#[keep]` to look at it from outside
        dead-state at `b`: `state.b` is written, but no step needs the value of an earlier one: it is left out
          help: use a `let`, or mark it `#[keep]` to look at it from outside
    "#]]
    .assert_eq(&report(&dead.warnings));

    let kept = lowered(&plain("#[keep] a: f32, b: f32", body));
    assert_eq!(kept.states(&kept.variants[0]), ["a", "b"]);
    assert_eq!(kept.warnings.len(), 0);
}

#[test]
fn what_is_never_changed_is_not_stored() {
    let lowered = lowered(&plain("#[init(1.0)] m: f32", "state.m = state.m; *param = *param + state.m * grad;"));
    assert_eq!(lowered.states(&lowered.variants[0]), ["m"]);
    assert_eq!(lowered.variants[0].graphs[0].stores.len(), 1);
}

#[test]
fn an_entry_may_be_left_with_nothing_to_do() {
    let source = plain("seen: f32", "*param -= grad;")
        .replace("fn update", "#[entry]\nfn look(state: &mut State) { state.seen = state.seen + 1.0; }\nfn update");
    let lowered = lowered(&source);
    let look = &lowered.variants[0].graphs[1];
    assert_eq!((look.name.as_str(), look.nodes.len(), look.stores.len(), look.takes_grad), ("look", 0, 0, false));
    assert_eq!(lowered.variants[0].graphs[0].name, "update");
}
