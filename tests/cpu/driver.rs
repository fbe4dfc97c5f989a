// Runs generated CPU kernels and host functions on the buffers of the kernel ABI. A generated source brings it in with
// `mod driver` and calls `main` with its rules.
//
// Standard input, in 32-bit words, until it ends: the rule; the program; the place of its passes' instructions among those
// of the processor; how often the optimizer has run, elements of all tensors, scalars; for each tensor its step, shape,
// factor and limit of the gradient, and host states; for each of 9 roles a count and that many words, rows left out.
// Standard output: whether every row could be made; then the host states of each tensor and the words of all roles.

#[path = "launch.rs"]
mod launch;

use std::io::{BufReader, BufWriter, Read, Stdin, Write};

use launch::Launch;
use optirs_gpu::rule::cpu::Instructions;
use optirs_gpu::rule::{Role, RowContext, RowError, Rule, RuleParams, Variant};

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
    clip_value: f64,
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
    let Context { run, all_len, step, grad_scale, clip_value, .. } = *context;
    let (shape, scalars) = (&*context.shape, &*context.scalars);
    let context = RowContext { params: &params, step, run, shape, all_len, scalars, grad_scale, clip_value };
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
    let instructions = Instructions::available().nth(input.word() as usize).expect("instructions of this processor");
    let (run, all_len) = (input.long(), input.long());
    let scalars: Vec<f32> = input.list(Words::word).into_iter().map(f32::from_bits).collect();
    let mut rows = Vec::new();
    let mut host_states = Vec::new();
    let mut failed = false;
    for _ in 0..input.word() {
        let step = input.long();
        let shape = input.list(Words::word).into_iter().map(|dimension| dimension as usize).collect();
        let (grad_scale, clip_value) = (f64::from_bits(input.long()), f64::from_bits(input.long()));
        let mut states: Vec<f64> = input.list(Words::long).into_iter().map(f64::from_bits).collect();
        let context = Context { run, all_len, scalars: scalars.clone(), step, shape, grad_scale, clip_value };
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
    Launch { variant: rule.variant, program, instructions, roles: &mut roles }.run();
    let states = host_states.iter().flat_map(|state| [state.to_bits() as u32, (state.to_bits() >> 32) as u32]);
    let roles = roles.iter().flatten().copied();
    [1].into_iter().chain(states).chain(roles).collect()
}
