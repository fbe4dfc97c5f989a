/// What the host computes for `refresh`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `hyper.beta2`
    beta2: f32,
    /// `1.0 - hyper.beta2`
    one_minus_beta2: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            beta2: f32::from_bits(words[0]),
            one_minus_beta2: f32::from_bits(words[1]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.beta2.to_bits();
        words[1] = self.one_minus_beta2.to_bits();
    }
}

/// Computes the row of one tensor for `refresh`.
pub fn row(
    context: &RowContext<'_, SophiaParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let beta2 = math::decimal(hyper.beta2);
    let row = Row {
        beta2: math::to_f32(beta2, "hyper.beta2")?,
        one_minus_beta2: math::to_f32(1.0 - beta2, "1.0 - hyper.beta2")?,
    };
    row.write(words);
    Ok(())
}
