//! Reductions in the one order that every target follows.
//!
//! Chunk j of a tensor is its elements [j·8192, (j+1)·8192). Element i of a chunk goes to lane `i % 1024`; each lane takes
//! its elements in, in order, from the identity. Thread t holds `(lane[4t] ∘ lane[4t+1]) ∘ (lane[4t+2] ∘ lane[4t+3])`, and
//! the 256 threads meet in a tree: for stride 128, 64, … 1, `s[t] = s[t] ∘ s[t + stride]`. Partial results of chunks, and
//! totals of tensors, go to thread `j % 256`, in order, and meet in the same tree.

use super::error::Error;
use super::number::{Count, Number, Truth};
use super::value::Value;
use crate::ir::{Combine, ReduceKind};
use crate::layout::{LANES, WORKGROUP_SIZE};

/// 2⁹⁶, by which a norm is scaled that would overflow.
const NORM_SCALE: f64 = (1_u128 << 96) as f64;

/// Reduces the elements of one chunk.
pub fn chunk<N: Number>(
    combine: Combine,
    elements: impl Iterator<Item = Result<Value<N>, Error>>,
) -> Result<Value<N>, Error> {
    let mut lanes = [identity(combine); LANES];
    for (index, element) in elements.enumerate() {
        let lane = &mut lanes[index % LANES];
        *lane = take_in(combine, *lane, element?)?;
    }
    let quads = lanes.chunks_exact(LANES / WORKGROUP_SIZE);
    let mut threads = [identity(combine); WORKGROUP_SIZE];
    for (thread, lane) in threads.iter_mut().zip(quads) {
        let (low, high) = (meet(combine, lane[0], lane[1])?, meet(combine, lane[2], lane[3])?);
        *thread = meet(combine, low, high)?;
    }
    tree(combine, &mut threads)
}

/// Reduces the partial results of a tensor's chunks, or the totals of tensors.
pub fn finish<N: Number>(
    combine: Combine,
    partials: impl Iterator<Item = Result<Value<N>, Error>>,
) -> Result<Value<N>, Error> {
    let mut threads = [identity(combine); WORKGROUP_SIZE];
    for (index, partial) in partials.enumerate() {
        let thread = &mut threads[index % WORKGROUP_SIZE];
        *thread = meet(combine, *thread, partial?)?;
    }
    tree(combine, &mut threads)
}

/// The value of a reduction from the totals of its running values, one per [`ReduceKind::combines`].
pub fn result<N: Number>(kind: ReduceKind, totals: &[Value<N>]) -> Result<Value<N>, Error> {
    match (kind, totals) {
        (ReduceKind::Norm, [plain, scaled]) => {
            let (plain, scaled) = (plain.real()?, scaled.real()?);
            let large = N::from_host(NORM_SCALE).multiply(scaled.root());
            Ok(Value::Real(if plain.is_not_finite() { large } else { plain.root() }))
        }
        (ReduceKind::Norm, _) => Err(Error::Malformed(format!("a norm of {} totals", totals.len()))),
        (_, [total]) => Ok(*total),
        _ => Err(Error::Malformed(format!("{kind:?} of {} totals", totals.len()))),
    }
}

fn identity<N: Number>(combine: Combine) -> Value<N> {
    match combine {
        Combine::Sum | Combine::SumOfSquares | Combine::ScaledSumOfSquares => Value::Real(N::from_host(0.0)),
        Combine::Min => Value::Real(N::from_host(f64::INFINITY)),
        Combine::Max => Value::Real(N::from_host(f64::NEG_INFINITY)),
        Combine::Count => Value::Int(Count::certain(0)),
    }
}

fn take_in<N: Number>(combine: Combine, total: Value<N>, element: Value<N>) -> Result<Value<N>, Error> {
    let contribution = match combine {
        Combine::Sum | Combine::Min | Combine::Max => element,
        Combine::SumOfSquares => {
            let element = element.real()?;
            Value::Real(element.multiply(element))
        }
        Combine::ScaledSumOfSquares => {
            let element = element.real()?.multiply(N::from_host(1.0 / NORM_SCALE));
            Value::Real(element.multiply(element))
        }
        Combine::Count => {
            let Truth { value, certain } = element.bool()?;
            Value::Int(Count { value: value.into(), slack: (!certain).into() })
        }
    };
    meet(combine, total, contribution)
}

/// The running values of a loop, and what threads hand each other, are met one by one.
fn meet<N: Number>(combine: Combine, a: Value<N>, b: Value<N>) -> Result<Value<N>, Error> {
    match combine {
        Combine::Sum | Combine::SumOfSquares | Combine::ScaledSumOfSquares => {
            Ok(Value::Real(a.real()?.add(b.real()?).settled()))
        }
        Combine::Min => Ok(Value::Real(a.real()?.least(b.real()?))),
        Combine::Max => Ok(Value::Real(a.real()?.greatest(b.real()?))),
        Combine::Count => Ok(Value::Int(a.int()?.plus(b.int()?))),
    }
}

fn tree<N: Number>(combine: Combine, threads: &mut [Value<N>; WORKGROUP_SIZE]) -> Result<Value<N>, Error> {
    let mut stride = WORKGROUP_SIZE / 2;
    while stride > 0 {
        for thread in 0..stride {
            threads[thread] = meet(combine, threads[thread], threads[thread + stride])?;
        }
        stride /= 2;
    }
    Ok(threads[0])
}
