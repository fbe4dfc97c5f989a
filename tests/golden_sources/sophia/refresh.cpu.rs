/// `refresh_pass1` over one chunk.
#[inline(always)]
pub fn refresh_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { beta2, one_minus_beta2 } = Row::from_words(chunk.row);
    let [_, h_slice] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        refresh_pass1_block(
            beta2,
            one_minus_beta2,
            &chunk.inputs[0][block.clone()],
            &mut h_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn refresh_pass1_block(
    beta2: f32,
    one_minus_beta2: f32,
    hessian_slice: &[f32],
    h_slice: &mut [f32],
) {
    let len = hessian_slice.len();
    let h_slice = &mut h_slice[..len];
    for lane in 0..len {
        let hessian = hessian_slice[lane];
        let h = h_slice[lane];
        // state.h = hyper.beta2 * state.h + (1.0 - hyper.beta2) * hessian;
        let h_new = beta2 * h + one_minus_beta2 * hessian;
        h_slice[lane] = h_new;
    }
}
