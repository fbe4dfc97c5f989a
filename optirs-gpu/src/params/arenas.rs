//! The buffers of a set: per arena one of parameters and one of gradients, of the same layout.

use crate::backend::Buffer;
use crate::tables::arenas::Part;
use crate::{Device, GpuOptimError};

/// An arena's buffers.
#[derive(Clone, Debug)]
pub(crate) struct Arena {
    pub param: Buffer,
    pub grad: Buffer,
}

/// Which of an arena's buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Param,
    Gradient,
}

impl Arena {
    pub(crate) fn buffer(&self, kind: Kind) -> &Buffer {
        match kind {
            Kind::Param => &self.param,
            Kind::Gradient => &self.grad,
        }
    }
}

/// Arenas that hold that many words each, with the contents of those there are.
pub(super) fn grown(device: &Device, arenas: &[Arena], used: &[u64]) -> Result<Vec<Arena>, GpuOptimError> {
    let buffer = |place: usize, kind: Kind, label: &str, words: u64| {
        regrown(device, arenas.get(place).map(|arena| arena.buffer(kind)), label, words)
    };
    let arena = |(place, &words): (usize, &u64)| {
        Ok(Arena {
            param: buffer(place, Kind::Param, "parameters", words)?,
            grad: buffer(place, Kind::Gradient, "gradients", words)?,
        })
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

/// Writes a tensor's words, part by part.
pub(super) fn write(
    device: &Device,
    arenas: &[Arena],
    kind: Kind,
    parts: &[Part],
    words: &[u32],
) -> Result<(), GpuOptimError> {
    for part in parts {
        let from = &words[part.offset as usize..][..part.len as usize];
        device.raw().write(arenas[part.arena].buffer(kind), part.start, from)?;
    }
    Ok(())
}

/// Reads a tensor's words, part by part.
pub(super) fn read(device: &Device, arenas: &[Arena], kind: Kind, parts: &[Part]) -> Result<Vec<u32>, GpuOptimError> {
    let len: u64 = parts.iter().map(|part| part.len).sum();
    let mut words = vec![0; len as usize];
    for part in parts {
        let to = &mut words[part.offset as usize..][..part.len as usize];
        device.raw().read(arenas[part.arena].buffer(kind), part.start, to)?;
    }
    Ok(words)
}
