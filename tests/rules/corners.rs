/// Names that are words of some target, operators grouped in every way, powers on the device: nobody's optimizer, a test
/// of the emitters.
#[gpu_optimizer]
pub mod corners {
    pub struct CornersParams {
        #[hyper(default = 0.05, range = 0.0..)]
        pub kernel: f32,
        #[hyper(default = 3, range = 0..)]
        pub exponent: u32,
        #[hyper(default = 2, range = 0..)]
        pub target: u32,
    }
    pub struct State {
        device: f32,
        constant: f32,
        #[tensor]
        threadgroup: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &CornersParams, step: u32) {
        let quad = grad - (*param - state.device);
        let lanes = quad / (1.5 + quad * quad) / (2.0 / 3.0);
        let half = -(quad * lanes) * -1.5;
        let row = lanes.abs().powi(hyper.exponent) - half / (quad * lanes + 2.0) * (lanes - 1.0);
        let inside = quad > 0.0 && lanes < 0.5 || !(half > -1.0);
        let select = if step == 2 {
            row
        } else if inside {
            half
        } else {
            lanes
        };
        let many = count(inside) == hyper.target || count(!inside) > 100;
        state.threadgroup = 0.5 * state.threadgroup + max_abs(select).powi(hyper.target);
        state.device = select - (quad - lanes) - (if many { 1.0 } else { lanes });
        let float4 = state.constant;
        state.constant = hyper.kernel * step as f32;
        *param -= hyper.kernel * (select / (state.threadgroup + 1.0) + float4);
    }
}
