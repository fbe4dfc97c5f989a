//! Parameters, gradients and other inputs of a training run.

use super::edge;
use super::random::Random;

/// What a training run is fed, for tensors of given lengths. The same seed gives the same data.
#[derive(Clone, Debug)]
pub struct Data {
    random: Random,
    lengths: Vec<usize>,
    flat: bool,
    edge: bool,
}

impl Data {
    /// Data for tensors of these lengths.
    pub fn new(lengths: &[usize], seed: u64) -> Self {
        Self { random: Random::new(seed), lengths: lengths.to_vec(), flat: false, edge: false }
    }

    /// The same values in tensors of one dimension.
    pub fn flat(self) -> Self {
        Self { flat: true, ..self }
    }

    /// Numbers of every magnitude instead, and from the edges of what there is.
    pub fn edge(self) -> Self {
        Self { edge: true, ..self }
    }

    /// The shape of each tensor: of two dimensions where the length is even, unless they are flat.
    pub fn shapes(&self) -> Vec<Vec<usize>> {
        let shape = |&len: &usize| if len % 2 == 0 && !self.flat { vec![2, len / 2] } else { vec![len] };
        self.lengths.iter().map(shape).collect()
    }

    /// First parameters, in -1..1.
    pub fn params(&mut self) -> Vec<Vec<f32>> {
        let Self { random, lengths, .. } = self;
        if self.edge {
            return lengths.iter().map(|&len| edge::tensor(random, len)).collect();
        }
        lengths.iter().map(|&len| (0..len).map(|_| random.real()).collect()).collect()
    }

    /// The gradients of a step: of another magnitude for each tensor and step, some elements 0, half of the time of one
    /// sign, which lets estimates of a distance grow.
    pub fn gradients(&mut self) -> Vec<Vec<f32>> {
        let Self { random, lengths, .. } = self;
        if self.edge {
            return lengths.iter().map(|&len| edge::tensor(random, len)).collect();
        }
        let tensor = |&len: &usize| {
            let scale = [1.0, 0.1, 1e-3, 30.0][random.below(4) as usize];
            let one_sign = random.once_in(2);
            let element = |random: &mut Random| match random.real() {
                _ if random.once_in(40) => 0.0,
                value if one_sign => scale * value.abs(),
                value => scale * value,
            };
            (0..len).map(|_| element(random)).collect()
        };
        lengths.iter().map(tensor).collect()
    }

    /// Extra inputs of a step, by tensor and index: positive.
    pub fn inputs(&mut self, count: usize) -> Vec<Vec<Vec<f32>>> {
        let Self { random, lengths, .. } = self;
        let mut input = |len: usize| match self.edge {
            true => edge::tensor(random, len).into_iter().map(f32::abs).collect(),
            false => (0..len).map(|_| random.real().abs() + 0.01).collect(),
        };
        lengths.iter().map(|&len| (0..count).map(|_| input(len)).collect()).collect()
    }

    /// The scalars of a step: positive.
    pub fn scalars(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| 1.0 + 8.0 * self.random.real().abs()).collect()
    }
}
