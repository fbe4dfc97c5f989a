//! More chunks than one dimension of a grid has places, really executed.

use optirs_gpu::rule::records::ELEMENT_CHUNK;
use optirs_gpu::{DeviceConfig, GpuSgd, ParamSet, SgdParams};
use optirs_gpu_tests::devices;
use scirs2_core::ndarray::Array1;

#[test]
fn one_element_more_than_a_row_of_chunks() {
    let len = 65_535 * ELEMENT_CHUNK + 1;
    let Some(device) = devices::gpu(DeviceConfig::default()) else { return };
    let gradient = Array1::from_shape_fn(len, |i| (i % 251) as f32);
    let mut params = ParamSet::new(&device, [("w", Array1::<f32>::ones(len))]).unwrap();
    params.write_grad("w", &gradient).unwrap();
    let mut optimizer = GpuSgd::on(&device, SgdParams { learning_rate: 0.25, ..SgdParams::default() }).unwrap();
    optimizer.step(&mut params).unwrap();
    let after = params.read("w").unwrap();
    let right = |(value, gradient): (&f32, &f32)| *value == 1.0 - 0.25 * gradient;
    assert!(after.iter().zip(&gradient).all(right), "every element, the last one included, once");
}
