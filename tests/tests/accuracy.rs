//! The table of worst differences in `docs/numerics.md`: it has a row for every program of every rule, says what the kept
//! records say, and they keep the contract. What measures is tried out on a target that is wrong.

use std::path::Path;

use optirs_gpu_tests::accuracy::record::programs;
use optirs_gpu_tests::accuracy::target::Subject;
use optirs_gpu_tests::accuracy::{BackEnd, Cpu, Record, Row, Target, measure, table};
use optirs_gpu_tests::compiled::rules;
use optirs_gpu_tests::kernels::{Arena, Buffers};
use optirs_gpu_tests::parity::test_rules;

/// What to do where a row is missing.
fn how(record: &Record, file: &Path, rule: &str) -> String {
    let back_end = match record.back_end {
        BackEnd::Cpu => "cpu",
        BackEnd::Metal => "msl",
        BackEnd::Vulkan => "vulkan --adapter NAME",
        BackEnd::Browser => "browser",
    };
    format!(
        "Measure it: cargo run -p optirs-gpu-tests --release --bin worst_ulp -- {back_end} --rule {rule} --date \
         YEAR-MONTH-DAY --json {}",
        file.display()
    )
}

/// What is no mere program need not be at hand when a rule is added: there, its row may be missing for a while.
#[test]
fn every_program_has_a_row() {
    let programs = programs(&rules());
    let records = table::records();
    for back_end in [BackEnd::Cpu, BackEnd::Metal, BackEnd::Vulkan, BackEnd::Browser] {
        let found = records.iter().any(|(_, record)| record.back_end == back_end && record.is_software);
        assert!(found, "tests/accuracy holds no record of {back_end:?}");
    }
    for (file, record) in &records {
        let rows: Vec<_> = record.rows.iter().map(Row::key).collect();
        let exist = |key: &(&str, &str)| programs.iter().any(|(rule, program)| (&**rule, &**program) == *key);
        let gone: Vec<_> = rows.iter().filter(|key| !exist(key)).collect();
        assert!(gone.is_empty(), "there is no {gone:?}. {}", how(record, file, gone[0].0));
        for (rule, program) in programs.iter().filter(|_| record.is_software) {
            assert!(rows.contains(&(rule, program)), "{rule} {program} has no row. {}", how(record, file, rule));
        }
    }
}

#[test]
fn what_was_measured_keeps_the_contract() {
    for (file, record) in table::records() {
        for row in &record.rows {
            let what = format!("{}: {} {}", file.display(), row.rule, row.program);
            for worst in [&row.ordinary, &row.edge] {
                assert!(worst.numbers > 0, "{what}: nothing was compared");
                assert!(worst.used() <= 1.0, "{what}: {worst:?}");
                assert!(!record.back_end.is_exact() || worst.ulp.is_none(), "{what}: {worst:?}");
            }
            assert!(row.ordinary.unbounded * 20 <= row.ordinary.numbers, "{what}: {:?}", row.ordinary);
        }
    }
}

/// `UPDATE_EXPECT=1 cargo test -p optirs-gpu-tests --test accuracy` writes it.
#[test]
fn the_document_says_what_the_records_say() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/numerics.md");
    let document = std::fs::read_to_string(&file).unwrap();
    let [begin, end] = table::MARKS;
    let (before, rest) = document.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let records = table::records();
    let table = table::markdown(&programs(&rules()), &records.iter().map(|(_, record)| record).collect::<Vec<_>>());
    let expected = format!("{before}{begin}\n{table}\n{end}{after}");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&file, &expected).unwrap();
    }
    let document = std::fs::read_to_string(&file).unwrap();
    assert!(document == expected, "{} has another table: UPDATE_EXPECT=1 writes it", file.display());
}

/// The CPU code as a back end, but that some bits of the first number that it changes in an arena are others.
struct Wrong {
    back_end: BackEnd,
    role: usize,
    bits: u32,
}

impl Target for Wrong {
    fn back_end(&self) -> BackEnd {
        self.back_end
    }

    fn device(&self) -> String {
        Cpu.device()
    }

    fn run(&mut self, subject: &Subject<'_>, arena: &Arena<'_>, buffers: &Buffers) -> Result<Buffers, String> {
        let mut after = Cpu.run(subject, arena, buffers)?;
        let mut words = after[self.role].iter_mut().zip(&buffers[self.role]);
        if let Some((word, _)) = words.find(|(word, before)| word != before) {
            *word ^= self.bits;
        }
        Ok(after)
    }
}

#[test]
fn a_wrong_number_is_noticed() {
    let rules = test_rules();
    let adam = rules.iter().find(|rule| rule.file.name() == "adam").unwrap();
    assert!(measure(adam, 0, &mut Cpu, 0..1).wrong.is_empty());
    for (role, cell) in [(2, "param"), (4, "m")] {
        let measured = measure(adam, 0, &mut Wrong { back_end: BackEnd::Cpu, role, bits: 1 }, 0..1);
        assert!(!measured.wrong.is_empty());
        let worst = measured.rows[0].ordinary.ulp.as_ref().unwrap();
        assert_eq!((worst.amount, worst.cell.as_str()), (1.0, cell));

        // The last bit alone is inside of the bound, a quarter of the number is not.
        for (bits, inside) in [(1, true), (1 << 21, false)] {
            let measured = measure(adam, 0, &mut Wrong { back_end: BackEnd::Vulkan, role, bits }, 0..1);
            assert_eq!(measured.wrong.is_empty(), inside, "{:?}", measured.wrong);
            let used = measured.rows[0].ordinary.used();
            assert!(used > 0.0 && (used <= 1.0) == inside, "{used}");
        }
    }
}

#[test]
fn a_record_is_read_as_it_is_written() {
    for (file, record) in table::records() {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(record.to_json() == text, "{}", file.display());
    }
}
