#[gpu_optimizer]
pub mod rule {
    pub struct Hyper {
        #[hyper(default = 1e-3)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &Hyper) {
        *param -= hyper.learning_rate * grad;
    }
}

#[gpu_optimizer]
pub mod params_alone {
    pub struct Params {}
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}

#[gpu_optimizer]
pub mod two {
    pub struct FirstParams {}
    pub struct SecondParams {}
    pub struct Moments {}
    pub struct State {}
    pub struct State {}
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}

#[gpu_optimizer]
pub mod tuples {
    pub struct TupleParams(f32, f32);
    pub struct State;
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}

#[gpu_optimizer]
pub mod generics {
    pub struct GenericParams<T> {
        #[hyper(default = 1e-3)]
        pub learning_rate: T,
    }
    fn update<'a>(param: &'a mut f32, grad: f32) where f32: Copy {
        *param -= grad;
    }
}

#[gpu_optimizer]
pub mod _self {
    pub struct SelfParams {
        #[hyper(default = 1e-3)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &SelfParams) {
        *param -= hyper.learning_rate * grad;
    }
}

#[gpu_optimizer]
pub mod nameless {
    pub struct NamelessParams {
        #[hyper(default = 1e-3)]
        pub _: f32,
    }
    pub struct State {
        _: f32,
    }
    fn update(param: &mut f32, grad: f32) {
        *param -= grad;
    }
}
