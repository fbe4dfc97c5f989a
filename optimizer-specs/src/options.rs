//! The options of a rule and their combinations.
//!
//! An option is fixed when the optimizer is built: a `bool`, an enum, whether an `Option` is `Some`, whether a number
//! marked `switch` is 0. [`combinations`] lists what `#[require]` leaves of all combinations, in a fixed order, which
//! is that of the variants everywhere: the first field varies slowest, its choices in the order false, true; 0,
//! nonzero; None, Some; variants as declared.

use syn::ext::IdentExt;

use crate::checked::{HyperType, HyperValue, Require, Rule, Ty};
use crate::error::{Diagnostic, code};
use crate::lower::{requirement, requirement_of_defaults};

/// The most kernel variants that a rule may have.
const MOST_COMBINATIONS: usize = 32;

/// Beyond this many the combinations are not even tried against `#[require]`.
const MOST_TRIED: usize = 4096;

/// What is chosen for one option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The value of a `bool`.
    Bool(bool),
    /// Whether a number marked `switch` is 0.
    Zero(bool),
    /// Whether an `Option` is `Some`.
    Some(bool),
    /// The variant of an enum, by index.
    Variant(u32),
}

/// One combination of options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// The options, by index of the hyper-parameter, in field order.
    pub choices: Vec<(u32, Choice)>,
    /// Whether the defaults of the hyper-parameters choose it.
    pub default: bool,
}

impl Combination {
    /// What is chosen for a hyper-parameter; `None` where it is no option.
    pub fn choice(&self, hyper: u32) -> Option<Choice> {
        self.choices.iter().find(|(index, _)| *index == hyper).map(|(_, choice)| *choice)
    }

    /// The options by name, with their values as text: `("momentum", "0")`, `("nesterov", "true")`.
    pub fn labels(&self, rule: &Rule) -> Vec<(String, String)> {
        self.choices.iter().map(|&(hyper, choice)| label(rule, hyper, choice)).collect()
    }
}

fn label(rule: &Rule, hyper: u32, choice: Choice) -> (String, String) {
    let hyper = &rule.hypers[hyper as usize];
    let value = match choice {
        Choice::Bool(value) => value.to_string(),
        Choice::Zero(zero) => if zero { "0" } else { "nonzero" }.to_owned(),
        Choice::Some(some) => if some { "Some" } else { "None" }.to_owned(),
        Choice::Variant(variant) => match hyper.ty {
            HyperType::Enum(index) => rule.enums[index as usize].variants[variant as usize].0.unraw().to_string(),
            _ => variant.to_string(),
        },
    };
    (hyper.name.unraw().to_string(), value)
}

/// The choices for each option, and the one of its default.
fn options(rule: &Rule) -> Vec<(u32, Vec<Choice>, Choice)> {
    let mut options = Vec::new();
    for (index, hyper) in rule.hypers.iter().enumerate() {
        let both = |choice: fn(bool) -> Choice| vec![choice(false), choice(true)];
        let option = match (hyper.ty, &hyper.default) {
            (HyperType::Bool, HyperValue::Bool(value)) => (both(Choice::Bool), Choice::Bool(*value)),
            (HyperType::OptionF32 | HyperType::OptionU32, value) => {
                (both(Choice::Some), Choice::Some(*value != HyperValue::NoneValue))
            }
            (HyperType::Enum(index), HyperValue::Enum(variant)) => {
                let variants = 0..rule.enums[index as usize].variants.len() as u32;
                (variants.map(Choice::Variant).collect(), Choice::Variant(*variant))
            }
            (HyperType::F32 | HyperType::U32, value) if hyper.switch => {
                let zero = matches!(value, HyperValue::U32(0)) || matches!(value, HyperValue::F32(x) if *x == 0.0);
                (vec![Choice::Zero(true), Choice::Zero(false)], Choice::Zero(zero))
            }
            _ => continue,
        };
        options.push((index as u32, option.0, option.1));
    }
    options
}

/// All combinations of a rule's options that `#[require]` does not certainly forbid.
///
/// # Errors
///
/// Where there are too many, or the defaults choose one that is forbidden.
pub fn combinations(rule: &Rule) -> Result<Vec<Combination>, Vec<Diagnostic>> {
    let (combinations, errors) = tried(rule);
    if errors.is_empty() { Ok(combinations) } else { Err(errors) }
}

/// The combinations, none where there are too many, and what is wrong with them.
pub(crate) fn tried(rule: &Rule) -> (Vec<Combination>, Vec<Diagnostic>) {
    let options = options(rule);
    let count = options.iter().fold(1_usize, |count, (_, choices, _)| count.saturating_mul(choices.len()));
    if count > MOST_TRIED {
        return (Vec::new(), vec![too_many(rule, &options, count)]);
    }
    let mut all = vec![Combination { choices: Vec::new(), default: true }];
    for (hyper, choices, default) in &options {
        let extend = |combination: Combination| {
            choices.iter().map(move |choice| {
                let mut next = combination.clone();
                next.choices.push((*hyper, *choice));
                next.default &= choice == default;
                next
            })
        };
        all = all.into_iter().flat_map(extend).collect();
    }

    let mut errors = Vec::new();
    all.retain(|combination| {
        let forbids = |require: &&Require| requirement(rule, combination, &require.condition) == Some(false);
        let unmet = |require: &&Require| {
            combination.default && requirement_of_defaults(rule, combination, &require.condition) == Some(false)
        };
        if let Some(require) = rule.requires.iter().find(unmet) {
            let message = format!("the defaults do not hold to this requirement: {}", require.message);
            let error = Diagnostic::new(code::DEFAULTS_FORBIDDEN, require.condition.span, message);
            errors.push(error.help("change a default or the requirement"));
        }
        !rule.requires.iter().any(|require| forbids(&require))
    });
    if all.len() > MOST_COMBINATIONS {
        // A requirement that is wrong itself might have forbidden enough of them.
        if rule.requires.iter().all(|require| require.condition.ty == Ty::Bool) {
            errors.push(too_many(rule, &options, all.len()));
        }
        all.clear();
    }
    (all, errors)
}

fn too_many(rule: &Rule, options: &[(u32, Vec<Choice>, Choice)], count: usize) -> Diagnostic {
    let names: Vec<String> =
        options.iter().map(|(hyper, ..)| format!("`{}`", rule.hypers[*hyper as usize].name)).collect();
    let message = format!(
        "the options {} give {count} kernel variants; at most {MOST_COMBINATIONS} are allowed",
        names.join(", ")
    );
    Diagnostic::new(code::TOO_MANY_OPTIONS, rule.params_name.span(), message)
        .help("forbid combinations with `#[require(…)]`, leave out a `switch`, or make two rules of it")
}
