//! Prints the name of the adapter that the tests use: a GPU, a software one if there is no other, nothing if there is
//! none at all.

use optirs_gpu::{Device, DeviceConfig};

fn main() {
    match Device::with_config(DeviceConfig { allow_software: true, ..DeviceConfig::default() }) {
        Ok(device) => println!("{}", device.name()),
        Err(error) => eprintln!("{error}"),
    }
}
