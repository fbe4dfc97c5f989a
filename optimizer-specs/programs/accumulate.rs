/// Sums, and copies. The parameters of this program are what is summed into, its gradients what is added.
#[gpu_optimizer]
pub mod accumulate {
    /// Hyper-parameters of [`Accumulate`]: it has none.
    pub struct AccumulateParams {}

    fn update(param: &mut f32, grad: f32) {
        *param += grad;
    }

    /// Overwrites.
    #[entry]
    fn assign(param: &mut f32, grad: f32) {
        *param = grad;
    }
}
