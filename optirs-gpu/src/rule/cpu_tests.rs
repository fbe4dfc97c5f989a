//! The order of sums against a literal transcription of the contract, for sizes around every boundary.

use super::{
    AllArguments, Combine, Count, Lanes, Max, Min, Sum, TensorArguments, blocks, norm, scaled_square, square, states,
    total_of_chunks, total_of_tensors,
};

/// Values whose sums depend on the order: full mantissas, both signs.
fn values(count: usize) -> Vec<f32> {
    (0..count as u32).map(|i| (i.wrapping_mul(2_654_435_761) as i32) as f32 / 3.0).collect()
}

/// Four lanes a thread, then the tree, exactly as the contract is written.
fn literal_threads(mut s: [f32; 256]) -> f32 {
    for stride in [128, 64, 32, 16, 8, 4, 2, 1] {
        for t in 0..stride {
            s[t] += s[t + stride];
        }
    }
    s[0]
}

fn literal_chunk(values: &[f32]) -> f32 {
    let mut lane = [0.0f32; 1024];
    for (i, x) in values.iter().enumerate() {
        lane[i % 1024] += x;
    }
    let mut s = [0.0f32; 256];
    for t in 0..256 {
        s[t] = (lane[4 * t] + lane[4 * t + 1]) + (lane[4 * t + 2] + lane[4 * t + 3]);
    }
    literal_threads(s)
}

fn literal_gather(values: &[f32]) -> f32 {
    let mut s = [0.0f32; 256];
    for (j, x) in values.iter().enumerate() {
        s[j % 256] += x;
    }
    literal_threads(s)
}

/// As a generated kernel does it.
fn chunk<C: Combine>(values: &[C::Value]) -> C::Value {
    let mut lanes = Lanes::<C>::new();
    for block in values.chunks(1024) {
        for (lane, &x) in lanes.block(block.len()).iter_mut().zip(block) {
            *lane = C::meet(*lane, x);
        }
    }
    C::from_word(lanes.total())
}

fn tensor(partials: &[u32], partial_words: usize) -> TensorArguments<'_> {
    TensorArguments { row: &[], all: &[], tensor: &mut [], clip: 1.0, partials, partial_words }
}

fn words(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn a_chunk_is_summed_in_the_order_of_the_contract() {
    for count in [0, 1, 3, 4, 1023, 1024, 1025, 4097, 8191, 8192] {
        let values = values(count);
        assert_eq!(chunk::<Sum>(&values).to_bits(), literal_chunk(&values).to_bits(), "{count} elements");
    }
}

#[test]
fn the_order_is_not_that_of_a_plain_loop() {
    let values = values(8192);
    assert_ne!(chunk::<Sum>(&values).to_bits(), values.iter().sum::<f32>().to_bits());
}

#[test]
fn a_tensor_is_summed_in_the_order_of_its_chunks() {
    for count in [0, 1, 2, 3, 64, 65, 255, 256, 257, 1000] {
        let mut values = values(count);
        // Its sign is lost when it meets 0 first.
        values.iter_mut().step_by(3).for_each(|value| *value = -0.0);
        let records: Vec<u32> = values.iter().flat_map(|x| [7, x.to_bits(), 9]).collect();
        let total = total_of_chunks::<Sum>(&tensor(&records, 3), 1);
        assert_eq!(total.to_bits(), literal_gather(&values).to_bits(), "{count} chunks");
    }
}

#[test]
fn all_tensors_are_summed_in_the_order_of_the_table() {
    let values = values(300);
    let tensors: Vec<u32> = values.iter().flat_map(|x| [x.to_bits(), 5]).collect();
    let slots: Vec<u32> = (0..300).rev().collect();
    let all = AllArguments { row: &[], all: &mut [], tensors: &tensors, tensor_words: 2, slots: &slots };
    let in_table_order: Vec<f32> = values.iter().rev().copied().collect();
    assert_eq!(total_of_tensors::<Sum>(&all, 0).to_bits(), literal_gather(&in_table_order).to_bits());
    assert_eq!(total_of_tensors::<Count>(&all, 1), 1500);
}

#[test]
fn extremes_pass_over_nan() {
    let values = [f32::NAN, 3.0, f32::NAN, -2.0, 0.5];
    assert_eq!((chunk::<Min>(&values), chunk::<Max>(&values)), (-2.0, 3.0));
    assert_eq!((chunk::<Min>(&[]), chunk::<Max>(&[])), (f32::INFINITY, f32::NEG_INFINITY));
    assert_eq!(total_of_chunks::<Max>(&tensor(&words(&values), 1), 0), 3.0);
    assert!(chunk::<Sum>(&values).is_nan());
}

#[test]
fn counts_are_whole_and_exact() {
    assert_eq!(chunk::<Count>(&[1; 8192]), 8192);
    assert_eq!(total_of_chunks::<Count>(&tensor(&[1 << 24, 1], 1), 0), (1 << 24) + 1);
}

#[test]
fn a_scaled_square_is_the_square_of_the_scaled_value_to_the_bit() {
    let scale = 2.0_f32.powi(-96);
    let edge = (1 << 21) as f32;
    let around = [edge.next_down(), edge, edge.next_up(), 2.0 * edge, 1.5 * edge];
    let others = [0.0, f32::MIN_POSITIVE / 2.0, 0.02, 1e20, f32::MAX, f32::INFINITY];
    for x in around.into_iter().chain(others).flat_map(|x| [x, -x]) {
        let y = x * scale;
        assert_eq!(scaled_square(x).to_bits(), (y * y).to_bits(), "{x}");
    }
    assert!(scaled_square(f32::NAN).is_nan());
    // The first one beyond the edge does not round to 0: a larger bound would be wrong.
    assert!(scaled_square(edge.next_up()) > 0.0);
}

#[test]
fn a_norm_survives_the_overflow_of_its_squares() {
    let of = |values: &[f32]| {
        let sum = |f: fn(f32) -> f32| values.iter().map(|&x| f(x)).sum::<f32>();
        norm(sum(square), sum(scaled_square))
    };
    assert_eq!(of(&[3.0, 4.0]), 5.0);
    assert_eq!(of(&[3e38, 0.0]), 3e38);
    assert_eq!(of(&[0.0, -0.0]), 0.0);
    assert!(of(&[1.0, f32::NAN]).is_nan());
    assert_eq!(of(&[f32::NEG_INFINITY, 1.0]), f32::INFINITY);
}

#[test]
fn blocks_cover_a_chunk() {
    assert_eq!(blocks(0).count(), 0);
    assert!(blocks(1024).eq(core::iter::once(0..1024)));
    assert_eq!(blocks(2050).collect::<Vec<_>>(), [0..1024, 1024..2048, 2048..2050]);
}

#[test]
fn states_come_apart_by_position() {
    let (mut first, mut second) = ([1.0, 2.0], [3.0, 4.0]);
    let mut both = [&mut first[..], &mut second[..]];
    let [m, v, missing] = states(&mut both);
    m[0] = v[1];
    assert!(missing.is_empty());
    assert_eq!(first, [4.0, 2.0]);
}
