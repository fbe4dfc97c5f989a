/// How far tensors have come. The parameters of this program are where they were, its gradients where they are.
#[gpu_optimizer]
pub mod distance {
    /// Hyper-parameters of [`Distance`]: it has none.
    pub struct DistanceParams {}

    pub struct State {
        /// The 2-norm of the difference, over all tensors.
        #[all]
        #[keep]
        norm: f32,
    }

    fn update(param: &mut f32, grad: f32, state: &mut State) {
        state.norm = all::norm(grad - *param);
    }
}
