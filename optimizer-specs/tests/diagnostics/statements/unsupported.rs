#[gpu_optimizer]
pub mod rule {
    pub struct RuleParams {
        /// Step size.
        #[hyper(default = 1e-3, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = None, range = 1..)]
        pub every: Option<u32>,
    }
    pub struct State {
        m: f32,
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams, step: u32) {
        for i in 0..3 {
            state.m += grad;
        }
        while grad > 0.0 {}
        loop {
            break;
        }
        let f = |x: f32| x + 1.0;
        if grad > 0.0 {
            return;
        }
        let r = &grad;
        let x = state[0];
        let y = [1.0, 2.0];
        let z = [0.0; 4];
        let p = Point { x: 1.0 };
        println!("{grad}");
        let v = vec![1.0];
        unsafe { state.m = 1.0; }
        async { grad };
        let q = grad?;
        let w = 0.0..1.0;
        let t = (1.0, 2.0).0;
        let n = grad.max::<f32>(1.0);
        let o = Vec::<f32>::new();
        let k = (norm)(grad);
        let s = grad << 1;
        state.m ^= 1.0;
        let b = 'label: { 1.0 };
        let c = const { 1.0 };
        break;
        continue;
        let address = &raw const grad;
        let path = <f32 as Default>::ZERO;
        let yielded = yield grad;
        let d;
        let self = grad;
        let Some(e) = hyper.every else { return };
        let (ref g, h @ 1.0) = (1.0, 2.0);
        if let Some(Some(i)) = hyper.every {}
        if let None = hyper.every {}
        if grad > 0.0 && let Some(i) = hyper.every {}
        fn inner() {}
        use std::f32;
        let u = <f32 as Default>::default();
        let u = hyper.await;
        let l = _;
        let cast = grad as *const f32;
        let tuple = ();
        *param -= grad;
    }
}
