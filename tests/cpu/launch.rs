//! Generated CPU kernels, run on the buffers of the kernel ABI. Part of the tests' library, and of the programs that they
//! generate.

use optirs_gpu::rule::cpu::{AllArguments, ChunkArguments, CompiledPass, Instructions, TensorArguments};
use optirs_gpu::rule::records::{CHUNK_WORDS, ChunkRecord, HEADER_WORDS, TENSOR_WORDS, TensorRecord};
use optirs_gpu::rule::{KernelKind, Program, Role, Variant};

/// A program of a variant, on the words of each role, by binding index.
pub struct Launch<'a> {
    /// The variant.
    pub variant: &'static Variant,
    /// One of its programs.
    pub program: &'static Program,
    /// What its passes run with.
    pub instructions: Instructions,
    /// What the kernels read and write.
    pub roles: &'a mut [Vec<u32>],
}

impl Launch<'_> {
    /// Runs all kernels.
    pub fn run(&mut self) {
        let table = self.roles[Role::Chunks.index() as usize].clone();
        let (tensors, chunks) = table[HEADER_WORDS..].split_at(TENSOR_WORDS * table[1] as usize);
        let tensors: Vec<_> = tensors.as_chunks().0.iter().map(TensorRecord::from_words).collect();
        let chunks: Vec<_> = chunks.as_chunks::<CHUNK_WORDS>().0.iter().map(ChunkRecord::from_words).collect();
        for kernel in self.program.kernels {
            match kernel.kind {
                // Last first: no result may depend on the order.
                KernelKind::Pass(pass) => {
                    chunks.iter().rev().for_each(|chunk| self.pass(&tensors[chunk.tensor as usize], chunk, pass));
                }
                KernelKind::FinishTensor(function) => {
                    tensors.iter().rev().for_each(|tensor| self.finish_tensor(tensor, function));
                }
                KernelKind::FinishAll(function) => self.finish_all(&tensors, function),
            }
        }
    }

    fn words(&self, role: Role, start: usize, len: usize) -> Vec<u32> {
        self.roles[role.index() as usize].get(start..start + len).map(<[u32]>::to_vec).unwrap_or_default()
    }

    fn reals(&self, role: Role, start: usize, len: usize) -> Vec<f32> {
        self.words(role, start, len).into_iter().map(f32::from_bits).collect()
    }

    fn write(&mut self, role: Role, start: usize, words: &[u32]) {
        if !words.is_empty() {
            self.roles[role.index() as usize][start..start + words.len()].copy_from_slice(words);
        }
    }

    fn write_reals(&mut self, role: Role, start: usize, reals: &[f32]) {
        let words: Vec<u32> = reals.iter().map(|real| real.to_bits()).collect();
        self.write(role, start, &words);
    }

    fn row(&self, tensor: &TensorRecord) -> Vec<u32> {
        let words = self.program.row_words;
        self.words(Role::Hyper, tensor.row as usize * words, words)
    }

    fn all(&self) -> Vec<u32> {
        self.words(Role::Scalars, self.variant.header_words, self.variant.all_words)
    }

    fn tensor_start(&self, tensor: &TensorRecord) -> usize {
        self.variant.header_words + self.variant.all_words + tensor.slot as usize * self.variant.tensor_words
    }

    fn clip(&self, tensor: &TensorRecord) -> f32 {
        f32::from_bits(self.roles[Role::Scalars.index() as usize][tensor.clip as usize])
    }

    fn pass(&mut self, tensor: &TensorRecord, chunk: &ChunkRecord, pass: CompiledPass) {
        let len = chunk.len as usize;
        let starts = (0..self.variant.element_states.len())
            .map(|cell| chunk.state_start as usize + cell * tensor.cell_stride as usize);
        let starts: Vec<usize> = starts.collect();
        let mut states: Vec<Vec<f32>> = starts.iter().map(|start| self.reals(Role::State, *start, len)).collect();
        let mut param = self.reals(Role::Param, chunk.param_start as usize, len);
        let inputs = [0, 1].map(|index| self.reals(Role::Input(index), chunk.input_start as usize, len));
        let record = chunk.partial as usize * self.program.partial_words;
        let mut partials = self.words(Role::Partials, record, self.program.partial_words);
        let mut arguments = ChunkArguments {
            row: &self.row(tensor),
            all: &self.all(),
            tensor: &self.words(Role::Scalars, self.tensor_start(tensor), self.variant.tensor_words),
            clip: self.clip(tensor),
            param: &mut param,
            grad: &self.reals(Role::Gradient, chunk.grad_start as usize, len),
            inputs: &inputs.each_ref().map(Vec::as_slice),
            states: &mut states.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>(),
            partials: &mut partials,
        };
        pass.run(self.instructions, &mut arguments);
        self.write_reals(Role::Param, chunk.param_start as usize, &param);
        for (start, state) in starts.iter().zip(&states) {
            self.write_reals(Role::State, *start, state);
        }
        self.write(Role::Partials, record, &partials);
    }

    fn finish_tensor(&mut self, tensor: &TensorRecord, function: fn(&mut TensorArguments<'_>)) {
        let words = self.program.partial_words;
        let start = self.tensor_start(tensor);
        let mut record = self.words(Role::Scalars, start, self.variant.tensor_words);
        function(&mut TensorArguments {
            row: &self.row(tensor),
            all: &self.all(),
            tensor: &mut record,
            clip: self.clip(tensor),
            partials: &self.words(
                Role::Partials,
                tensor.first_partial as usize * words,
                tensor.partials as usize * words,
            ),
            partial_words: words,
        });
        self.write(Role::Scalars, start, &record);
    }

    fn finish_all(&mut self, tensors: &[TensorRecord], function: fn(&mut AllArguments<'_>)) {
        let slots: Vec<u32> = tensors.iter().map(|tensor| tensor.slot).collect();
        let start = self.variant.header_words + self.variant.all_words;
        let mut all = self.all();
        function(&mut AllArguments {
            row: &self.words(Role::Hyper, 0, self.program.row_words),
            all: &mut all,
            tensors: &self.words(Role::Scalars, start, slots.len() * self.variant.tensor_words),
            tensor_words: self.variant.tensor_words,
            slots: &slots,
        });
        self.write(Role::Scalars, self.variant.header_words, &all);
    }
}
