optirs_gpu_macros::standard_rule!("adm");

fn main() {}
