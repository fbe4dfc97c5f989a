//! The memory of a set: per arena one slice of parameters and one of gradients. In arenas of ours each is a whole buffer,
//! and both have the same layout; in memory of others they are where their owner has them.

use scirs2_core::ndarray::{ArrayBase, Data, Dimension};

use super::arrays::in_parts;
use crate::backend::{Buffer, Slice, zeros};
use crate::tables::arenas::Part;
use crate::{Device, GpuOptimError};

/// An arena's memory.
#[derive(Clone, Debug)]
pub(crate) struct Arena {
    pub param: Slice,
    pub grad: Slice,
    /// Whether it belongs to others: it never grows.
    pub foreign: bool,
}

/// Which of an arena's slices.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Param,
    Gradient,
}

impl Arena {
    pub(crate) fn slice(&self, kind: Kind) -> &Slice {
        match kind {
            Kind::Param => &self.param,
            Kind::Gradient => &self.grad,
        }
    }
}

/// Arenas that hold that many words each, with the contents of those there are.
pub(super) fn grown(device: &Device, arenas: &[Arena], used: &[u64]) -> Result<Vec<Arena>, GpuOptimError> {
    let slice = |place: usize, kind: Kind, label: &str, words: u64| {
        let old = arenas.get(place).map(|arena| &arena.slice(kind).buffer);
        Ok::<_, GpuOptimError>(regrown(device, old, label, words)?.whole())
    };
    let arena = |(place, &words): (usize, &u64)| match arenas.get(place) {
        Some(arena) if arena.foreign => Ok(arena.clone()),
        _ => Ok(Arena {
            param: slice(place, Kind::Param, "parameters", words)?,
            grad: slice(place, Kind::Gradient, "gradients", words)?,
            foreign: false,
        }),
    };
    used.iter().enumerate().map(arena).collect()
}

/// The buffer itself if it is large enough, else a larger one with its contents and zeros behind.
pub(crate) fn regrown(device: &Device, old: Option<&Buffer>, label: &str, words: u64) -> Result<Buffer, GpuOptimError> {
    match old {
        Some(old) if old.words >= words => Ok(old.clone()),
        Some(old) => {
            let new = device.raw().allocate(label, words)?;
            device.raw().copy(old, 0, &new, 0, old.words)?;
            Ok(new)
        }
        None => device.raw().allocate(label, words),
    }
}

impl Part {
    /// Where it starts in an arena's slice.
    pub(super) fn start_of(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Param => self.start,
            Kind::Gradient => self.grad_start,
        }
    }
}

/// Writes a tensor's values, part by part.
pub(super) fn write<S, D>(
    device: &Device,
    arenas: &[Arena],
    kind: Kind,
    parts: &[Part],
    values: &ArrayBase<S, D>,
) -> Result<(), GpuOptimError>
where
    S: Data<Elem = f32>,
    D: Dimension,
{
    in_parts(values, parts.iter().map(|part| part.len), |place, at, words| {
        let slice = arenas[parts[place].arena].slice(kind);
        device.raw().write(&slice.buffer, slice.start + parts[place].start_of(kind) + at, words)
    })
}

/// Reads a tensor's words, part by part.
pub(super) fn read(device: &Device, arenas: &[Arena], kind: Kind, parts: &[Part]) -> Result<Vec<u32>, GpuOptimError> {
    let mut words = zeros("a tensor's values", parts.iter().map(|part| part.len).sum())?;
    read_into(device, arenas, kind, parts, &mut words)?;
    Ok(words)
}

/// As [`read`], into as many words as the tensor has.
pub(super) fn read_into(
    device: &Device,
    arenas: &[Arena],
    kind: Kind,
    parts: &[Part],
    words: &mut [u32],
) -> Result<(), GpuOptimError> {
    parts.iter().try_for_each(|part| {
        let to = &mut words[part.offset as usize..][..part.len as usize];
        let slice = arenas[part.arena].slice(kind);
        device.raw().read(&slice.buffer, slice.start + part.start_of(kind), to)
    })
}

/// Reads parts of parameters, one after the other, with one read of each arena.
pub(super) fn read_all<'a>(
    device: &Device,
    arenas: &[Arena],
    parts: impl Iterator<Item = &'a Part>,
) -> Result<Vec<f32>, GpuOptimError> {
    let whole = |arena: &Arena| {
        let slice = &arena.param;
        let mut words = zeros("the parameters of an arena", slice.words)?;
        device.raw().read(&slice.buffer, slice.start, &mut words)?;
        Ok::<_, GpuOptimError>(words)
    };
    let arenas = arenas.iter().map(whole).collect::<Result<Vec<_>, _>>()?;
    let words = |part: &Part| arenas[part.arena][part.start as usize..][..part.len as usize].iter();
    Ok(parts.flat_map(words).map(|word| f32::from_bits(*word)).collect())
}
