//! Items of the module: enums, constants, hyper-parameters, states, requirements.

use optimizer_specs::ir::Extent;

use super::Generator;
use super::scope::{Facts, Variable};
use crate::random::rule::{Expr, Form, Hyper, State, Type};

/// The most combinations of options that a rule gets.
const MOST_VARIANTS: u64 = 8;

const DOCS: [&str; 5] = [
    "A rule of no use.",
    "Ends in a backslash \\",
    "Closes a comment */ and opens one /*",
    "Quotes \" and fences \"# and {braces}.",
    "ﬁ, ‖g‖₂ and β.",
];

impl Generator {
    /// Fills the rule in.
    pub(super) fn module(&mut self) {
        self.rule.name = self.pick(&["soup", "random_rule", "alpha_beta", "x1"]).to_owned();
        self.rule.params = self.pick(&["SoupParams", "X1Params", "VecParams", "RuleParams", "ResultParams"]).to_owned();
        self.names.insert(self.rule.name.clone());
        self.plain = self.once_in(5);
        self.rule.notes = self.notes();
        for (name, variants) in [("Mode", &["Plain", "Half", "Other"]), ("Kind", &["Mode", "Kind", "Some_"])] {
            if self.once_in(3) {
                let count = 2 + self.below(2) as usize;
                let variants = variants[..count].iter().map(|variant| (*variant).to_owned()).collect();
                self.rule.enums.push((name.to_owned(), variants));
            }
        }
        self.constants();
        self.hypers();
        self.states();
        self.requires();
        let helpers = self.below(4);
        (0..helpers).for_each(|_| self.helper());
        let update_first = !self.once_in(4);
        if update_first {
            self.entry("update", None);
        }
        for name in ["extra", "kernel_2"] {
            if self.once_in(6) {
                self.entry(name, Some("#[entry]"));
            }
        }
        if self.once_in(10) {
            self.entry("to_eval", Some("#[entry(mode = eval)]"));
            self.entry("to_train", Some("#[entry(mode = train)]"));
        }
        if !update_first {
            self.entry("update", None);
        }
        self.first_values();
    }

    /// Docs and attributes, seldom.
    pub(super) fn notes(&mut self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.once_in(8) {
            notes.push(format!("/// {}", self.pick(&DOCS)));
        }
        if self.once_in(20) {
            notes.push(
                self.pick(&["#[allow(dead_code)]", "#[deprecated]", "#[deprecated = \"a \\\" in it\"]"]).to_owned(),
            );
        }
        notes
    }

    fn known(&mut self, text: String, ty: Type, facts: Facts) {
        let variable = Variable { text, ty, mutable: false, limit: facts.extent, facts, version: 0 };
        self.module.push(variable);
    }

    fn constants(&mut self) {
        for (name, text, ty) in [
            ("HALF", "const HALF: f32 = 0.5;", Type::Real),
            ("TINY", "const TINY: f32 = HALF / 4096.0;", Type::Real),
            ("PERIOD", "const PERIOD: u32 = 0x10 / 5;", Type::Int),
            ("ON", "const ON: bool = true;", Type::Bool),
        ] {
            let needs = text.contains("HALF") && self.rule.constants.is_empty() && name != "HALF";
            if !needs && self.once_in(3) {
                self.rule.constants.push(text.to_owned());
                self.known(name.to_owned(), ty, Facts::LITERAL);
            }
        }
    }

    fn hypers(&mut self) {
        self.hyper("learning_rate".to_owned(), Type::Real, "0.01", Some("0.0.."), false);
        let mut variants = 1;
        for _ in 0..self.below(5) {
            let name = self.name();
            let (ty, choices) = match self.below(12) {
                0 | 1 => (Type::Bool, 2),
                2 => (Type::OptionReal, 2),
                3 => (Type::OptionInt, 2),
                4 | 5 if !self.rule.enums.is_empty() => {
                    let (name, variants) = self.pick(&self.rule.enums.clone());
                    (Type::Enum(name), variants.len() as u64)
                }
                6 | 7 => (Type::Int, 1),
                _ => (Type::Real, 1),
            };
            let (default, range) = match &ty {
                Type::Bool => (self.pick(&["true", "false"]), None),
                Type::OptionReal => self.pick(&[("None", Some("0.1..=4.0")), ("Some(0.5)", Some("0.0.."))]),
                Type::OptionInt => self.pick(&[("None", Some("1..")), ("Some(3)", Some("1..=9"))]),
                Type::Int => self.pick(&[("3", Some("1..")), ("2", Some("0..=10")), ("4", Some("2..20"))]),
                Type::Enum(_) => ("", None),
                _ if self.rule.constants.iter().any(|text| text.contains("HALF:")) && self.once_in(4) => {
                    self.pick(&[("HALF / 8.0", Some("0.0..HALF + HALF")), ("1.0 - HALF", Some("-HALF..=HALF"))])
                }
                _ => self.pick(&[
                    ("1.0 / 3.0", Some("0.0..=0x2 as f32 / 2.0")),
                    ("0.9", Some("0.0..1.0")),
                    ("0.999", Some("0.0..1.0")),
                    ("1e-8", Some("0.0..")),
                    ("1.5", Some("0.1..=10.0")),
                    ("-0.5", Some("-2.0..2.0")),
                    ("0.0", Some("..=2.0")),
                ]),
            };
            let may_be_zero = range.is_some_and(|range| range.starts_with(['0', '-', '.']) && range != "0.1..=10.0");
            let switch = matches!(ty, Type::Real | Type::Int) && may_be_zero && self.once_in(3);
            let choices = if switch { 2 } else { choices };
            if variants * choices > MOST_VARIANTS {
                continue;
            }
            variants *= choices;
            let default = match &ty {
                Type::Enum(name) => self.variant(name).map_or_else(String::new, |variant| variant.to_string()),
                _ => default.to_owned(),
            };
            self.hyper(name, ty, &default, range, switch);
        }
    }

