use super::*;

fn config() -> MixedPrecisionConfig {
    MixedPrecisionConfig { init_scale: 8.0, growth_interval: 3, min_scale: 2.0, max_scale: 16.0, ..Default::default() }
}

#[test]
fn a_scale_follows_overflows_within_its_limits() {
    let mut scaler = DynamicLossScaler::new(config());
    let mut scales = Vec::new();
    for has_overflow in [false, false, false, false, false, false, true, false, false, true, true, true, false] {
        scaler.update(has_overflow);
        scales.push(scaler.scale());
    }
    // It grows after the third step, stays at its limit after the sixth, and begins to count anew after an overflow.
    assert_eq!(scales, [8.0, 8.0, 16.0, 16.0, 16.0, 16.0, 8.0, 8.0, 8.0, 4.0, 2.0, 2.0, 2.0]);
    assert_eq!(scaler.inv_scale(), 0.5);
}

#[test]
fn the_defaults_are_those_of_torch_with_limits() {
    let mut scaler = DynamicLossScaler::new(MixedPrecisionConfig::default());
    (0..1999).for_each(|_| scaler.update(false));
    assert_eq!(scaler.scale(), 65536.0);
    scaler.update(false);
    assert_eq!(scaler.scale(), 131072.0);
}

#[test]
fn statistics_look_back_over_a_window() {
    let mut scaler = DynamicLossScaler::new(config());
    assert_eq!(scaler.overflow_stats().overflow_rate, 0.0);
    scaler.update(true);
    (0..DynamicLossScaler::WINDOW - 1).for_each(|_| scaler.update(false));
    let stats = scaler.overflow_stats();
    assert_eq!((stats.total_steps, stats.overflow_count, stats.overflow_rate), (100, 1, 0.01));
    scaler.update(false);
    let expected = OverflowStats { total_steps: 100, overflow_count: 0, overflow_rate: 0.0, current_scale: 16.0 };
    assert_eq!(scaler.overflow_stats(), expected);
}

#[test]
fn gradients_on_the_host_are_unscaled_and_searched() {
    let mut scaler = DynamicLossScaler::new(config());
    let mut values = [8.0, -4.0];
    assert!(!scaler.unscale_and_check(&mut values));
    assert_eq!(values, [1.0, -0.5]);
    for bits in [0x7f80_0000_u32, 0xff80_0000, 0x7fc0_0000, 0x7f80_0001] {
        assert!(DynamicLossScaler::new(config()).unscale_and_check(&mut [1.0, f32::from_bits(bits)]), "{bits:x}");
    }
    assert!(!scaler.unscale_and_check(&mut [f32::MAX]));
}

#[test]
fn every_field_is_checked_by_its_name() {
    let good = MixedPrecisionConfig::default();
    assert!(good.validate().is_ok());
    for (bad, field) in [
        (MixedPrecisionConfig { min_scale: 0.0, ..good }, "min_scale"),
        (MixedPrecisionConfig { min_scale: f32::NAN, ..good }, "min_scale"),
        (MixedPrecisionConfig { max_scale: 0.5, ..good }, "max_scale"),
        (MixedPrecisionConfig { max_scale: f32::INFINITY, ..good }, "max_scale"),
        (MixedPrecisionConfig { max_scale: 1e38, ..good }, "max_scale"),
        (MixedPrecisionConfig { min_scale: 1e-40, ..good }, "min_scale"),
        (MixedPrecisionConfig { init_scale: 0.5, ..good }, "init_scale"),
        (MixedPrecisionConfig { init_scale: f32::NAN, ..good }, "init_scale"),
        (MixedPrecisionConfig { init_scale: -1.0, ..good }, "init_scale"),
        (MixedPrecisionConfig { growth_factor: 1.0, ..good }, "growth_factor"),
        (MixedPrecisionConfig { growth_factor: f32::NAN, ..good }, "growth_factor"),
        (MixedPrecisionConfig { backoff_factor: 0.0, ..good }, "backoff_factor"),
        (MixedPrecisionConfig { backoff_factor: 1.0, ..good }, "backoff_factor"),
        (MixedPrecisionConfig { growth_interval: 0, ..good }, "growth_interval"),
    ] {
        let error = bad.validate().unwrap_err();
        assert!(matches!(&error, GpuOptimError::OutOfRange { field: named, .. } if *named == field), "{error}");
    }
}
