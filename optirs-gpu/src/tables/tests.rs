use proptest::prelude::*;

use super::Bounds;
use super::arenas::{Arenas, Part};
use super::ranges::{Participant, Tables, plan};
use super::states::{States, Stretch};
use crate::backend::Limits;
use crate::rule::records::{CHUNK_WORDS, ChunkRecord, HEADER_WORDS, TENSOR_WORDS, TensorRecord};

const LARGE: Limits = Limits { buffer_words: 1 << 40, binding_words: 1 << 40, alignment_words: 64, grid_width: 65_535 };

/// Places tensors of these lengths, plans a step over them and checks everything that a kernel relies on.
fn check(lengths: &[u64], cells: usize, chunk: u64, cut: u64, limits: &Limits) -> Tables {
    let bounds =
        Bounds { cut, ..Bounds::of(&Limits { binding_words: limits.binding_words.max(8192), ..*limits }).unwrap() };
    let bounds = Bounds { words: bounds.words.min(limits.binding_words / 64 * 64), ..bounds };
    let mut arenas = Arenas::new(bounds);
    let mut states = States::new(bounds, cells).unwrap();
    let parts: Vec<Vec<Part>> = lengths.iter().map(|len| arenas.place(*len).unwrap()).collect();
    let stretches: Vec<Vec<Stretch>> = parts.iter().map(|parts| states.place(parts).unwrap()).collect();
    check_disjoint(parts.iter().flatten().map(|part| (part.arena, part.start, part.len)).collect(), |arena| {
        arenas.used()[arena].min(bounds.words)
    });
    let cells_of = |stretch: &Stretch| {
        let Stretch { segment, state_start, stride, len, .. } = *stretch;
        (0..cells as u64).map(move |cell| (segment, state_start + cell * stride, len))
    };
    check_disjoint(stretches.iter().flatten().flat_map(cells_of).collect(), |segment| {
        states.segments()[segment].words.min(bounds.words)
    });

    let participants: Vec<Participant<'_>> = lengths
        .iter()
        .zip(&stretches)
        .enumerate()
        .filter(|(_, (len, _))| **len > 0)
        .map(|(slot, (len, stretches))| Participant { slot, row: slot as u32 % 3, clip: 1, len: *len, stretches })
        .collect();
    let tables = plan(&participants, chunk, limits).unwrap();
    check_tables(lengths, &participants, chunk, limits, &tables);
    tables
}

/// No two pieces overlap, none ends behind what is used, every one starts aligned.
fn check_disjoint(mut pieces: Vec<(usize, u64, u64)>, used: impl Fn(usize) -> u64) {
    pieces.sort_unstable();
    for (buffer, start, len) in &pieces {
        assert_eq!(start % 64, 0);
        assert!(start + len <= used(*buffer));
    }
    for pair in pieces.windows(2) {
        assert!(pair[0].0 < pair[1].0 || pair[0].1 + pair[0].2 <= pair[1].1, "{pair:?}");
    }
}

