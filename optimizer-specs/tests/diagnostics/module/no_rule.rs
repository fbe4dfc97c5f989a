//! A file of helpers, and no rule.
fn update(param: &mut f32) {
    *param = 0.0;
}
