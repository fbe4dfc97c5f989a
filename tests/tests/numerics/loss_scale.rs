//! The loss scale against `torch.amp.GradScaler`'s, step by step.

use std::collections::{BTreeMap, BTreeSet};

use optirs_gpu::{DynamicLossScaler, MixedPrecisionConfig};
use serde::Deserialize;

#[derive(Deserialize)]
struct Traces {
    steps: u32,
    traces: Vec<Trace>,
}

#[derive(Deserialize)]
struct Trace {
    init_scale: f32,
    growth_factor: f32,
    backoff_factor: f32,
    growth_interval: u32,
    overflows: BTreeSet<u32>,
    changes: Vec<(u32, f32)>,
}

#[test]
fn a_scale_moves_as_torchs_does() {
    let Traces { steps, traces } = serde_json::from_str(include_str!("../../fixtures/loss_scale.json")).unwrap();
    assert_eq!((steps, traces.len()), (10_000, 3));
    for trace in traces {
        // torch has no limits; these are as far as a reciprocal goes.
        let config = MixedPrecisionConfig {
            init_scale: trace.init_scale,
            growth_factor: trace.growth_factor,
            backoff_factor: trace.backoff_factor,
            growth_interval: trace.growth_interval,
            min_scale: f32::MIN_POSITIVE,
            max_scale: 2f32.powi(126),
            use_bfloat16: false,
        };
        config.validate().unwrap();
        let mut scaler = DynamicLossScaler::new(config);
        let changes: BTreeMap<u32, f32> = trace.changes.into_iter().collect();
        let mut expected = trace.init_scale;
        for step in 0..steps {
            let mut gradient = [1.0, if trace.overflows.contains(&step) { f32::NEG_INFINITY } else { 2.0 }];
            assert_eq!(scaler.unscale_and_check(&mut gradient), trace.overflows.contains(&step));
            expected = changes.get(&step).copied().unwrap_or(expected);
            assert_eq!(scaler.scale(), expected, "after step {step} with {config:?}");
        }
    }
}
