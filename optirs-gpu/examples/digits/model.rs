//! A perceptron of 64 inputs, 64 hidden units and 10 outputs, with its gradient by hand.

use optirs_gpu::ndarray::{Array1, Array2, ArrayD, ArrayViewD, Axis, Ix1, Ix2, ShapeError};

use super::data::{Images, Random};

/// Names of the tensors, in the order of [`Model::tensors`].
pub const NAMES: [&str; 4] = ["hidden.weight", "hidden.bias", "output.weight", "output.bias"];

/// The parameters, or a gradient of their shapes.
#[derive(Clone)]
pub struct Model {
    hidden: Array2<f32>,
    hidden_bias: Array1<f32>,
    output: Array2<f32>,
    output_bias: Array1<f32>,
}

impl Model {
    /// Uniform weights of variance 2 / inputs (He et al., 2015), biases of 0.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut weights = |inputs: usize, outputs: usize| {
            let bound = (6.0 / inputs as f32).sqrt();
            Array2::from_shape_simple_fn((inputs, outputs), || bound * random.signed())
        };
        Self {
            hidden: weights(64, 64),
            output: weights(64, 10),
            hidden_bias: Array1::zeros(64),
            output_bias: Array1::zeros(10),
        }
    }

    /// The tensors, by name.
    pub fn tensors(&self) -> [(&'static str, ArrayViewD<'_, f32>); 4] {
        let views = [
            self.hidden.view().into_dyn(),
            self.hidden_bias.view().into_dyn(),
            self.output.view().into_dyn(),
            self.output_bias.view().into_dyn(),
        ];
        let mut views = views.into_iter();
        NAMES.map(|name| (name, views.next().expect("four names, four tensors")))
    }

    /// The model of these tensors, in the order of [`NAMES`].
    pub fn from_tensors(tensors: [ArrayD<f32>; 4]) -> Result<Self, ShapeError> {
        let [hidden, hidden_bias, output, output_bias] = tensors;
        Ok(Self {
            hidden: hidden.into_dimensionality::<Ix2>()?,
            hidden_bias: hidden_bias.into_dimensionality::<Ix1>()?,
            output: output.into_dimensionality::<Ix2>()?,
            output_bias: output_bias.into_dimensionality::<Ix1>()?,
        })
    }

    fn activations(&self, pixels: &Array2<f32>) -> (Array2<f32>, Array2<f32>) {
        let hidden = (pixels.dot(&self.hidden) + &self.hidden_bias).mapv(|x| x.max(0.0));
        let logits = hidden.dot(&self.output) + &self.output_bias;
        (hidden, logits)
    }

    /// Mean cross-entropy over the images, and its gradient.
    pub fn loss(&self, images: &Images) -> (f32, Self) {
        let count = images.len() as f32;
        let (hidden, mut error) = self.activations(&images.pixels);
        let mut loss = 0.0;
        for (mut row, &label) in error.axis_iter_mut(Axis(0)).zip(&images.labels) {
            let top = row.fold(f32::NEG_INFINITY, |top, &x| top.max(x));
            row.mapv_inplace(|x| (x - top).exp());
            row /= row.sum();
            loss -= row[label].ln();
            row[label] -= 1.0;
        }
        error /= count;
        let mut back = error.dot(&self.output.t());
        back.zip_mut_with(&hidden, |back, &hidden| *back = if hidden > 0.0 { *back } else { 0.0 });
        let gradient = Self {
            hidden: images.pixels.t().dot(&back),
            hidden_bias: back.sum_axis(Axis(0)),
            output: hidden.t().dot(&error),
            output_bias: error.sum_axis(Axis(0)),
        };
        (loss / count, gradient)
    }

    /// Share of the images that it names rightly.
    pub fn accuracy(&self, images: &Images) -> f64 {
        let (_, logits) = self.activations(&images.pixels);
        let right = logits.axis_iter(Axis(0)).zip(&images.labels).filter(|(row, label)| {
            let best = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            best.map(|(digit, _)| digit) == Some(**label)
        });
        right.count() as f64 / images.len() as f64
    }

    /// The largest difference of a parameter.
    pub fn distance(&self, other: &Self) -> f32 {
        let pairs = self.tensors().into_iter().zip(other.tensors());
        pairs.fold(0.0, |largest, ((_, a), (_, b))| {
            a.iter().zip(&b).fold(largest, |largest: f32, (a, b)| largest.max((a - b).abs()))
        })
    }
}
