//! Copies between buffers, as commands.

/// A copy from one buffer to another.
#[derive(Debug)]
pub(super) struct BufferCopy {
    pub from: wgpu::Buffer,
    /// The first byte there.
    pub from_start: u64,
    pub to: wgpu::Buffer,
    /// The first byte there.
    pub to_start: u64,
    /// Bytes.
    pub length: u64,
}

impl BufferCopy {
    /// To be called in a scope.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.copy_buffer_to_buffer(&self.from, self.from_start, &self.to, self.to_start, self.length);
    }
}
