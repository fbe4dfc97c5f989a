//! The shape of a launch: how many blocks of how many threads.

use super::BackendError;

/// The largest grid of CUDA, from compute capability 3.0 on.
pub const GRID_LIMIT_CUDA: (u32, u32, u32) = (i32::MAX as u32, 65_535, 65_535);
/// The largest grid that every WebGPU device takes (`maxComputeWorkgroupsPerDimension`).
pub const GRID_LIMIT_WGPU: (u32, u32, u32) = (65_535, 65_535, 65_535);

/// How a kernel is launched.
#[derive(Debug, Clone)]
pub struct LaunchConfig {
    /// Blocks, in x, y and z.
    pub grid_size: (u32, u32, u32),
    /// Threads of a block, in x, y and z.
    pub block_size: (u32, u32, u32),
    /// Bytes of shared memory of a block.
    pub shared_memory_size: usize,
    /// The stream that it is launched on; `None` is the default one.
    pub stream: Option<u64>,
}

impl LaunchConfig {
    /// One thread for each of `elements`, in blocks of `threads_per_block`, without shared memory, on the default stream.
    /// No more blocks than are needed where they fit into one row of the grid; else rows of one length, as few as there can
    /// be, so that fewer blocks than there are rows have nothing to do. Block (x, y) is number `y * grid_size.0 + x`.
    ///
    /// # Errors
    /// [`BackendError::UnsupportedOperation`] if there are no elements, no threads, or more blocks than a grid holds.
    pub fn linear(elements: u64, threads_per_block: u32, grid_limit: (u32, u32, u32)) -> Result<Self, BackendError> {
        let (width, height, _) = grid_limit;
        if elements == 0 || threads_per_block == 0 || width == 0 {
            let operation = format!(
                "a launch over {elements} elements in blocks of {threads_per_block} threads, rows of at most {width} \
                 blocks: none of them may be 0"
            );
            return Err(BackendError::UnsupportedOperation { operation });
        }
        let blocks = elements.div_ceil(u64::from(threads_per_block));
        let rows = blocks.div_ceil(u64::from(width));
        match (u32::try_from(blocks.div_ceil(rows)), u32::try_from(rows)) {
            (Ok(columns), Ok(rows)) if rows <= height => Ok(Self {
                grid_size: (columns, rows, 1),
                block_size: (threads_per_block, 1, 1),
                shared_memory_size: 0,
                stream: None,
            }),
            _ => {
                let operation = format!(
                    "{blocks} blocks of {threads_per_block} threads for {elements} elements: a grid has at most {width} x \
                     {height}"
                );
                Err(BackendError::UnsupportedOperation { operation })
            }
        }
    }

    /// Blocks of the grid; `None` if they do not fit into 64 bits.
    #[must_use]
    pub fn blocks(&self) -> Option<u64> {
        product(self.grid_size)
    }

    /// Threads of a block; `None` if they do not fit into 64 bits.
    #[must_use]
    pub fn threads_per_block(&self) -> Option<u64> {
        product(self.block_size)
    }
}

fn product((x, y, z): (u32, u32, u32)) -> Option<u64> {
    u64::from(x).checked_mul(u64::from(y))?.checked_mul(u64::from(z))
}
