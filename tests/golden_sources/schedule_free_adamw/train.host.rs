/// What the host computes for `train`, per tensor and step.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    /// `1.0 - hyper.beta1`
    one_minus_beta1: f32,
}

impl Row {
    fn from_words(words: &[u32]) -> Self {
        Self {
            one_minus_beta1: f32::from_bits(words[0]),
        }
    }

    fn write(self, words: &mut [u32]) {
        words[0] = self.one_minus_beta1.to_bits();
    }
}

/// Computes the row of one tensor for `train`.
pub fn row(
    context: &RowContext<'_, ScheduleFreeAdamWParams>,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    let hyper = context.params;
    let beta1 = math::decimal(hyper.beta1);
    let row = Row {
        one_minus_beta1: math::to_f32(1.0 - beta1, "1.0 - hyper.beta1")?,
    };
    row.write(words);
    Ok(())
}
