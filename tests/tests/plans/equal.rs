//! All legal plans of a rule are bit-equal to direct evaluation in f32.

use optimizer_specs::checked::{HyperValue, Rule};
use optimizer_specs::interp::Error;
use optimizer_specs::ir::{Program, Variant};
use optimizer_specs::options::combinations;
use optimizer_specs::plan::{self, Context};
use optirs_gpu_tests::compiled::rules;
use optirs_gpu_tests::parity::model::{How, StepInputs};
use optirs_gpu_tests::parity::{Data, Model, Random, hypers};

/// Around the lanes of a chunk, around 4096, and two chunks.
const LENGTHS: [usize; 8] = [1, 63, 64, 65, 4095, 4096, 4097, 8200];
/// Enough to tell plans apart, for rules that have many.
const FEW_LENGTHS: [usize; 3] = [65, 1, 8200];
const STEPS: usize = 2;

fn bits(model: &Model<f32>, rule: &Rule) -> Vec<(String, Vec<u32>)> {
    let canonical = |value: f32| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
    let cells = model.cells(rule).into_iter();
    cells.map(|(name, values)| (name, values.into_iter().map(canonical).collect())).collect()
}

/// By name, the bits of every cell.
type Cells = Vec<(String, Vec<u32>)>;

/// One run of a variant: `update` twice, each entry after each.
struct Run<'a> {
    rule: &'a Rule,
    variant: &'a Variant,
    values: Vec<HyperValue>,
    lengths: &'a [usize],
}

impl Run<'_> {
    /// The cells after each program of each step; `program` replaces the one of that place in the variant.
    fn trace(&self, replaced: Option<(usize, &Program)>) -> Result<Vec<Cells>, Error> {
        let mut data = Data::new(self.lengths, 5);
        let mut model = Model::new(self.rule, self.variant, &self.values, &data.shapes(), &data.params());
        let mut trace = Vec::new();
        for _ in 0..STEPS {
            for (place, program) in self.variant.programs.iter().enumerate() {
                let inputs = StepInputs::next(self.rule, &mut data);
                match replaced {
                    Some((at, other)) if at == place => {
                        let context = Context {
                            all_states: self.variant.all.states.clone(),
                            tensor_states: self.variant.tensor.states.clone(),
                            ..Context::default()
                        };
                        let (all, tensor) = plan::records(&context, std::slice::from_ref(other));
                        model.run(other, How::Planned(&all, &tensor), &inputs)?;
                    }
                    _ => model.run(program, How::Direct, &inputs)?,
                }
                trace.push(bits(&model, self.rule));
            }
        }
        Ok(trace)
    }

    fn check(&self, place: usize, program: &Program, expected: &[Vec<(String, Vec<u32>)>], what: &str) {
        let actual = self.trace(Some((place, program))).unwrap_or_else(|error| panic!("{what}: {error}"));
        for (expected, actual) in expected.iter().zip(&actual) {
            for ((name, expected), (_, actual)) in expected.iter().zip(actual) {
                let first = expected.iter().zip(actual).position(|(a, b)| a != b);
                assert_eq!(first, None, "{what}: `{name}` differs from the graph at this element");
            }
        }
    }
}

/// Values that the rule can step with: a combination may leave some that make a host value infinite.
fn run<'a>(rule: &'a Rule, variant: &'a Variant, place: usize, lengths: &'a [usize]) -> Run<'a> {
    let combination = &combinations(rule).expect("the rule compiled")[place];
    let mut random = Random::new(place as u64);
    for _ in 0..50 {
        let run = Run { rule, variant, values: hypers::values(rule, combination, &mut random), lengths };
        if run.trace(None).is_ok() {
            return run;
        }
    }
    panic!("`{}` {:?}: no values that it steps with", rule.name, variant.options)
}

#[test]
fn the_chosen_plan_of_every_program_is_bit_equal_to_its_graph() {
    for rule in rules() {
        for (index, variant) in rule.compiled.variants.iter().enumerate() {
            let run = run(&rule.compiled.rule, variant, index, &LENGTHS);
            let expected = run.trace(None).expect("it ran before");
            for (place, program) in variant.programs.iter().enumerate() {
                let what = format!("{} {:?} {}", rule.name(), variant.options, program.graph.name);
                run.check(place, program, &expected, &what);
            }
        }
    }
}

#[test]
fn every_legal_plan_is_bit_equal_to_its_graph() {
    let mut several = 0;
    for rule in rules() {
        let index = rule.compiled.default_variant;
        let variant = &rule.compiled.variants[index];
        let run = run(&rule.compiled.rule, variant, index, &FEW_LENGTHS);
        let expected = run.trace(None).expect("it ran before");
        for (place, program) in variant.programs.iter().enumerate() {
            let plans = plan::all_plans(&program.graph);
            several += usize::from(plans.len() > 1);
            for other in &plans {
                run.check(place, other, &expected, &format!("{} {:?}", rule.name(), other.plan.chosen));
            }
        }
    }
    assert!(several >= 7, "only {several} programs have more than one plan");
}