/// Decodes the tables and walks every tensor through its chunks: element by element exactly once.
fn check_tables(lengths: &[u64], participants: &[Participant<'_>], chunk: u64, limits: &Limits, tables: &Tables) {
    let mut covered = vec![0; lengths.len()];
    let mut partials = 0;
    for range in &tables.ranges {
        assert!(u64::from(range.table.chunks) <= u64::from(limits.grid_width).pow(2));
        assert!(range.table.words <= limits.binding_words);
        assert_eq!(range.table.start % limits.alignment_words, 0);
        let (tensors, chunks) = decode(&tables.words[range.table.start as usize..][..range.table.words as usize]);
        for record in chunks {
            let tensor = tensors[record.tensor as usize];
            let slot = tensor.slot as usize;
            let offset = covered[slot];
            let at = participants.iter().find(|participant| participant.slot == slot).unwrap();
            let holds = |stretch: &&Stretch| stretch.offset <= offset && offset < stretch.offset + stretch.len;
            let stretch = at.stretches.iter().find(holds).unwrap();
            let into = offset - stretch.offset;
            assert_eq!(offset % chunk, 0, "chunk j begins at j·C");
            assert_eq!(u64::from(record.len), chunk.min(lengths[slot] - offset));
            assert_eq!(stretch.segment, range.segment);
            assert_eq!(u64::from(record.param_start), stretch.param_start + into);
            assert_eq!(u64::from(record.state_start), stretch.state_start + into);
            assert_eq!((record.grad_start, record.input_start), (record.param_start, record.param_start));
            assert_eq!(u64::from(tensor.cell_stride), stretch.stride);
            assert_eq!(u64::from(record.partial), u64::from(tensor.first_partial) + offset / chunk);
            assert_eq!(u64::from(record.partial), partials, "partials follow one another");
            covered[slot] += u64::from(record.len);
            partials += 1;
        }
    }
    assert_eq!(covered, lengths);
    assert_eq!(tables.partials, partials);
    let all = tables.tensors;
    let (tensors, chunks) = decode(&tables.words[all.start as usize..][..all.words as usize]);
    assert!(chunks.is_empty());
    assert_eq!(all.start % limits.alignment_words, 0);
    assert_eq!(tensors.len(), participants.len());
    for (record, participant) in tensors.iter().zip(participants) {
        assert_eq!(
            (record.slot as usize, record.row, record.clip),
            (participant.slot, participant.row, participant.clip)
        );
        assert_eq!(u64::from(record.partials), participant.len.div_ceil(chunk));
        assert_eq!(u64::from(record.len), participant.len.min(u64::from(u32::MAX)));
    }
}

fn decode(words: &[u32]) -> (Vec<TensorRecord>, Vec<ChunkRecord>) {
    let (chunk_count, tensor_count) = (words[0] as usize, words[1] as usize);
    assert_eq!(words[2..HEADER_WORDS], [0x7f80_0000, 0xff80_0000, 0, 0, 0, 0]);
    let (tensors, chunks) = words[HEADER_WORDS..].split_at(TENSOR_WORDS * tensor_count);
    assert_eq!(chunks.len(), CHUNK_WORDS * chunk_count);
    let tensors = tensors.as_chunks().0.iter().map(TensorRecord::from_words).collect();
    (tensors, chunks.as_chunks().0.iter().map(ChunkRecord::from_words).collect())
}

#[test]
fn a_small_step_in_literal_words() {
    let tables = check(&[100, 0, 70], 2, 64, 64, &LARGE);
    #[rustfmt::skip]
    let expected = [
        // chunks, tensors, +inf, -inf
        4, 2, 0x7f80_0000, 0xff80_0000, 0, 0, 0, 0,
        // row, cell_stride, slot, len, first_partial, partials, clip
        0, 128, 0, 100, 0, 2, 1, 0,
        2, 128, 2, 70, 2, 2, 1, 0,
        // param_start, grad_start, state_start, input_start, len, tensor, partial
        0, 0, 0, 0, 64, 0, 0, 0,
        64, 64, 64, 64, 36, 0, 1, 0,
        128, 128, 256, 128, 64, 1, 2, 0,
        192, 192, 320, 192, 6, 1, 3, 0,
    ];
    assert_eq!(tables.words[..expected.len()], expected);
    assert_eq!(tables.tensors.start, 64);
    assert_eq!(tables.words[64..72], [0, 2, 0x7f80_0000, 0xff80_0000, 0, 0, 0, 0]);
}

#[test]
fn sizes_around_powers_of_two_do_not_wrap() {
    for len in [(1 << 31) + 1, 1 << 32, 1 << 33] {
        let tables = check(&[len, 5], 2, 8192, 8192, &LARGE);
        assert_eq!(tables.partials, u64::div_ceil(len, 8192) + 1);
    }
}

#[test]
fn one_more_chunk_than_a_grid_dimension() {
    let tables = check(&[65_535 * 256 + 1], 1, 256, 8192, &LARGE);
    assert_eq!((tables.ranges.len(), tables.ranges[0].table.chunks), (1, 65_536));
}

#[test]
fn a_grid_of_width_three_holds_nine_chunks() {
    let tables = check(&[19 * 64, 64], 2, 64, 64, &Limits { grid_width: 3, ..LARGE });
    let chunks: Vec<u32> = tables.ranges.iter().map(|range| range.table.chunks).collect();
    assert_eq!(chunks, [9, 9, 2]);
}

#[test]
fn a_tensor_is_split_only_if_it_exceeds_an_arena() {
    let bounds = Bounds { words: 1000 / 64 * 64, alignment: 64, cut: 256 };
    let mut arenas = Arenas::new(bounds);
    let part = |arena, start, offset, len| Part { arena, start, grad_start: start, offset, len };
    assert_eq!(arenas.place(500).unwrap(), [part(0, 0, 0, 500)]);
    assert_eq!(arenas.place(500).unwrap(), [part(1, 0, 0, 500)]);
    assert_eq!(arenas.place(64).unwrap(), [part(1, 512, 0, 64)]);
    assert_eq!(arenas.place(2000).unwrap(), [part(2, 0, 0, 768), part(3, 0, 768, 768), part(4, 0, 1536, 464)]);
    assert_eq!(arenas.place(1).unwrap(), [part(4, 512, 0, 1)]);
    assert_eq!(arenas.place(0).unwrap(), []);
}

#[test]
fn tensors_that_alternate_between_arenas_of_others_need_one_range_for_each() {
    let bounds = Bounds::of(&LARGE).unwrap();
    let mut arenas = Arenas::new(bounds);
    assert_eq!((arenas.adopt(), arenas.adopt()), (0, 1));
    assert_eq!(arenas.place(10).unwrap()[0].arena, 2, "nothing of ours goes there");
    let part = |arena, start, grad_start, len| [Part { arena, start, grad_start, offset: 0, len }];
    let parts = [part(0, 4, 400, 100), part(1, 0, 0, 70), part(0, 200, 12, 5)];
    let mut states = States::new(bounds, 2).unwrap();
    let stretches: Vec<_> = parts.iter().map(|parts| states.place(parts).unwrap()).collect();
    let participants: Vec<Participant<'_>> = parts
        .iter()
        .zip(&stretches)
        .enumerate()
        .map(|(slot, (parts, stretches))| Participant { slot, row: 0, clip: 1, len: parts[0].len, stretches })
        .collect();
    let tables = plan(&participants, 64, &LARGE).unwrap();
    let chunks = |range: usize| {
        let table = tables.ranges[range].table;
        let (tensors, chunks) = decode(&tables.words[table.start as usize..][..table.words as usize]);
        let of = |chunk: &ChunkRecord| {
            (tensors[chunk.tensor as usize].slot, chunk.param_start, chunk.grad_start, chunk.state_start, chunk.partial)
        };
        chunks.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(tables.ranges.len(), 2);
    assert_eq!(chunks(0), [(0, 4, 400, 0, 0), (0, 68, 464, 64, 1), (2, 200, 12, 256, 4)]);
    assert_eq!(chunks(1), [(1, 0, 0, 0, 2), (1, 64, 64, 64, 3)]);
}

#[test]
fn more_elements_than_chunks_can_be_counted_are_refused_at_once() {
    let mut arenas = Arenas::new(Bounds::of(&LARGE).unwrap());
    let most = u64::from(u32::MAX) * 8192;
    for len in [most + 1, 1 << 61, u64::MAX - 63] {
        let error = arenas.place(len).unwrap_err().to_string();
        assert!(error.contains("a tensor is too large for the kernels' 32-bit numbers"), "{error}");
    }
    assert!(arenas.used().is_empty());
}

#[test]
fn what_cannot_be_bound_is_an_error() {
    let small = Limits { binding_words: 8191, ..LARGE };
    assert!(Bounds::of(&small).unwrap_err().to_string().contains("at most 8191 words"));
    let bounds = Bounds::of(&Limits { binding_words: 16_384, ..LARGE }).unwrap();
    assert!(States::new(bounds, 2).is_ok());
    assert!(States::new(bounds, 3).unwrap_err().to_string().contains("3 states of a chunk need 24576"));
    assert!(Arenas::new(bounds).place(u64::MAX).is_err());
}

#[test]
fn a_table_that_the_device_cannot_bind_or_finish_is_refused_with_both_numbers() {
    let participants = [(); 20].map(|()| Participant { slot: 0, row: 0, clip: 1, len: 0, stretches: &[] });
    let error = |limits: Limits| plan(&participants, 64, &limits).unwrap_err().to_string();
    assert_eq!(
        error(Limits { binding_words: 100, ..LARGE }),
        "the table of a step needs 672 bytes, but this device allows at most 400"
    );
    assert_eq!(
        error(Limits { grid_width: 4, ..LARGE }),
        "the table of a step needs 20 workgroups, one for each tensor, but this device allows at most 16"
    );
}

proptest! {
    #[test]
    fn every_element_is_covered_once(
        lengths in prop::collection::vec(prop_oneof![Just(0), 1..70u64, 1..5_000u64, 1..90_000u64], 0..40),
        cells in 0..5usize,
        chunk in prop_oneof![Just(64), Just(256)],
        words in 1280..9_000u64,
        grid_width in 1..9u32,
    ) {
        // A table lists its tensors even where it has no room for a grid of them.
        let width = grid_width.max(7);
        let limits = Limits { buffer_words: 1 << 20, binding_words: words, alignment_words: 32, grid_width: width };
        check(&lengths, cells, chunk, 256, &limits);
    }
}
