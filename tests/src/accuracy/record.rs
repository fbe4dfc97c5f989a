//! What was measured on a device: a row for every program, kept as a file of JSON.

use serde::{Deserialize, Serialize};

use crate::compiled::{Case, RuleFile};

/// Which of the generated codes was run, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BackEnd {
    /// The CPU code.
    Cpu,
    /// Metal sources as C++.
    Metal,
    /// WGSL through wgpu and Vulkan.
    Vulkan,
    /// WGSL in a browser.
    Browser,
}

impl BackEnd {
    /// As the table names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Metal => "MSL",
            Self::Vulkan => "WGSL, Vulkan",
            Self::Browser => "WGSL, browser",
        }
    }

    /// Whether nothing but the interpreter's bits will do.
    pub fn is_exact(self) -> bool {
        match self {
            Self::Cpu | Self::Metal => true,
            Self::Vulkan | Self::Browser => false,
        }
    }
}

/// The worst differences of programs on one device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// What was run.
    pub back_end: BackEnd,
    /// The device, its driver or compiler, their versions.
    pub device: String,
    /// Whether it is a mere program, which runs on every machine.
    pub is_software: bool,
    /// In the order of [`programs`].
    pub rows: Vec<Row>,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The rule's module.
    pub rule: String,
    /// Entry and options, as [`Case::label`] has them.
    pub program: String,
    /// The day, as year-month-day.
    pub date: String,
    /// How often hyper-parameters and data were drawn, for each kind of data.
    pub draws: u64,
    /// With data as training has it.
    pub ordinary: Worst,
    /// With data from the edges of f32.
    pub edge: Worst,
}

/// The worst of many numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Worst {
    /// How many numbers were compared.
    pub numbers: u64,
    /// Of how many of them the bound says nothing.
    pub unbounded: u64,
    /// The one farthest off, by how many f32 it is off; nothing where all are the interpreter's.
    pub ulp: Option<Difference>,
    /// The one that takes up the greatest part of its bound, and that part, rounded up; beyond 1 the contract is broken.
    pub part: Option<Difference>,
}

/// A number that is not the interpreter's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// How far it is off.
    pub amount: f64,
    /// `param`, or the state.
    pub cell: String,
    /// The number.
    pub found: String,
    /// The interpreter's.
    pub expected: String,
}

impl Worst {
    /// The part of the bound that is taken up.
    pub fn used(&self) -> f64 {
        self.part.as_ref().map_or(0.0, |part| part.amount)
    }
}

impl Row {
    /// Rule and program.
    pub fn key(&self) -> (&str, &str) {
        (&self.rule, &self.program)
    }
}

impl Record {
    /// Takes rows in, instead of those of the same programs; rows of programs that are no more are dropped.
    pub fn take_in(&mut self, rows: Vec<Row>, programs: &[(String, String)]) {
        self.rows.retain(|old| rows.iter().all(|new| new.key() != old.key()));
        self.rows.extend(rows);
        let place = |row: &Row| programs.iter().position(|(rule, program)| (&**rule, &**program) == row.key());
        self.rows.retain(|row| place(row).is_some());
        self.rows.sort_by_key(place);
    }

    /// As text: a line for each row.
    pub fn to_json(&self) -> String {
        let head = Self { rows: Vec::new(), ..self.clone() };
        let head = serde_json::to_string_pretty(&head).expect("a record is JSON");
        let rows = self.rows.iter().map(|row| serde_json::to_string(row).expect("a row is JSON"));
        let rows = rows.map(|row| format!("    {row}")).collect::<Vec<_>>().join(",\n");
        head.replace("\"rows\": []", &format!("\"rows\": [\n{rows}\n  ]")) + "\n"
    }
}

/// Rule and program of everything that can be measured, in order.
pub fn programs(rules: &[RuleFile]) -> Vec<(String, String)> {
    let name = |case: Case<'_>| (case.rule.name.to_string(), case.label());
    rules.iter().flat_map(|rule| rule.cases().map(name)).collect()
}
