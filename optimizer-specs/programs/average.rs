/// An average of parameters over training. The parameters of this program are the averages, its gradients the parameters
/// that they follow: the first update takes them over.
///
/// With a decay, an exponential moving average, as `torch.optim.swa_utils.get_ema_multi_avg_fn` has it:
/// `a ← a + (1 − decay)·(p − a)`. Without, the mean of all (Polyak and Juditsky, "Acceleration of Stochastic Approximation by
/// Averaging", 1992; `AveragedModel`'s default): `a ← a + (p − a)/n` at the n-th update.
#[gpu_optimizer]
pub mod average {
    /// Hyper-parameters of [`Average`].
    pub struct AverageParams {
        /// How much of the average stays at each update; without, all updates weigh the same.
        #[hyper(default = Some(0.999), range = 0.0..=1.0)]
        pub decay: Option<f32>,
    }

    fn update(param: &mut f32, grad: f32, hyper: &AverageParams, step: u32) {
        let weight = if let Some(decay) = hyper.decay { 1.0 - decay } else { 1.0 / step as f32 };
        *param = if step == 1 { grad } else { lerp(*param, grad, weight) };
    }
}
