//! Numbers that look random and are the same on every run.

/// A generator (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// In 0.0..1.0.
    pub fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In 0..end.
    pub fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// In -1.0..1.0.
    pub fn real(&mut self) -> f32 {
        (2.0 * self.fraction() - 1.0) as f32
    }

    /// True once in `count` times.
    pub fn once_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}
