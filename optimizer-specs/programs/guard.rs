/// The guard: what runs over the gradients before a rule, and decides whether it may run and how gradients are clipped.
///
/// Its parameters are the gradients, as the caller gave them: it only reads them. With g their elements times
/// `grad_scale`, it finds ‖g‖ of each tensor and of all, and the coefficient of clipping, `min(1, max_norm / norm)`, as
/// `torch.nn.utils.clip_grad_norm_` has it without its 1e-6 under the fraction. An element that is infinite or NaN, by its
/// bits, sets `found_inf`, and so does a norm that is not finite where gradients are clipped by it.
#[gpu_optimizer(header)]
pub mod guard {
    /// Hyper-parameters of [`Guard`].
    pub struct GuardParams {
        /// The factor of the gradients before they are measured.
        #[hyper(default = 1.0)]
        pub grad_scale: f32,
        /// What is clipped by its norm.
        #[hyper(default = Scope::Nothing, shared)]
        pub scope: Scope,
        /// The greatest norm that is left alone.
        #[hyper(default = 1.0, range = 0.0.., shared)]
        pub max_norm: f32,
    }

    /// What is clipped by its norm.
    pub enum Scope {
        /// Nothing.
        Nothing,
        /// Each tensor by its own norm.
        Tensor,
        /// All tensors by the norm over them.
        All,
    }

    pub struct State {
        /// Word 0 of the header: not 0 where the rule is not to run.
        #[all]
        #[keep]
        found_inf: f32,
        /// Word 1 of the header: the clip coefficient of all tensors.
        #[all]
        #[keep]
        clip: f32,
        /// Word 2 of the header: the norm over all tensors.
        #[all]
        #[keep]
        norm: f32,
        /// The clip coefficient of the tensor.
        #[tensor]
        #[keep]
        tensor_clip: f32,
    }

    fn coefficient(norm: f32, max_norm: f32) -> f32 {
        if norm > max_norm { max_norm / norm } else { 1.0 }
    }

    fn update(param: &mut f32, state: &mut State, hyper: &GuardParams) {
        let raw = *param;
        let gradient = raw * hyper.grad_scale;
        let all_norm = all::norm(gradient);
        let not_finite = all::count(!raw.is_finite());
        state.norm = all_norm;
        state.clip = match hyper.scope {
            Scope::All => coefficient(all_norm, hyper.max_norm),
            _ => 1.0,
        };
        state.tensor_clip = match hyper.scope {
            Scope::Tensor => coefficient(norm(gradient), hyper.max_norm),
            _ => 1.0,
        };
        let overflows = hyper.scope != Scope::Nothing && !all_norm.is_finite();
        state.found_inf = if not_finite > 0 || overflows { 1.0 } else { 0.0 };
    }
}