    fn hyper(&mut self, name: String, ty: Type, default: &str, range: Option<&str>, switch: bool) {
        let shared = self.once_in(3);
        let extent = if shared { Extent::Const } else { Extent::Row };
        let option = switch || !matches!(ty, Type::Real | Type::Int);
        let nonzero = !switch && range.is_some_and(|range| range.starts_with(['1', '2']));
        let facts = match ty {
            Type::Bool | Type::Enum(_) => Facts::LITERAL,
            Type::OptionReal | Type::OptionInt => Facts { nonzero, ..Facts::of(extent) },
            _ => Facts { nonzero, literal: option, ..Facts::of(extent) },
        };
        let text = format!("hyper.{name}");
        if switch && ty == Type::Real && range.is_some_and(|range| range.starts_with(['-', '.'])) {
            self.may_be_negative.push(text.clone());
        }
        self.known(text, ty.clone(), facts);
        let (default, range) = (default.to_owned(), range.map(str::to_owned));
        let notes = self.notes();
        self.rule.hypers.push(Hyper { notes, name, ty, default, range, switch, shared });
    }

    fn states(&mut self) {
        for _ in 0..self.below(7) {
            let name = self.name();
            let (kind, limit) = match self.below(10) {
                0..3 if self.plain => (None, Extent::Element),
                0 | 1 => (Some("tensor"), Extent::Tensor),
                2 => (Some("all"), Extent::All),
                3 | 4 => (Some("host"), Extent::Row),
                _ => (None, Extent::Element),
            };
            let init = match self.below(5) {
                0 => Some(self.pick(&["0.5", "-1.0", "1.0 / 3.0", "f32::EPSILON", "1e-3"]).to_owned()),
                1 => Some("learning_rate".to_owned()),
                2 if kind.is_none() => Some("param".to_owned()),
                _ => None,
            };
            let (text, facts) = (format!("state.{name}"), Facts::of(limit));
            self.module.push(Variable { text, ty: Type::Real, mutable: true, limit, facts, version: 0 });
            let keep = self.once_in(8);
            let notes = self.notes();
            self.rule.states.push(State { notes, name, kind, init, keep });
        }
    }

    /// A state that nothing assigns needs a first value.
    fn first_values(&mut self) {
        let text: String = self.rule.functions.iter().map(ToString::to_string).collect();
        for state in self.rule.states.iter_mut().filter(|state| state.init.is_none()) {
            let assigned =
                ["=", "+=", "-=", "*=", "/="].iter().any(|op| text.contains(&format!("state.{} {op} ", state.name)));
            if !assigned {
                state.init = Some("1.0".to_owned());
            }
        }
    }

    /// Requirements that hold for every value that is tried; some rule combinations of options out.
    fn requires(&mut self) {
        let truth = |form, operands| Expr::Apply(Type::Bool, form, operands);
        let field = |hyper: &Hyper| Expr::Leaf(hyper.ty.clone(), hyper.name.clone());
        let flags: Vec<Hyper> = self.rule.hypers.iter().filter(|hyper| hyper.ty == Type::Bool).cloned().collect();
        let switches: Vec<Hyper> = self.rule.hypers.iter().filter(|hyper| hyper.switch).cloned().collect();
        if let (Some(flag), Some(switch), true) = (flags.first(), switches.first(), self.once_in(2)) {
            let zero = if switch.ty == Type::Int { Expr::int("0") } else { Expr::real("0.0") };
            let on = truth(Form::Infix("!="), vec![field(switch), zero]);
            // What the defaults choose is never ruled out.
            let flag = if flag.default == "true" { field(flag) } else { truth(Form::Prefix("!"), vec![field(flag)]) };
            self.rule.requires.push(truth(Form::Infix("||"), vec![flag, on]));
        }
        let fields: Vec<Expr> = self.rule.hypers.iter().map(field).collect();
        let condition = match self.pick(&fields) {
            option if matches!(option.ty(), Type::OptionReal | Type::OptionInt) => {
                truth(Form::Method("is_some"), vec![option])
            }
            Expr::Leaf(Type::Enum(name), text) => match self.variant(&name) {
                Some(variant) => truth(Form::Infix("=="), vec![Expr::Leaf(Type::Enum(name), text), variant]),
                None => return,
            },
            flag if flag.ty() == Type::Bool => flag,
            whole if whole.ty() == Type::Int => {
                let sum = whole.infix("+", Expr::int("len()"), Type::Int);
                truth(Form::Infix(">"), vec![sum, Expr::int("0")])
            }
            real => truth(Form::Infix("<"), vec![real.method("sqrt", vec![]), Expr::real("1.0")]),
        };
        if self.once_in(4) {
            let holds = truth(Form::Infix(">="), vec![Expr::real("learning_rate"), Expr::real("0.0")]);
            self.rule.requires.push(truth(Form::Infix("||"), vec![condition, holds]));
        }
        if self.once_in(6) {
            let rate = truth(Form::Infix(">="), vec![Expr::real("learning_rate"), Expr::real("0.0")]);
            let short = truth(Form::Infix("<="), vec![Expr::int("ndim()"), Expr::int("2")]);
            self.rule.requires.push(truth(Form::Infix("&&"), vec![rate, short]));
        }
    }
}
