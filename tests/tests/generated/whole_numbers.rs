//! Whole numbers of the host: past the ends of 64 bits they saturate, as the language says, and never wrap or panic.

use optirs_gpu::gpu_optimizer;
use optirs_gpu::rule::{RowContext, Rule};

/// Gradient descent whose rates are whole numbers beyond any step.
#[gpu_optimizer]
pub mod beyond {
    pub struct BeyondParams {
        #[hyper(default = 5)]
        pub more: u32,
    }
    pub struct State {
        sum: f32,
        difference: f32,
        product: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &BeyondParams, step: u32) {
        state.sum += grad * (step + hyper.more) as f32;
        state.difference += grad * (0 - step - hyper.more) as f32;
        state.product += grad * (-3 * step) as f32;
        *param -= state.sum + state.difference + state.product;
    }
}

use beyond::{Beyond, BeyondParams};

/// The rates of a row, smallest first: what it holds beside the scale 1 and the limits of gradients.
fn rates(step: u64) -> Vec<f32> {
    let context = RowContext {
        params: &BeyondParams::default(),
        step,
        run: step,
        shape: &[1],
        all_len: 1,
        scalars: &[],
        grad_scale: 1.0,
        clip_value: f64::INFINITY,
    };
    let mut words = vec![0; Beyond::VARIANTS[0].programs[0].row_words];
    Beyond::row(0, 0, &context, &mut [], &mut words).unwrap();
    let numbers = words.into_iter().map(f32::from_bits);
    let mut rates: Vec<_> = numbers.filter(|number| number.is_finite() && *number != 1.0).collect();
    rates.sort_by(f32::total_cmp);
    rates
}

#[test]
fn whole_numbers_saturate_at_both_ends() {
    assert_eq!(rates(10), [-30.0, -15.0, 15.0]);
    let end = i64::MAX as f32;
    assert_eq!(rates(i64::MAX as u64), [-end, -end, end]);
    assert_eq!(rates(u64::MAX), [-end, -end, end], "a step that 64 bits with a sign do not hold");
}
