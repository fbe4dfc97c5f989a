//! What `#[gpu_optimizer]` costs a build: a rule from its text to the tokens that stand in the user's crate, without what rustc
//! then makes of them.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

use criterion::{Criterion, criterion_group, criterion_main};
use optimizer_specs::expand;
use proc_macro2::{Literal, TokenStream, TokenTree};

/// One option, none, two passes, three, and the most combinations of options.
const RULES: [&str; 5] = ["sgd", "adamw", "lamb", "lamb_apex", "rmsprop"];

fn expansion(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("expansion");
    group.sample_size(20);
    for rule in RULES {
        let name: TokenStream = TokenTree::from(Literal::string(rule)).into();
        group.bench_function(rule, |bencher| bencher.iter(|| expand::standard(name.clone())));
    }
    group.finish();
}

criterion_group!(benches, expansion);
criterion_main!(benches);
