//! Tensors that are frozen, removed and added in mid-training leave the others their bits.

use optirs_gpu::{GpuLamb, LambParams, ParamSet};
use optirs_gpu_tests::devices;
use scirs2_core::ndarray::Array1;

use crate::{bits, noise};

#[test]
fn who_rests_leaves_or_joins_does_not_change_a_bit_of_the_others() {
    for device in devices::all() {
        let run = |company: bool| {
            let mut params = ParamSet::new(&device, [("w", noise(9000, 1))]).unwrap();
            let mut optimizer = GpuLamb::on(&device, LambParams::default()).unwrap();
            if company {
                params.add("rests", &noise(500, 2)).unwrap();
                params.add("leaves", &noise(700, 3)).unwrap();
            }
            let mut resting = Vec::new();
            for step in 0..6 {
                if company {
                    match step {
                        2 => params.freeze("rests").unwrap(),
                        3 => params.remove("leaves").unwrap(),
                        4 => params.add("leaves", &noise(70, 4)).unwrap(),
                        5 => params.unfreeze("rests").unwrap(),
                        _ => {}
                    }
                    let names: Vec<String> = params.names().skip(1).map(str::to_owned).collect();
                    for name in names {
                        let len = params.shape(&name).unwrap()[0];
                        params.write_grad(&name, &Array1::ones(len)).unwrap();
                    }
                    resting.push(bits(&params, "rests"));
                }
                params.write_grad("w", &noise(9000, 10 + step)).unwrap();
                optimizer.step(&mut params).unwrap();
            }
            if company {
                assert!(resting[1] != resting[2] && resting[2] == resting[5] && bits(&params, "rests") != resting[5]);
                let counts = ["w", "rests", "leaves"].map(|name| optimizer.tensor_step_count(name).unwrap());
                assert_eq!(counts, [6, 3, 2]);
            }
            bits(&params, "w")
        };
        assert!(run(true) == run(false), "on {}", device.name());
    }
}
