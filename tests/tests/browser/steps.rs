//! Steps of every rule in the browser: inside the bound that the interpreter carries along.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use optimizer_specs::layout::Role;
use optirs_gpu_tests::accuracy::target::Subject;
use optirs_gpu_tests::accuracy::{BackEnd, Row, Target, measure};
use optirs_gpu_tests::browser::{Browser, Module, in_browser};
use optirs_gpu_tests::kernels::{Arena, Buffers};
use optirs_gpu_tests::parity::test_rules;

/// The draw with a tensor of two chunks, and with others that end inside of one.
const DRAWS: Range<u64> = 1..2;

/// The browser, with sources in which something is replaced. A program is first run where a gradient is not finite.
struct Page<'a> {
    browser: &'a mut Browser,
    harm: Option<(&'a str, &'a str)>,
    /// By the programs' numbers.
    modules: HashMap<usize, Module>,
}

impl<'a> Page<'a> {
    fn new(browser: &'a mut Browser, harm: Option<(&'a str, &'a str)>) -> Self {
        Self { browser, harm, modules: HashMap::new() }
    }
}

impl Target for Page<'_> {
    fn back_end(&self) -> BackEnd {
        self.browser.back_end()
    }

    fn device(&self) -> String {
        self.browser.device()
    }

    fn run(&mut self, subject: &Subject<'_>, arena: &Arena<'_>, buffers: &Buffers) -> Result<Buffers, String> {
        let module = match self.modules.entry(subject.number) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let module = Module::of(subject.case);
                let module = new.insert(self.harm.map_or(module.clone(), |(from, to)| module.with(from, to)));
                let said = self.browser.compile(module);
                assert!(said.is_empty(), "it is the numbers that shall tell of a harm: {said:?}");
                let mut before = buffers.clone();
                before[Role::Scalars.index() as usize][0] = 1;
                if self.browser.launch(module, arena, &before)? != before {
                    return Err("something is written although a gradient is not finite".to_owned());
                }
                module
            }
        };
        self.browser.launch(module, arena, buffers)
    }
}

#[test]
fn steps_stay_inside_the_bound() {
    in_browser(|browser| {
        println!("device: {}", browser.name());
        let mut page = Page::new(browser, None);
        let (mut wrong, mut first) = (Vec::new(), 0);
        for rule in test_rules() {
            let measured = measure(&rule, first, &mut page, DRAWS);
            for Row { rule, program, ordinary, .. } in &measured.rows {
                assert!(ordinary.numbers > 0, "{rule} {program}: nothing was compared");
                assert!(ordinary.unbounded * 20 <= ordinary.numbers, "{rule} {program}: {ordinary:?}");
            }
            wrong.extend(measured.wrong);
            first += rule.file.cases().count();
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

/// A rule, and what is replaced in its source by what.
const HARMS: [(&str, &str, &str); 7] = [
    // The tail of a tensor is not masked.
    ("adam", "select(param, param_new, inside)", "param_new"),
    // Two states are swapped.
    ("adam", "= states[m_start", "= states[v_start"),
    // A product is off in its sixth digit.
    ("adam", "raw_grad * row.grad_scale", "raw_grad * row.grad_scale * 1.00001"),
    // Sums are not taken to the end.
    ("lamb", "stride > 0u", "stride > 1u"),
    ("lamb", "place < range.y", "place + 1u < range.y"),
    // A pass or a finish does not look for gradients that are not finite.
    ("lamb", " || scalars_read[0] != 0u", ""),
    ("lamb", " && scalars[0] == 0u", ""),
];

#[test]
fn harm_is_noticed() {
    in_browser(|browser| {
        for (name, from, to) in HARMS {
            let rule = test_rules().into_iter().find(|rule| rule.file.name() == name).unwrap();
            let measured = measure(&rule, 0, &mut Page::new(browser, Some((from, to))), DRAWS);
            assert!(!measured.wrong.is_empty(), "{name}: `{from}` became `{to}`");
            println!("{name}: `{from}` became `{to}`: {}", measured.wrong[0]);
        }
    });
}
