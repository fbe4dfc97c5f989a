//! Cuts one slice into disjoint mutable ones, so that chunks can run in parallel without unsafe code.

use crate::GpuOptimError;

/// What to cut out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub start: usize,
    pub len: usize,
    /// The place of the piece in the result.
    pub place: usize,
}

/// The pieces, each at its place; places that no span names are empty. Spans that overlap are an error.
pub(super) fn disjoint<T>(
    whole: &mut [T],
    spans: impl Iterator<Item = Span> + Clone,
    places: usize,
) -> Result<Vec<&mut [T]>, GpuOptimError> {
    // As in most tables.
    if spans.clone().is_sorted_by_key(|span| span.start) {
        return ascending(whole, spans, places);
    }
    let mut spans: Vec<Span> = spans.collect();
    spans.sort_by_key(|span| span.start);
    ascending(whole, spans.into_iter(), places)
}

fn ascending<T>(
    whole: &mut [T],
    spans: impl Iterator<Item = Span>,
    places: usize,
) -> Result<Vec<&mut [T]>, GpuOptimError> {
    let held = whole.len();
    let mut pieces: Vec<&mut [T]> = Vec::new();
    pieces.resize_with(places, Default::default);
    let mut rest = whole;
    let mut done = 0;
    for span in spans {
        let cut = span.start.checked_sub(done).and_then(|gap| {
            let (_, behind) = core::mem::take(&mut rest).split_at_mut_checked(gap)?;
            behind.split_at_mut_checked(span.len)
        });
        let (Some((piece, behind)), Some(place)) = (cut, pieces.get_mut(span.place)) else {
            return Err(GpuOptimError::Device(format!(
                "a table asks for {} words at {}, which overlap others or lie outside of {held} words",
                span.len, span.start
            )));
        };
        *place = piece;
        rest = behind;
        done = span.start + span.len;
    }
    Ok(pieces)
}
