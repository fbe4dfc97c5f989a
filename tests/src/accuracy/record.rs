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

/// The worst differences of every program on one device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// What was run.
    pub back_end: BackEnd,
    /// The device, its driver or compiler, their versions.
    pub device: String,
    /// The day, as year-month-day.
    pub date: String,
    /// How often each program was drawn hyper-parameters and data, for each kind of data.
    pub draws: u64,
    /// By rule, combination of options and entry, in order of the rules.
    pub rows: Vec<Row>,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The rule's module.
    pub rule: String,
    /// Entry and options, as [`Case::label`] has them.
    pub program: String,
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
    /// The one that takes up the greatest part of its bound, and that part; beyond 1 the contract is broken.
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

impl Record {
    /// As text: a line for each row.
    pub fn to_json(&self) -> String {
        let head = Self { rows: Vec::new(), ..self.clone() };
        let head = serde_json::to_string_pretty(&head).expect("a record is JSON");
        let rows = self.rows.iter().map(|row| serde_json::to_string(row).expect("a row is JSON"));
        let rows = rows.map(|row| format!("    {row}")).collect::<Vec<_>>().join(",\n");
        head.replace("\"rows\": []", &format!("\"rows\": [\n{rows}\n  ]")) + "\n"
    }
}

/// What rows a record has, in order.
pub fn programs(rules: &[RuleFile]) -> Vec<(String, String)> {
    let name = |case: Case<'_>| (case.rule.name.to_string(), case.label());
    rules.iter().flat_map(|rule| rule.cases().map(name)).collect()
}
