//! `roofline` as a person calls it, over few elements: what it writes is complete and can be read again. How long anything took
//! is not looked at.

mod binary;

use binary::run;
use optirs_gpu_benches::row::{Row, read};
use optirs_gpu_benches::rules;
use optirs_gpu_benches::sets::Set;

#[test]
fn every_rule_has_a_row_with_its_bytes_and_a_roof() {
    let folder = tempfile::tempdir().expect("a folder");
    let (json, svg) = (folder.path().join("rows.json"), folder.path().join("rows.svg"));
    let (json_text, svg_text) = (json.display().to_string(), svg.display().to_string());
    let few = ["roofline", "--sets", "one", "--elements", "4096", "--runs", "2"];
    let Some(_) = run(&[&few[..], &["--json", &json_text, "--svg", &svg_text]].concat()) else { return };

    let rows = read(&json).expect("rows");
    let names: Vec<&str> = rows.iter().map(|row| row.rule.as_str()).collect();
    let standard: Vec<&str> = optimizer_specs::standard::ALL.iter().map(|(name, _)| *name).collect();
    let not_variants: Vec<&str> = names.iter().copied().filter(|name| *name != "sgd_momentum").collect();
    assert_eq!(not_variants, standard);
    for (row, subject) in rows.iter().zip(rules::all()) {
        let Row { rule, bytes, ms_wall, ms_amortised, host_us, copy_gb_per_s, of_copy, ms_predicted, .. } = row;
        assert_eq!(*bytes, 4096 * subject.bytes_per_element as u64, "{rule}");
        for figure in [ms_wall, ms_amortised, host_us, copy_gb_per_s, of_copy, ms_predicted] {
            assert!(figure.is_finite() && *figure > 0.0, "{row:?}");
        }
        assert!(row.ms_device.is_none_or(|milliseconds| milliseconds > 0.0), "{row:?}");
    }
    let drawn = std::fs::read_to_string(&svg).expect("a picture");
    for name in names {
        assert!(drawn.contains(&format!("\n{name}\n")), "no `{name}` in the picture");
    }
}

#[test]
fn a_rule_that_is_not_there_is_refused_with_those_that_are() {
    let error = rules::chosen(&["adamv".to_owned()]).map(|chosen| chosen.len()).expect_err("a refusal");
    assert!(error.starts_with("there is no rule `adamv`; there are sgd, sgd_momentum, adam, "), "{error}");
    let chosen = rules::chosen(&["lamb".to_owned(), "adamw".to_owned()]).expect("two rules");
    assert_eq!(chosen.iter().map(|subject| subject.name).collect::<Vec<_>>(), ["adamw", "lamb"]);
}

#[test]
fn sets_have_as_many_tensors_as_they_are_named_for() {
    let counts = [Set::One, Set::Gpt2, Set::Small, Set::Many, Set::Single].map(|set| set.shapes(1 << 20).len());
    assert_eq!(counts, [1, 148, 1000, 10_000, 1]);
}
