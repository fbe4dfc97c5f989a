//! The sets of tensors that rules are measured over. `pytorch.py` has the same ones.

use clap::ValueEnum;

/// Elements of the large tensor where memory allows.
pub const ONE: usize = 1 << 28;

/// A set of tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Set {
    /// One large tensor: the speed of the memory.
    One,
    /// The 148 tensors of GPT-2 small: a model as it is.
    Gpt2,
    /// 1,000 tensors of 1,000: what each tensor costs.
    Small,
    /// 10,000 tensors of 64: whether the host's part of a step grows with their number.
    Many,
    /// One tensor of 65,536: what a step costs.
    Single,
}

impl Set {
    /// What it is called in rows.
    pub fn name(self) -> &'static str {
        match self {
            Set::One => "one",
            Set::Gpt2 => "gpt2",
            Set::Small => "small",
            Set::Many => "many",
            Set::Single => "single",
        }
    }

    /// The shapes of its tensors; `one` is how many elements the large tensor has.
    pub fn shapes(self, one: usize) -> Vec<Vec<usize>> {
        match self {
            Set::One => vec![vec![one]],
            Set::Gpt2 => gpt2_small(),
            Set::Small => vec![vec![1000]; 1000],
            Set::Many => vec![vec![64]; 10_000],
            Set::Single => vec![vec![65_536]],
        }
    }
}

/// Parameters of GPT-2 small with its output tied to its embedding. Radford et al., "Language Models are Unsupervised Multitask
/// Learners", 2019: 12 layers, 768 wide, 1,024 positions, a vocabulary of 50,257.
fn gpt2_small() -> Vec<Vec<usize>> {
    const WIDTH: usize = 768;
    let norm = || [vec![WIDTH], vec![WIDTH]];
    let linear = |inputs: usize, outputs: usize| [vec![inputs, outputs], vec![outputs]];
    let layer = || {
        [
            norm(),
            linear(WIDTH, 3 * WIDTH),
            linear(WIDTH, WIDTH),
            norm(),
            linear(WIDTH, 4 * WIDTH),
            linear(4 * WIDTH, WIDTH),
        ]
    };
    let embeddings = [vec![50_257, WIDTH], vec![1024, WIDTH]];
    let layers = (0..12).flat_map(|_| layer()).flatten();
    embeddings.into_iter().chain(layers).chain(norm()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpt2_small_has_as_many_tensors_and_parameters_as_its_checkpoint() {
        let shapes = Set::Gpt2.shapes(ONE);
        assert_eq!(shapes.len(), 148);
        assert_eq!(shapes.iter().map(|shape| shape.iter().product::<usize>()).sum::<usize>(), 124_439_808);
    }
}
