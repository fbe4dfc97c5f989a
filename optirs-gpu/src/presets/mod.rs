//! Hyper-parameters with the defaults of other libraries, by the library's name: `AdamWParams::burn()`.
//!
//! `Default` is PyTorch's (LAMB's its paper's, SGD's learning rate 1e-2). Where a library has no default learning rate,
//! because it wants one at every step or as an argument, ours stays. What a formula of theirs has otherwise than the rule
//! here, and no hyper-parameter can say, stands at the preset.

mod burn;
mod optax;
#[cfg(test)]
mod tests;
mod torch;
