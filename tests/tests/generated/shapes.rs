//! Rows that depend on a tensor's shape: tensors of equal length and different shape have rows of their own.

use optirs_gpu::{Device, ParamSet, gpu_optimizer};
use scirs2_core::ndarray::{ArrayD, IxDyn};

/// Gradient descent, slower the more rows and dimensions a tensor has.
#[gpu_optimizer]
pub mod by_shape {
    pub struct ByShapeParams {
        #[hyper(default = 6.0, range = 0.0..)]
        pub learning_rate: f32,
    }
    fn update(param: &mut f32, grad: f32, hyper: &ByShapeParams) {
        let rate = hyper.learning_rate / dim(0) as f32 + ndim() as f32;
        *param -= rate * grad;
    }
}

use by_shape::{ByShapeParams, GpuByShape};

#[test]
fn the_shape_of_each_tensor_decides_its_row() {
    let shapes: [&[usize]; 4] = [&[2, 3], &[3, 2], &[6], &[1, 2, 3]];
    let tensors = shapes.map(|shape| (format!("{shape:?}"), ArrayD::from_elem(IxDyn(shape), 0.0f32)));
    let device = Device::cpu();
    let mut params = ParamSet::new(&device, tensors.clone()).unwrap();
    for (name, zeros) in &tensors {
        params.write_grad(name, &(zeros + 1.0)).unwrap();
    }
    GpuByShape::on(&device, ByShapeParams::default()).unwrap().step(&mut params).unwrap();
    let after = shapes.map(|shape| params.read(&format!("{shape:?}")).unwrap().iter().copied().sum::<f32>() / 6.0);
    assert_eq!(after, [-5.0, -4.0, -2.0, -9.0]);
}
