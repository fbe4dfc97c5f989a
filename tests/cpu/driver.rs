// Runs generated CPU kernels and host functions on the buffers of the kernel ABI. A generated source brings it in with
// `mod driver` and calls `main` with its rules.
//
// Standard input, in 32-bit words, until it ends: the rule; the program; how often the optimizer has run, elements of all
// tensors, scalars; for each tensor its step, shape, factor of the gradient and host states; for each of 9 roles a count
// and that many words, rows left out. Standard output: whether every row could be made; then the host states of each
// tensor and the words of all roles.

use std::io::{BufReader, BufWriter, Read, Stdin, Write};

use optirs_gpu::rule::cpu::{AllArguments, ChunkArguments, TensorArguments};
use optirs_gpu::rule::records::{
    CHUNK_WORDS, ChunkRecord, HEADER_WORDS, SCALARS_HEADER_WORDS, TENSOR_WORDS, TensorRecord,
};
use optirs_gpu::rule::{KernelKind, Program, Role, RowContext, RowError, Rule, RuleParams, Variant};

/// A rule with one combination of options and hyper-parameters that choose it.
pub struct Entry {
    pub variant: &'static Variant,
    pub row: fn(usize, &Context, &mut [f64], &mut [u32]) -> Result<(), RowError>,
}

/// What a row is made from, beside hyper-parameters and host states.
pub struct Context {
    run: u64,
    all_len: u64,
    scalars: Vec<f32>,
    step: u64,
    shape: Vec<usize>,
    grad_scale: f64,
}

/// The row of a tensor.
pub fn row<R: Rule>(
    params: R::Params,
    program: usize,
    context: &Context,
    host_states: &mut [f64],
    words: &mut [u32],
) -> Result<(), RowError> {
    params.validate().expect("hyper-parameters that the rule takes");
    R::check_shape(&params, &context.shape).expect("a shape that the rule takes");
    assert_eq!(R::variant(&params), Some(0));
    let Context { run, all_len, step, grad_scale, .. } = *context;
    let (shape, scalars) = (&*context.shape, &*context.scalars);
    let context = RowContext { params: &params, step, run, shape, all_len, scalars, grad_scale };
    R::row(0, program, &context, host_states, words)
}

struct Words(BufReader<Stdin>);

impl Words {
    fn next(&mut self) -> Option<u32> {
        let mut bytes = [0; 4];
        self.0.read_exact(&mut bytes).ok()?;
        Some(u32::from_le_bytes(bytes))
    }

    fn word(&mut self) -> u32 {
        self.next().expect("the input ends early")
    }

    fn long(&mut self) -> u64 {
        u64::from(self.word()) | u64::from(self.word()) << 32
    }

    fn list<T>(&mut self, item: fn(&mut Self) -> T) -> Vec<T> {
        (0..self.word()).map(|_| item(self)).collect()
    }
}

pub fn main(rules: &[Entry]) {
    let mut input = Words(BufReader::new(std::io::stdin()));
    let mut output = BufWriter::new(std::io::stdout());
    while let Some(rule) = input.next() {
        for word in answer(&rules[rule as usize], &mut input) {
            output.write_all(&word.to_le_bytes()).expect("standard output");
        }
    }
}

