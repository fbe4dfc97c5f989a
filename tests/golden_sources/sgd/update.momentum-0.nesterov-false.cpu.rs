/// `update_pass1` over one chunk.
pub fn update_pass1(chunk: &mut cpu::ChunkArguments<'_>) {
    let Row { grad_scale, weight_decay, learning_rate } = Row::from_words(chunk.row);
    let clip = chunk.clip;
    for block in cpu::blocks(chunk.param.len()) {
        update_pass1_block(
            grad_scale,
            weight_decay,
            learning_rate,
            clip,
            &chunk.grad[block.clone()],
            &mut chunk.param[block.clone()],
        );
    }
}

fn update_pass1_block(
    grad_scale: f32,
    weight_decay: f32,
    learning_rate: f32,
    clip: f32,
    gradients: &[f32],
    params: &mut [f32],
) {
    let len = gradients.len();
    let params = &mut params[..len];
    for lane in 0..len {
        let raw_grad = gradients[lane];
        let param = params[lane];
        let grad = raw_grad * grad_scale * clip;
        // let g = grad + hyper.weight_decay * *param;
        let g = grad + weight_decay * param;
        // *param -= hyper.learning_rate * direction;
        let param_new = param - learning_rate * g;
        params[lane] = param_new;
    }
}
