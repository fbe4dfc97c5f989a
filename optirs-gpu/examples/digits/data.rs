//! The images: 8×8 pixels of 0 to 16, and the digit that each shows.

use std::error::Error;

use optirs_gpu::ndarray::{Array2, Axis};

const PIXELS: usize = 64;
const TEST_IMAGES: usize = 360;

/// Images, one a row, scaled to 0..1, and their labels.
pub struct Images {
    /// One image a row.
    pub pixels: Array2<f32>,
    /// The digit of each.
    pub labels: Vec<usize>,
}

impl Images {
    /// How many images.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// The images at these places, in this order.
    pub fn pick(&self, places: &[usize]) -> Self {
        Self {
            pixels: self.pixels.select(Axis(0), places),
            labels: places.iter().map(|&place| self.labels[place]).collect(),
        }
    }
}

/// The images to learn from and those to test on.
pub struct Digits {
    pub train: Images,
    pub test: Images,
}

impl Digits {
    /// The same split at every run.
    pub fn split() -> Result<Self, Box<dyn Error>> {
        let all = read(include_str!("digits.csv"))?;
        let mut places: Vec<usize> = (0..all.len()).collect();
        Random::new(1).shuffle(&mut places);
        let (test, train) = places.split_at(TEST_IMAGES);
        Ok(Self { train: all.pick(train), test: all.pick(test) })
    }
}

fn read(text: &str) -> Result<Images, Box<dyn Error>> {
    let (mut pixels, mut labels) = (Vec::new(), Vec::new());
    for line in text.lines().skip(1) {
        let numbers = line.split(',').map(str::parse::<u32>).collect::<Result<Vec<_>, _>>()?;
        let (label, image) = numbers.split_last().ok_or("an empty line")?;
        pixels.extend(image.iter().map(|&pixel| pixel as f32 / 16.0));
        labels.push(*label as usize);
    }
    Ok(Images { pixels: Array2::from_shape_vec((labels.len(), PIXELS), pixels)?, labels })
}

/// SplitMix64: enough to shuffle and to draw first weights, the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in -1..1.
    pub fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    /// Fisher and Yates' shuffle.
    pub fn shuffle(&mut self, places: &mut [usize]) {
        for i in (1..places.len()).rev() {
            places.swap(i, (self.next() % (i as u64 + 1)) as usize);
        }
    }
}