fn answer(rule: &Entry, input: &mut Words) -> Vec<u32> {
    let number = input.word() as usize;
    let program = &rule.variant.programs[number];
    let (run, all_len) = (input.long(), input.long());
    let scalars: Vec<f32> = input.list(Words::word).into_iter().map(f32::from_bits).collect();
    let mut rows = Vec::new();
    let mut host_states = Vec::new();
    let mut failed = false;
    for _ in 0..input.word() {
        let step = input.long();
        let shape = input.list(Words::word).into_iter().map(|dimension| dimension as usize).collect();
        let grad_scale = f64::from_bits(input.long());
        let mut states: Vec<f64> = input.list(Words::long).into_iter().map(f64::from_bits).collect();
        let context = Context { run, all_len, scalars: scalars.clone(), step, shape, grad_scale };
        let mut words = vec![0; program.row_words];
        failed |= (rule.row)(number, &context, &mut states, &mut words).is_err();
        rows.extend(words);
        host_states.extend(states);
    }
    let mut roles: Vec<Vec<u32>> = (0..9).map(|_| input.list(Words::word)).collect();
    if failed {
        return vec![0];
    }
    roles[Role::Hyper.index() as usize] = rows;
    Launch { variant: rule.variant, program, roles: &mut roles }.run();
    let states = host_states.iter().flat_map(|state| [state.to_bits() as u32, (state.to_bits() >> 32) as u32]);
    let roles = roles.iter().flatten().copied();
    [1].into_iter().chain(states).chain(roles).collect()
}

struct Launch<'a> {
    variant: &'static Variant,
    program: &'static Program,
    roles: &'a mut [Vec<u32>],
}

impl Launch<'_> {
    fn run(&mut self) {
        let table = self.roles[Role::Chunks.index() as usize].clone();
        let (tensors, chunks) = table[HEADER_WORDS..].split_at(TENSOR_WORDS * table[1] as usize);
        let tensors: Vec<_> = tensors.as_chunks().0.iter().map(TensorRecord::from_words).collect();
        let chunks: Vec<_> = chunks.as_chunks::<CHUNK_WORDS>().0.iter().map(ChunkRecord::from_words).collect();
        for kernel in self.program.kernels {
            match kernel.kind {
                // Last first: no result may depend on the order.
                KernelKind::Pass(function) => {
                    chunks.iter().rev().for_each(|chunk| self.pass(&tensors[chunk.tensor as usize], chunk, function));
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
        self.words(Role::Scalars, SCALARS_HEADER_WORDS, self.variant.all_words)
    }

    fn tensor_start(&self, tensor: &TensorRecord) -> usize {
        SCALARS_HEADER_WORDS + self.variant.all_words + tensor.slot as usize * self.variant.tensor_words
    }

    fn clip(&self, tensor: &TensorRecord) -> f32 {
        f32::from_bits(self.roles[Role::Scalars.index() as usize][tensor.clip as usize])
    }

    fn pass(&mut self, tensor: &TensorRecord, chunk: &ChunkRecord, function: fn(&mut ChunkArguments<'_>)) {
        let len = chunk.len as usize;
        let starts = (0..self.variant.element_states.len())
            .map(|cell| chunk.state_start as usize + cell * tensor.cell_stride as usize);
        let starts: Vec<usize> = starts.collect();
        let mut states: Vec<Vec<f32>> = starts.iter().map(|start| self.reals(Role::State, *start, len)).collect();
        let mut param = self.reals(Role::Param, chunk.param_start as usize, len);
        let inputs = [0, 1].map(|index| self.reals(Role::Input(index), chunk.input_start as usize, len));
        let record = chunk.partial as usize * self.program.partial_words;
        let mut partials = self.words(Role::Partials, record, self.program.partial_words);
        function(&mut ChunkArguments {
            row: &self.row(tensor),
            all: &self.all(),
            tensor: &self.words(Role::Scalars, self.tensor_start(tensor), self.variant.tensor_words),
            clip: self.clip(tensor),
            param: &mut param,
            grad: &self.reals(Role::Gradient, chunk.grad_start as usize, len),
            inputs: &inputs.each_ref().map(Vec::as_slice),
            states: &mut states.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>(),
            partials: &mut partials,
        });
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
        let start = SCALARS_HEADER_WORDS + self.variant.all_words;
        let mut all = self.all();
        function(&mut AllArguments {
            row: &self.words(Role::Hyper, 0, self.program.row_words),
            all: &mut all,
            tensors: &self.words(Role::Scalars, start, slots.len() * self.variant.tensor_words),
            tensor_words: self.variant.tensor_words,
            slots: &slots,
        });
        self.write(Role::Scalars, SCALARS_HEADER_WORDS, &all);
    }
}
