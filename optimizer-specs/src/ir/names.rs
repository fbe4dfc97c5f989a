//! What a rule calls that which its graphs know by index.

use super::graph::Cell;
use crate::checked::Rule;

/// Names by index. Where a list ends early, an index has a name like `hyper0`.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Hyper-parameters, in field order.
    pub hypers: Vec<String>,
    /// States of all kinds, in field order.
    pub states: Vec<String>,
    /// `#[input]` arguments.
    pub inputs: Vec<String>,
    /// `#[scalar]` arguments.
    pub scalars: Vec<String>,
}

impl Names {
    /// The names of a rule.
    pub fn of(rule: &Rule) -> Self {
        Self {
            hypers: rule.hypers.iter().map(|hyper| hyper.name.to_string()).collect(),
            states: rule.states.iter().map(|state| state.name.to_string()).collect(),
            inputs: rule.inputs.iter().map(ToString::to_string).collect(),
            scalars: rule.scalars.iter().map(ToString::to_string).collect(),
        }
    }

    /// The name of a hyper-parameter.
    pub fn hyper(&self, index: u32) -> String {
        entry(&self.hypers, index, "hyper")
    }

    /// The name of a state.
    pub fn state(&self, index: u32) -> String {
        entry(&self.states, index, "state")
    }

    /// The name of an `#[input]` argument.
    pub fn input(&self, index: u32) -> String {
        entry(&self.inputs, index, "input")
    }

    /// The name of a `#[scalar]` argument.
    pub fn scalar(&self, index: u32) -> String {
        entry(&self.scalars, index, "scalar")
    }

    /// The name of a cell, as in the rule without `state.`.
    pub fn cell(&self, cell: Cell) -> String {
        match cell {
            Cell::Param => "param".to_owned(),
            Cell::ElementState(index) | Cell::TensorState(index) | Cell::AllState(index) | Cell::HostState(index) => {
                self.state(index)
            }
        }
    }
}

fn entry(names: &[String], index: u32, kind: &str) -> String {
    names.get(index as usize).cloned().unwrap_or_else(|| format!("{kind}{index}"))
}
