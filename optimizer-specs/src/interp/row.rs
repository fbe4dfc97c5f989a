//! What the host computes once per step: the row of a tensor, which the device reads, and its host states.

use std::collections::BTreeMap;

use super::error::Error;
use super::host::{Host, HostValue};
use super::memory::Memory;
use super::number::Number;
use crate::ir::{Cell, FieldType, Graph, Program, RowField, Type};

/// The words of a tensor's row, in field order: what generated host code must fill a row with.
pub fn row_words<N: Number>(program: &Program, memory: &Memory<N>, tensor: usize) -> Result<Vec<u32>, Error> {
    let values = row(program, memory, tensor)?;
    Ok(values.into_iter().map(word).collect())
}

/// The values of a tensor's row before they are rounded, in field order. Fields that are not needed are 0.
pub fn row<N: Number>(program: &Program, memory: &Memory<N>, tensor: usize) -> Result<Vec<HostValue>, Error> {
    let mut host = Host::new(&program.graph, memory, tensor);
    program.row.iter().map(|row_field| field(&mut host, row_field)).collect()
}

/// The new host states of a tensor, by index in the rule's list.
pub fn host_states<N: Number>(graph: &Graph, memory: &Memory<N>, tensor: usize) -> Result<BTreeMap<u32, f64>, Error> {
    let mut host = Host::new(graph, memory, tensor);
    let stores = graph.stores.iter().filter_map(|store| match store.cell {
        Cell::HostState(index) => Some((index, store.value)),
        _ => None,
    });
    stores.map(|(index, value)| Ok((index, host.host_state(value)?))).collect()
}

fn word(value: HostValue) -> u32 {
    match value {
        HostValue::Real(value) => (value as f32).to_bits(),
        HostValue::Int(value) => value as u32,
        HostValue::Bool(value) => value.into(),
    }
}

fn field<N: Number>(host: &mut Host<'_, N>, field: &RowField) -> Result<HostValue, Error> {
    if let Some(demand) = field.demand
        && !host.bool(demand)?
    {
        return Ok(match host.type_of(field.node) {
            Type::Real => HostValue::Real(0.0),
            Type::Int => HostValue::Int(0),
            Type::Bool => HostValue::Bool(false),
        });
    }
    let value = host.finite(field.node)?;
    let fits = match (field.ty, value) {
        (FieldType::F32, HostValue::Real(_)) | (FieldType::U32, HostValue::Bool(_)) => true,
        (FieldType::U32, HostValue::Int(value)) => u32::try_from(value).is_ok(),
        (FieldType::I32, HostValue::Int(value)) => i32::try_from(value).is_ok(),
        (ty, value) => return Err(Error::Malformed(format!("{value:?} in row field `{}` of type {ty:?}", field.name))),
    };
    match value {
        HostValue::Int(value) if !fits => Err(host.not_representable(field.node, value as f64)),
        value => Ok(value),
    }
}
