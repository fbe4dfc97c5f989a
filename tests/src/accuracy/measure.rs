//! Runs programs on a target and in the interpreter, and compares every number that they leave.

use std::ops::Range;

use optimizer_specs::interp::Bounded;

use super::record::{BackEnd, Difference, Row, Worst};
use super::target::{Subject, Target};
use crate::compiled::Case;
use crate::kernels::step::{Step, numbers, script, steps};
use crate::parity::model::cell_name;
use crate::parity::{Random, Setup, StepInputs, TestRule};

/// Tensors whose lengths end before, at and behind the ends of quads, of a workgroup's lanes and of chunks; a draw takes
/// one list.
const LENGTHS: [&[usize]; 4] =
    [&[1, 63, 64, 4097, 1023], &[65, 8193, 3, 1024], &[20_001, 7, 255, 2], &[8191, 5, 1025, 4096]];

/// What was measured of a rule.
#[derive(Debug, Default)]
pub struct Measured {
    /// A row for each program, but for the day.
    pub rows: Vec<Row>,
    /// Numbers that break the contract, and programs that do not run.
    pub wrong: Vec<String>,
}

/// Measures all programs of a rule, of which the first has the place `first` among those of all rules. Each draw gives
/// every variant hyper-parameters, ordinary data, and data from the edges of f32.
pub fn measure(rule: &TestRule, first: usize, target: &mut dyn Target, draws: Range<u64>) -> Measured {
    let (name, expanded) = (rule.file.name(), rule.expanded.variants());
    let mut measured = Measured::default();
    for (index, variant) in rule.file.compiled.variants.iter().enumerate() {
        let mut worst = vec![[Worst::default(), Worst::default()]; variant.programs.len()];
        for draw in draws.clone() {
            let setup = rule.setup(index, &mut Random::new(draw));
            for (kind, data) in ["ordinary", "edge"].into_iter().enumerate() {
                for (place, step) in run(&setup, draw, kind == 1) {
                    let subject = Subject {
                        case: step.case,
                        number: first + measured.rows.len() + place,
                        variant: &expanded[index],
                        program: &expanded[index].programs[place],
                    };
                    if let Err(what) = compare(&step, &subject, target, &mut worst[place][kind]) {
                        let program = step.case.label();
                        measured.wrong.push(format!("{name} {program}, draw {draw} of {data} data: {what}"));
                    }
                }
            }
        }
        for (program, [ordinary, edge]) in variant.programs.iter().zip(worst) {
            let program = Case { rule: &rule.file.compiled.rule, variant, program }.label();
            let (rule, date, draws) = (name.clone(), String::new(), draws.end - draws.start);
            measured.rows.push(Row { rule, program, date, draws, ordinary, edge });
        }
    }
    measured
}

/// The steps of a draw, each with the place of its program in the variant.
fn run<'a>(setup: &Setup<'a>, draw: u64, edge: bool) -> Vec<(usize, Step<'a>)> {
    let data = setup.data(LENGTHS[draw as usize % LENGTHS.len()], draw);
    let mut data = if edge { data.edge() } else { data };
    let script = script(setup.variant);
    let memory = setup.model(&mut data).memory;
    let runs = script.iter().map(|&place| (&setup.variant.programs[place], StepInputs::next(setup.rule, &mut data)));
    let steps = steps(setup.rule, setup.variant, memory, runs);
    script.into_iter().zip(steps).collect()
}

/// Takes in every number that a step leaves; the first that breaks the contract is the error.
fn compare(step: &Step<'_>, subject: &Subject<'_>, target: &mut dyn Target, worst: &mut Worst) -> Result<(), String> {
    let exact = step.after.as_ref().map_err(ToString::to_string)?;
    let bounded = step.bounded().map_err(|error| error.to_string())?;
    let found = step.run_by(|arena, buffers| target.run(subject, arena, buffers))?;
    let mut outcome = Ok(());
    let cells = numbers(exact).zip(numbers(&bounded)).zip(numbers(&found));
    for (((cell, tensor, exact), (.., bounded)), (.., found)) in cells {
        let name = cell_name(step.case.rule, cell);
        for (element, ((&exact, &bounded), &found)) in exact.iter().zip(bounded).zip(found).enumerate() {
            assert_eq!(bits(exact), bits(bounded.value), "the interpreter with bounds computes what that without does");
            if !worst.take_in(target.back_end(), &name, bounded, found) && outcome.is_ok() {
                let of = tensor.map_or(String::new(), |place| format!("[{place}]"));
                let bound = bounded.bound;
                outcome = Err(format!("{name}{of} element {element} is {found:e}, not {exact:e} within {bound:e}"));
            }
        }
    }
    outcome
}

impl Worst {
    /// Takes a number in; whether the contract holds for it.
    fn take_in(&mut self, back_end: BackEnd, cell: &str, bounded: Bounded, found: f32) -> bool {
        let exact = bounded.value;
        self.numbers += 1;
        let admitted = match back_end.is_exact() {
            true => Some(bits(found) == bits(exact)),
            false => bounded.admits(found),
        };
        let Some(admitted) = admitted else {
            self.unbounded += 1;
            return true;
        };
        let apart = (f64::from(found) - f64::from(exact)).abs();
        let part = if apart == 0.0 || bits(found) == bits(exact) { 0.0 } else { rounded_up(apart / bounded.bound) };
        for (worst, amount) in [(&mut self.ulp, ulps(found, exact)), (&mut self.part, part)] {
            if amount > worst.as_ref().map_or(0.0, |worst| worst.amount) {
                let [found, expected] = [found, exact].map(|value| format!("{value:e}"));
                *worst = Some(Difference { amount, cell: cell.to_owned(), found, expected });
            }
        }
        admitted
    }
}

/// To four digits behind the point, so that a record is read as it was written.
fn rounded_up(part: f64) -> f64 {
    (1e4 * part.min(1e9)).ceil() / 1e4
}

/// The bits of a value; all NaN are one.
fn bits(value: f32) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }
}

/// How many steps from one f32 to the next lead from one value to another; the zeros are one, NaN is beyond all.
fn ulps(one: f32, other: f32) -> f64 {
    let place = |value: f32| {
        let magnitude = i64::from(value.to_bits() & 0x7fff_ffff);
        if value.is_sign_negative() { -magnitude } else { magnitude }
    };
    match (one.is_nan(), other.is_nan()) {
        (true, true) => 0.0,
        (false, false) => (place(one) - place(other)).abs() as f64,
        _ => f64::from(u32::MAX),
    }
}
