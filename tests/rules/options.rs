/// Every kind of option and every element function: nobody's optimizer, a test of folding and of the emitters.
#[gpu_optimizer]
#[require(!(centre == Centre::Mean && gain == 0.0), "a mean needs a gain")]
pub mod options {
    /// What the gradient is taken from.
    pub enum Centre {
        /// Zero.
        Zero,
        /// The parameter.
        Param,
        /// The tensor's mean.
        Mean,
    }
    pub struct OptionsParams {
        #[hyper(default = 1e-2, range = 0.0..)]
        pub learning_rate: f32,
        #[hyper(default = 0.5, range = 0.0.., switch)]
        pub gain: f32,
        #[hyper(default = None, range = 0.0..)]
        pub limit: Option<f32>,
        #[hyper(default = 3, range = 1..)]
        pub period: u32,
        #[hyper(default = Centre::Zero)]
        pub centre: Centre,
    }
    const HALF: f32 = 0.5;
    pub struct State {
        #[init(0.5)]
        trace: f32,
        #[keep]
        age: f32,
    }
    fn bounded(x: f32, hyper: &OptionsParams) -> (f32, bool) {
        if let Some(limit) = hyper.limit { (x.clamp(-limit, limit), x.abs() > limit) } else { (x, false) }
    }
    fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &OptionsParams, step: u32) {
        let centre = match hyper.centre {
            Centre::Zero => 0.0,
            Centre::Param => *param,
            Centre::Mean => mean(*param),
        };
        let (g, cut) = bounded(grad - HALF * centre, hyper);
        if hyper.gain != 0.0 {
            state.trace = g.mul_add(hyper.gain, state.trace * HALF);
        }
        let cycle = (step % hyper.period) as f32 / hyper.period as f32;
        let smooth = g.powi(3) * cycle + lerp(g, state.trace, hyper.gain.min(1.0)).max(-1.0);
        let turned = if cut && !(step == 2) || smooth <= -0.25 { -smooth } else { smooth.abs().sqrt() };
        *param -= hyper.learning_rate * (turned + sign(g) * (1.0 + g * g).recip());
        state.age += 1.0;
    }
}
