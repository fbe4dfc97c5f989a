//! What a rule calls that which its graphs know by index.

use super::graph::{Cell, Op};
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

    /// The name of a host leaf as one identifier: `step`, `dim_0`, `all_len`.
    pub fn host_leaf(&self, op: Op) -> Option<String> {
        Some(match op {
            Op::Hyper(index) => self.hyper(index),
            Op::Step => "step".to_owned(),
            Op::Run => "run".to_owned(),
            Op::Len => "len".to_owned(),
            Op::Ndim => "ndim".to_owned(),
            Op::Dim(index) => format!("dim_{index}"),
            Op::AllLen => "all_len".to_owned(),
            Op::Scalar(index) => self.scalar(index),
            Op::GradScale => "grad_scale".to_owned(),
            Op::ClipValue => "clip_value".to_owned(),
            Op::Load(cell @ Cell::HostState(_)) => self.cell(cell),
            _ => return None,
        })
    }

    /// The name of a cell, as in the rule without `state.`.
    pub fn cell(&self, cell: Cell) -> String {
        cell.state().map_or_else(|| "param".to_owned(), |state| self.state(state))
    }
}

fn entry(names: &[String], index: u32, kind: &str) -> String {
    names.get(index as usize).cloned().unwrap_or_else(|| format!("{kind}{index}"))
}
