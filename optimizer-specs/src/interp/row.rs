//! The row of a tensor: what the host computes once per step and the device reads.

use super::error::Error;
use super::host::{Host, HostValue};
use super::memory::Memory;
use super::number::Number;
use crate::ir::{FieldType, Program, RowField, Type};

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
