//! What values are called in explanations, and their formulas as one would write them in a rule.
//!
//! A value is called what the rule calls it; a later version of the same name gets a prime: `m'` is the new value of `m`.
//! Values without a name are written out where they are used.

use std::collections::{BTreeMap, BTreeSet};

use crate::emit::rust_expression::{Dialect, LONG, Printer, too_long};
use crate::ir::{Graph, Names, NodeId, Op};

/// Names and formulas of the values of a graph.
pub(super) struct Labels<'a> {
    graph: &'a Graph,
    names: &'a Names,
    labels: BTreeMap<NodeId, String>,
    /// By node.
    too_long: Vec<bool>,
}

impl<'a> Labels<'a> {
    pub fn new(graph: &'a Graph, names: &'a Names) -> Self {
        let ids = || (0..graph.nodes.len() as u32).map(NodeId);
        let mut taken: BTreeSet<String> = ids().filter_map(|id| leaf(graph, names, id)).collect();
        let mut labels = BTreeMap::new();
        for id in ids().filter(|&id| leaf(graph, names, id).is_none()) {
            if let Some(name) = &graph.node(id).name {
                let mut label = name.clone();
                while !taken.insert(label.clone()) {
                    label.push('\'');
                }
                labels.insert(id, label);
            }
        }
        let too_long = too_long(graph, |id| labels.contains_key(&id) || leaf(graph, names, id).is_some());
        Self { graph, names, labels, too_long }
    }

    /// Whether the rule has a name for this computed value.
    pub fn is_named(&self, id: NodeId) -> bool {
        self.labels.contains_key(&id)
    }

    /// The name of a value, or its formula.
    pub fn get(&self, id: NodeId) -> String {
        self.print(|printer| printer.value(id))
    }

    /// How a value is computed, one step further than its name.
    pub fn formula(&self, id: NodeId) -> String {
        leaf(self.graph, self.names, id).unwrap_or_else(|| self.print(|printer| printer.definition(id)))
    }

    fn print(&self, of: impl FnOnce(&Printer<'_>) -> String) -> String {
        let long = |id: NodeId| self.too_long[id.0 as usize].then(|| LONG.to_owned());
        let name = |id| self.labels.get(&id).cloned().or_else(|| leaf(self.graph, self.names, id)).or_else(|| long(id));
        of(&Printer { labels: self.names, graph: self.graph, dialect: Dialect::Rule, name: &name })
    }
}

/// What stands in the rule itself, by its name.
fn leaf(graph: &Graph, names: &Names, id: NodeId) -> Option<String> {
    Some(match graph.op(id) {
        Op::Hyper(index) => names.hyper(index),
        Op::Step => "step".to_owned(),
        Op::Run => "run".to_owned(),
        Op::Len => "len()".to_owned(),
        Op::Ndim => "ndim()".to_owned(),
        Op::Dim(index) => format!("dim({index})"),
        Op::AllLen => "all::len()".to_owned(),
        Op::Scalar(index) => names.scalar(index),
        Op::GradScale => "grad_scale".to_owned(),
        Op::ClipValue => "clip_value".to_owned(),
        Op::Clip => "clip".to_owned(),
        Op::RawGrad => "raw_grad".to_owned(),
        Op::Input(index) => names.input(index),
        Op::Load(cell) => names.cell(cell),
        _ => return None,
    })
}
