//! Rules and variants with hyper-parameters that choose them.

use optimizer_specs::checked::{HyperValue, Rule};
use optimizer_specs::ir::{Program, Variant};
use optimizer_specs::options::combinations;
use optirs_gpu::{Device, GpuOptimError};

use super::data::Data;
use super::hypers;
use super::model::{How, Model, StepInputs};
use super::random::Random;
use super::table::{AnyRule, entry};
use super::training::Training;
use crate::compiled::{RuleFile, rules};
use optimizer_specs::interp::Number;

/// A rule, as source and as the macro expanded it.
pub struct TestRule {
    /// The source, compiled.
    pub file: RuleFile,
    /// The expansion.
    pub expanded: Box<dyn AnyRule>,
}

/// Every rule of the repository.
pub fn test_rules() -> Vec<TestRule> {
    let rules = rules().into_iter();
    let rules = rules.map(|file| TestRule { expanded: entry(&file.name()), file });
    rules.collect()
}

/// A variant of a rule with hyper-parameters that choose it.
pub struct Setup<'a> {
    /// The rule as written.
    pub rule: &'a Rule,
    /// The variant.
    pub variant: &'a Variant,
    /// The rule as expanded.
    pub expanded: &'a dyn AnyRule,
    /// The hyper-parameters.
    pub values: Vec<HyperValue>,
}

impl TestRule {
    /// The fields of the parameter struct, as written.
    pub fn fields(&self) -> Vec<String> {
        self.file.compiled.rule.hypers.iter().map(|hyper| hyper.name.to_string()).collect()
    }

    /// Data for tensors of these lengths, of shapes that the rule takes.
    pub fn data(&self, lengths: &[usize], seed: u64) -> Data {
        data(&self.file.compiled.rule, lengths, seed)
    }

    /// A setup for each variant; another seed gives other hyper-parameters.
    pub fn setups(&self, seed: u64) -> Vec<Setup<'_>> {
        (0..self.file.compiled.variants.len()).map(|index| self.setup(index, &mut Random::new(seed))).collect()
    }

    /// Hyper-parameters that the rule takes, that choose a variant, and that it can step with: some combinations of
    /// values make a host value infinite.
    pub fn setup(&self, index: usize, random: &mut Random) -> Setup<'_> {
        let rule = &self.file.compiled.rule;
        let combination = &combinations(rule).expect("the rule compiled")[index];
        for _ in 0..200 {
            let setup = Setup {
                rule,
                variant: &self.file.compiled.variants[index],
                expanded: self.expanded.as_ref(),
                values: hypers::values(rule, combination, random),
            };
            if self.expanded.variant(&setup.values) == Some(index) && setup.steps() {
                return setup;
            }
        }
        panic!("{} {:?}: no hyper-parameters found", rule.name, self.file.compiled.variants[index].options)
    }
}

impl Setup<'_> {
    /// Rule and options, for messages.
    pub fn label(&self) -> String {
        let options = self.variant.options.iter().map(|(option, value)| format!(" {option}={value}"));
        format!("{}{}", self.rule.name, options.collect::<String>())
    }

    /// What is run in each step: `update`, then the entries.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        self.variant.programs.iter()
    }

    /// Whether any program reduces over all tensors.
    pub fn couples_tensors(&self) -> bool {
        let mut kernels = self.programs().flat_map(|program| &program.kernels);
        kernels.any(|kernel| kernel.accumulators.iter().any(|accumulator| accumulator.tensor_total.is_some()))
    }

    /// Whether any program reduces at all.
    pub fn couples_elements(&self) -> bool {
        self.programs().any(|program| program.partial_words > 0)
    }

    /// Data for tensors of these lengths, of shapes that the rule takes.
    pub fn data(&self, lengths: &[usize], seed: u64) -> Data {
        data(self.rule, lengths, seed)
    }

    /// The interpreter's optimizer.
    pub fn model<N: Number>(&self, data: &mut Data) -> Model<N> {
        let shapes = data.shapes();
        Model::new(self.rule, self.variant, &self.values, &shapes, &data.params())
    }

    /// The runtime's optimizer.
    pub fn open(&self, device: &Device, data: &mut Data) -> Result<Box<dyn Training>, GpuOptimError> {
        let shapes = data.shapes();
        self.expanded.open(device, &self.values, &shapes, &data.params())
    }

    fn steps(&self) -> bool {
        let mut data = self.data(&[3], 1);
        let mut model = self.model::<f32>(&mut data);
        let mut steps = (0..3).flat_map(|_| self.programs());
        steps.all(|program| model.run(program, How::Direct, &StepInputs::next(self.rule, &mut data)).is_ok())
    }
}

/// Data for tensors of these lengths, of shapes that the rule takes.
pub fn data(rule: &Rule, lengths: &[usize], seed: u64) -> Data {
    let data = Data::new(lengths, seed);
    // What a rule may ask of a shape is that it has one dimension.
    if rule.requires.iter().any(|require| require.reads_shape) { data.flat() } else { data }
}
