/// `train_pass1` over one chunk.
#[inline(always)]
pub fn train_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { one_minus_beta1 } = Row::from_words(chunk.row);
    let [z_slice, _] = cpu::states(chunk.states);
    for block in cpu::blocks(chunk.param.len()) {
        train_pass1_block(
            one_minus_beta1,
            &mut chunk.param[block.clone()],
            &z_slice[block.clone()],
        );
    }
}

#[inline(always)]
fn train_pass1_block(
    one_minus_beta1: f32,
    params: &mut [f32],
    z_slice: &[f32],
) {
    let len = params.len();
    let z_slice = &z_slice[..len];
    for lane in 0..len {
        let param = params[lane];
        let z = z_slice[lane];
        // *param = lerp(*param, state.z, 1.0 - hyper.beta1);
        let param_new = param + one_minus_beta1 * (z - param);
        params[lane] = param_new;
    }
}
