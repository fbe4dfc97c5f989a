//! What `explain` says, as golden texts: `UPDATE_EXPECT=1 cargo test` writes them anew.

use expect_test::expect_file;
use optimizer_specs::explain;
use optimizer_specs::ir::{Cell, Variant};
use optimizer_specs::plan;

use crate::rules::{self, Planned};

fn variant((graph, context): Planned) -> Variant {
    let element_states = graph.stores.iter().filter_map(|store| match store.cell {
        Cell::ElementState(state) => Some(state),
        _ => None,
    });
    let element_states = element_states.collect();
    let programs = vec![plan::plan(graph, &context)];
    let (all, tensor) = plan::records(&context, &programs);
    Variant { options: vec![], element_states, host_states: vec![], all, tensor, programs }
}

fn text(name: &str, planned: Planned) -> String {
    let names = planned.1.names.clone();
    explain::text(name, &names, &[variant(planned)])
}

#[test]
fn lamb() {
    expect_file!["explain/lamb.txt"].assert_eq(&text("lamb", rules::lamb()));
}

#[test]
fn prodigy() {
    expect_file!["explain/prodigy.txt"].assert_eq(&text("prodigy", rules::prodigy()));
}
