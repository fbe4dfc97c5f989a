//! A rule under test, compiled, and the steps that it takes in the interpreter.

use optimizer_specs::checked::HyperValue;
use optimizer_specs::error::Diagnostic;
use optimizer_specs::options::combinations;
use optimizer_specs::{Compiled, compile, parse};

use super::rule::Rule;
use crate::compiled::Case;
use crate::kernels::step::{Step, script, steps};
use crate::parity::{Model, Random, StepInputs, hypers, setup};

/// A rule under test.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Decides the data and which combination of options is run where one must do.
    pub seed: u64,
    /// Its source.
    pub text: String,
    /// What the compiler makes of it.
    pub compiled: Compiled,
}

impl Subject {
    /// Compiles a rule.
    ///
    /// # Errors
    /// The compiler's, as text.
    pub fn new(seed: u64, rule: &Rule) -> Result<Self, String> {
        Self::from_source(seed, rule.to_string())
    }

    /// Compiles the first rule of a source.
    ///
    /// # Errors
    /// The compiler's, as text.
    pub fn from_source(seed: u64, text: String) -> Result<Self, String> {
        let compiled = parse::parse_file(&text).and_then(|rules| {
            rules.into_iter().next().map_or(Err(Vec::new()), |(attribute, item)| compile(attribute, item))
        });
        let report = |error: &Diagnostic| {
            let start = error.span.start();
            format!("{}:{}: {}: {}\n", start.line, start.column, error.code, error.message)
        };
        match compiled {
            Ok(compiled) => Ok(Self { seed, text, compiled }),
            Err(errors) => Err(format!("the compiler refuses it:\n{}", errors.iter().map(report).collect::<String>())),
        }
    }

    /// The combination of options for what runs only one: another one for another seed.
    pub fn variant(&self) -> usize {
        (self.seed % self.compiled.variants.len().max(1) as u64) as usize
    }

    /// The programs of a variant.
    pub fn cases(&self, variant: usize) -> impl Iterator<Item = Case<'_>> {
        let (rule, variant) = (&self.compiled.rule, &self.compiled.variants[variant]);
        variant.programs.iter().map(move |program| Case { rule, variant, program })
    }

    /// The place of a step's program in its variant.
    pub fn program(&self, step: &Step<'_>) -> Option<usize> {
        let name = &step.case.program.graph.name;
        step.case.variant.programs.iter().position(|program| program.graph.name == *name)
    }

    /// Lengths of tensors: at the ends of quads, of a workgroup's lanes and of chunks.
    pub fn lengths(&self) -> Vec<usize> {
        let mut random = Random::new(self.seed);
        let mut one_of = |lengths: &[usize]| lengths[random.below(lengths.len() as u64) as usize];
        let mut lengths = vec![one_of(&[1, 63, 64, 65]), one_of(&[1, 2, 255, 1023, 1024, 1025])];
        if self.seed.is_multiple_of(4) {
            lengths.insert(one_of(&[0, 1, 2]), one_of(&[8191, 8192, 8193]));
        }
        lengths
    }

    /// Values of the hyper-parameters that choose a variant.
    pub fn values(&self, variant: usize) -> Vec<HyperValue> {
        let rule = &self.compiled.rule;
        let combinations = combinations(rule).unwrap_or_default();
        let chosen = combinations.get(variant).unwrap_or_else(|| panic!("no combination {variant}"));
        hypers::values(rule, chosen, &mut Random::new(self.seed))
    }

    /// The steps of one variant on tensors of these lengths: two updates, every other entry, another update. A host
    /// value that has no place in a row ends them. Every fourth seed has numbers among its gradients and inputs on which
    /// arithmetic goes wrong.
    pub fn steps(&self, variant: usize, lengths: &[usize]) -> Vec<Step<'_>> {
        let (rule, chosen) = (&self.compiled.rule, &self.compiled.variants[variant]);
        let (mut data, mut random) = (setup::data(rule, lengths, self.seed), Random::new(self.seed));
        let (shapes, params) = (data.shapes(), data.params());
        let memory = Model::new(rule, chosen, &self.values(variant), &shapes, &params).memory;
        let runs = script(chosen).into_iter().map(|place| {
            let mut inputs = StepInputs::next(rule, &mut data);
            if self.seed % 4 == 1 {
                salt(&mut inputs, &mut random);
            }
            (&chosen.programs[place], inputs)
        });
        steps(rule, chosen, memory, runs)
    }
}

/// Zeros, what is smaller than normal numbers, what overflows, what is none.
const EDGES: [f32; 9] =
    [0.0, -0.0, 1e-40, -f32::MIN_POSITIVE, 1e30, -f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];

/// Puts edges among the numbers; of tensors every second one has but finite ones.
fn salt(inputs: &mut StepInputs, random: &mut Random) {
    let tensors = inputs.gradients.iter_mut().enumerate();
    let inputs =
        inputs.inputs.iter_mut().enumerate().flat_map(|(place, all)| all.iter_mut().map(move |one| (place, one)));
    for (place, values) in tensors.chain(inputs) {
        let known = if place % 2 == 0 { &EDGES[..5] } else { &EDGES[..] };
        for value in values.iter_mut() {
            if random.once_in(16) {
                *value = known[random.below(known.len() as u64) as usize];
            }
        }
    }
}
