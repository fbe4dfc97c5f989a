//! What is computed on the host beside the optimizers, against independent definitions and what torch and ml_dtypes make of
//! the same inputs (`tests/fixtures/`, where each file lies beside the script that wrote it).

mod formats;
mod fp8;
mod integers;
mod loss_scale;
mod sparse;
