use scirs2_core::ndarray::{Array, Array1, Array3, ArrayD, Axis, IxDyn, arr1, arr2, s};

use crate::{Device, GpuOptimError, ParamSet};

fn names(set: &ParamSet) -> Vec<&str> {
    set.names().collect()
}

#[test]
fn values_are_in_logical_order_whatever_the_memory_layout() {
    let base = Array::from_shape_fn((3, 4), |(i, j)| (10 * i + j) as f32);
    let reversed = base.slice(s![..;-1, ..]);
    let sliced = base.slice(s![1.., 1..;2]);
    let transposed = base.t();
    let set = ParamSet::new(
        &Device::cpu(),
        [("plain", base.view()), ("reversed", reversed), ("sliced", sliced), ("transposed", transposed)],
    )
    .unwrap();
    assert_eq!(set.read("plain").unwrap(), base.clone().into_dyn());
    assert_eq!(set.read("reversed").unwrap(), reversed.to_owned().into_dyn());
    assert_eq!(set.read("sliced").unwrap(), arr2(&[[11.0, 13.0], [21.0, 23.0]]).into_dyn());
    assert_eq!(set.read("transposed").unwrap().shape(), [4, 3]);
    assert_eq!(set.read("transposed").unwrap(), transposed.to_owned().into_dyn());
    assert_eq!(names(&set), ["plain", "reversed", "sliced", "transposed"]);
}

#[test]
fn values_are_read_into_any_layout() {
    let values = arr2(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let set = ParamSet::new(&Device::cpu(), [("w", values.view())]).unwrap();
    let mut target = Array::zeros((3, 2)).reversed_axes();
    set.read_into("w", &mut target).unwrap();
    assert_eq!(target, values);
    let mut straight = Array::zeros((2, 3));
    set.read_into("w", &mut straight).unwrap();
    assert_eq!(straight, values);
    let mut wide = Array::zeros((2, 6));
    set.read_into("w", &mut wide.slice_mut(s![..;-1, ..;2])).unwrap();
    assert_eq!(wide, arr2(&[[4.0, 0.0, 5.0, 0.0, 6.0, 0.0], [1.0, 0.0, 2.0, 0.0, 3.0, 0.0]]));
    let mut other = Array::zeros((3, 2));
    assert!(matches!(
        set.read_into("w", &mut other),
        Err(GpuOptimError::ShapeMismatch { tensor, expected, actual })
            if tensor == "w" && expected == [2, 3] && actual == [3, 2]
    ));
}

#[test]
fn dimensions_from_none_to_many() {
    let scalar = ArrayD::from_elem(IxDyn(&[]), 3.5);
    let deep = ArrayD::from_shape_fn(IxDyn(&[2, 1, 3, 1, 2, 1, 2]), |at| at[2] as f32);
    let set = ParamSet::new(&Device::cpu(), [("s", scalar.view()), ("d", deep.view())]).unwrap();
    assert_eq!(set.read("s").unwrap(), scalar);
    assert_eq!(set.read("d").unwrap(), deep);
    assert_eq!(set.shape("d").unwrap(), [2, 1, 3, 1, 2, 1, 2]);
}

#[test]
fn empty_tensors_are_kept_and_read_back() {
    let empty = Array3::<f32>::zeros((2, 0, 3));
    let mut set = ParamSet::new(&Device::cpu(), [("e", empty.view())]).unwrap();
    set.write("e", &empty).unwrap();
    set.write_grad("e", &empty).unwrap();
    set.add("w", &arr1(&[1.0])).unwrap();
    assert_eq!(set.read("e").unwrap(), empty.into_dyn());
    assert_eq!(set.read("w").unwrap(), arr1(&[1.0]).into_dyn());
    assert!(ParamSet::new(&Device::cpu(), [("a", arr1(&[0.0; 0]))]).is_ok());
    assert!(
        ParamSet::new::<String, scirs2_core::ndarray::OwnedRepr<f32>, IxDyn>(&Device::cpu(), []).unwrap().is_empty()
    );
}

#[test]
fn growing_keeps_values_and_gradients() {
    let mut set = ParamSet::new(&Device::cpu(), [("a", arr1(&[1.0, 2.0]))]).unwrap();
    set.write_grad("a", &arr1(&[3.0, 4.0])).unwrap();
    for place in 0..20 {
        set.add(format!("more{place}"), &Array1::from_elem(100, place as f32)).unwrap();
    }
    assert_eq!(set.len(), 21);
    assert_eq!(set.read("a").unwrap(), arr1(&[1.0, 2.0]).into_dyn());
    assert_eq!(set.read_grad("a").unwrap(), arr1(&[3.0, 4.0]).into_dyn());
    assert_eq!(set.read("more7").unwrap(), Array1::from_elem(100, 7.0).into_dyn());
    assert_eq!((set.has_grad("a").unwrap(), set.has_grad("more7").unwrap()), (true, false));
}

#[test]
fn errors_are_typed_and_change_nothing() {
    let device = Device::cpu();
    let twice = ParamSet::new(&device, [("w", arr1(&[1.0])), ("w", arr1(&[2.0]))]);
    assert!(matches!(twice, Err(GpuOptimError::DuplicateTensor(name)) if name == "w"));
    let mut set = ParamSet::new(&device, [("w", arr1(&[1.0, 2.0]))]).unwrap();
    let added = set.extend([("x", arr1(&[5.0])), ("w", arr1(&[6.0]))]);
    assert!(matches!(added, Err(GpuOptimError::DuplicateTensor(name)) if name == "w"));
    assert_eq!(names(&set), ["w"]);
    assert!(matches!(set.read("x"), Err(GpuOptimError::UnknownTensor(name)) if name == "x"));
    assert!(matches!(set.write_grad("x", &arr1(&[1.0])), Err(GpuOptimError::UnknownTensor(_))));
    assert!(matches!(set.set_grad_missing("x"), Err(GpuOptimError::UnknownTensor(_))));
    let wrong = arr1(&[7.0, 8.0]).insert_axis(Axis(0));
    for refused in [set.write("w", &wrong), set.write_grad("w", &wrong)] {
        let error = refused.unwrap_err().to_string();
        assert_eq!(error, "tensor `w`: values of shape [2] are expected, not of [1, 2]");
    }
    assert_eq!(set.read("w").unwrap(), arr1(&[1.0, 2.0]).into_dyn());
    assert!(!set.has_grad("w").unwrap());
}

#[test]
fn a_gradient_stays_until_it_is_cleared() {
    let mut set = ParamSet::new(&Device::cpu(), [("a", arr1(&[1.0])), ("b", arr1(&[2.0]))]).unwrap();
    set.write_grad("a", &arr1(&[3.0])).unwrap();
    set.set_grad_present("b").unwrap();
    assert!(set.has_grad("a").unwrap() && set.has_grad("b").unwrap());
    set.set_grad_missing("a").unwrap();
    assert!(!set.has_grad("a").unwrap() && set.has_grad("b").unwrap());
    set.clear_grads();
    assert!(!set.has_grad("b").unwrap());
}

#[cfg(feature = "wgpu")]
#[test]
fn only_wgpu_devices_have_bindings() {
    let mut set = ParamSet::new(&Device::cpu(), [("a", arr1(&[1.0]))]).unwrap();
    let error = set.grad_binding("a").unwrap_err().to_string();
    assert!(error.contains("use `read` and `write_grad`"), "{error}");
    assert!(matches!(set.param_binding("b"), Err(GpuOptimError::UnknownTensor(_))));
    assert!(!set.has_grad("a").unwrap());
}
