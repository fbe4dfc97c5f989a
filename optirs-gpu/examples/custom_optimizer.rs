//! An optimizer of one's own: Lion, written as a rule, compiled into a WGSL kernel, an MSL kernel and a CPU kernel.
//!
//! `cargo run --release --example custom_optimizer` prints the WGSL that the rule became, steps it, and compares with
//! numbers worked out by hand.

use optirs_gpu::ndarray::array;
use optirs_gpu::{Device, GpuOptimError, ParamSet, gpu_optimizer};

/// Lion.
///
/// Chen et al., "Symbolic Discovery of Optimization Algorithms", 2023, Program 1, with decoupled weight decay.
#[gpu_optimizer]
pub mod lion {
    /// Hyper-parameters of [`GpuLion`].
    pub struct LionParams {
        /// Step size: every element moves by this much.
        #[hyper(default = 1e-4, range = 0.0..)]
        pub learning_rate: f32,
        /// How much of the moment the direction takes.
        #[hyper(default = 0.9, range = 0.0..1.0)]
        pub beta1: f32,
        /// Decay rate of the moment.
        #[hyper(default = 0.99, range = 0.0..1.0)]
        pub beta2: f32,
        /// Decoupled weight decay.
        #[hyper(default = 0.0, range = 0.0..)]
        pub weight_decay: f32,
    }

    pub struct State {
        /// First moment.
        m: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &LionParams) {
        let direction = hyper.beta1 * state.m + (1.0 - hyper.beta1) * grad;
        *param *= 1.0 - hyper.learning_rate * hyper.weight_decay;
        *param -= hyper.learning_rate * sign(direction);
        state.m = hyper.beta2 * state.m + (1.0 - hyper.beta2) * grad;
    }
}

use lion::{GpuLion, LionParams};

fn main() -> Result<(), GpuOptimError> {
    println!("{}", GpuLion::WGSL);

    let device = Device::new().unwrap_or_else(|error| {
        println!("no GPU, so this runs on the CPU: {error}");
        Device::cpu()
    });
    let mut params = ParamSet::new(&device, [("w", array![1.0f32, 10.0, -2.0].view().into_dyn())])?;
    let mut optimizer =
        GpuLion::on(&device, LionParams { learning_rate: 0.1, weight_decay: 0.1, ..LionParams::default() })?;

    // Step 1: the moment is 0, so each element moves by 0.1 against the sign of its gradient, after a decay of 1 %.
    //   1·0.99 − 0.1 = 0.89        10·0.99 + 0.1 = 10        −2·0.99 = −1.98, the gradient is 0
    params.write_grad("w", &array![0.5f32, -0.1, 0.0])?;
    optimizer.step(&mut params)?;
    expect(&params, [0.89, 10.0, -1.98])?;

    // Step 2, all gradients 0: the direction is the moment's, 0.9·0.01·g of step 1.
    //   0.89·0.99 − 0.1 = 0.7811   10·0.99 + 0.1 = 10        −1.98·0.99 = −1.9602
    params.write_grad("w", &array![0.0f32, 0.0, 0.0])?;
    optimizer.step(&mut params)?;
    expect(&params, [0.7811, 10.0, -1.9602])?;

    println!("right after both steps, on {}", device.name());
    Ok(())
}

/// Compares the parameters with numbers worked out by hand.
fn expect(params: &ParamSet, by_hand: [f32; 3]) -> Result<(), GpuOptimError> {
    let ours = params.read("w")?;
    for (ours, by_hand) in ours.iter().zip(by_hand) {
        assert!((ours - by_hand).abs() <= 1e-6 * by_hand.abs().max(1.0), "{ours} instead of {by_hand}");
    }
    Ok(())
}
